"""Our own findings on data that need no network, registered so that a change is detected."""

from functools import partial

import numpy as np

from reproduction.claims.lookup import (
    AREA,
    AUC_PR,
    AUC_PR_GAIN,
    AUC_ROC,
    F1,
    METRICS,
    calibrated,
    not_empty,
    number,
    rows,
    wide,
)
from reproduction.claims.model_ranking import change_by, lead, lowest_correlation
from reproduction.claims.registry import (
    EXACT,
    Above,
    AtMost,
    as_by_default,
    at_least,
    claim,
    equal,
)
from reproduction.claims.siblini import (
    change_as_said,
    largest_drift_of_calibrated,
    largest_gap_in_spreads,
)

# ------------------------------------------------------------------------------- synthetic data


def share_that_differs(agreement):
    """Return the share of points that differ, without points of few runs or positives."""
    measured = [key for metric in METRICS for key in (metric.key, metric.calibrated.key)]
    of_the_paper = agreement[agreement["metric"].isin(measured)]
    judged = of_the_paper[of_the_paper["verdict"].isin(["agrees", "differs"])]
    not_empty(judged, "no point has enough runs and positives")
    return (judged["verdict"] == "differs").mean()


@claim("ours", "Figure 4", AtMost(0.02), name="pi_sweep-agrees-with-population")
def pi_sweep_agrees_with_population(pi_sweep_agreement):
    """the mean over the runs agrees with the population value: share of the points and metrics
    where they differ by more than four standard errors"""
    return share_that_differs(pi_sweep_agreement)


@claim("ours", "Figure 5", AtMost(0.02), name="kl_sweep-agrees-with-population")
def kl_sweep_agrees_with_population(kl_sweep_agreement):
    """the mean over the runs agrees with the population value: share of the points and metrics
    where they differ by more than four standard errors"""
    return share_that_differs(kl_sweep_agreement)


# ----------------------------------------------------------------------------- simulated frauds
SIMULATED = (equal("fraud.source", "simulated"), *as_by_default("fraud", "simulator"))
FULL_SWEEP = (
    *SIMULATED,
    at_least("fraud_prior_sweep.n_runs", 100),
    equal("fraud_prior_sweep.highest_prior", 0.5),
)

figure_6 = partial(claim, "ours", "Figure 6", needs=(*SIMULATED, at_least("heuristic.n_runs", 100)))
appendix_a = partial(claim, "ours", "arXiv appendix A", needs=FULL_SWEEP)


@figure_6(AtMost(1.0), headline=True)
def heuristic_is_the_formula(heuristic):
    """simulated frauds: the mean AUC-PR of undersampled data agrees with AUC-P_cR of all data:
    largest difference, in standard deviations of the draws"""
    return largest_gap_in_spreads(heuristic)


@figure_6(AtMost(0.0), EXACT, needs=())
def heuristic_lies_above_the_formula(heuristic):
    """by Jensen's inequality, the exact expectation of AUC-PR under undersampling is not below the
    closed form AUC-P_cR: largest difference closed form − expectation"""
    return (heuristic["closed_form"] - heuristic["expected"]).max()


@figure_6(AtMost(5.0))
def heuristic_has_its_expectation(heuristic):
    """simulated frauds: the mean AUC-PR of the draws agrees with its exact expectation:
    largest difference, in standard errors"""
    random = heuristic[heuristic["sd"] > 0]
    standard_error = random["sd"] / np.sqrt(random["n_runs"])
    return ((random["mean"] - random["expected"]).abs() / standard_error).max()


@appendix_a(AtMost(0.002))
def calibrated_are_flat_on_simulated_frauds(fraud_prior_sweep):
    """simulated frauds: the calibrated metrics do not depend on π: largest difference from
    their means at the prior of the data"""
    return largest_drift_of_calibrated(fraud_prior_sweep)


for metric, verb in {AUC_PR: "rises", AUC_PR_GAIN: "falls", F1: "rises"}.items():

    @appendix_a(Above(0.0), name=f"{metric.name}-changes-on-simulated-frauds")
    def changes_on_simulated_frauds(fraud_prior_sweep, metric=metric, verb=verb):
        """simulated frauds: {metric.label} {verb} as π increases: size of the change from the
        prior of the data to the highest π"""
        return change_as_said(fraud_prior_sweep, metric, verb)


# -------------------------------------------------------------------------- models fitted here
LOCAL_MODELS = (
    equal("ranking.source", "local"),
    *as_by_default("ranking", "local.tasks", "n_models", "imbalanced_below", "small_prior_below"),
    *as_by_default("conventions", "as_published", "corrected"),
)
HALF_NEAR_ROC = (calibrated(AREA), AUC_ROC, AREA)

figure_7 = partial(claim, "ours", "Figure 7", needs=LOCAL_MODELS)
appendix_c = partial(claim, "ours", "arXiv appendix C", needs=LOCAL_MODELS)


@figure_7(Above(0.0), headline=True)
def calibrated_area_is_closer_to_roc_imbalanced(rank_correlation_corrections):
    """local models, imbalanced tasks: AUC-P_cR at π₀ = 0.5 correlates more with AUC-ROC than with
    AUC-PR: difference of the correlations"""
    return lead(rank_correlation_corrections, "imbalanced", *HALF_NEAR_ROC, "corrected")


@appendix_c(Above(0.0), name="calibrated-area-is-closer-to-roc-small_prior")
def calibrated_area_is_closer_to_roc_small_prior(rank_correlation_corrections):
    """local models, tasks with a small π: AUC-P_cR at π₀ = 0.5 correlates more with AUC-ROC than
    with AUC-PR: difference of the correlations"""
    return lead(rank_correlation_corrections, "small_prior", *HALF_NEAR_ROC, "corrected")


for panel in ("all", "imbalanced"):

    @figure_7(Above(0.1), name=f"wrong-gain-lowers-the-least-correlation-{panel}")
    def wrong_gain_lowers_the_least_correlation(rank_correlation_corrections, panel=panel):
        """local models, {panel} tasks: the authors' formulas of AUC-P_cR Gain lower the smallest
        correlation of two metrics: difference from the corrected one"""
        corrected = lowest_correlation(rank_correlation_corrections, panel, "corrected")
        return corrected - lowest_correlation(rank_correlation_corrections, panel)


@figure_7(Above(0.1), headline=True)
def wrong_gain_moves_cells(rank_correlation_corrections_summary):
    """local models, all tasks: correcting the authors' formulas of AUC-P_cR Gain
    changes the correlations: largest change"""
    return change_by(rank_correlation_corrections_summary, "gain_crossing")


# --------------------------------------------------------------------------- Davis & Goadrich


@claim("ours", "DG, Figure 7", True)
def dg_fig7_area_prefers_i(dg_fig7_areas):
    """AUC-PR prefers curve I at every reference prior"""
    grid = wide(rows(dg_fig7_areas, measure="pr_auc", mark="grid"), ["prior"], "curve", "area")
    return (grid["I"] > grid["II"]).all()


@claim("ours", "DG, Figure 7", 0.4)
def dg_fig7_gain_turns(dg_fig7_areas):
    """reference prior from which AUC-PR Gain prefers curve II, as AUC-ROC does"""
    return number(dg_fig7_areas, "prior", measure="prg_auc", mark="equal areas", curve="I")
