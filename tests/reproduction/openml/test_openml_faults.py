"""The workflow against a server with a fault, which lasts until the server is healed.

`benchmarks/openml_outages.py` runs into all faults.
"""

import pytest
from openml_client import Jobs
from openml_faults import FAULTS, Pipeline, meet
from openml_stand_in import openml_stand_in
from openml_world import World

N_MODELS = 4
# Of the faults that differ only in the place, the kind or the number of the answers, a few are
# enough here. What concerns a single list, description or file is tested with these.
NAMES = [
    "systematic: everything: 404",
    "systematic: everything: 200 HTML",
    "systematic: lists of runs: short",
    "systematic: predictions: 404",
    "systematic: predictions cut at a line end",
    "systematic: predictions of another run",
    "systematic: descriptions name another host",
    "systematic: descriptions name no predictions",
    "first 3: predictions: 404",
    "first 20: predictions: 404",
    "first 12: lists of runs: error 512",
    "first 20: lists of runs: short",
    "after 4: everything: 503",
    "every other request: predictions: 404",
    "half of the paths: runs: 404",
    "half of the paths: predictions of another run",
    "half of the paths: description with two datasets",
]


@pytest.fixture(scope="module")
def server():
    with openml_stand_in(World.synthetic(2, N_MODELS, 40, spare_runs=7)) as running:
        yield running


@pytest.fixture(autouse=True)
def short_waits(waits, monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1,localhost")
    monkeypatch.setattr("os.fsync", lambda descriptor: None)


@pytest.fixture(scope="module")
def expected(server, tmp_path_factory):
    """A run without faults."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("no_proxy", "127.0.0.1,localhost")
        patch.setattr("time.sleep", lambda seconds: None)
        finished = Pipeline(Jobs(server, tmp_path_factory.mktemp("expected"), N_MODELS))
        assert not finished.run()
    return finished


@pytest.mark.parametrize("name", NAMES)
def test_nothing_usable_is_lost(server, expected, tmp_path, name):
    result = meet(server, FAULTS[name](), Pipeline(Jobs(server, tmp_path, N_MODELS)), expected)
    assert result.is_good, result
    if result.outcome == "stopped":
        assert "un the same command again" in result.message
