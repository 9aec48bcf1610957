"""Rankings of runs on OpenML through the real Snakefile."""

import http_stand_in as faults
import pandas as pd
import pytest
from openml_stand_in import openml_stand_in, predictions_path
from openml_world import World

NAMES = ("openml_status", "ranking_scores", "minority_ratio")
TABLES = [f"results/tables/{name}.csv" for name in NAMES]
STATUS = TABLES[0]
N_MODELS = 4
SWAPPED = "true and predicted labels were swapped"
KEY = "c0ffee" * 5


@pytest.fixture
def server(monkeypatch, tmp_path):
    """A server, and a user's configuration of the package `openml`."""
    monkeypatch.setenv("no_proxy", "127.0.0.1,localhost")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("OPENML_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "openml").mkdir()
    (tmp_path / "openml" / "config").write_text(f"apikey = {KEY}\nconnection_n_retries = 1\n")
    with openml_stand_in(World.synthetic(4, N_MODELS, 120, spare_runs=3)) as server:
        yield server


def settings(server, **openml):
    defaults = {"server": server.url_api, "requests_per_second": 1000.0, "runs_listed": 30}
    ranking = {"source": "openml", "n_models": N_MODELS, "n_bootstrap": 50}
    return {"ranking": {**ranking, "openml": {**defaults, **openml}}}


def run(project, *targets, settings):
    return project.run(*targets, settings=settings, overlays=())


def test_openml_from_selection_to_scores(project, server):
    """`tests/reproduction/ranking` has the correlations and figures of such scores."""
    lost = []

    def refuse_the_first_predictions(server, path):
        if path.endswith("/predictions"):
            lost.append(path)
            return faults.answer(404) if path == lost[0] else None
        return None

    # The run that the server refuses is replaced, and taken back by the same command.
    server.mode = refuse_the_first_predictions
    outcome = run(project, STATUS, settings=settings(server)).succeeded()
    assert "The same command requests them again" in outcome.output
    refused = pd.read_csv(project.folder / STATUS).query("outcome == 'refused'")["run"]
    assert list(map(predictions_path, refused.astype(int))) == lost[:1]
    server.mode = None
    run(project, *TABLES, settings=settings(server)).succeeded()
    status = pd.read_csv(project.folder / STATUS)
    used_runs = status["run"].notna() & (status["outcome"] != "excluded")
    assert set(refused) <= set(status["run"])
    assert not project.would_run(*TABLES, settings=settings(server), overlays=())

    tasks = pd.read_csv(project.folder / "results/tables/ranking_tasks.csv")
    used = tasks[tasks["outcome"] == "used"]
    assert sorted(used["task"]) == sorted(server.world.tasks_of_kind("full"))
    assert (used["n_models"] == N_MODELS).all()
    assert set(status.loc[status["outcome"] == "excluded", "reason"]) >= {"too_few_runs_listed"}
    assert set(status.loc[used_runs, "detail"].dropna()) <= {SWAPPED}

    undisturbed = settings(server) | {"resources_dir": "other_resources"}
    run(project, STATUS, settings=undisturbed).succeeded()
    pd.testing.assert_frame_equal(pd.read_csv(project.folder / STATUS), status)


def test_an_outage_stops_the_run_and_a_task_can_be_skipped(project, server):
    selection = "results/intermediate/ranking/openml/selection.json"
    without = project.copy(project.folder.with_name("without")).without("openml")
    assert without.would_run(STATUS, settings=settings(server), overlays=())["openml_status"] == 1
    run(project, selection, settings=settings(server)).succeeded()
    assert {f"api_key={KEY}"} == set(server.queries)
    server.mode = lambda server, path: faults.redirect(f"http://localhost:9{path}?api_key={KEY}")
    outcome = run(project, *TABLES, settings=settings(server))
    assert outcome.code != 0
    assert "What arrived is kept: run the same command again, or" in outcome.output
    assert "set ranking.openml.skip_tasks: [" in outcome.output
    assert "api_key=***" in outcome.output

    server.mode = None
    skip = server.world.tasks_of_kind("full")[0]
    run(project, STATUS, settings=settings(server, skip_tasks=[skip])).succeeded()
    status = pd.read_csv(project.folder / STATUS, dtype={"run": "str"})
    assert set(status["reason"].dropna()) <= {"not_binary", "skipped", "too_few_runs_listed"}
    assert (status.loc[status["task"] == skip, "reason"] == "skipped").all()

    assert KEY not in outcome.output
    written = [path for path in project.folder.rglob("*") if path.is_file()]
    assert not [path for path in written if KEY.encode() in path.read_bytes()]
