"""The authors' code and stored scores of Figure 7: what is in them, and what is wrong with them."""

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


# ------------------------------------------------------------------------ what the scores hold


def _of_panel(scores_table: pd.DataFrame, tasks: pd.DataFrame, panel: str) -> pd.DataFrame:
    members = tasks.loc[tasks[panel].astype(bool), "task"]
    of_panel = scores_table[scores_table["task"].isin(members)]
    return not_empty(of_panel, f"there are no scores in the matrix {panel!r}")


def _wide(scores_table: pd.DataFrame, tasks: pd.DataFrame, panel: str) -> pd.DataFrame:
    """A row per task and run, a column per metric, as published."""
    of_panel = _of_panel(scores_table, tasks, panel)
    by_metric = wide(of_panel, ["task", "run"], "metric", "value_as_published")
    return by_metric.dropna(axis="columns")  # imbalanced tasks have more of them


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


def _zeroed(*tables: pd.DataFrame) -> pd.Series:
    """By task and run: are all ten metrics exactly 0?"""
    return (_wide(*tables, "all") == 0).all(axis=1)


def _n_undefined_correlations(*tables: pd.DataFrame) -> int:
    """Cells of the tasks' matrices in the row or column of a constant metric."""
    by_task = _wide(*tables, "all").groupby(level="task")
    is_constant = by_task.max() == by_task.min()
    n_metrics, n_constant = is_constant.shape[1], is_constant.sum(axis=1)
    return int((n_metrics**2 - (n_metrics - n_constant) ** 2).sum())


def _n_tasks_sharing_models(panel: str):
    """Tasks with a model that scores the same on another task, to the last digit of ten metrics."""

    def query(*tables: pd.DataFrame) -> int:
        runs = _wide(*tables, panel)
        # Models without any error, or without any value, are alike by nature.
        telling = runs[runs.nunique(axis=1) > 3]
        models = telling.reset_index(level="task").groupby(list(runs.columns))["task"]
        shared = models.transform("nunique") > 1
        return telling.index.get_level_values("task")[shared.to_numpy()].nunique()

    return query


def _n_tasks(panel: str):
    return lambda tasks: int(tasks[panel].astype(bool).sum())


def change_by(correction: str, panel: str = "all"):
    """Query: how far a correction moves the cell of a matrix that it moves most."""

    def query(summary: pd.DataFrame) -> float:
        not_empty(summary, "there are no scores")
        return number(summary, "largest", panel=panel, correction=correction)

    return query


def _loss_of_correlation_by_the_label(corrections: pd.DataFrame) -> float:
    """Of AUC-PR with its twin at π₀ ≈ π: at 1.01 π of all tasks, less at 10 π of few."""
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
    _on_stored_scores("runs-all", "stored runs", 18_060, _n_values("all")),
    _on_stored_scores(
        "runs-imbalanced", "stored runs of the imbalanced tasks", 150, _n_values("imbalanced")
    ),
    _on_stored_scores(
        "gain-above-1-all",
        "values of AUC-P_cR Gain at π₀ = 0.5 above 1, which no area can be",
        283,
        _n_above_1("all"),
    ),
    _on_stored_scores(
        "gain-above-1-tasks", "tasks that have such values", 57, _n_tasks_above_1("all")
    ),
    _on_stored_scores(
        "gain-above-1-imbalanced",
        "such values among the 150 of the imbalanced tasks",
        64,
        _n_above_1("imbalanced"),
    ),
    _on_stored_scores(
        "gain-above-1-imbalanced-tasks",
        "imbalanced tasks that have such values, all of them",
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
        "values of the ordinary AUC-PR Gain above 1",
        0,
        _n_above_1("all", GAIN),
    ),
    _on_stored_scores(
        "zeroed-runs",
        "runs whose ten metrics are all exactly 0",
        1520,
        lambda *tables: _zeroed(*tables).sum(),
    ),
    _on_stored_scores(
        "zeroed-tasks",
        "tasks that have such runs",
        93,
        lambda *tables: _zeroed(*tables).groupby(level="task").any().sum(),
    ),
    _on_stored_scores(
        "zeroed-tasks-wholly",
        "tasks that have no other runs",
        10,
        lambda *tables: _zeroed(*tables).groupby(level="task").all().sum(),
    ),
    _on_stored_scores(
        "zeroed-runs-move-cells",
        "dropping these runs moves the cells of the matrix: by at most",
        0.022,
        change_by("zeroed_runs"),
        tolerance=printed(3),
        reads=(f"{CORRECTIONS}_summary",),
        needs=CONVENTIONS,
        known_gap=KnownGap(
            0.02275, 5e-6, "0.02275, of which 0.022 is the first three decimals, not the nearest"
        ),
    ),
    _on_stored_scores(
        "undefined-correlations",
        "Spearman correlations with a constant metric, which are counted as 1",
        1151,
        _n_undefined_correlations,
    ),
    _on_stored_scores(
        "undefined-correlations-move-cells",
        "leaving these out moves the cells of the matrix: by at most",
        0.004,
        change_by("undefined_correlation"),
        tolerance=printed(3),
        reads=(f"{CORRECTIONS}_summary",),
        needs=CONVENTIONS,
    ),
    _on_stored_scores(
        "tasks-all", "tasks of the matrix", 602, _n_tasks("all"), reads=("ranking_tasks",)
    ),
    _on_stored_scores(
        "fig7-datasets-all",
        "the matrix of all is of 614 datasets",
        614,
        _n_tasks("all"),
        reads=("ranking_tasks",),
        source="S",
        place="Figure 7",
        known_gap=KnownGap(602, 0, "these are tasks, 602 of them, several of one dataset"),
    ),
    _on_stored_scores(
        "tasks-share-datasets",
        "tasks that share models with another task, being of one dataset",
        Above(0.0),
        _n_tasks_sharing_models("all"),
        tolerance=QUALITATIVE,
    ),
    _on_stored_scores(
        "tasks-imbalanced",
        "imbalanced tasks",
        5,
        _n_tasks("imbalanced"),
        reads=("ranking_tasks",),
    ),
    _on_stored_scores(
        "fig7-datasets-imbalanced",
        "the imbalanced matrix is of 4 datasets",
        4,
        _n_tasks("imbalanced"),
        reads=("ranking_tasks",),
        source="S",
        place="Figure 7",
        known_gap=KnownGap(5, 0, "these are 5 tasks; two of them are of one dataset"),
    ),
    _on_stored_scores(
        "tasks-imbalanced-share-a-dataset",
        "imbalanced tasks that share models with another task, being of one dataset",
        2,
        _n_tasks_sharing_models("imbalanced"),
    ),
    _on_stored_scores(
        "near-the-prior-means-two-things",
        "π₀ ≈ π is 1.01 π for all tasks, 10 π for imbalanced ones: what AUC-PR at π₀ ≈ π loses of "
        "its correlation with AUC-PR",
        Above(0.05),
        _loss_of_correlation_by_the_label,
        tolerance=QUALITATIVE,
        reads=(CORRECTIONS,),
        needs=CONVENTIONS,
    ),
]


# ------------------------------------------------------------------------------- the code


def _smallest_example() -> ConfusionCurve:
    return ConfusionCurve.from_predictions([1, 1, 0, 0, 0, 0, 0], [2, 1, 1, 1, 1, 1, 1])


def _n_names_still_there() -> int:
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
        "AUC-P_cR Gain at π₀ = 0.6 of y = [1,1,0,0,0,0,0], s = [2,1,1,1,1,1,1], by the authors' "
        "formulas",
        1.25,
        EXACT,
        lambda: prg_auc_as_published(_smallest_example(), 0.6),
    ),
    Claim(
        "A-gain-smallest-example-right",
        "A",
        "prgc.py",
        "the same, right",
        1 / 3,
        EXACT,
        lambda: scores.prg_auc(_smallest_example().at_prior(0.6)),
    ),
    Claim(
        "A-gain-is-right-at-own-prior",
        "A",
        "prgc.py",
        "the authors' formulas are right at π₀ = π: their error for the same y and s",
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
        "sklearn.metrics.ranking._binary_clf_curve, numpy.alen and DataFrame.ix: how many are "
        "still there",
        0,
        EXACT,
        _n_names_still_there,
    ),
]

CLAIMS = [*_STORED, *_CODE]
