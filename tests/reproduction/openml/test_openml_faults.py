"""The client against a server with a fault, which lasts until the server is healed.

`benchmarks/openml_outages.py` runs into all faults.
"""

import pytest
from openml_faults import FAULTS, SLOW, Pipeline, meet
from openml_stand_in import World, openml_stand_in

from reproduction.openml import download

N_MODELS = 6
# Of the faults that differ only in the place or in the kind of the answer, a few are enough here.
NAMES = [
    *(f"systematic: everything: {kind}" for kind in ("302 elsewhere", "404", "200 HTML", "bomb")),
    *(f"systematic: {place}: 404" for place in ("lists", "runs", "predictions", "dataset files")),
    *(name for name in FAULTS if name.startswith("systematic") and name.count(": ") == 1),
    *(f"first {n}: predictions: {kind}" for n in (1, 3, 5, 8) for kind in ("404", "302 elsewhere")),
    *(f"first {n}: runs: error 236" for n in (1, 5, 20)),
    *(f"first {n}: lists of runs: error 512" for n in (1, 3)),
    *(f"first {n}: {place}: 404" for n in (1, 20) for place in ("datasets", "dataset files")),
    "first 12: lists of runs: error 512",
    "first 3: lists of runs: short",
    "first 20: lists of runs: short",
    "half of the paths: lists of runs: short",
    "first 1: lists of tasks: error 482",
    *(f"every other request: {place}: 404" for place in ("predictions", "runs", "dataset files")),
    *(f"half of the paths: {place}: 404" for place in ("predictions", "runs", "lists")),
    "half of the paths: lists of runs: error 512",
    "half of the paths: predictions cut at a line end",
    "half of the paths: predictions of another run",
    "every other request: predictions cut in a row",
    "after 4: predictions: 404",
    "after 4: everything: 503",
]


@pytest.fixture(scope="module")
def server():
    with openml_stand_in(World.synthetic(2, N_MODELS, 30, seed=3, spare_runs=5)) as running:
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
        finished = Pipeline(server.url_api, tmp_path_factory.mktemp("expected"), N_MODELS)
        assert not finished.run()
    return finished


@pytest.mark.parametrize("name", NAMES)
def test_nothing_usable_is_lost(server, expected, tmp_path, name):
    pipeline = Pipeline(server.url_api, tmp_path, N_MODELS)
    result = meet(server, FAULTS[name](), pipeline, expected)
    assert result.is_good, result
    if result.outcome == "unfinished":
        assert "un the same command again" in result.message


@pytest.mark.parametrize("kind", SLOW)
def test_a_slow_server_ends_at_the_time_limit(server, expected, tmp_path, monkeypatch, kind):
    monkeypatch.setattr(download, "TIMEOUT", (1.0, 0.2))
    pipeline = Pipeline(server.url_api, tmp_path, N_MODELS, seconds_per_file=0.2)
    result = meet(server, FAULTS[f"systematic: everything: {kind}"](), pipeline, expected)
    assert result.is_good, result
    assert result.outcome == "unfinished"
    assert result.seconds < 5
