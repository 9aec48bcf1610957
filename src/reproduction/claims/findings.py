"""Our own findings on data that need no network, registered so that a change is detected."""

from functools import partial

import numpy as np

from reproduction.claims.lookup import (
    AREA,
    AUC_PR_GAIN,
    GAIN,
    METRICS,
    UnavailableError,
    cells,
    grid,
    largest,
    number,
)
from reproduction.claims.model_ranking import LOCAL, change_by, correlations, pairs
from reproduction.claims.registry import (
    EXACT,
    Above,
    AtMost,
    Need,
    Tolerance,
    at_least,
    claim,
)
from reproduction.claims.siblini import (
    GRID_OF_FIGURE_6,
    HIGHER_PRIOR,
    SIMULATED,
    STREAM,
    area,
    by_reference_prior,
    mean_at_end,
    trends,
    weekly,
)

# ------------------------------------------------------------------------------- synthetic data


def largest_z(agreement, point):
    """Return the largest absolute difference from the population values, in standard errors."""
    z, verdicts = (grid(agreement, point, "metric", column) for column in ("z", "verdict"))
    measured = [key for metric in METRICS for key in (metric.key, metric.calibrated.key)]
    if not set(measured) <= set(z):
        raise UnavailableError("the table lacks some of the six metrics")
    is_judged = verdicts[measured].isin(["agrees", "differs"])
    judged = z[measured].where(is_judged).abs().stack().dropna()
    if judged.empty:
        raise UnavailableError("no point has enough runs and positives")
    return judged.max()


# |t| with 29 degrees of freedom exceeds 6 with probability 1.6e-6; at most 246 values are compared.
@claim("ours", "Figure 4", AtMost(6.0), name="pi_sweep-agrees-with-population")
def pi_sweep_agrees_with_population(pi_sweep_agreement):
    """the mean over the runs agrees with the population value at each π with at least 10,000
    positives: largest difference in standard errors"""
    return largest_z(pi_sweep_agreement, "prior")


@claim("ours", "Figure 5", AtMost(6.0), name="kl_sweep-agrees-with-population")
def kl_sweep_agrees_with_population(kl_sweep_agreement):
    """the mean over the runs agrees with the population value at each distance with at least 10,000
    positives in each run: largest difference in standard errors"""
    return largest_z(kl_sweep_agreement, "kl")


def largest_gain(table):
    metrics = cells(table, "metric")
    is_gain = metrics.isin([each for each in metrics.unique() if each.partition("@")[0] == GAIN])
    if not is_gain.any():
        raise UnavailableError("no AUC-PR Gain was measured")
    return cells(table[is_gain], "value").max()


@claim("ours", "all sweeps", AtMost(1.0), EXACT)
def gain_at_most_1(pi_sweep, kl_sweep, fraud_prior_sweep, monitoring):
    """AUC-PR Gain, calibrated or not, is at most 1: largest value"""
    return max(map(largest_gain, (pi_sweep, kl_sweep, fraud_prior_sweep, monitoring)))


# ------------------------------------------------------------------------------ simulated stream
stream = partial(claim, "ours", needs=STREAM)


@stream("arXiv Figure 11", AtMost(0.5))
def monitoring_calibrated_is_flat(monitoring_trends):
    """simulated stream: AUC-P_cR at the historical prior is flat if only the fraud ratio falls: its
    slope relative to that of AUC-PR"""
    ordinary, calibrated = trends(monitoring_trends, "slope", "prior drift")
    return abs(calibrated / ordinary)


@stream("arXiv Figure 11", True)
def monitoring_likelihood_drift_falls_in_both(monitoring_trends):
    """simulated stream: AUC-PR and AUC-P_cR both fall if the frauds change"""
    return trends(monitoring_trends, "verdict", "likelihood drift") == ("falls", "falls")


def later_parts(monitoring_changes, scenario, *columns):
    """Return columns of the changes of AUC-PR since the first week, in the second half of weeks."""
    found = [
        grid(monitoring_changes, "period", "scenario", column, metric=AREA) for column in columns
    ]
    if scenario not in found[0]:
        raise UnavailableError(f"the table has no scenario {scenario!r}")
    weeks = found[0].index
    later = weeks > (weeks.min() + weeks.max()) / 2
    return [each[scenario][later] for each in found]


# The error of the first week is in all changes: the share has a standard deviation of 0.16 over
# seeds.
@stream("Figure 1", Above(0.5))
def monitoring_change_is_the_prior_part(monitoring_changes):
    """simulated stream: if only the fraud ratio falls, the prior part explains most of the fall of
    AUC-PR since the first week: share of the prior part, summed over the second half of the
    weeks"""
    prior_part, total = later_parts(monitoring_changes, "prior drift", "prior_part", "total")
    return prior_part.sum() / total.sum()


@stream("Figure 1", Above(0.8))
def monitoring_model_part_of_prior_drift(monitoring_changes):
    """simulated stream: if only the fraud ratio falls, the 95 % interval of the model part of the
    change of AUC-PR contains 0 and that of the prior part does not: share of the weeks in the
    second half"""
    model_low, model_high, prior_high = later_parts(
        monitoring_changes, "prior drift", "model_part_low", "model_part_high", "prior_part_high"
    )
    return float(((model_low <= 0) & (model_high >= 0) & (prior_high < 0)).mean())


@stream("arXiv Figure 11", Above(0.8))
def monitoring_model_part_of_likelihood_drift(monitoring_changes):
    """simulated stream: if only the frauds change, the 95 % interval of the model part of the
    change of AUC-PR lies below 0 and that of the prior part contains 0: share of the weeks in the
    second half"""
    model_high, prior_low, prior_high = later_parts(
        monitoring_changes,
        "likelihood drift",
        *("model_part_high", "prior_part_low", "prior_part_high"),
    )
    return float(((model_high < 0) & (prior_low <= 0) & (prior_high >= 0)).mean())


@stream("arXiv Figure 11, right panel", True)
def monitoring_difference_has_the_sign_of_the_change_of_the_prior(monitoring_differences):
    """simulated stream: AUC-PR − AUC-P_cR is positive in weeks with π > π₀ and negative in weeks
    with π < π₀"""
    difference, prior, pi0 = weekly(monitoring_differences, "value", "prior", "pi0")
    return (np.sign(difference) == np.sign(prior - pi0)).all(axis=None)


# ----------------------------------------------------------------------------- simulated frauds
ENOUGH_DRAWS = (*GRID_OF_FIGURE_6, at_least("heuristic.n_runs", 100))


@claim("ours", "Figure 6", AtMost(0.0), EXACT, needs=GRID_OF_FIGURE_6)
def heuristic_lies_above_the_formula(heuristic):
    """by Jensen's inequality, the exact expectation of AUC-PR under undersampling is not below the
    closed form AUC-P_cR: largest difference closed form − expectation"""
    closed_form, expected = (by_reference_prior(heuristic, x) for x in ("closed_form", "expected"))
    return (closed_form - expected).max()


@claim("ours", "Figure 6", AtMost(5.0), needs=ENOUGH_DRAWS)
def heuristic_has_its_expectation(heuristic):
    """the mean AUC-PR of the draws agrees with its exact expectation: largest difference, in
    standard errors"""
    is_drawn = (
        by_reference_prior(heuristic, "sd") > 0
    )  # at the prior of the data, nothing is random
    names = ("mean", "expected", "sd", "n_runs")
    mean, expected, sd, n_runs = (by_reference_prior(heuristic, x)[is_drawn] for x in names)
    return largest((mean - expected) / (sd / np.sqrt(n_runs)))


@claim(
    "ours",
    "Figure 2",
    AtMost(5.0),
    needs=(*HIGHER_PRIOR, *ENOUGH_DRAWS),
)
def balanced_sample_agrees_with_calibration(curves_at_priors, heuristic):
    """AUC-PR of one balanced sample agrees with AUC-P_cR of all data at π₀ = 0.5: difference, in
    standard deviations of such samples"""
    of_sample, calibrated = (
        area(curves_at_priors, "pr", sample) for sample in ("undersampled", "calibrated")
    )
    return abs(of_sample - calibrated) / number(heuristic, "sd", pi0=0.5)


@claim("ours", "arXiv appendix A", Above(0.99), needs=SIMULATED)
def gain_is_near_1_on_simulated_frauds(fraud_prior_sweep):
    """simulated frauds: AUC-PR Gain at the prior of the data is close to 1"""
    return mean_at_end(fraud_prior_sweep, AUC_PR_GAIN, 0)


# -------------------------------------------------------------------------- models fitted here
for panel in ("all", "imbalanced"):

    @LOCAL.claim("Figure 7", Above(0.1), name=f"wrong-gain-lowers-the-least-correlation-{panel}")
    def wrong_gain_lowers_the_least_correlation(
        rank_correlation_corrections, ranking_tasks, panel=panel
    ):
        """local models, {panel} tasks: the authors' formulas of AUC-P_cR Gain lower the smallest
        correlation of two metrics: difference from the corrected one"""
        corrected, as_published = (
            pairs(correlations(rank_correlation_corrections, ranking_tasks, panel, LOCAL, each))
            for each in ("corrected", "as_published")
        )
        return corrected.min() - as_published.min()


@LOCAL.claim("Figure 7", Above(0.1), headline=True)
def wrong_gain_moves_cells(rank_correlation_corrections_summary):
    """local models, all tasks: correcting the authors' formulas of AUC-P_cR Gain
    changes the correlations: largest change"""
    return change_by(rank_correlation_corrections_summary, "gain_crossing")


# --------------------------------------------------------------------------- label-free metrics
SPREAD_OF_SIZES = Need(
    "label_free.sizes",
    "to span a factor of at least 100",
    lambda sizes: max(sizes) >= 100 * min(sizes),
)
CHANCE = Tolerance(0.1, "four standard errors of a slope from 200 runs at six sample sizes")

convergence = partial(
    claim, "ours", "CC, text", needs=(at_least("label_free.n_runs", 100), SPREAD_OF_SIZES)
)

for computation in ("labels", "scores"):

    @convergence(-0.5, CHANCE, name=f"converges-{computation}")
    def converges(label_free_rates, computation=computation):
        """metrics computed from the {computation} of a sample converge to those of the distribution
        as n^(−1/2): the exponent that is farthest from −1/2"""
        slopes = grid(label_free_rates, ["distribution", "metric"], "computation", "slope")
        if computation not in slopes:
            raise UnavailableError(f"the table has no row with computation {computation}")
        return slopes[computation].loc[(slopes[computation] + 0.5).abs().idxmax()]


@convergence(AtMost(1.0))
def scores_are_nearer(label_free_convergence):
    """metrics computed from scores are closer to those of the distribution than metrics computed
    from labels: largest ratio of their root mean square errors"""
    keys = ["distribution", "metric", "n_samples"]
    errors = grid(label_free_convergence, keys, "computation", "rmse")
    if not {"scores", "labels"} <= set(errors):
        raise UnavailableError("the table lacks one of the computations")
    return (errors["scores"] / errors["labels"]).max()


# --------------------------------------------------------------------------- Davis & Goadrich


@claim("ours", "DG, Figure 6", 0.0303, Tolerance(5e-5, "the digits of our value"))
def dg_fig6_integer_steps(dg_fig6_areas):
    """area under the PR curve by trapezoids with integer steps from TP = 9, which comes closest to
    the published 0.031"""
    return number(dg_fig6_areas, "area", interpolation="integer steps", tp=9.0, calibrated=False)


@claim("ours", "DG, Figure 7", True)
def dg_fig7_area_prefers_i(dg_fig7_areas):
    """AUC-PR prefers curve I at every reference prior"""
    areas = grid(dg_fig7_areas, "prior", "curve", "area", measure="pr_auc", mark="grid")
    if set(areas) != {"I", "II"}:
        raise UnavailableError("the table lacks one of the curves")
    return (areas["I"] > areas["II"]).all()


@claim("ours", "DG, Figure 7", 0.4)
def dg_fig7_gain_turns(dg_fig7_areas):
    """reference prior from which AUC-PR Gain prefers curve II, as AUC-ROC does"""
    return number(dg_fig7_areas, "prior", measure="prg_auc", mark="equal areas", curve="I")
