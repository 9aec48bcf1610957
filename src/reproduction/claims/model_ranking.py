"""Claims on the ranking of models: Figure 7 and arXiv appendix C of Siblini et al., their stored
scores of Figure 7 and their code.

If possible, a claim on Figure 7 is checked on the models of the authors' stored scores, from which
the figure was drawn; on predictions fetched from OpenML, which are from other runs; and on models
that are fitted here.
"""

from functools import partial
from typing import NamedTuple

import numpy as np

from calibrated_metrics import scores
from calibrated_metrics.confusion import ConfusionCurve
from reproduction.claims.lookup import (
    AREA,
    AUC_ROC,
    BEST_F1,
    GAIN,
    UnavailableError,
    calibrated,
    cells,
    grid,
    largest,
    number,
)
from reproduction.claims.registry import (
    VISIBLE,
    Above,
    Data,
    KnownGap,
    Tolerance,
    as_by_default,
    claim,
    equal,
    printed,
)
from reproduction.ranking.published_gain import prg_auc_as_published

# ------------------------------------------------------------------------------- ranked models
TASKS = ("imbalanced_below", "small_prior_below", "n_models")
OPENML_TASKS = as_by_default("ranking", *TASKS, "openml.max_tasks")
LOCAL_TASKS = (
    *as_by_default("ranking", *TASKS, "local.tasks"),
    equal("ranking.source", "local"),
)


class Models(NamedTuple):
    """Models that a claim is checked on."""

    label: str
    suffix: str  # of the ids of the claims
    conventions: str  # of the correlations, "as_published" or "corrected"
    least: int  # smallest number of tasks
    claim: partial


STORED = Models(
    *("stored scores", "", "as_published", 100),
    partial(claim, "S", data=Data.STORED_SCORES),
)
AFRESH = Models(
    *("other OpenML runs", "-afresh", "as_published", 100),
    partial(claim, "S", data=Data.OPENML, needs=OPENML_TASKS),
)
LOCAL = Models(*("local models", "", "corrected", 20), partial(claim, "ours", needs=LOCAL_TASKS))

# ------------------------------------------------------------------------------------- Figure 7
HALF_AREA, HALF_GAIN = calibrated(AREA), calibrated(GAIN)

# Cells below the diagonal; rows and columns in the order of the paper.
PRINTED = {
    "all": (
        (1.00,),
        (0.99, 0.99),
        (0.91, 0.91, 0.91),
        (0.91, 0.91, 0.91, 1.00),
        (0.86, 0.86, 0.86, 0.93, 0.93),
        (0.92, 0.92, 0.91, 0.86, 0.86, 0.82),
        (0.92, 0.92, 0.90, 0.86, 0.86, 0.82, 1.00),
        (0.90, 0.90, 0.91, 0.84, 0.84, 0.81, 0.96, 0.96),
        (0.94, 0.94, 0.95, 0.94, 0.94, 0.91, 0.89, 0.89, 0.90),
    ),
    "imbalanced": (
        (0.90,),
        (0.57, 0.80),
        (0.46, 0.53, 0.39),
        (0.45, 0.58, 0.50, 0.95),
        (0.34, 0.25, 0.09, 0.50, 0.46),
        (0.98, 0.90, 0.59, 0.50, 0.48, 0.35),
        (0.86, 0.96, 0.78, 0.58, 0.60, 0.29, 0.89),
        (0.54, 0.75, 0.97, 0.28, 0.39, 0.05, 0.53, 0.72),
        (0.53, 0.77, 0.98, 0.40, 0.52, 0.13, 0.55, 0.76, 0.96),
    ),
}


def ten_metrics(panel):
    near = "10π" if panel == "imbalanced" else "1.01π"
    of_scores = [(key, calibrated(key, near), calibrated(key)) for key in (AREA, GAIN, BEST_F1)]
    return [*(key for keys in of_scores for key in keys), AUC_ROC]


def in_order(table, metrics):
    """Return the columns of the ten metrics in the order of the paper."""
    if not set(metrics) <= set(table):
        raise UnavailableError("the table lacks some of the ten metrics")
    return table[metrics]


def correlations(corrections, tasks, panel, models, conventions=None):
    """Return the mean Spearman correlations of the ten metrics of a panel, in their order."""
    least = {"all": models.least, "imbalanced": 3, "small_prior": 10}[panel]
    n_used = (cells(tasks, panel).astype(bool) & (tasks["outcome"] == "used")).sum()
    if n_used < least:
        lack = f"needs at least {least} tasks in the matrix {panel!r}, this run has {n_used}"
        raise UnavailableError(lack)
    conventions = conventions or models.conventions
    matrix = grid(corrections, "row", "column", conventions, panel=panel, correction="all")
    metrics = ten_metrics(panel)
    return in_order(matrix, metrics).loc[metrics]


def pairs(matrix):
    """Return the cells below the diagonal."""
    return matrix.to_numpy()[np.tril_indices(len(matrix), -1)]


def lead(matrix, one, near, far):
    """Return the correlation of `one` with `near` minus its correlation with `far`."""
    return matrix.loc[one, near] - matrix.loc[one, far]


for panel in PRINTED:

    @STORED.claim("Figure 7", 0.0, printed(2), name=f"fig7-matrix-{panel}")
    def fig7_matrix(rank_correlation_corrections, ranking_tasks, panel=panel):
        """{panel} tasks: the 45 correlations of ten metrics, computed with the authors'
        conventions: largest deviation from the printed matrix"""
        matrix = correlations(rank_correlation_corrections, ranking_tasks, panel, STORED)
        return largest(pairs(matrix) - np.concatenate(PRINTED[panel]))


OTHER_RUNS = "other runs of the tasks"
WITHIN_AFRESH = {
    "least-correlated-pair": Tolerance(0.05, OTHER_RUNS),
    AUC_ROC: Tolerance(0.1, OTHER_RUNS),
    AREA: Tolerance(
        0.12, f"{OTHER_RUNS}; half the bootstrap interval over the published five tasks"
    ),
}

for models, within in ((STORED, dict.fromkeys(WITHIN_AFRESH, printed(2))), (AFRESH, WITHIN_AFRESH)):
    pair = partial(models.claim, "Figure 7")
    least_name = f"fig7-least-correlated-pair-all{models.suffix}"

    @pair(0.81, within["least-correlated-pair"], name=least_name, headline=models is STORED)
    def fig7_least_correlated_pair(rank_correlation_corrections, ranking_tasks, models=models):
        """{models.label}, all tasks: lowest correlation of two metrics"""
        return pairs(correlations(rank_correlation_corrections, ranking_tasks, "all", models)).min()

    for other, label, value in ((AUC_ROC, "AUC-ROC", 0.98), (AREA, "AUC-PR", 0.57)):
        name = f"fig7-calibrated-area-and-{label.lower()}-imbalanced{models.suffix}"

        @pair(value, within[other], name=name)
        def fig7_correlation(
            rank_correlation_corrections, ranking_tasks, models=models, other=other, label=label
        ):
            """{models.label}, imbalanced tasks: correlation of AUC-P_cR at π₀ = 0.5 with {label}"""
            matrix = correlations(rank_correlation_corrections, ranking_tasks, "imbalanced", models)
            return matrix.loc[HALF_AREA, other]


# Above 0.1: much more. Above 0.01: the difference is visible in the printed matrix.
for models in (STORED, AFRESH, LOCAL):
    figure_7 = partial(models.claim, "Figure 7")
    closer_name = f"fig7-calibrated-area-is-closer-to-roc-imbalanced{models.suffix}"

    @figure_7(Above(0.1), name=closer_name, headline=models is not AFRESH)
    def fig7_calibrated_area(rank_correlation_corrections, ranking_tasks, models=models):
        """{models.label}, imbalanced tasks: AUC-P_cR at π₀ = 0.5 correlates much more with AUC-ROC
        than with AUC-PR: difference of the correlations"""
        matrix = correlations(rank_correlation_corrections, ranking_tasks, "imbalanced", models)
        return lead(matrix, HALF_AREA, AUC_ROC, AREA)

    @figure_7(Above(VISIBLE), name=f"fig7-imbalanced-is-less-correlated{models.suffix}")
    def fig7_imbalanced(rank_correlation_corrections, ranking_tasks, models=models):
        """{models.label}: the ten metrics correlate less in imbalanced tasks than in all tasks:
        difference of the mean correlations of two metrics"""
        of_all, of_imbalanced = (
            pairs(correlations(rank_correlation_corrections, ranking_tasks, panel, models)).mean()
            for panel in ("all", "imbalanced")
        )
        return of_all - of_imbalanced

    @figure_7(Above(0.8), name=f"fig7-gains-are-near-1-imbalanced{models.suffix}")
    def fig7_gains_are_near_1(ranking_scores, ranking_tasks, models=models):
        """{models.label}, imbalanced tasks: AUC-PR Gain is close to 1: median over the models"""
        return by_run(ranking_scores, ranking_tasks, "imbalanced")[GAIN].median()

    for panel in ("all", "imbalanced"):

        @figure_7(Above(VISIBLE), name=f"fig7-best-f1-is-closest-to-area-{panel}{models.suffix}")
        def fig7_f1(rank_correlation_corrections, ranking_tasks, models=models, panel=panel):
            """{models.label}, {panel} tasks: best F1 correlates more with AUC-PR than with AUC-ROC
            or AUC-PR Gain: smallest difference of the correlations"""
            matrix = correlations(rank_correlation_corrections, ranking_tasks, panel, models)
            return min(lead(matrix, BEST_F1, AREA, other) for other in (AUC_ROC, GAIN))


WRONG_GAIN = KnownGap(-0.048, 0.01, "the stored AUC-P_cR Gain was computed with wrong formulas")

for models, known_gap in (
    (STORED, WRONG_GAIN),
    (AFRESH._replace(conventions="corrected"), None),
    (LOCAL, None),
):
    areas = partial(models.claim, "Figure 7", Above(VISIBLE), known_gap=known_gap)

    @areas(name=f"fig7-calibrated-areas-are-closer-than-f1{models.suffix}")
    def fig7_calibrated_areas(rank_correlation_corrections, ranking_tasks, models=models):
        """{models.label}, all tasks: at π₀ = 0.5, AUC-P_cR and AUC-P_cR Gain correlate more with
        each other than with best F1: smaller difference of the correlations"""
        matrix = correlations(rank_correlation_corrections, ranking_tasks, "all", models)
        areas = ((HALF_AREA, HALF_GAIN), (HALF_GAIN, HALF_AREA))
        return min(lead(matrix, one, other, BEST_F1) for one, other in areas)


for models in (AFRESH, LOCAL):

    @models.claim("arXiv appendix C", Above(0.1), name="appC-calibrated-area-is-closer-to-roc")
    def appendix_c(rank_correlation_corrections, ranking_tasks, models=models):
        """{models.label}, tasks with a small π: AUC-P_cR at π₀ = 0.5 correlates more with AUC-ROC
        than with AUC-PR: difference of the correlations"""
        matrix = correlations(rank_correlation_corrections, ranking_tasks, "small_prior", models)
        return lead(matrix, HALF_AREA, AUC_ROC, AREA)


@claim("S", "Figure 7 and arXiv Figure 9", Above(0.9), data=Data.OPENML)
def fig7_datasets_with_large_prior(minority_ratio):
    """share of OpenML's binary datasets with π > 0.2"""
    if len(minority_ratio) < 100:
        raise UnavailableError(f"needs at least 100 datasets, this run has {len(minority_ratio)}")
    return (cells(minority_ratio, "minority_ratio") > 0.2).mean()


# -------------------------------------------------------------------- stored scores of Figure 7
figure_7_text = partial(claim, "S", "Figure 7", data=Data.STORED_SCORES)
stored = partial(claim, "A", "stored scores of Figure 7", data=Data.STORED_SCORES)


def by_run(ranking_scores, ranking_tasks, panel):
    """Return the published values, with a row per task and run and a column per metric."""
    members = ranking_tasks.loc[cells(ranking_tasks, panel).astype(bool), "task"]
    metrics = ten_metrics(panel)
    of_panel = ranking_scores["task"].isin(members) & ranking_scores["metric"].isin(metrics)
    values = grid(ranking_scores[of_panel], ["task", "run"], "metric", "value_as_published")
    return in_order(values, metrics)


def is_above_1(ranking_scores, ranking_tasks, panel, metric=HALF_GAIN):
    return by_run(ranking_scores, ranking_tasks, panel)[metric] > 1


def n_tasks_with_any(is_so):
    return is_so.groupby(level="task").any().sum()


def n_tasks_with_only(is_so):
    return is_so.groupby(level="task").all().sum()


def n_tasks_sharing_models(ranking_scores, ranking_tasks, panel):
    """Return the number of tasks with a model whose ten values also occur in another task."""
    runs = by_run(ranking_scores, ranking_tasks, panel)
    # Perfect or zeroed models have equal values in any task.
    n_values = 1 + np.count_nonzero(np.diff(np.sort(runs, axis=1), axis=1), axis=1)
    distinctive = runs[n_values > 3]
    models = distinctive.reset_index(level="task").groupby(list(runs.columns))["task"]
    shared = models.transform("nunique") > 1
    return distinctive.index.get_level_values("task")[shared.to_numpy()].nunique()


def change_by(corrections_summary, correction):
    """Return the largest change of a cell of the matrix of all tasks by a correction."""
    return number(corrections_summary, "largest", panel="all", correction=correction)


TASKS_NOT_DATASETS = KnownGap(602, 0, "the matrix has 602 tasks, and several tasks share a dataset")
FEWER_RUNS = KnownGap(18_060, 0, "the stored scores have 602 tasks with 30 models each")
TWO_TASKS_OF_ONE_DATASET = KnownGap(5, 0, "the matrix has 5 tasks; two of them share a dataset")


for panel, n_datasets, known_gap in (
    ("all", 614, TASKS_NOT_DATASETS),
    ("imbalanced", 4, TWO_TASKS_OF_ONE_DATASET),
):

    @figure_7_text(
        n_datasets, known_gap=known_gap, name=f"fig7-datasets-{panel}", headline=panel == "all"
    )
    def fig7_datasets(ranking_tasks, panel=panel):
        """number of datasets in the matrix of {panel} tasks"""
        return cells(ranking_tasks, panel).astype(bool).sum()


@figure_7_text(18_420, known_gap=FEWER_RUNS)
def fig7_predictions(ranking_scores, ranking_tasks):
    """number of predictions, 614 · 30, in the matrix of all tasks"""
    return len(by_run(ranking_scores, ranking_tasks, "all"))


for panel, n_runs, n_of_tasks in (("all", 283, 57), ("imbalanced", 64, 5)):

    @stored(n_runs, name=f"gain-above-1-{panel}", headline=panel == "all")
    def gain_above_1(ranking_scores, ranking_tasks, panel=panel):
        """{panel} tasks: number of runs whose AUC-P_cR Gain at π₀ = 0.5 exceeds 1, the largest
        possible area"""
        return is_above_1(ranking_scores, ranking_tasks, panel).sum()

    @stored(n_of_tasks, name=f"tasks-with-gain-above-1-{panel}")
    def tasks_with_gain_above_1(ranking_scores, ranking_tasks, panel=panel):
        """{panel} tasks: number of tasks with an AUC-P_cR Gain at π₀ = 0.5 above 1"""
        return n_tasks_with_any(is_above_1(ranking_scores, ranking_tasks, panel))


@stored(35.97, printed(2))
def gain_largest(ranking_scores, ranking_tasks):
    """largest AUC-P_cR Gain at π₀ = 0.5"""
    return by_run(ranking_scores, ranking_tasks, "all")[HALF_GAIN].max()


@stored(0)
def ordinary_gain_is_right(ranking_scores, ranking_tasks):
    """number of runs whose ordinary AUC-PR Gain exceeds 1"""
    return is_above_1(ranking_scores, ranking_tasks, "all", GAIN).sum()


ALL_ZERO = "whose ten metrics are all exactly 0"

for name, value, label, count in (
    ("runs", 1520, f"runs {ALL_ZERO}", np.sum),
    ("tasks", 93, f"tasks with runs {ALL_ZERO}", n_tasks_with_any),
    ("tasks-wholly", 10, f"tasks with only runs {ALL_ZERO}", n_tasks_with_only),
):

    @stored(value, name=f"zeroed-{name}", headline=name == "runs")
    def zeroed(ranking_scores, ranking_tasks, label=label, count=count):
        """number of {label}"""
        return count((by_run(ranking_scores, ranking_tasks, "all") == 0).all(axis=1))


@stored(1151)
def undefined_correlations(ranking_scores, ranking_tasks):
    """number of undefined Spearman correlations with a constant metric, which count as 1"""
    by_task = by_run(ranking_scores, ranking_tasks, "all").groupby(level="task")
    is_constant = by_task.max() == by_task.min()
    n_metrics, n_constant = is_constant.shape[1], is_constant.sum(axis=1)
    # Cells in the rows and columns of constant metrics.
    return (n_metrics**2 - (n_metrics - n_constant) ** 2).sum()


TRUNCATED = KnownGap(
    0.02275, 5e-6, "the change is 0.02275; 0.022 is this value truncated, not rounded"
)


@stored(0.022, printed(3), known_gap=TRUNCATED)
def zeroed_runs_move_cells(rank_correlation_corrections_summary):
    """dropping the runs whose ten metrics are all 0 changes the matrix: largest change of a cell"""
    return change_by(rank_correlation_corrections_summary, "zeroed_runs")


@stored(0.004, printed(3))
def undefined_correlations_move_cells(rank_correlation_corrections_summary):
    """leaving out undefined Spearman correlations changes the matrix: largest change of a cell"""
    return change_by(rank_correlation_corrections_summary, "undefined_correlation")


for panel, n_sharing in {"all": 174, "imbalanced": 2}.items():

    @stored(n_sharing, name=f"tasks-that-share-models-{panel}")
    def tasks_that_share_models(ranking_scores, ranking_tasks, panel=panel):
        """{panel} tasks: number of tasks that have a model, with the same ten values, in common
        with another task, as tasks of one dataset do"""
        return n_tasks_sharing_models(ranking_scores, ranking_tasks, panel)


# ----------------------------------------------------------------------------- the authors' code
code = partial(claim, "A", "prgc.py")


def smallest_example():
    return ConfusionCurve.from_predictions([1, 1, 0, 0, 0, 0, 0], [2, 1, 1, 1, 1, 1, 1])


@code(1.25)
def gain_smallest_example():
    """AUC-P_cR Gain at π₀ = 0.6 of
    y = [1,1,0,0,0,0,0], s = [2,1,1,1,1,1,1] by the authors' formulas"""
    return prg_auc_as_published(smallest_example(), 0.6)


@code(1 / 3)
def gain_smallest_example_right():
    """AUC-P_cR Gain at π₀ = 0.6 of
    y = [1,1,0,0,0,0,0], s = [2,1,1,1,1,1,1] by the correct formulas"""
    return scores.prg_auc(smallest_example().at_prior(0.6))


@code(0.0)
def gain_is_right_at_own_prior():
    """the authors' formulas of AUC-P_cR Gain are correct at π₀ = π: error for
    y = [1,1,0,0,0,0,0], s = [2,1,1,1,1,1,1]"""
    return prg_auc_as_published(smallest_example(), 2 / 7) - scores.prg_auc(smallest_example())
