"""A killed run continues with the same command, and ends with the same bytes and nothing else."""

from __future__ import annotations

import time

import pytest
from kills import LONGEST, Chain, contents
from openml_stand_in import World, openml_stand_in
from runs import SMOKE, openml_settings

pytestmark = pytest.mark.long

OPENML_TABLES = [
    f"results/tables/{name}.csv"
    for name in ("openml_status", "ranking_scores", "rank_correlation_all", "minority_ratio")
]
OPENML_FILES = "res*/**/*"  # results and resources


@pytest.fixture
def check(proved):
    """Run a chain of kills, and record how many were survived."""

    def check(chain: Chain, n_kills: int) -> None:
        passed = False
        try:
            chain.run(n_kills)
            passed = True
        finally:
            for proof, tried in chain.counts():
                proved(proof, held=tried if passed else 0, tried=tried)

    return check


@pytest.fixture(scope="module")
def undisturbed(source, tmp_path_factory):
    """A whole run at smoke size, started as those that are killed, and its run time in seconds."""
    project = source.copy(tmp_path_factory.mktemp("undisturbed") / "project", SMOKE)
    started = time.monotonic()
    project.run(timeout=LONGEST, forks_jobs=False).succeeded()
    return project, time.monotonic() - started


def test_kills_of_a_whole_run(source, undisturbed, tmp_path, scratch, check):
    reference, seconds = undisturbed
    complete = reference.contents()
    chain = Chain(
        source.copy(tmp_path / "project", SMOKE),
        (),
        {"environment": {"TMPDIR": str(scratch)}},
        complete,
        pattern="results/**/*",
        seconds=seconds,
        seed=20200427,
    )
    check(chain, 35)
    tables_and_figures = [name for name in complete if "/tables/" in name or "/figures/" in name]
    assert len(tables_and_figures) > 100


def test_kills_during_the_openml_fetch(source, tmp_path, scratch, check):
    with openml_stand_in(World.synthetic(6, 4, 120, seed=3, spare_runs=3)) as server:
        settings = openml_settings(server, n_models=4, connections=1)
        undisturbed = source.copy(tmp_path / "undisturbed")
        started = time.monotonic()
        undisturbed.run(
            *OPENML_TABLES, settings=settings, timeout=LONGEST, forks_jobs=False
        ).succeeded()
        seconds = time.monotonic() - started
        chain = Chain(
            source.copy(tmp_path / "project"),
            OPENML_TABLES,
            {"settings": settings, "environment": {"TMPDIR": str(scratch)}},
            contents(undisturbed, OPENML_FILES),
            pattern=OPENML_FILES,
            seconds=seconds,
            seed=1597,
        )
        check(chain, 16)
