"""The smoke configuration, end to end: every table, figure and log, and what is made of them."""

import json
import subprocess

import numpy as np
import pandas as pd
import pytest
from copy_figures import RECORD, record
from matplotlib.image import imread
from project import ROOT

from reproduction.core import claims, settings

# What another row of the table explains: no reference prior, no interval, nothing published.
MAY_BE_EMPTY = ("pi0", "published", "ours", "paper_value", "tolerance", "reason", "area", "other")

# Figures of tables that do not depend on the settings.
WITHOUT_SETTINGS = ("dg_fig1", "dg_fig5", "dg_fig6", "dg_fig7")
WITHOUT_SETTINGS += ("fig3_prior_illustration",)


@pytest.fixture
def results(smoke):
    return smoke.folder / "results" / "smoke"


def test_tables_have_rows_and_numbers(results):
    tables = sorted((results / "tables").glob("*.csv"))
    assert len(tables) > 20
    for path in tables:
        table = pd.read_csv(path)
        assert len(table) > 0, path.name
        numbers = table.select_dtypes("number")
        numbers = numbers[[name for name in numbers if not name.endswith(MAY_BE_EMPTY)]]
        assert not np.isinf(numbers).any(axis=None), path.name


def test_figures_have_three_files(results):
    names = {path.stem for path in (results / "figures").iterdir()}
    assert len(names) > 15
    for name in names:
        assert (results / "figures" / f"{name}.pdf").read_bytes().startswith(b"%PDF")
        assert "<svg" in (results / "figures" / f"{name}.svg").read_text(encoding="utf-8")
        image = imread(results / "figures" / f"{name}.png")
        assert image.shape[1] > 500
        assert image[..., :3].std() > 0.01, f"{name} is empty"


def test_each_figure_has_its_claims(results):
    """A claim names a figure that is drawn, and each figure has a claim or a check."""
    drawn = {path.stem for path in (results / "figures").iterdir()}
    entries = [claim for room in settings.rooms() for claim in claims.of_room(room)]
    tables = {path.stem for path in (results / "tables").iterdir()}
    assert drawn <= {claim.figure for claim in entries} <= drawn | tables
    assert {claim.table for claim in entries} <= tables
    table = pd.read_csv(results / "tables" / "paper_vs_ours.csv")
    assert table["id"].to_list() == [each.id for each in entries if each.kind == "claim"]
    assert table["expected"].all()


def test_logs_have_versions(results):
    logs = list((results / "logs").rglob("*.log"))
    assert len(logs) > 30
    assert all("numpy" in log.read_text() for log in logs if log.stat().st_size)


def test_provenance(results):
    content = json.loads((results / "provenance.json").read_text(encoding="utf-8"))
    assert content["configuration"]["pi_sweep"]["n_runs"] == 4
    files = [*results.glob("tables/*"), *results.glob("figures/*")]
    assert set(content["sha256"]) == {path.relative_to(results).as_posix() for path in files}
    checked = subprocess.run(["sha256sum", "--quiet", "-c", "SHA256SUMS"], cwd=results)
    assert checked.returncode == 0


def test_the_copies_of_figures_have_these_tables(results):
    content = json.loads((results / "provenance.json").read_text(encoding="utf-8"))
    copied = json.loads((ROOT / "docs/figures" / RECORD).read_text(encoding="utf-8"))
    found = record(content)
    if any(found[key] != copied[key] for key in ("instructions", "packages")):
        pytest.skip("the copies were made with other packages or on another kind of machine")
    for name in WITHOUT_SETTINGS:
        assert found["figures"][name] == copied["figures"][name], name


def test_nothing_is_left_to_do(smoke):
    assert not smoke.would_run()
    hidden = {path.name for path in (smoke.folder / "results").rglob(".*")}
    assert hidden == {".lock"}
