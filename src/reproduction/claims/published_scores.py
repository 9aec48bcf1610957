"""Claims about the authors' code and stored scores of Figure 7, and about errors in them."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable

import numpy as np
import pandas as pd

from calibrated_metrics import scores
from calibrated_metrics.confusion import ConfusionCurve
from reproduction.claims.lookup import (
    AREA,
    GAIN,
    calibrated,
    not_empty,
    number,
    rows,
    wide,
)
from reproduction.claims.model_ranking import CONVENTIONS, CORRECTIONS, correlation
from reproduction.claims.registry import (
    EXACT,
    QUALITATIVE,
    Above,
    Claim,
    Data,
    KnownGap,
    Need,
    Published,
    Tolerance,
    printed,
)
from reproduction.experiments.published_gain import prg_auc_as_published

__all__ = ["CLAIMS", "change_by"]

_SCORES = ("ranking_scores", "ranking_tasks")
_HALF_GAIN = calibrated(GAIN)


# ------------------------------------------------------------------------------- stored scores


def _of_panel(scores_table: pd.DataFrame, tasks: pd.DataFrame, panel: str) -> pd.DataFrame:
    members = tasks.loc[tasks[panel].astype(bool), "task"]
    of_panel = scores_table[scores_table["task"].isin(members)]
    return not_empty(of_panel, f"there are no scores in the matrix {panel!r}")


def _wide(scores_table: pd.DataFrame, tasks: pd.DataFrame, panel: str) -> pd.DataFrame:
    """Return the published values, with a row per task and run and a column per metric."""
    of_panel = _of_panel(scores_table, tasks, panel)
    by_metric = wide(of_panel, ["task", "run"], "metric", "value_as_published")
    return by_metric.dropna(axis="columns")  # drops the metrics that only imbalanced tasks have


def _gains(panel: str, metric: str = _HALF_GAIN) -> Callable[..., pd.DataFrame]:
    return lambda scores_table, tasks: rows(_of_panel(scores_table, tasks, panel), metric=metric)


def _n_values(panel: str):
    return lambda *tables: len(_gains(panel)(*tables))


def _n_above_1(panel: str, metric: str = _HALF_GAIN):
    return lambda *tables: (_gains(panel, metric)(*tables)["value_as_published"] > 1).sum()


def _n_tasks_above_1(panel: str):
    def query(*tables: pd.DataFrame) -> int:
        gains = _gains(panel)(*tables)
        return gains.loc[gains["value_as_published"] > 1, "task"].nunique()

    return query


def _largest_gain(panel: str):
    return lambda *tables: _gains(panel)(*tables)["value_as_published"].max()


def _is_zeroed(*tables: pd.DataFrame) -> pd.Series:
    """Return whether all ten metrics are exactly 0, by task and run."""
    return (_wide(*tables, "all") == 0).all(axis=1)


def _n_undefined_correlations(*tables: pd.DataFrame) -> int:
    """Return the number of cells in the rows and columns of constant metrics, over all tasks."""
    by_task = _wide(*tables, "all").groupby(level="task")
    is_constant = by_task.max() == by_task.min()
    n_metrics, n_constant = is_constant.shape[1], is_constant.sum(axis=1)
    return int((n_metrics**2 - (n_metrics - n_constant) ** 2).sum())


def _n_tasks_sharing_models(panel: str):
    """Query the number of tasks with a model whose ten values also occur in another task."""

    def query(*tables: pd.DataFrame) -> int:
        runs = _wide(*tables, panel)
        # Perfect or zeroed models have equal values in any task.
        distinctive = runs[runs.nunique(axis=1) > 3]
        models = distinctive.reset_index(level="task").groupby(list(runs.columns))["task"]
        shared = models.transform("nunique") > 1
        return distinctive.index.get_level_values("task")[shared.to_numpy()].nunique()

    return query


def _n_tasks(panel: str):
    return lambda tasks: int(tasks[panel].astype(bool).sum())


def change_by(correction: str, panel: str = "all"):
    """Query the largest change of a cell of a matrix by a correction."""

    def query(summary: pd.DataFrame) -> float:
        not_empty(summary, "there are no scores")
        return number(summary, "largest", panel=panel, correction=correction)

    return query


def _correlation_lost_near_the_prior(corrections: pd.DataFrame) -> float:
    """Return how much less AUC-PR correlates with AUC-P_cR at 10 π than at 1.01 π.

    The former is the correlation for the imbalanced tasks, the latter for all tasks.
    """
    near, far = (
        correlation(corrections, panel, AREA, calibrated(AREA, pi0))
        for panel, pi0 in (("all", "1.01π"), ("imbalanced", "10π"))
    )
    return near - far


def _on_stored_scores(
    name: str,
    statement: str,
    published: Published,
    query: Callable[..., float],
    *,
    tolerance: Tolerance = EXACT,
    reads: tuple[str, ...] = _SCORES,
    needs: tuple[Need, ...] = (),
    source: str = "A",
    place: str = "stored scores of Figure 7",
    known_gap: KnownGap | None = None,
) -> Claim:
    return Claim(
        f"{source}-{name}",
        source,
        place,
        statement,
        published,
        tolerance,
        query,
        reads,
        data=Data.STORED_SCORES,
        needs=needs,
        known_gap=known_gap,
    )


_STORED = [
    _on_stored_scores("runs-all", "number of stored runs", 18_060, _n_values("all")),
    _on_stored_scores(
        "runs-imbalanced",
        "number of stored runs of the imbalanced tasks",
        150,
        _n_values("imbalanced"),
    ),
    _on_stored_scores(
        "gain-above-1-all",
        "number of runs whose AUC-P_cR Gain at π₀ = 0.5 exceeds 1, the largest possible area",
        283,
        _n_above_1("all"),
    ),
    _on_stored_scores(
        "gain-above-1-tasks",
        "number of tasks with an AUC-P_cR Gain at π₀ = 0.5 above 1",
        57,
        _n_tasks_above_1("all"),
    ),
    _on_stored_scores(
        "gain-above-1-imbalanced",
        "imbalanced tasks: number of the 150 runs whose AUC-P_cR Gain at π₀ = 0.5 exceeds 1",
        64,
        _n_above_1("imbalanced"),
    ),
    _on_stored_scores(
        "gain-above-1-imbalanced-tasks",
        "number of the five imbalanced tasks with an AUC-P_cR Gain at π₀ = 0.5 above 1",
        5,
        _n_tasks_above_1("imbalanced"),
    ),
    _on_stored_scores(
        "gain-largest",
        "largest AUC-P_cR Gain at π₀ = 0.5",
        35.97,
        _largest_gain("all"),
        tolerance=printed(2),
    ),
    _on_stored_scores(
        "ordinary-gain-is-right",
        "number of runs whose ordinary AUC-PR Gain exceeds 1",
        0,
        _n_above_1("all", GAIN),
    ),
    _on_stored_scores(
        "zeroed-runs",
        "number of runs whose ten metrics are all exactly 0",
        1520,
        lambda *tables: _is_zeroed(*tables).sum(),
    ),
    _on_stored_scores(
        "zeroed-tasks",
        "number of tasks with runs whose ten metrics are all exactly 0",
        93,
        lambda *tables: _is_zeroed(*tables).groupby(level="task").any().sum(),
    ),
    _on_stored_scores(
        "zeroed-tasks-wholly",
        "number of tasks whose runs all have ten metrics of exactly 0",
        10,
        lambda *tables: _is_zeroed(*tables).groupby(level="task").all().sum(),
    ),
    _on_stored_scores(
        "zeroed-runs-move-cells",
        "dropping the runs whose ten metrics are all 0 changes the matrix: largest change of a "
        "cell",
        0.022,
        change_by("zeroed_runs"),
        tolerance=printed(3),
        reads=(f"{CORRECTIONS}_summary",),
        needs=CONVENTIONS,
        known_gap=KnownGap(
            0.02275, 5e-6, "the change is 0.02275; 0.022 is this value truncated, not rounded"
        ),
    ),
    _on_stored_scores(
        "undefined-correlations",
        "number of undefined Spearman correlations with a constant metric, which count as 1",
        1151,
        _n_undefined_correlations,
    ),
    _on_stored_scores(
        "undefined-correlations-move-cells",
        "leaving out undefined Spearman correlations changes the matrix: largest change of a cell",
        0.004,
        change_by("undefined_correlation"),
        tolerance=printed(3),
        reads=(f"{CORRECTIONS}_summary",),
        needs=CONVENTIONS,
    ),
    _on_stored_scores(
        "tasks-all",
        "number of tasks in the matrix of all tasks",
        602,
        _n_tasks("all"),
        reads=("ranking_tasks",),
    ),
    _on_stored_scores(
        "fig7-datasets-all",
        "number of datasets in the matrix of all tasks",
        614,
        _n_tasks("all"),
        reads=("ranking_tasks",),
        source="S",
        place="Figure 7",
        known_gap=KnownGap(602, 0, "the matrix has 602 tasks, and several tasks share a dataset"),
    ),
    _on_stored_scores(
        "tasks-share-datasets",
        "number of tasks that have a model in common with another task, because they share a "
        "dataset",
        Above(0.0),
        _n_tasks_sharing_models("all"),
        tolerance=QUALITATIVE,
    ),
    _on_stored_scores(
        "tasks-imbalanced",
        "number of imbalanced tasks",
        5,
        _n_tasks("imbalanced"),
        reads=("ranking_tasks",),
    ),
    _on_stored_scores(
        "fig7-datasets-imbalanced",
        "number of datasets in the matrix of imbalanced tasks",
        4,
        _n_tasks("imbalanced"),
        reads=("ranking_tasks",),
        source="S",
        place="Figure 7",
        known_gap=KnownGap(5, 0, "the matrix has 5 tasks; two of them share a dataset"),
    ),
    _on_stored_scores(
        "tasks-imbalanced-share-a-dataset",
        "number of imbalanced tasks that have a model in common with another task, because they "
        "share a dataset",
        2,
        _n_tasks_sharing_models("imbalanced"),
    ),
    _on_stored_scores(
        "near-the-prior-means-two-things",
        "π₀ ≈ π means 1.01 π for all tasks but 10 π for imbalanced tasks: correlation of AUC-PR "
        "with AUC-P_cR at π₀ ≈ π, all tasks minus imbalanced tasks",
        Above(0.05),
        _correlation_lost_near_the_prior,
        tolerance=QUALITATIVE,
        reads=(CORRECTIONS,),
        needs=CONVENTIONS,
    ),
]


# ------------------------------------------------------------------------- the authors' code


def _smallest_example() -> ConfusionCurve:
    return ConfusionCurve.from_predictions([1, 1, 0, 0, 0, 0, 0], [2, 1, 1, 1, 1, 1, 1])


def _n_existing_names() -> int:
    return sum(
        [
            importlib.util.find_spec("sklearn.metrics.ranking") is not None,
            hasattr(np, "alen"),
            hasattr(pd.DataFrame, "ix"),
        ]
    )


_CODE = [
    Claim(
        "A-gain-smallest-example",
        "A",
        "prgc.py",
        "AUC-P_cR Gain at π₀ = 0.6 of y = [1,1,0,0,0,0,0], s = [2,1,1,1,1,1,1] by the authors' "
        "formulas",
        1.25,
        EXACT,
        lambda: prg_auc_as_published(_smallest_example(), 0.6),
    ),
    Claim(
        "A-gain-smallest-example-right",
        "A",
        "prgc.py",
        "AUC-P_cR Gain at π₀ = 0.6 of y = [1,1,0,0,0,0,0], s = [2,1,1,1,1,1,1] by the correct "
        "formulas",
        1 / 3,
        EXACT,
        lambda: scores.prg_auc(_smallest_example().at_prior(0.6)),
    ),
    Claim(
        "A-gain-is-right-at-own-prior",
        "A",
        "prgc.py",
        "the authors' formulas of AUC-P_cR Gain are correct at π₀ = π: error for "
        "y = [1,1,0,0,0,0,0], s = [2,1,1,1,1,1,1]",
        0.0,
        EXACT,
        lambda: (
            prg_auc_as_published(_smallest_example(), 2 / 7) - scores.prg_auc(_smallest_example())
        ),
    ),
    Claim(
        "A-names-gone",
        "A",
        "calibrated_metrics.py, prgc.py, notebook",
        "sklearn.metrics.ranking._binary_clf_curve, numpy.alen and DataFrame.ix, which the code "
        "uses: number that still exist",
        0,
        EXACT,
        _n_existing_names,
    ),
]

CLAIMS = [*_STORED, *_CODE]
