"""Claims of Siblini et al., without those on the ranking of models (see `model_ranking`)."""

from functools import partial

import numpy as np

from reproduction.claims.lookup import (
    AREA,
    AUC_PR,
    AUC_PR_GAIN,
    F1,
    METRICS,
    UnavailableError,
    cells,
    columns,
    grid,
    largest,
    mean_at,
    means,
    number,
    rows,
)
from reproduction.claims.registry import (
    FRAUD_ROWS,
    FRAUDS,
    VISIBLE,
    Above,
    AtMost,
    Data,
    KnownGap,
    Tolerance,
    as_by_default,
    at_least,
    claim,
    equal,
    printed,
    read_off,
)

# ------------------------------------------------- Figure 3, and the definitions on its instances
definition = partial(claim, "S", "section 3, definition")
figure_3 = partial(claim, "S", "Figure 3")


def both(prior_illustration_numbers, *names):
    """Return columns of the two populations of Figure 3: all, half of the positives removed."""
    if len(prior_illustration_numbers) != 2:
        raise UnavailableError("the table lacks one of the two populations")
    in_order = prior_illustration_numbers.sort_values("n_pos", ascending=False)
    return [column.to_numpy() for column in columns(in_order, *names)]


def change(prior_illustration_numbers, column):
    """Return the change of a column when half of the positives are removed."""
    (values,) = both(prior_illustration_numbers, column)
    return values[1] - values[0]


def precision_at(pi0, tp, fp, prior):
    r = prior * (1 - pi0) / (pi0 * (1 - prior))
    return tp / (tp + r * fp)


def precision_gain(precision, prior):
    return (precision - prior) / ((1 - prior) * precision)


@definition(0.0)
def precision_calibrated(prior_illustration_numbers, dg_table1):
    """Prec_c = TP / (TP + r FP) with r = π(1−π₀) / (π₀(1−π)): largest error, on the instances of
    Figure 3 and in Table 1 of DG"""
    names = ("precision_calibrated", "pi0", "tp", "fp", "prior")
    of_figure_3, *arguments = both(prior_illustration_numbers, *names)
    of_table_1, tp, fp = columns(dg_table1, "precision@pi0=0.5", "tp", "fp")
    errors = (
        of_figure_3 - precision_at(*arguments),
        of_table_1 - precision_at(0.5, tp, fp, 20 / 2020),
    )
    return largest(np.concatenate(errors))


@definition(0.0)
def f1_calibrated(prior_illustration_numbers):
    """F1_c is F1 with Prec_c in place of precision: largest error, on the instances of Figure 3"""
    names = ("f1_calibrated", "precision_calibrated", "recall")
    f1, precision, recall = both(prior_illustration_numbers, *names)
    return largest(f1 - 2 * precision * recall / (precision + recall))


@definition(0.0)
def precision_gain_calibrated(prior_illustration_numbers):
    """calibration does not change precision gain: largest change, on the instances of Figure 3"""
    calibrated = both(prior_illustration_numbers, "precision_calibrated", "pi0")
    ordinary = both(prior_illustration_numbers, "precision", "prior")
    return largest(precision_gain(*calibrated) - precision_gain(*ordinary))


for column, published, what in (
    ("recall", 0.0, "recall does not change"),
    ("fpr", 0.0, "the false positive rate does not change"),
    ("precision", AtMost(-VISIBLE), "precision falls"),
):

    @figure_3(published, name=f"fig3-{column}")
    def fig3_change(prior_illustration_numbers, column=column, what=what):
        """{what} when half of the positives are removed: change"""
        return change(prior_illustration_numbers, column)


@claim("S", "section 5", 0.0)
def sec5_two_populations(prior_illustration_numbers):
    """at a common π₀, two populations with different priors have the same precision:
    difference on the instances of Figure 3"""
    return change(prior_illustration_numbers, "precision_calibrated")


@claim("S", "arXiv appendix B, Proposition 1; section 5", 0.0)
def prop1_fewer_positives(prior_illustration_numbers):
    """Prec_c at a smaller prior π₀ anticipates the precision of data with that prior: difference
    on the instances of Figure 3, after half of the positives are removed"""
    precision, tp, fp, prior = both(prior_illustration_numbers, "precision", "tp", "fp", "prior")
    return precision[1] - precision_at(prior[1], tp[0], fp[0], prior[0])


# --------------------------------------------------------------------- Figure 1, arXiv Figure 11
STREAM = (
    *as_by_default("monitoring", "n_customers", "n_terminals", "radius", "train_start_day"),
    *as_by_default("monitoring", "train_weeks", "delay_weeks", "n_periods"),
    at_least("monitoring.n_bootstrap", 100),
)

stream = partial(claim, "S", needs=STREAM)


def trends(monitoring_trends, column, scenario):
    """Return a column of the trends of AUC-PR and of AUC-P_cR."""
    ordinary = number(monitoring_trends, column, scenario=scenario, metric=AREA, pi0=None)
    both = cells(monitoring_trends, column, scenario=scenario, metric=AREA)
    if len(both) != 2:
        raise UnavailableError(f"the table has no calibrated trend in the scenario {scenario!r}")
    calibrated = both[monitoring_trends["pi0"].notna()].iloc[0]
    return ordinary, calibrated


def weekly(monitoring_differences, *columns):
    """Return columns of the differences of AUC-PR, by period and scenario."""
    return [
        grid(monitoring_differences, "period", "scenario", column, metric=AREA)
        for column in columns
    ]


@stream("Figure 1", True, headline=True)
def monitoring_auc_pr_follows_the_prior(monitoring_trends):
    """AUC-PR falls if only the fraud ratio falls (on a simulated stream,
    because the paper's stream is private)"""
    verdict = number(monitoring_trends, "verdict", scenario="prior drift", metric=AREA, pi0=None)
    return verdict == "falls"


@stream("arXiv Figure 11", True)
def monitoring_both_drifts_fall_in_both(monitoring_trends):
    """AUC-PR and AUC-P_cR both fall if the frauds change and the fraud ratio falls (on a simulated
    stream, because the paper's stream is private)"""
    return trends(monitoring_trends, "verdict", "both drifts") == ("falls", "falls")


@stream("arXiv Figure 11, right panel", Above(0.8))
def monitoring_difference_follows_the_prior(monitoring_differences):
    """AUC-PR − AUC-P_cR grows with π: rank correlation (on a simulated stream,
    because the paper's stream is private)"""
    prior, difference = weekly(monitoring_differences, "prior", "value")
    return prior["prior drift"].corr(difference["prior drift"], method="spearman")


# ------------------------------------------------------------------------------------- Figure 2
HIGHER_PRIOR = as_by_default("curves_at_priors", "pi0")

figure_2 = partial(claim, "S", "Figure 2")


def area(curves_at_priors, space, sample):
    if cells(curves_at_priors, "area", space="roc", sample="all").iloc[0] == 1:
        raise UnavailableError("the model makes no errors")
    return cells(curves_at_priors, "area", space=space, sample=sample).iloc[0]


for space, published, needs, size, what in (
    ("roc", 0.0, (), float, "the ROC curve does not depend on the prior: change"),
    ("pr", Above(VISIBLE), HIGHER_PRIOR, float, "the PR curve rises with the prior: change"),
    ("prg", Above(VISIBLE), HIGHER_PRIOR, abs, "the PR-Gain curve changes too: absolute change"),
):

    @figure_2(published, name=f"fig2-{space}", needs=needs)
    def fig2_change(curves_at_priors, space=space, size=size, what=what):
        """{what} of its area from the prior of the data to a higher prior"""
        both = (area(curves_at_priors, space, sample) for sample in ("calibrated", "all"))
        return size(np.subtract(*both))


# ------------------------------------------------------------------------------------- Figure 4
BALANCED = {AUC_PR: 0.547, AUC_PR_GAIN: 0.103, F1: 0.667}
# Four standard errors of a mean over 30 runs at the smallest prior, with 1000 positives.
CHANCE_AT_SMALLEST_PRIOR = {AUC_PR: 0.007, AUC_PR_GAIN: 0.017, F1: 0.0}

SOME_RUNS = (
    equal("pi_sweep.mu1", 2.0),
    equal("pi_sweep.mu0", 1.8),
    at_least("pi_sweep.n_samples", 100_000),
    at_least("pi_sweep.n_runs", 30),
)
FULL_SIZE = (*SOME_RUNS, at_least("pi_sweep.n_samples", 1_000_000))

figure_4 = partial(claim, "S", "Figure 4", needs=SOME_RUNS)


def means_by_prior(pi_sweep, metric):
    """Return the mean by prior; `UnavailableError` if the sweep lacks the prior 0.001 or 0.5."""
    for end in (0.001, 0.5):
        rows(pi_sweep, prior=end)
    return means(pi_sweep, "prior", metric)


for metric, value in BALANCED.items():

    @figure_4(value, read_off(0.005), name=f"fig4-{metric.name}-balanced")
    def fig4_balanced(pi_sweep, metric=metric):
        """{metric.label} at π = 0.5, where it equals the calibrated metric"""
        return mean_at(pi_sweep, "prior", 0.5, metric)

    @figure_4(
        value,
        read_off(0.005, chance=CHANCE_AT_SMALLEST_PRIOR[metric]),
        name=f"fig4-{metric.name}-calibrated-is-flat",
        needs=FULL_SIZE,
        headline=metric is AUC_PR,
    )
    def fig4_calibrated_is_flat(pi_sweep, metric=metric.calibrated, value=value):
        """{metric.label} does not change from π = 0.5 down to π = 0.001: the mean
        furthest from the value at π = 0.5"""
        by_prior = means_by_prior(pi_sweep, metric)
        return by_prior[(by_prior - value).abs().idxmax()]


ABOVE_CHANCE = Tolerance(0.001, "the distance of the value from chance level, π = 0.001")

for metric in (AUC_PR, F1):

    @figure_4(0.002, ABOVE_CHANCE, name=f"fig4-{metric.name}-rarest")
    def fig4_rarest(pi_sweep, metric=metric):
        """{metric.label} at π = 0.001"""
        return mean_at(pi_sweep, "prior", 0.001, metric)

    @figure_4(True, name=f"fig4-{metric.name}-falls", headline=metric is AUC_PR)
    def fig4_falls(pi_sweep, metric=metric):
        """{metric.label} falls as π falls"""
        return means_by_prior(pi_sweep, metric).is_monotonic_increasing


UNCERTAIN_GAIN = KnownGap(
    0.467,
    0.005,
    "the area depends on the first few positives of a ranking, so a mean over 30 runs, as in the "
    "figure, has a standard error of 0.09",
)


@figure_4(0.4, read_off(0.05), known_gap=UNCERTAIN_GAIN)
def fig4_auc_pr_gain_rarest(pi_sweep):
    """AUC-PR Gain at π = 0.001: population value"""
    return mean_at(pi_sweep, "prior", 0.001, AUC_PR_GAIN, "population")


@figure_4(True, needs=FULL_SIZE)
def fig4_auc_pr_gain_rises(pi_sweep):
    """AUC-PR Gain rises as π falls"""
    by_prior = means_by_prior(pi_sweep, AUC_PR_GAIN)
    # At smaller priors, the mean over 30 runs is too uncertain to be compared.
    return by_prior[by_prior.index >= 0.009].is_monotonic_decreasing


@figure_4(Above(10.0))
def fig4_auc_pr_gain_wide_band(pi_sweep):
    """the band of AUC-PR Gain is wide at π = 0.001: standard
    deviation relative to that at π = 0.5"""
    rarest, balanced = (
        cells(pi_sweep, "value", metric=AUC_PR_GAIN.key, prior=prior) for prior in (0.001, 0.5)
    )
    if len(rarest) != len(balanced):
        raise UnavailableError("the runs at π = 0.001 and at π = 0.5 differ in number")
    return rarest.std() / balanced.std()


# ------------------------------------------------------------------------------------- Figure 5
RUNS_OF_FIGURE_5 = (
    equal("kl_sweep.mu1", 2.0),
    at_least("kl_sweep.n_samples", 100_000),
    at_least("kl_sweep.n_runs", 30),
)
CURVES_OF_FIGURE_5 = (
    *RUNS_OF_FIGURE_5,
    *as_by_default("kl_sweep", "mu0"),
    equal("kl_sweep.lowest_prior", 0.001),
    equal("kl_sweep.highest_prior", 0.5),
)
FARTHEST = {AUC_PR: 0.922, AUC_PR_GAIN: 0.866, F1: 0.84}
NEAREST = {AUC_PR: 0.512, AUC_PR_GAIN: 0.025, F1: 0.667}

LINE_WIDTH = Tolerance(0.002, "the width of a line in the figure")

figure_5 = partial(claim, "S", "Figure 5", needs=CURVES_OF_FIGURE_5)
figure_5_ends = partial(figure_5, tolerance=read_off(0.01), needs=RUNS_OF_FIGURE_5)


def jaggedness(kl_sweep, metric):
    return largest(np.diff(means(kl_sweep, "mu0", metric), 2))


for metric in METRICS:

    @figure_5_ends(FARTHEST[metric], name=f"fig5-{metric.name}-calibrated-farthest")
    def fig5_calibrated_farthest(kl_sweep, metric=metric.calibrated):
        """{metric.label} at (μ₁−μ₀)² = 4"""
        return mean_at(kl_sweep, "squared_distance", 4.0, metric)

    @figure_5_ends(NEAREST[metric], name=f"fig5-{metric.name}-calibrated-nearest")
    def fig5_calibrated_nearest(kl_sweep, metric=metric.calibrated):
        """{metric.label} at (μ₁−μ₀)² = 0.0025, the smallest value above 0"""
        return mean_at(kl_sweep, "squared_distance", 0.0025, metric)

    @figure_5(0.0, LINE_WIDTH, name=f"fig5-{metric.name}-calibrated-is-monotone")
    def fig5_calibrated_is_monotone(kl_sweep, metric=metric.calibrated):
        """{metric.label} increases with the distance of the classes: largest decrease
        between neighbouring distances"""
        steps = np.diff(means(kl_sweep, "squared_distance", metric))
        return max(0.0, -steps.min())

    @figure_5(Above(5.0), name=f"fig5-{metric.name}-is-jagged", headline=metric is AUC_PR)
    def fig5_is_jagged(kl_sweep, metric=metric):
        """the curve of {metric.label} is jagged, that of {metric.calibrated.label} smooth: ratio of
        their largest second differences"""
        return jaggedness(kl_sweep, metric) / jaggedness(kl_sweep, metric.calibrated)


HALVED_AXIS = KnownGap(
    2.0,
    1e-9,
    "the divergence is ½ (μ₁−μ₀)²; the axis of the figure is (μ₁−μ₀)², as in the authors' code",
)


@figure_5(4.0, known_gap=HALVED_AXIS, headline=True)
def fig5_axis(kl_sweep):
    """the x axis is the Kullback-Leibler divergence of the classes: divergence at which AUC-P_cR is
    closest to 0.922, its value at the end of the axis"""
    by_divergence = means(kl_sweep, "kl", AUC_PR.calibrated)
    return (by_divergence - FARTHEST[AUC_PR]).abs().idxmin()


# ------------------------------------------------------------------------------- the fraud data
SIMULATED = (equal("fraud.source", "simulated"), *as_by_default("fraud", "simulator"))
ON_BOTH_DATA = (
    (partial(claim, "S", data=Data.FRAUD), "fraud data", ()),
    (partial(claim, "ours"), "simulated frauds", SIMULATED),
)

fraud_set = partial(claim, "S", "section 4, fraud data", data=Data.FRAUD)


for column, label, value in (
    ("n_rows", "transactions", FRAUD_ROWS),
    ("n_frauds", "frauds", FRAUDS),
):

    @fraud_set(value, name=f"fraud-{column.removeprefix('n_')}")
    def fraud_count(fraud_data, column=column, label=label):
        """number of {label}"""
        return number(fraud_data, column)


# ------------------------------------------------------------------------------------- Figure 6

# fmt: off
FORMULA = {
    0.00172: 0.765, 0.00232: 0.788, 0.00313: 0.807, 0.00421: 0.8225, 0.00568: 0.836,
    0.00765: 0.848, 0.0103: 0.858, 0.0139: 0.868, 0.0187: 0.877, 0.0253: 0.886,
    0.0341: 0.895, 0.0459: 0.9035, 0.0619: 0.912, 0.0834: 0.921, 0.112: 0.930,
    0.151: 0.939, 0.204: 0.948, 0.275: 0.9575, 0.371: 0.967, 0.5: 0.977,
}
# fmt: on
GRID_OF_FIGURE_6 = (equal("heuristic.n_priors", 20), equal("heuristic.highest_prior", 0.5))
READING_OF_FIGURE_6 = 0.002

figure_6 = partial(claim, "S", "Figure 6", data=Data.FRAUD, needs=GRID_OF_FIGURE_6)
test_set = partial(claim, "A", "Figure 6", data=Data.FRAUD, needs=GRID_OF_FIGURE_6)


def by_reference_prior(heuristic, column):
    """Return the values at the 20 reference priors, in ascending order."""
    if len(heuristic) != len(FORMULA):
        raise UnavailableError(f"the table has {len(heuristic)} reference priors, needs 20")
    order = cells(heuristic, "pi0").to_numpy().argsort()
    return cells(heuristic, column).to_numpy()[order]


for name, label, value, columns_of_count in (
    ("rows", "transactions", 85_443, ("n_pos", "n_neg_kept")),
    ("frauds", "frauds", 147, ("n_pos",)),
):

    @test_set(value, name=f"fraud-test-{name}")
    def fraud_test_count(heuristic, label=label, columns_of_count=columns_of_count):
        """number of {label} in the test set"""
        return sum(by_reference_prior(heuristic, column)[0] for column in columns_of_count)


for pi0, value in FORMULA.items():

    @figure_6(value, read_off(READING_OF_FIGURE_6), name=f"fig6-formula-{pi0:g}")
    def fig6_formula(heuristic, pi0=pi0):
        """AUC-P_cR of the test set at π₀ = {pi0:g}"""
        return by_reference_prior(heuristic, "closed_form")[list(FORMULA).index(pi0)]


@figure_6(0.00172, printed(5))
def fig6_smallest_reference_prior(heuristic):
    """smallest π₀, which is the prior of the test set"""
    return by_reference_prior(heuristic, "pi0")[0]


for checked, label, needs in ON_BOTH_DATA:
    draws = (*needs, *GRID_OF_FIGURE_6, at_least("heuristic.n_runs", 1000))

    @checked("Figure 6", AtMost(READING_OF_FIGURE_6), needs=draws, headline=True)
    def fig6_heuristic_is_the_formula(heuristic, label=label):
        """{label}: the mean AUC-PR of undersampled data agrees with AUC-P_cR of all data at all 20
        π₀: largest absolute difference (0.002 is the reading accuracy of the figure)"""
        by_draws, closed_form = (by_reference_prior(heuristic, x) for x in ("mean", "closed_form"))
        return largest(by_draws - closed_form)


# ----------------------------------------------------------------------------- arXiv appendix A
AT_THE_DATA_PRIOR = {
    AUC_PR: 0.765,
    AUC_PR.calibrated: 0.977,
    AUC_PR_GAIN: 1.000,
    AUC_PR_GAIN.calibrated: 0.965,
    F1: 0.728,
    F1.calibrated: 0.765,
}
RUNS_OF_APPENDIX_A = (
    equal("fraud_prior_sweep.highest_prior", 0.5),
    at_least("fraud_prior_sweep.n_runs", 100),
)

appendix_a = partial(claim, "S", "arXiv appendix A", data=Data.FRAUD, needs=RUNS_OF_APPENDIX_A)


def mean_at_end(fraud_prior_sweep, metric, end):
    """Return the mean at the prior of the data (`end` = 0) or at the highest prior (-1)."""
    return means(fraud_prior_sweep, "prior", metric).iloc[end]


for metric, value in AT_THE_DATA_PRIOR.items():

    @appendix_a(value, read_off(0.002), name=f"appA-{metric.name}-0.00172", needs=())
    def appendix_a_at_the_data_prior(fraud_prior_sweep, metric=metric):
        """{metric.label} at π = 0.00172"""
        return mean_at_end(fraud_prior_sweep, metric, 0)


for metric, value in {AUC_PR: 0.978, AUC_PR_GAIN: 0.966, F1: 0.765}.items():

    @appendix_a(value, read_off(0.002), name=f"appA-{metric.name}-0.5")
    def appendix_a_when_balanced(fraud_prior_sweep, metric=metric):
        """{metric.label} at π = 0.5, where it equals the calibrated metric"""
        return mean_at_end(fraud_prior_sweep, metric, -1)


for checked, label, needs in ON_BOTH_DATA:
    appendix_a = partial(checked, "arXiv appendix A", needs=(*needs, *RUNS_OF_APPENDIX_A))

    @appendix_a(0.0, read_off(0.002), name="appA-calibrated-are-flat")
    def appendix_a_calibrated_are_flat(fraud_prior_sweep, label=label):
        """{label}: the calibrated metrics do not depend on π: largest difference from their means
        at the prior of the data"""
        by_metric = [means(fraud_prior_sweep, "prior", metric.calibrated) for metric in METRICS]
        return max(largest(by_prior - by_prior.iloc[0]) for by_prior in by_metric)

    for metric, verb, sign in ((AUC_PR, "rises", 1), (AUC_PR_GAIN, "falls", -1), (F1, "rises", 1)):

        @appendix_a(Above(VISIBLE), name=f"appA-{metric.name}-changes")
        def appendix_a_changes(fraud_prior_sweep, label=label, metric=metric, verb=verb, sign=sign):
            """{label}: {metric.label} {verb} as π increases: size of the change from the prior of
            the data to the highest π"""
            by_prior = means(fraud_prior_sweep, "prior", metric)
            return sign * (by_prior.iloc[-1] - by_prior.iloc[0])
