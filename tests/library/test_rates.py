"""Intervals of decisions: square-and-add over independent shares."""

import functools
import itertools
import math

import numpy as np
import pytest
from samples import audit_of, limits_of
from scipy import stats
from scipy.special import expit, logit

from calibrated_metrics import ConfusionCurve, ConfusionMatrix, Metric, audit, scores
from calibrated_metrics.uncertainty import difference, interval
from calibrated_metrics.uncertainty.strata import Strata, share_in_strata

pytestmark = pytest.mark.filterwarnings("error")
MATRIX = ConfusionMatrix(tp=30, fp=12, fn=20, tn=188)


def jeffreys_limits(successes, trials, level=0.95):
    """Modified Jeffreys limits, from SciPy's beta distribution."""
    tail = (1 - level) / 2
    law = stats.beta(successes + 0.5, trials - successes + 0.5)
    low, high = law.ppf(tail), law.isf(tail)
    if trials == 0:
        return 0.0, 1.0
    if successes == 0:
        high = 1 - tail ** (1 / trials)
    if successes == trials:
        low = tail ** (1 / trials)
    return (0.0 if successes <= 1 else low), (1.0 if trials - successes <= 1 else high)


def square_and_add(value_of, counts, scale=logit, inverse=expit):
    """Zou & Donner (2008) for independent shares, given as pairs of successes and trials."""
    shares = [successes / trials for successes, trials in counts]
    value = scale(value_of(*shares))
    below = above = 0.0
    for place, (successes, trials) in enumerate(counts):
        moved = []
        for limit in jeffreys_limits(successes, trials):
            others = [limit if i == place else share for i, share in enumerate(shares)]
            moved.append(scale(value_of(*others)))
        below += max(value - min(moved), 0) ** 2
        above += max(max(moved) - value, 0) ** 2
    return inverse(value - math.sqrt(below)), inverse(value + math.sqrt(above))


def precision_of(tpr, fpr, prior):
    return prior * tpr / (prior * tpr + (1 - prior) * fpr)


def correlation_of(tpr, fpr, prior):
    alerts = prior * tpr + (1 - prior) * fpr
    return (tpr - fpr) * math.sqrt(prior * (1 - prior) / (alerts * (1 - alerts)))


def kappa_of(tpr, fpr, prior):
    alerts = prior * tpr + (1 - prior) * fpr
    return 2 * prior * (1 - prior) * (tpr - fpr) / (prior * (1 - alerts) + (1 - prior) * alerts)


SHARE = (logit, expit)
SIGNED = (math.atanh, math.tanh)
RATIO = (math.log, math.exp)
PLAIN = (float, float)
OF_RATES = {
    "precision": (precision_of, *SHARE),
    "npv": (lambda tpr, fpr, prior: precision_of(1 - fpr, 1 - tpr, 1 - prior), *SHARE),
    "accuracy": (lambda tpr, fpr, prior: prior * tpr + (1 - prior) * (1 - fpr), *SHARE),
    "alert_rate": (lambda tpr, fpr, prior: prior * tpr + (1 - prior) * fpr, *SHARE),
    "balanced_accuracy": (lambda tpr, fpr, prior: (tpr + 1 - fpr) / 2, *SHARE),
    "recall": (lambda tpr, fpr, prior: tpr, *SHARE),
    "specificity": (lambda tpr, fpr, prior: 1 - fpr, *SHARE),
    "fbeta": (
        lambda tpr, fpr, prior: 5 * tpr / (tpr + 4 + (1 - prior) / prior * fpr),
        lambda f: logit(f / 5),
        lambda g: 5 * expit(g),
    ),
    "matthews_corrcoef": (correlation_of, *SIGNED),
    "cohen_kappa": (kappa_of, *SIGNED),
    "net_benefit": (
        lambda tpr, fpr, prior: prior * tpr - (1 - prior) * fpr / 4,
        *PLAIN,
    ),
    "positive_likelihood_ratio": (lambda tpr, fpr, prior: tpr / fpr, *RATIO),
    "negative_likelihood_ratio": (lambda tpr, fpr, prior: (1 - tpr) / (1 - fpr), *RATIO),
    "youden_index": (lambda tpr, fpr, prior: tpr - fpr, *SIGNED),
    "diagnostic_odds_ratio": (
        lambda tpr, fpr, prior: tpr / (1 - tpr) * (1 - fpr) / fpr,
        *RATIO,
    ),
}
OPTIONS = {"fbeta": {"beta": 2.0}, "net_benefit": {"threshold_probability": 0.2}}


@pytest.mark.parametrize("pi0", [None, 0.02, 0.6])
@pytest.mark.parametrize("name", OF_RATES)
def test_limits_of_a_decision_are_those_of_square_and_add(name, pi0):
    value_of, scale, inverse = OF_RATES[name]
    metric = Metric(name, **OPTIONS.get(name, {}))
    found = interval(metric, MATRIX, pi0=pi0)
    at_prior, counts = value_of, [(30, 50), (12, 200), (50, 250)]
    if pi0 is not None:
        at_prior, counts = functools.partial(value_of, prior=pi0), counts[:2]
    successes, trials = np.array(counts).T
    shares = successes / trials
    if not (name in SHARES and (pi0 is None or name in ("recall", "specificity"))):
        expected = square_and_add(at_prior, counts, scale, inverse)
        assert limits_of(found) == pytest.approx(expected, rel=1e-9)
    assert found.value == pytest.approx(at_prior(*shares), rel=1e-12)
    assert found.method == "rates"
    slopes = [
        (at_prior(*(shares + move)) - at_prior(*(shares - move))) / 2e-6
        for move in 1e-6 * np.eye(len(shares))
    ]
    errors = np.sqrt(shares * (1 - shares) / trials)
    assert found.standard_error == pytest.approx(np.linalg.norm(slopes * errors), rel=1e-4)


SHARES = {
    "precision": (30, 42),
    "npv": (188, 208),
    "recall": (30, 50),
    "specificity": (188, 200),
    "alert_rate": (42, 250),
    "accuracy": (218, 250),
}
"""Successes and trials of the metrics that are shares of the rows of `MATRIX`."""


@pytest.mark.parametrize("name", SHARES)
def test_shares_of_rows_have_clopper_pearson_limits(name):
    exact = stats.binomtest(*SHARES[name]).proportion_ci()
    assert limits_of(interval(name, MATRIX)) == pytest.approx((exact.low, exact.high), rel=1e-9)


def test_f1_is_a_share_of_the_rows_that_are_not_true_negatives():
    exact = stats.binomtest(30, 62).proportion_ci()
    expected = [2 * share / (1 + share) for share in (exact.low, exact.high)]
    assert limits_of(interval("f1", MATRIX)) == pytest.approx(expected, rel=1e-9)
    exact = stats.binomtest(0, 3).proportion_ci()
    found = interval("f1", ConfusionMatrix(tp=0, fp=3, fn=0, tn=7))
    assert limits_of(found) == pytest.approx((0, 2 * exact.high / (1 + exact.high)), rel=1e-9)


@pytest.mark.parametrize("name", ["precision", "npv"])
def test_shares_of_kept_rows_are_weighted(name):
    """The limits x are those of the share in the kept rows. Each negative stands for 20 rows."""
    y_true = np.repeat([1, 0, 1, 0], [30, 12, 20, 188])
    y_pred = np.repeat([1, 1, 0, 0], [30, 12, 20, 188])
    weights = np.where(y_true == 1, 1, 20)
    matrix = ConfusionMatrix.from_predictions(y_true, y_pred, sample_weight=weights)
    exact = stats.binomtest(*SHARES[name]).proportion_ci()
    of_hits, of_misses = (1, 20) if name == "precision" else (20, 1)
    expected = [x * of_hits / (x * of_hits + (1 - x) * of_misses) for x in (exact.low, exact.high)]
    assert limits_of(interval(name, matrix)) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("name", "matrix", "successes", "trials"),
    [
        ("precision", ConfusionMatrix(tp=0, fp=3, fn=0, tn=197), 0, 3),
        ("precision", ConfusionMatrix(tp=3, fp=0, fn=1, tn=0), 3, 3),
        ("npv", ConfusionMatrix(tp=0, fp=3, fn=0, tn=197), 197, 197),
        ("specificity", ConfusionMatrix(tp=0, fp=3, fn=0, tn=197), 197, 200),
        ("recall", ConfusionMatrix(tp=3, fp=0, fn=1, tn=0), 3, 4),
        ("accuracy", ConfusionMatrix(tp=3, fp=0, fn=1, tn=0), 3, 4),
    ],
)
def test_a_share_needs_no_row_of_the_other_class(name, matrix, successes, trials):
    exact = stats.binomtest(successes, trials).proportion_ci()
    found = interval(name, matrix)
    assert limits_of(found) == pytest.approx((exact.low, exact.high), rel=1e-9)
    with pytest.raises(ValueError, match="both classes"):
        interval(name, matrix, pi0=0.1)


def slow_limits(shares, correlation, value_of):
    """Square-and-add over shares with their limits, one loop per share."""
    own = [float(each.value) for each in shares]
    centre = logit(value_of(*own))
    moves = {"below": [], "above": []}
    for place, share in enumerate(shares):
        low, high = (
            logit(value_of(*own[:place], limit, *own[place + 1 :])) - centre
            for limit in share.limits(0.95)
        )
        if low < high:  # the value rises with the share
            moves["below"].append(-low), moves["above"].append(high)
        else:
            moves["below"].append(high), moves["above"].append(-low)
    below, above = (
        math.sqrt(
            sum(
                a * b * r
                for (a, b), r in zip(itertools.product(each, each), correlation, strict=True)
            )
        )
        for each in moves.values()
    )
    return expit(centre - below), expit(centre + above)


def correlations_of_shares(shares, of_rows, weight, strata):
    """Correlation of each pair of shares: rows are drawn independently in each stratum."""

    def covariance(a, b):
        total = 0.0
        for each in np.unique(strata):
            total += (strata == each).sum() * np.cov(a[strata == each], b[strata == each])[0, 1]
        return total

    errors = [
        weight * rows * (np.asarray(success, dtype=float) - share.value) / weight[rows].sum()
        for share, (success, rows) in zip(shares, of_rows, strict=True)
    ]
    return [
        covariance(a, b) / math.sqrt(covariance(a, a) * covariance(b, b))
        for a, b in itertools.product(errors, errors)
    ]


@pytest.mark.parametrize("cut", [0.2, 0.75])
@pytest.mark.parametrize("name", ["precision", "recall", "npv"])
@pytest.mark.parametrize("pi0", [None, 0.05])
@pytest.mark.parametrize("are_within_classes", [False, True])
def test_limits_of_strata_are_those_of_a_slow_computation(name, cut, pi0, are_within_classes):
    y_true, y_score, weight, strata = audit_of(n=900)
    if are_within_classes:
        weight, strata = weight * (1 + y_true), 2 * strata + y_true
    matrix = ConfusionMatrix.from_predictions(
        y_true, y_score >= cut, sample_weight=weight, strata=strata
    )
    alert = y_score >= cut
    own = {"precision": (y_true, alert), "recall": (alert, y_true), "npv": (~y_true, ~alert)}
    has_rows = len(np.unique(strata[own[name][1]])) == len(np.unique(strata))
    is_estimated = pi0 is None and not are_within_classes
    if has_rows and (name == "recall" or is_estimated):
        of_rows = [own[name]]  # the metric is this share
    else:
        of_rows = [(alert, y_true), (alert, ~y_true)]
        of_rows += [(y_true, np.ones(len(y_true), dtype=bool))] * is_estimated

    def value_of(*shares):
        if len(shares) == 1:
            return shares[0]
        prior = shares[2] if is_estimated else matrix.prior
        found = ConfusionMatrix.from_rates(tpr=shares[0], fpr=shares[1], prior=prior)
        return getattr(scores, name)(found if pi0 is None else found.at_prior(pi0))

    found = interval(name, matrix, pi0=pi0)
    shares = [share_in_strata(matrix.rows, *each) for each in of_rows]
    correlation = correlations_of_shares(shares, of_rows, weight, strata)
    assert limits_of(found) == pytest.approx(slow_limits(shares, correlation, value_of), rel=1e-8)
    assert found.value == pytest.approx(
        Metric(name)(matrix if pi0 is None else matrix.at_prior(pi0))
    )


def test_shares_of_strata_are_correlated():
    """Patients of two ages: sensitivity and specificity of all have the errors of a ratio."""
    counts = np.array([90, 10, 10, 890, 5, 15, 10, 70])
    y_true, alert, old = (
        np.array([1, 1, 0, 0] * 2),
        np.array([1, 0, 1, 0] * 2),
        np.repeat([0, 1], 4),
    )
    matrix = ConfusionMatrix.from_predictions(y_true, alert, strata=old, counts=counts)
    half = {0: 0.5, 1: 0.5}
    for name, rows, success in (("recall", y_true, alert), ("specificity", 1 - y_true, 1 - alert)):
        found, variance = interval(name, matrix, population=half), 0.0
        share = counts / np.where(old, 100, 1000) / 2
        ratio = (share * rows * success).sum() / (share * rows).sum()
        for each in (0, 1):
            n = counts[old == each].sum()
            residual = (rows * (success - ratio))[old == each]
            mean = np.average(residual, weights=counts[old == each])
            square = np.average((residual - mean) ** 2, weights=counts[old == each])
            variance += 0.25 * square / (n - 1) / (share * rows).sum() ** 2
        assert found.standard_error == pytest.approx(math.sqrt(variance), rel=1e-9)


def test_a_stratum_of_which_most_rows_were_drawn_has_a_smaller_error():
    """Without replacement, the standard error falls by the root of the share of other rows."""
    n, size, p = np.array([40]), np.ones(1), np.array([0.5])
    (_, whole), (_, part) = (
        Strata(n, size, np.array([fraction]), 0.0).limits(p, 0.95) for fraction in (0.0, 0.75)
    )
    assert part - 0.5 == pytest.approx((whole - 0.5) / 2, rel=1e-6)


def test_a_stratum_without_alerts_may_have_missed_some():
    """With 250 such samples, precision covered 69 % if only the alerts that exist counted."""
    outcomes = [[16, 5, 16, 53], [22, 9, 5, 45], [0, 0, 0, 6]]  # TP, FN, FP, TN
    cell = np.repeat(np.arange(12), np.ravel(outcomes))
    matrix = ConfusionMatrix.from_predictions(cell % 4 < 2, cell % 2 == 0, strata=cell // 4)
    population = dict(enumerate([0.2, 0.3, 0.5]))
    (low, high), (least, most) = (
        limits_of(interval("precision", matrix, population=population, pi0=pi0))
        for pi0 in (None, float(matrix.at_population(population).prior))
    )
    assert low < least + 0.02  # a prior that is estimated makes no interval shorter
    assert high > most


@pytest.mark.parametrize("name", ["precision", "recall", "f1", "alert_rate", "npv", "mcc"])
@pytest.mark.parametrize("n_strata", [5, 40])
@pytest.mark.parametrize("pi0", [None, 0.02])
def test_strata_without_meaning_hardly_change_an_interval(name, n_strata, pi0):
    rng = np.random.default_rng(0)
    y_true = rng.random(400) < 0.1
    alert = rng.random(400) < np.where(y_true, 0.8, 0.05)
    plain, divided = (
        interval(name, ConfusionMatrix.from_predictions(y_true, alert, strata=strata), pi0=pi0)
        for strata in (None, rng.permutation(400) % n_strata)
    )
    assert divided.value == pytest.approx(plain.value)
    width, expected = (each.high - each.low for each in (divided, plain))
    assert 0.9 < width / expected < 1.1


def labelled_by_decision(alert, stratum, y_true, n_rows):
    """Labels of rows that were drawn from strata of one decision each."""
    design = {"score": alert, "stratum": stratum, "n_rows": n_rows}
    ends = {"lowest": alert, "highest": alert}
    return audit.curve(design | ends, y_true, target="future rows").confusion_matrix(1)


def test_labels_sampled_by_the_prediction_have_an_exact_precision():
    """100 of 1,000 alerts and 400 of 99,000 other rows."""
    counts = [60, 40, 4, 396]
    y_true, alert = np.repeat([1, 0, 1, 0], counts), np.repeat([1, 1, 0, 0], counts)
    matrix = labelled_by_decision(alert, alert, y_true, np.where(alert, 1000, 99_000))
    for name, of in (("precision", (60, 100)), ("npv", (396, 400))):
        exact = stats.binomtest(*of).proportion_ci()
        assert limits_of(interval(name, matrix)) == pytest.approx(exact, rel=1e-9)
    recall = interval("recall", matrix)
    assert recall.high - recall.low < 0.45


def test_a_map_is_as_accurate_as_published():
    """Olofsson et al. (2014), doi:10.1016/j.rse.2014.02.015, table 8: deforestation."""
    labels = np.array([[66, 0, 5, 4], [0, 55, 8, 12], [1, 0, 153, 11], [2, 1, 9, 313]])
    area = np.array([200_000, 150_000, 3_200_000, 6_450_000])
    stratum = np.repeat(np.arange(4), labels.sum(axis=1))
    y_true = np.concatenate([np.repeat(np.arange(4), each) for each in labels])
    mapped = (stratum == 0).astype(int)
    matrix = labelled_by_decision(mapped, stratum, (y_true == 0).astype(int), area[stratum])
    exact = stats.binomtest(66, 75).proportion_ci()
    assert limits_of(interval("precision", matrix)) == pytest.approx(exact, rel=1e-9)
    recall = interval("recall", matrix)
    assert recall.value == pytest.approx(0.749, abs=0.0005)
    assert recall.high - recall.low < 0.427  # that of the article


@pytest.mark.parametrize("weight", [None, (1, 20)], ids=["equal weights", "weights by decision"])
def test_strata_with_one_decision_each_do_not_fix_the_share_of_alerts(weight):
    """Segments of 200 and 4 rows, in which all decisions are the same by chance."""
    y_true, alert = np.r_[np.arange(200) < 10, np.arange(4) < 1], np.arange(204) >= 200
    drawn = {"strata": alert} | (
        {} if weight is None else {"sample_weight": np.where(alert, *weight)}
    )
    matrix = ConfusionMatrix.from_predictions(y_true, alert, **drawn)
    share = interval("alert_rate", matrix)
    assert share.low < 0.99 * share.value < 1.2 * share.value < share.high
    fewer = ConfusionMatrix.from_predictions(
        y_true[:-2], alert[:-2], **{name: each[:-2] for name, each in drawn.items()}
    )
    assert (
        difference("alert_rate", matrix, fewer).low
        < 0
        < difference("alert_rate", matrix, fewer).high
    )


def test_weights_by_decision_do_not_show_how_rows_were_drawn():
    """They give the value; the interval of precision is as wide as for any weights."""
    y_true, alert = np.repeat([1, 0, 1, 0], [60, 40, 4, 396]), np.arange(500) < 100
    drawn = {"sample_weight": np.where(alert, 10, 247.5)}
    matrix = ConfusionMatrix.from_predictions(y_true, alert, **drawn)
    assert interval("precision", matrix).method == "hull"


# ---------------------------------------------------------------------------- values at an end


@pytest.mark.parametrize(
    ("counts", "pi0"),
    [((9, 10, 1, 20), 0.03), ((90, 100, 1, 200), 0.01), ((450, 500, 1, 1000), 0.01)],
)
def test_a_false_positive_that_was_seen_excludes_a_precision_of_1(counts, pi0):
    """No upper limit exceeds that of both exact limits at their worst."""
    tp, n_pos, fp, n_neg = counts
    matrix = ConfusionMatrix(tp=tp, fn=n_pos - tp, fp=fp, tn=n_neg - fp)
    tpr = stats.binomtest(tp, n_pos).proportion_ci().high
    fpr = stats.binomtest(fp, n_neg).proportion_ci().low
    most = tpr * pi0 / (tpr * pi0 + fpr * (1 - pi0))
    assert interval("precision", matrix, pi0=pi0).high <= most * (1 + 1e-9) < 1
    assert interval("positive_likelihood_ratio", matrix).high < math.inf
    mirrored = ConfusionMatrix(tn=tp, fp=n_pos - tp, fn=fp, tp=n_neg - fp)
    assert interval("npv", mirrored, pi0=1 - pi0).high <= most * (1 + 1e-9)


def test_an_infinite_likelihood_ratio_has_a_lower_limit():
    matrix = ConfusionMatrix(tp=80, fp=0, fn=20, tn=860)
    found = interval("positive_likelihood_ratio", matrix)
    assert found.value == found.high == found.standard_error == math.inf
    few = interval("positive_likelihood_ratio", ConfusionMatrix(tp=80, fp=3, fn=20, tn=857))
    assert few.low < found.low < few.high < math.inf
    with pytest.raises(ValueError, match="the metric of b is infinite"):
        difference("positive_likelihood_ratio", ConfusionMatrix(tp=80, fp=1, fn=20, tn=859), matrix)


def test_few_rows_of_an_outcome_include_the_corners():
    """All shares at their worst limits, and at their best."""
    found = interval("precision", ConfusionMatrix(tp=30, fp=2, fn=20, tn=188), pi0=0.2)
    tpr, fpr = jeffreys_limits(30, 50), jeffreys_limits(2, 190)
    corners = [
        precision_of(each, other, 0.2) for each, other in zip(tpr, reversed(fpr), strict=True)
    ]
    assert found.low <= corners[0] < corners[1] <= found.high


def test_the_corners_are_those_of_the_sign_of_the_value():
    """A higher prior raises kappa if TPR exceeds FPR, and lowers it otherwise."""
    found = interval("cohen_kappa", ConfusionMatrix(tp=5, fp=895, fn=0, tn=100))
    shares = [jeffreys_limits(5, 5), jeffreys_limits(895, 995), jeffreys_limits(5, 1000)]
    corners = [kappa_of(*corner) for corner in itertools.product(*shares)]
    assert found.low <= min(corners) < max(corners) <= found.high


def exact_coverage(name, m, n, tpr, fpr, pi0):
    """Probability that the interval contains the truth, summed over all counts."""
    true = OF_RATES[name][0](tpr, fpr, pi0)
    covered = 0.0
    for tp, fp in itertools.product(range(m + 1), range(n + 1)):
        matrix = ConfusionMatrix(tp=tp, fp=fp, fn=m - tp, tn=n - fp)
        if tp + fp == 0:
            continue
        found = interval(name, matrix, pi0=pi0)
        if found.low <= true <= found.high:
            covered += stats.binom(m, tpr).pmf(tp) * stats.binom(n, fpr).pmf(fp)
    return covered


def test_limits_of_precision_cover_for_every_count():
    assert exact_coverage("precision", 12, 15, 0.6, 0.2, 0.1) >= 0.93


def test_a_difference_covers_where_samples_without_false_positives_are_frequent():
    """Their precision is 1, which at a small prior is far from what a few more rows show."""
    n, pi0, fprs = 20, 0.01, (0.07, 0.02)
    true = np.subtract(*(precision_of(0.5, fpr, pi0) for fpr in fprs))
    matrices = [ConfusionMatrix(tp=n // 2, fp=fp, fn=n // 2, tn=n - fp) for fp in range(n + 1)]
    chances = [stats.binom.pmf(range(n + 1), n, fpr) for fpr in fprs]
    covered = 0.0
    for fp_a, fp_b in zip(*np.nonzero(np.outer(*chances) > 1e-6), strict=True):
        found = difference("precision", matrices[fp_a], matrices[fp_b], pi0=pi0)
        if found.low <= true + 1e-12 and true - 1e-12 <= found.high:
            covered += chances[0][fp_a] * chances[1][fp_b]
    assert covered >= 0.93


def recall_of(hits, n):
    return ConfusionMatrix(tp=hits, fn=n - hits, fp=30, tn=90)


def test_a_difference_of_shares_has_limits_of_newcombe():
    """20 of 101 and 10 of 105. F1, shares at a prior and few successes have limits of MOVER."""
    a, b = recall_of(20, 101), recall_of(10, 105)
    found = difference("recall", a, b)
    assert found.method == "newcombe"
    (low_a, high_a), (low_b, high_b) = (
        stats.binomtest(*each).proportion_ci(method="wilson") for each in ((20, 101), (10, 105))
    )
    share_a, share_b = 20 / 101, 10 / 105
    expected = (
        share_a - share_b - math.hypot(share_a - low_a, high_b - share_b),
        share_a - share_b + math.hypot(high_a - share_a, share_b - low_b),
    )
    assert limits_of(found) == pytest.approx(expected, rel=1e-12)
    assert limits_of(found) == pytest.approx((0.0056, 0.2007), abs=5e-5)
    for metric, *pair in (("recall", a, recall_of(4, 105)), ("f1", a, b)):
        assert difference(metric, *pair).method == "mover of rates"
    assert difference("precision", a, b, pi0=0.1).method == "mover of rates"


def test_recall_0_of_strata_has_limits():
    y_true, strata = np.arange(80) % 4 == 0, np.arange(80) // 40
    curve = ConfusionCurve.from_predictions(
        y_true, strata - 2.0 * y_true, sample_weight=1 + 9 * strata, strata=strata
    )
    found = interval(Metric("recall", threshold=0.5), curve)
    assert (found.value, found.low) == (0, 0)
    assert 0.1 < found.high < 0.6


def test_a_value_that_rounds_to_its_end_has_both_limits():
    found = interval("npv", ConfusionMatrix(tp=99, fp=5, fn=3, tn=95), pi0=1.7763568394002505e-15)
    assert 1 - 1e-12 < found.low <= found.value <= found.high <= 1


@pytest.mark.parametrize("metric", ["accuracy", "alert_rate", "youden_index"])
@pytest.mark.parametrize("pi0", [None, 0.1])
def test_limits_at_a_higher_level_contain_those_at_a_lower_one(metric, pi0):
    """In small strata, the worst combination of limits is far from the middle."""
    rng = np.random.default_rng(0)
    for _ in range(8):
        y_true, alert, strata = rng.random(24) < 0.4, rng.random(24) < 0.3, np.arange(24) % 3
        matrix = ConfusionMatrix.from_predictions(y_true, alert, strata=strata)
        lows, highs = zip(
            *(
                limits_of(interval(metric, matrix, pi0=pi0, confidence_level=level))
                for level in (0.5, 0.8, 0.9, 0.95, 0.99, 0.999)
            ),
            strict=True,
        )
        assert (np.diff(lows) <= 1e-9).all()
        assert (np.diff(highs) >= -1e-9).all()


def test_positives_that_a_stratum_without_any_may_have_missed_count():
    """Without alerts by an audit, 0 of 100 other rows gave an NPV of at least 0.996, not 0.964."""
    alert, y_true = np.arange(400) < 300, np.arange(400) < 60
    weight = np.where(alert, 0.15 / 300, 0.85 / 100)
    matrix = ConfusionMatrix.from_predictions(y_true, alert, sample_weight=weight, strata=alert)
    exact = 0.025 ** (1 / 100)
    found = interval("npv", matrix)
    assert 0.96 < found.low < 0.97
    of_positives = 0.15 * 60 / 300
    missed = 0.85 * (1 - exact)
    expected = of_positives / (of_positives + missed)
    assert interval("recall", matrix).low == pytest.approx(expected, rel=1e-9)
