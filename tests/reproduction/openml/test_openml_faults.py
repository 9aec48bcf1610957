"""The client against a server with a systematic fault, which lasts until the server is healed.

`benchmarks/openml_outages.py` runs into every fault with 20 tasks, at several points of a run.
"""

import pytest
from openml_faults import FAULTS, HARMLESS, OF_LISTS, UNCHECKED, Pipeline, meet
from openml_stand_in import World, openml_stand_in

from reproduction.openml import download, fetch
from reproduction.openml import server as server_module

N_MODELS = 6
"""More than the number of unusable runs in a row that counts as a possible outage."""
SECONDS_PER_FILE = 0.5
SECONDS_PER_TASK = 3.0
# Of the faults that differ only in the place or in the kind of the answer, a few are enough here.
PLACES = ("run descriptions", "predictions", "dataset files")
KINDS = ("redirect to another host", "404")
EVERYWHERE = (*KINDS, "redirect to a bad address", "503, retry after the year 99999", "401")
NAMES = [
    *(f"everything: {kind}" for kind in (*EVERYWHERE, "200 HTML", "reset", "decompression bomb")),
    *(f"{place}: {kind}" for place in PLACES for kind in KINDS),
    "everything: headers a byte at a time",
    "predictions: a byte at a time",
    *(name for name in FAULTS if ": " not in name and not ("ARFF" in name and "redirect" in name)),
]


@pytest.fixture(scope="module")
def server():
    with openml_stand_in(World.synthetic(2, N_MODELS, 30, seed=3, spare_runs=1)) as running:
        yield running


@pytest.fixture(autouse=True)
def short_waits(monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1,localhost")
    monkeypatch.setattr(download, "FIRST_WAIT", 0.005)
    monkeypatch.setattr(server_module, "PAUSE", 0.05)
    monkeypatch.setattr(fetch, "ROUND_PAUSE", 0.05)
    monkeypatch.setattr("os.fsync", lambda descriptor: None)


def pipeline(server, folder, seconds_per_file=30.0, seconds_per_task=60.0):
    return Pipeline(server.url_api, folder, N_MODELS, seconds_per_file, seconds_per_task)


@pytest.fixture(scope="module")
def expected(server, tmp_path_factory):
    """A run without faults."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("no_proxy", "127.0.0.1,localhost")
        finished = pipeline(server, tmp_path_factory.mktemp("expected"))
        finished.run()
    return finished


@pytest.mark.parametrize("name", NAMES)
def test_a_systematic_fault_ends_the_run_or_does_no_harm(server, expected, tmp_path, name):
    after = 0 if name in (*OF_LISTS, *HARMLESS) else 1
    failing = pipeline(server, tmp_path, SECONDS_PER_FILE, SECONDS_PER_TASK)
    result = meet(server, name, failing, expected, after=after)
    assert (result.outcome == "right") == (name in HARMLESS), result
    assert result.is_good(SECONDS_PER_TASK), result
    if name not in HARMLESS:
        assert "ranking.openml.skip_tasks" in result.message or "again later" in result.message
    if name in UNCHECKED:
        used = failing.fetched[failing.selection.tasks[0].task_id].status.iloc[1:]
        assert set(used["auc_check"]) == {"not checked"}
        assert set(used["detail"]) == {"the server states the AUC of 0 of 10 folds"}
