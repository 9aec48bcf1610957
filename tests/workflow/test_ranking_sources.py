"""The other sources of rankings through the real Snakefile: OpenML, the authors' stored scores."""

import time
from pathlib import Path

import pandas as pd
import pytest
from openml_faults import FAULTS
from openml_stand_in import World, openml_stand_in
from runs import openml_settings

from reproduction.files import sha256_of
from reproduction.records import Records

SHARED = Path(__file__).parents[3] / "shared" / "data"
TABLES = [
    f"results/tables/{name}.csv"
    for name in (
        "openml_status",
        "ranking_scores",
        "rank_correlation_all",
        "minority_ratio",
        "rank_correlation_corrections",
    )
]
STATUS = TABLES[0]
PREDICTIONS = "results/intermediate/ranking/openml/predictions/*"
DOWNLOADED = "resources/openml/*/predictions/*"
N_MODELS = 4


@pytest.fixture
def server():
    with openml_stand_in(World.synthetic(4, N_MODELS, 120, seed=3, spare_runs=3)) as server:
        yield server


def settings(server, **openml):
    return openml_settings(server, n_models=N_MODELS, **openml)


def test_openml_from_selection_to_matrix(project, server):
    """One connection or two, sorted or shuffled listings, a selection of one's own: the same."""
    project.run(*TABLES, settings=settings(server)).succeeded()
    first = project.contents("results/tables/*")
    tasks = pd.read_csv(project.folder / "results" / "tables" / "ranking_tasks.csv")
    used = tasks[tasks["outcome"] == "used"]
    assert sorted(used["task"]) == sorted(server.world.tasks_of_kind("full"))
    assert (used["n_models"] == N_MODELS).all()
    status = pd.read_csv(project.folder / "results" / "tables" / "openml_status.csv")
    assert set(status.loc[status["outcome"] == "excluded", "reason"]) >= {"too_few_runs_listed"}
    assert status["reason"].notna().equals(status["outcome"] == "excluded")
    used_runs = status["run"].notna() & (status["outcome"] != "excluded")
    assert (status.loc[used_runs, "auc_check"] == "checked").all()
    corrections = project.folder / "results/tables/rank_correlation_corrections.csv"
    found = pd.read_csv(corrections)["correction"].unique()
    assert {"repeated_datasets", "repeated_models"} < set(found)

    _check_that_downloads_are_recorded(project, tasks)

    server.requests.clear()
    assert project.run(*TABLES, settings=settings(server)).nothing_to_do
    # No later job talks to the server.
    assert project.run("--forceall", STATUS, settings=settings(server)).code == 0
    assert server.requests == []
    assert project.contents("results/tables/*") == first

    frozen = project.folder / "frozen.json"
    frozen.write_bytes(
        (project.folder / "results/intermediate/ranking/openml/selection.json").read_bytes()
    )
    server.listing_order = "shuffled"
    again = settings(server, selection="frozen.json", connections=1)
    elsewhere = {"resources_dir": "resources_of_another", "results_dir": "results_of_another"}
    names = [name.replace("results/", "results_of_another/") for name in TABLES]
    project.run(*names, settings=again | elsewhere, cores=1).succeeded()
    second = project.contents("results_of_another/tables/*")
    assert {Path(name).name: body for name, body in second.items()} == {
        Path(name).name: body for name, body in first.items()
    }
    assert not [request for request in server.requests if "/list" in request]


def _check_that_downloads_are_recorded(project, tasks):
    """Of a task that is used: the files of its runs and the true labels, as they are stored."""
    records = Records(project.folder / "results")
    for task in tasks.loc[tasks["outcome"] == "used", "task"]:
        name = f"intermediate/ranking/openml/predictions/{task}.parquet"
        sources = records.of(name).sources
        assert len(sources) == N_MODELS + 1
        for source, sha256 in sources.items():
            assert sha256 == sha256_of(project.folder / source.replace("_dir", "", 1))


def test_a_killed_run_asks_for_nothing_it_has(project, server):
    process = project.start(STATUS, settings=settings(server, connections=1))
    deadline = time.monotonic() + 120
    # The first task to end may be one without usable runs, which downloads nothing.
    while time.monotonic() < deadline and not (
        project.files(PREDICTIONS) and len(project.files(DOWNLOADED)) >= 2
    ):
        time.sleep(0.05)
    project.kill(process)
    had = set(project.files(DOWNLOADED))
    asked = [request for request in server.requests if "/data/download/" in request]
    assert len(had) >= 2
    assert len(project.files(PREDICTIONS)) < len(server.world.tasks_of_kind("full"))

    server.requests.clear()
    project.run(STATUS, settings=settings(server)).succeeded()

    again = [request for request in server.requests if "/data/download/" in request]
    # A file that was under way when the process was killed is not there, or not yet recorded.
    assert len(set(asked) & set(again)) <= len(asked) - (len(had) - 1)
    assert not [request for request in server.requests if "/task/list" in request]


def test_an_outage_stops_the_run_and_says_so(project, server):
    """As a maintenance page on another host, to which all requests are redirected."""
    limits = {"seconds_per_file": 2.0, "seconds_per_task": 4.0}
    project.run(
        "results/intermediate/ranking/openml/selection.json", settings=settings(server)
    ).succeeded()
    server.mode = FAULTS["everything: redirect to another host"]

    outcome = project.run(*TABLES, settings=settings(server, connections=1, **limits))

    assert outcome.code != 0
    assert outcome.output.count("Run the same command again later") >= 1
    assert "skip_tasks" in outcome.output
    assert not project.files("results/tables/rank*")
    server.mode = None
    project.run(STATUS, settings=settings(server)).succeeded()
    status = pd.read_csv(project.folder / "results" / "tables" / "openml_status.csv")
    assert set(status["reason"].dropna()) <= {"too_few_runs_listed", "not_binary"}


def test_a_task_can_be_skipped(project, server):
    skip = sorted(server.world.tasks_of_kind("full"))[0]

    project.run(STATUS, settings=settings(server, skip_tasks=[skip])).succeeded()

    status = pd.read_csv(project.folder / STATUS, dtype={"run": "str"})
    (row,) = status[status["task"] == skip].to_dict("records")
    assert (row["outcome"], row["reason"]) == ("excluded", "skipped")
    downloads = {path for path in server.requests if path.startswith("/datasets/")}
    assert not any(f"dataset_{server.world.tasks[skip].did}.pq" in path for path in downloads)


@pytest.mark.skipif(not SHARED.is_dir(), reason="the authors' stored scores are not here")
def test_stored_scores_give_the_published_matrices(project):
    stored = {
        panel: str(SHARED / f"published_scores_{panel}.parquet") for panel in ("all", "imbalanced")
    }
    ranking = {"source": "published", "conventions": "as_published", "published": stored}
    tables = [f"results/tables/rank_correlation_{panel}.csv" for panel in stored]

    figure = "results/figures/rank_correlation_corrections.svg"

    project.run(*tables, figure, settings={"ranking": ranking}).succeeded()

    assert "As published" in (project.folder / figure).read_text(encoding="utf-8")
    for panel, table in zip(stored, tables, strict=True):
        ours = pd.read_csv(project.folder / table)["spearman"].to_numpy().reshape(10, 10)
        published = pd.read_csv(SHARED / f"published_fig7_{panel}.csv", index_col=0).to_numpy()
        assert abs(ours - published).max() < 5.1e-5
