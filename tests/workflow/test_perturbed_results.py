"""A wrong number in a drawn column breaks a claim, and the error names the claim.

The edits are made in the tables of a finished default run; then the same command runs again.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from project import Project
from workers import once

from reproduction.core import io

pytestmark = pytest.mark.long

AUC_PR, CALIBRATED = "average_precision", "average_precision@pi0=0.5"


@pytest.fixture(scope="session")
def default(shared_folder) -> Project:
    """The finished default run."""

    def make(folder):
        Project.fresh(folder).run(overlays=()).succeeded()

    return Project(once(shared_folder / "default", make))


def broken_by(project: Project, table: str, edit: Callable[[pd.DataFrame], None]) -> list[str]:
    """The claims that an edit of a table breaks, as the run names them. The table is restored."""
    path = project.folder / "results" / "tables" / f"{table}.csv"
    before = path.read_bytes()
    frame = io.read_table(path)
    edit(frame)
    io.write(frame, path)
    assert path.read_bytes() != before
    try:
        outcome = project.run(overlays=())
    finally:
        path.write_bytes(before)
    broken = re.findall(r"^BROKEN (\S+)", outcome.output, re.MULTILINE)
    assert len(broken) == len(set(broken)), "a broken claim is printed once"
    assert (outcome.code != 0) == bool(broken)
    return broken


def setting(column: str, change, where: str | None = None):
    """Edit that changes a column, in the rows that a query selects."""

    def edit(frame: pd.DataFrame) -> None:
        rows = frame.query(where).index if where else frame.index
        values = frame.loc[rows, column]
        frame.loc[rows, column] = change(values) if callable(change) else change

    return edit


def swapped_models(frame: pd.DataFrame) -> None:
    in_pr = frame["space"] == "pr"
    frame.loc[in_pr, "model"] = frame.loc[in_pr, "model"].map({"1": "2", "2": "1", "both": "both"})


def noise(values: pd.Series) -> pd.Series:
    return values + np.random.default_rng(1).normal(0, 0.05, len(values))


def halved(values: pd.Series) -> pd.Series:
    return values.where(np.arange(len(values)) < len(values) / 2, values / 2)


NEAR_093 = "row == 'average_precision@pi0=0.5' and column == 'roc_auc'"
EDITS = {
    "calibrated AUC-PR at the lowest prior": (
        "pi_sweep",
        setting("value", 0.40, f"metric == '{CALIBRATED}' and prior == 0.001"),
    ),
    "AUC-PR at a small prior": (
        "pi_sweep",
        setting("value", 0.3, f"metric == '{AUC_PR}' and prior == 0.005"),
    ),
    "AUC-PR at chance level": (
        "pi_sweep",
        setting("value", 0.001, f"metric == '{AUC_PR}' and prior == 0.001"),
    ),
    "the infinite-sample limit": (
        "pi_sweep",
        setting("population", 0.3, f"metric == '{AUC_PR}' and prior == 0.5"),
    ),
    "a smooth AUC-PR": (
        "kl_sweep",
        setting("value", lambda v: np.linspace(0.9, 0.3, len(v)), f"metric == '{AUC_PR}'"),
    ),
    "models swapped in PR space": ("dg_fig1", swapped_models),
    "noise on one curve": (
        "label_free",
        setting("value", noise, "computation == 'distribution' and metric == 'precision'"),
    ),
    "one precision": (
        "dg_table1",
        setting("precision", 0.33, "0.317 < precision < 0.319"),
    ),
    "one mean of the heuristic": (
        "heuristic",
        setting("mean", lambda v: v + 0.01, "pi0 == pi0.max()"),
    ),
    "three times the error": (
        "label_free_convergence",
        setting("rmse", lambda v: 3 * v, "computation == 'scores'"),
    ),
    "a corrected correlation": (
        "rank_correlation_corrections",
        setting("corrected", 0.2, f"panel == 'imbalanced' and {NEAR_093}"),
    ),
    "a correlation of Figure 7": (
        "rank_correlation_imbalanced",
        setting("spearman", -0.5, NEAR_093),
    ),
    "half of the calibrated ROC curve": (
        "curves_at_priors",
        setting("y", halved, "space == 'roc' and sample == 'calibrated'"),
    ),
    "all areas but the first": (
        "curves_at_priors",
        setting("area", lambda v: v.where(v.index == 0, v * 0.8)),
    ),
    "a rising weekly AUC-PR": (
        "monitoring",
        setting(
            "value",
            lambda v: v.to_numpy()[::-1],
            f"scenario == 'prior drift' and metric == '{AUC_PR}' and pi0.isna()",
        ),
    ),
    "a positive slope": (
        "monitoring_trends",
        setting("slope", lambda v: -v, f"scenario == 'prior drift' and metric == '{AUC_PR}'"),
    ),
}


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_that_a_reader_would_notice(default, name):
    table, edit = EDITS[name]
    assert broken_by(default, table, edit)


# Columns that claims read at each point. Others are compared in test_stored_tables.
DRAWN = {
    "pi_sweep": ["value", "population"],
    "kl_sweep": ["value", "population"],
    "heuristic": ["mean", "expected", "closed_form"],
    "curves_at_priors": ["x", "y", "area"],
    "prior_illustration_numbers": ["precision"],  # the others are constant
    "minority_ratio": ["cumulative_share"],
    "label_free": ["value"],
    "label_free_convergence": ["rmse"],
    "dg_fig1": ["x", "y", "area"],
    "dg_fig5": ["x", "y"],
    "dg_fig6": ["x", "y", "area"],
    "dg_fig7": ["x", "y", "area"],
    "dg_fig7_areas": ["area"],
    "half_prior": ["value"],
    "area_shortcut": ["exact", "shortcut"],
    "error_weights": ["weight"],
    "error_weights_of_groups": ["relative_value"],
    "subsampling": ["rmse"],
    "subsampling_orders": ["right_order"],
}
COLUMNS = [(table, column) for table, columns in DRAWN.items() for column in columns]


def a_tenth_moved(column: str, rng: np.random.Generator):
    """Edit that moves a tenth of the values by a fifth of their range."""

    def edit(frame: pd.DataFrame) -> None:
        values = frame[column].astype(float)
        chosen = rng.random(len(frame)) < 0.1
        chosen[rng.integers(len(frame))] = True
        frame[column] = values + 0.2 * (values.max() - values.min()) * chosen

    return edit


def test_drawn_columns_chosen_at_random(default, proved):
    rng = np.random.default_rng(20200427)
    chosen = rng.choice(len(COLUMNS), size=10, replace=False)
    turned = [
        bool(broken_by(default, COLUMNS[i][0], a_tenth_moved(COLUMNS[i][1], rng))) for i in chosen
    ]
    proved("drawn columns, moved, that break a claim", held=sum(turned), tried=len(turned))
    missed = [COLUMNS[i] for i, turn in zip(chosen, turned, strict=True) if not turn]
    assert len(missed) <= 2, missed
