"""Claims on the ranking of models: Figure 7 and arXiv appendix C of Siblini et al., their stored
scores of Figure 7 and their code.

If possible, each claim on Figure 7 is checked twice: on the authors' stored scores, from which the
figure was drawn, and on predictions fetched from OpenML, which are from other runs.
"""

import importlib.util
from functools import partial
from itertools import combinations

import numpy as np
import pandas as pd

from calibrated_metrics import scores
from calibrated_metrics.confusion import ConfusionCurve
from reproduction.claims.lookup import (
    AREA,
    AUC_ROC,
    BEST_F1,
    GAIN,
    UnavailableError,
    calibrated,
    largest,
    not_empty,
    number,
    rows,
    wide,
)
from reproduction.claims.registry import (
    Above,
    Data,
    KnownGap,
    Tolerance,
    as_by_default,
    claim,
    printed,
)
from reproduction.experiments.published_gain import prg_auc_as_published

# ------------------------------------------------------------------------------------- Figure 7
CONVENTIONS = as_by_default("conventions", "as_published", "corrected")
OPENML_TASKS = (
    *CONVENTIONS,
    *as_by_default("ranking", "imbalanced_below", "n_models", "openml.max_tasks"),
)
SMALL_PRIORS = (*OPENML_TASKS, *as_by_default("ranking", "small_prior_below"))
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
    near = {"all": "1.01π", "imbalanced": "10π"}[panel]
    of_scores = [(key, calibrated(key, near), calibrated(key)) for key in (AREA, GAIN, BEST_F1)]
    return [*(key for keys in of_scores for key in keys), AUC_ROC]


def cells_of(corrections, panel):
    """Return the mean Spearman correlations of a panel, a row per pair of metrics."""
    not_empty(corrections, "there are no scores")
    return rows(corrections, panel=panel, correction="all")


def correlation(corrections, panel, one, other, conventions="as_published"):
    """Return the mean Spearman correlation of two metrics."""
    return number(cells_of(corrections, panel), conventions, row=one, column=other)


def lead(corrections, panel, one, near, far, conventions="as_published"):
    """Return the correlation of `one` with `near` minus its correlation with `far`."""
    with_near, with_far = (
        correlation(corrections, panel, one, other, conventions) for other in (near, far)
    )
    return with_near - with_far


def lowest_correlation(corrections, panel, conventions="as_published"):
    """Return the lowest correlation of two of the ten metrics."""
    cells = cells_of(corrections, panel).set_index(["row", "column"])[conventions]
    pairs = list(combinations(ten_metrics(panel), 2))
    if not set(pairs) <= set(cells.index):
        raise UnavailableError("the table lacks some of the ten metrics")
    return cells[pairs].min()


def need_tasks(ranking_tasks, panel):
    """Raise `UnavailableError` if the panel has too few tasks."""
    least = {"all": 100, "imbalanced": 3, "small_prior": 10}[panel]
    n_used = (ranking_tasks[panel].astype(bool) & (ranking_tasks["outcome"] == "used")).sum()
    if n_used < least:
        lack = f"needs at least {least} tasks in the matrix {panel!r}, this run has {n_used}"
        raise UnavailableError(lack)


figure_7 = partial(claim, "S", "Figure 7", data=Data.STORED_SCORES, needs=CONVENTIONS)
appendix_c = partial(claim, "S", "arXiv appendix C", data=Data.OPENML, needs=SMALL_PRIORS)
figure_7_afresh = partial(claim, "S", "Figure 7", data=Data.OPENML, needs=OPENML_TASKS)

for panel in PRINTED:

    @figure_7(0.0, printed(2), name=f"fig7-matrix-{panel}")
    def fig7_matrix(rank_correlation_corrections, ranking_tasks, panel=panel):
        """{panel} tasks: the 45 correlations of ten metrics, computed with the authors'
        conventions: largest deviation from the printed matrix"""
        need_tasks(ranking_tasks, panel)
        metrics = ten_metrics(panel)
        deviations = [
            correlation(rank_correlation_corrections, panel, metrics[row], metrics[column]) - cell
            for row, line in enumerate(PRINTED[panel], start=1)
            for column, cell in enumerate(line)
        ]
        return largest(deviations)


OTHER_RUNS = "other runs of the tasks"
WITHIN_AFRESH = {
    "lowest": Tolerance(0.05, OTHER_RUNS),
    "roc": Tolerance(0.1, OTHER_RUNS),
    "area": Tolerance(
        0.12, f"{OTHER_RUNS}; half the bootstrap interval over the published five tasks"
    ),
}

for checked, suffix, within in (
    (figure_7, "", dict.fromkeys(WITHIN_AFRESH, printed(2))),
    (figure_7_afresh, "-afresh", WITHIN_AFRESH),
):

    @checked(
        0.81,
        within["lowest"],
        name=f"fig7-least-correlated-pair-all{suffix}",
        headline=checked is figure_7,
    )
    def fig7_least_correlated_pair(rank_correlation_corrections, ranking_tasks):
        """all tasks: lowest correlation of two metrics"""
        need_tasks(ranking_tasks, "all")
        return lowest_correlation(rank_correlation_corrections, "all")

    @checked(0.98, within["roc"], name=f"fig7-calibrated-area-and-roc-imbalanced{suffix}")
    def fig7_calibrated_area_and_roc(rank_correlation_corrections, ranking_tasks):
        """imbalanced tasks: correlation of AUC-P_cR at π₀ = 0.5 with AUC-ROC"""
        need_tasks(ranking_tasks, "imbalanced")
        return correlation(rank_correlation_corrections, "imbalanced", HALF_AREA, AUC_ROC)

    @checked(0.57, within["area"], name=f"fig7-calibrated-area-and-area-imbalanced{suffix}")
    def fig7_calibrated_area_and_area(rank_correlation_corrections, ranking_tasks):
        """imbalanced tasks: correlation of AUC-P_cR at π₀ = 0.5 with AUC-PR"""
        need_tasks(ranking_tasks, "imbalanced")
        return correlation(rank_correlation_corrections, "imbalanced", HALF_AREA, AREA)

    @checked(
        Above(0.1),
        name=f"fig7-calibrated-area-is-closer-to-roc-imbalanced{suffix}",
        headline=checked is figure_7,
    )
    def fig7_calibrated_area_is_closer_to_roc(rank_correlation_corrections, ranking_tasks):
        """imbalanced tasks: AUC-P_cR at π₀ = 0.5 correlates much more with AUC-ROC than with
        AUC-PR: difference of the correlations"""
        need_tasks(ranking_tasks, "imbalanced")
        return lead(rank_correlation_corrections, "imbalanced", HALF_AREA, AUC_ROC, AREA)

    for panel in ("all", "imbalanced"):

        @checked(Above(0.0), name=f"fig7-best-f1-is-closest-to-area-{panel}{suffix}")
        def fig7_best_f1_is_closest_to_area(
            rank_correlation_corrections, ranking_tasks, panel=panel
        ):
            """{panel} tasks: best F1 correlates more with AUC-PR than with AUC-ROC or AUC-PR Gain:
            smallest difference of the correlations"""
            need_tasks(ranking_tasks, panel)
            return min(
                lead(rank_correlation_corrections, panel, BEST_F1, AREA, other)
                for other in (AUC_ROC, GAIN)
            )


@appendix_c(Above(0.0), name="appC-calibrated-area-is-closer-to-roc")
def appendix_c_calibrated_area_is_closer_to_roc(rank_correlation_corrections, ranking_tasks):
    """tasks with a small π: AUC-P_cR at π₀ = 0.5 correlates more with AUC-ROC than with
    AUC-PR: difference of the correlations"""
    need_tasks(ranking_tasks, "small_prior")
    return lead(rank_correlation_corrections, "small_prior", HALF_AREA, AUC_ROC, AREA)


@claim("S", "Figure 7 and arXiv Figure 9", Above(0.9), data=Data.OPENML)
def fig7_datasets_with_large_prior(minority_ratio):
    """share of OpenML's binary datasets with π > 0.2"""
    if len(minority_ratio) < 100:
        raise UnavailableError(f"needs at least 100 datasets, this run has {len(minority_ratio)}")
    return (minority_ratio["minority_ratio"] > 0.2).mean()


# -------------------------------------------------------------------- stored scores of Figure 7
figure_7_text = partial(claim, "S", "Figure 7", data=Data.STORED_SCORES)
stored = partial(claim, "A", "stored scores of Figure 7", data=Data.STORED_SCORES)


def of_panel(ranking_scores, ranking_tasks, panel):
    members = ranking_tasks.loc[ranking_tasks[panel].astype(bool), "task"]
    found = ranking_scores[ranking_scores["task"].isin(members)]
    return not_empty(found, f"there are no scores in the matrix {panel!r}")


def by_run(ranking_scores, ranking_tasks, panel):
    """Return the published values, with a row per task and run and a column per metric."""
    found = of_panel(ranking_scores, ranking_tasks, panel)
    by_metric = wide(found, ["task", "run"], "metric", "value_as_published")
    return by_metric.dropna(axis="columns")  # drops the metrics that only imbalanced tasks have


def gains_of(ranking_scores, ranking_tasks, panel, metric=HALF_GAIN):
    return rows(of_panel(ranking_scores, ranking_tasks, panel), metric=metric)


def gains_above_1(ranking_scores, ranking_tasks, panel, metric=HALF_GAIN):
    gains = gains_of(ranking_scores, ranking_tasks, panel, metric)
    return gains[gains["value_as_published"] > 1]


def is_zeroed(ranking_scores, ranking_tasks):
    """Return whether all ten metrics are exactly 0, by task and run."""
    return (by_run(ranking_scores, ranking_tasks, "all") == 0).all(axis=1)


def n_tasks_sharing_models(ranking_scores, ranking_tasks, panel):
    """Return the number of tasks with a model whose ten values also occur in another task."""
    runs = by_run(ranking_scores, ranking_tasks, panel)
    # Perfect or zeroed models have equal values in any task.
    distinctive = runs[runs.nunique(axis=1) > 3]
    models = distinctive.reset_index(level="task").groupby(list(runs.columns))["task"]
    shared = models.transform("nunique") > 1
    return distinctive.index.get_level_values("task")[shared.to_numpy()].nunique()


def n_tasks(ranking_tasks, panel):
    return ranking_tasks[panel].astype(bool).sum()


def change_by(corrections_summary, correction):
    """Return the largest change of a cell of the matrix of all tasks by a correction."""
    not_empty(corrections_summary, "there are no scores")
    return number(corrections_summary, "largest", panel="all", correction=correction)


@stored(18_060)
def runs_all(ranking_scores, ranking_tasks):
    """number of stored runs"""
    return len(gains_of(ranking_scores, ranking_tasks, "all"))


@stored(150)
def runs_imbalanced(ranking_scores, ranking_tasks):
    """number of stored runs of the imbalanced tasks"""
    return len(gains_of(ranking_scores, ranking_tasks, "imbalanced"))


@stored(283, headline=True)
def gain_above_1_all(ranking_scores, ranking_tasks):
    """number of runs whose AUC-P_cR Gain at π₀ = 0.5 exceeds 1, the largest possible area"""
    return len(gains_above_1(ranking_scores, ranking_tasks, "all"))


@stored(57)
def gain_above_1_tasks(ranking_scores, ranking_tasks):
    """number of tasks with an AUC-P_cR Gain at π₀ = 0.5 above 1"""
    return gains_above_1(ranking_scores, ranking_tasks, "all")["task"].nunique()


@stored(64)
def gain_above_1_imbalanced(ranking_scores, ranking_tasks):
    """imbalanced tasks: number of the 150 runs whose AUC-P_cR Gain at π₀ = 0.5 exceeds 1"""
    return len(gains_above_1(ranking_scores, ranking_tasks, "imbalanced"))


@stored(5)
def gain_above_1_imbalanced_tasks(ranking_scores, ranking_tasks):
    """number of the five imbalanced tasks with an AUC-P_cR Gain at π₀ = 0.5 above 1"""
    return gains_above_1(ranking_scores, ranking_tasks, "imbalanced")["task"].nunique()


@stored(35.97, printed(2))
def gain_largest(ranking_scores, ranking_tasks):
    """largest AUC-P_cR Gain at π₀ = 0.5"""
    return gains_of(ranking_scores, ranking_tasks, "all")["value_as_published"].max()


@stored(0)
def ordinary_gain_is_right(ranking_scores, ranking_tasks):
    """number of runs whose ordinary AUC-PR Gain exceeds 1"""
    return len(gains_above_1(ranking_scores, ranking_tasks, "all", GAIN))


@stored(1520, headline=True)
def zeroed_runs(ranking_scores, ranking_tasks):
    """number of runs whose ten metrics are all exactly 0"""
    return is_zeroed(ranking_scores, ranking_tasks).sum()


@stored(93)
def zeroed_tasks(ranking_scores, ranking_tasks):
    """number of tasks with runs whose ten metrics are all exactly 0"""
    return is_zeroed(ranking_scores, ranking_tasks).groupby(level="task").any().sum()


@stored(10)
def zeroed_tasks_wholly(ranking_scores, ranking_tasks):
    """number of tasks whose runs all have ten metrics of exactly 0"""
    return is_zeroed(ranking_scores, ranking_tasks).groupby(level="task").all().sum()


TRUNCATED = KnownGap(
    0.02275, 5e-6, "the change is 0.02275; 0.022 is this value truncated, not rounded"
)


@stored(0.022, printed(3), needs=CONVENTIONS, known_gap=TRUNCATED)
def zeroed_runs_move_cells(rank_correlation_corrections_summary):
    """dropping the runs whose ten metrics are all 0 changes the matrix: largest change of a cell"""
    return change_by(rank_correlation_corrections_summary, "zeroed_runs")


@stored(1151)
def undefined_correlations(ranking_scores, ranking_tasks):
    """number of undefined Spearman correlations with a constant metric, which count as 1"""
    by_task = by_run(ranking_scores, ranking_tasks, "all").groupby(level="task")
    is_constant = by_task.max() == by_task.min()
    n_metrics, n_constant = is_constant.shape[1], is_constant.sum(axis=1)
    # Cells in the rows and columns of constant metrics.
    return int((n_metrics**2 - (n_metrics - n_constant) ** 2).sum())


@stored(0.004, printed(3), needs=CONVENTIONS)
def undefined_correlations_move_cells(rank_correlation_corrections_summary):
    """leaving out undefined Spearman correlations changes the matrix: largest change of a cell"""
    return change_by(rank_correlation_corrections_summary, "undefined_correlation")


@stored(602)
def tasks_all(ranking_tasks):
    """number of tasks in the matrix of all tasks"""
    return n_tasks(ranking_tasks, "all")


TASKS_NOT_DATASETS = KnownGap(602, 0, "the matrix has 602 tasks, and several tasks share a dataset")


@figure_7_text(614, known_gap=TASKS_NOT_DATASETS, headline=True)
def fig7_datasets_all(ranking_tasks):
    """number of datasets in the matrix of all tasks"""
    return n_tasks(ranking_tasks, "all")


@stored(Above(0.0))
def tasks_share_datasets(ranking_scores, ranking_tasks):
    """number of tasks that have a model in common with another
    task, because they share a dataset"""
    return n_tasks_sharing_models(ranking_scores, ranking_tasks, "all")


@stored(5)
def tasks_imbalanced(ranking_tasks):
    """number of imbalanced tasks"""
    return n_tasks(ranking_tasks, "imbalanced")


TWO_TASKS_OF_ONE_DATASET = KnownGap(5, 0, "the matrix has 5 tasks; two of them share a dataset")


@figure_7_text(4, known_gap=TWO_TASKS_OF_ONE_DATASET)
def fig7_datasets_imbalanced(ranking_tasks):
    """number of datasets in the matrix of imbalanced tasks"""
    return n_tasks(ranking_tasks, "imbalanced")


@stored(2)
def tasks_imbalanced_share_a_dataset(ranking_scores, ranking_tasks):
    """number of imbalanced tasks that have a model in common with another
    task, because they share a dataset"""
    return n_tasks_sharing_models(ranking_scores, ranking_tasks, "imbalanced")


@stored(Above(0.05), needs=CONVENTIONS)
def near_the_prior_means_two_things(rank_correlation_corrections):
    """π₀ ≈ π means 1.01 π for all tasks but 10 π for imbalanced tasks: correlation of AUC-PR with
    AUC-P_cR at π₀ ≈ π, all tasks minus imbalanced tasks"""
    near, far = (
        correlation(rank_correlation_corrections, panel, AREA, calibrated(AREA, pi0))
        for panel, pi0 in (("all", "1.01π"), ("imbalanced", "10π"))
    )
    return near - far


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


@claim("A", "calibrated_metrics.py, prgc.py, notebook", 0)
def names_gone():
    """sklearn.metrics.ranking._binary_clf_curve, numpy.alen and DataFrame.ix, which the
    code uses: number that still exist"""
    has_ranking_module = importlib.util.find_spec("sklearn.metrics.ranking") is not None
    return has_ranking_module + hasattr(np, "alen") + hasattr(pd.DataFrame, "ix")
