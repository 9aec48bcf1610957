"""Rows without labels under label shift: prior, metrics, the fit test and its blind spots."""

import functools
import pickle
import warnings

import numpy as np
import pytest
from scipy import special, stats

from calibrated_metrics import ConfusionCurve, Metric, label_free, scores
from calibrated_metrics.label_free.histograms import Histograms, bin_edges
from calibrated_metrics.label_free.shift import label_shift
from calibrated_metrics.thresholds import choose_threshold
from calibrated_metrics.uncertainty import Estimate, IntervalWarning, interval
from calibrated_metrics.uncertainty.estimate import t_quantile

estimate, estimate_prior = label_free.estimate, label_free.estimate_prior


def drawn(rng, n, prior, *, distance=2.0, negatives=0.0, tail=0.0):
    """Labels and scores: negatives N(0, 1), positives N(distance, 1), and drifts."""
    y_true = rng.random(n) < prior
    mean = np.where(y_true | (rng.random(n) < tail), distance, negatives)
    return y_true, rng.normal(mean)


def month(seed, *, n=4000, prior=0.1, n_new=4000, new_prior=0.05, **drift):
    rng = np.random.default_rng(seed)
    return drawn(rng, n_new, new_prior, **drift)[1], drawn(rng, n, prior)


def numbers(found):
    return found.value, found.low, found.high, found.standard_error, found.fit


def clustered_month(seed, *, correlation=0.3, n_customers=400, n=4000, prior=0.05, new_prior=0.02):
    """Two months of rows of customers, whose scores depend on each other."""
    rng = np.random.default_rng(seed)

    def rows(prior, first):
        customer = rng.integers(n_customers, size=n)
        y_true, shift = rng.random(n) < prior, rng.normal(size=n_customers)[customer]
        noise = np.sqrt(1 - correlation) * rng.normal(size=n) + np.sqrt(correlation) * shift
        return y_true, 2 * y_true + noise, customer + first

    (_, new, clusters), labelled = rows(new_prior, n_customers), rows(prior, 0)
    curve = ConfusionCurve.from_predictions(*labelled[:2], clusters=labelled[2])
    return new, curve, clusters


# ------------------------------------------------------------------------- maximum likelihood


def log_likelihood(histograms, prior, pos, neg):
    mixture = prior * pos + (1 - prior) * neg
    counts = histograms.pos, histograms.neg, histograms.new
    pairs = zip(counts, (pos, neg, mixture), strict=True)
    return sum(special.xlogy(observed, probability).sum() for observed, probability in pairs)


def slow_fit(histograms, prior=None, n_steps=20_000):
    """The EM algorithm for three histograms, at a prior or with the prior."""
    pos, neg = histograms.pos + 0.5, histograms.neg + 0.5
    current = 0.5 if prior is None else prior
    for _ in range(n_steps):
        pos, neg = pos / pos.sum(), neg / neg.sum()
        share = current * pos / (current * pos + (1 - current) * neg)
        if prior is None:
            before, current = current, (histograms.new * share).sum() / histograms.new.sum()
            if abs(current - before) < 1e-15:
                break
        pos = histograms.pos + histograms.new * share
        neg = histograms.neg + histograms.new * (1 - share)
    return current, pos / pos.sum(), neg / neg.sum()


@functools.cache
def some_histograms():
    rng = np.random.default_rng(0)
    found = []
    for size in (30, 300, 3000):
        for n_bins in (2, 3, 6):
            pos, neg = rng.dirichlet(np.ones(n_bins), size=2)
            prior = rng.uniform(0.2, 0.8)
            counts = (
                rng.multinomial(size, probability)
                for probability in (pos, neg, prior * pos + (1 - prior) * neg)
            )
            found.append(Histograms(*(each.astype(float) for each in counts)))
    return found


@pytest.mark.parametrize("histograms", some_histograms())
def test_the_prior_is_that_of_the_em_algorithm(histograms):
    prior, pos, neg = slow_fit(histograms)
    found = histograms.prior()
    assert found == pytest.approx(prior, abs=2e-3)
    assert histograms.log_likelihood(found) >= log_likelihood(histograms, prior, pos, neg) - 1e-8


@pytest.mark.parametrize("prior", [0.0, 0.03, 0.6, 1.0])
@pytest.mark.parametrize("histograms", some_histograms()[::4])
def test_the_fit_at_a_prior_is_that_of_the_em_algorithm(histograms, prior):
    _, pos, neg = slow_fit(histograms, prior, n_steps=4000)
    fit = histograms.fit_at(prior)
    np.testing.assert_allclose(fit.pos, pos, atol=1e-6)
    np.testing.assert_allclose(fit.neg, neg, atol=1e-6)
    slow = log_likelihood(histograms, prior, pos, neg)
    assert histograms.log_likelihood(prior) == pytest.approx(slow, rel=1e-6)


def test_the_prior_of_two_bins_solves_one_equation():
    """With h = π p + (1 - π) q and two bins, the fit is exact."""
    histograms = Histograms(*(np.array(each, float) for each in ([20, 80], [900, 100], [700, 300])))
    assert histograms.prior() == pytest.approx((0.3 - 0.1) / (0.8 - 0.1), rel=1e-12)
    statistic = histograms.chi_square(histograms.fit_at(histograms.prior()))
    assert statistic == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("histograms", some_histograms()[4:])
@pytest.mark.parametrize("level", [0.5, 0.9])
def test_limits_are_those_of_the_likelihood_ratio(histograms, level):
    """The priors between the limits are exactly those with at least the required likelihood."""
    low, high = histograms.limits(histograms.prior(), stats.chi2.ppf(level, 1) / 2)
    priors = np.linspace(0.001, 0.999, 999)
    greatest = histograms.log_likelihood(histograms.prior())
    twice_the_loss = 2 * (greatest - histograms.log_likelihood(priors))
    accepted = twice_the_loss <= stats.chi2.ppf(level, 1)
    np.testing.assert_array_equal(accepted, (low <= priors) & (priors <= high))


def test_chi_square_is_pearsons():
    histograms = some_histograms()[-1]
    fit = histograms.fit_at(histograms.prior())
    expected = sum(
        stats.chisquare(counts, probability * counts.sum()).statistic
        for counts, probability in (
            (histograms.pos, fit.pos),
            (histograms.neg, fit.neg),
            (histograms.new, fit.new),
        )
    )
    assert histograms.chi_square(fit) == pytest.approx(expected)


def test_bins_hold_equal_shares_of_a_balanced_mixture():
    y_true, y_score = drawn(np.random.default_rng(2), 50_000, 0.01)
    edges = bin_edges(y_true, y_score, np.ones(50_000), 10)
    assert set(edges) <= set(y_score)
    bins = np.searchsorted(edges, y_score, side="right")
    shares = [np.bincount(bins[each]) / each.sum() for each in (y_true, ~y_true)]
    np.testing.assert_allclose(np.mean(shares, axis=0), 0.1, atol=0.002)


@pytest.mark.parametrize(("values", "n_edges"), [(2, 1), (3, 2), (5, 4)])
def test_ties_stay_in_one_bin(values, n_edges):
    rng = np.random.default_rng(3)
    y_score = rng.integers(values, size=400) * 1.0
    assert len(bin_edges(rng.random(400) < 0.5, y_score, np.ones(400), 10)) == n_edges


# ------------------------------------------------------------------------------ invariances


def test_an_increasing_map_of_the_scores_changes_nothing():
    def increasing(score):
        return np.floor(score) * 100 + score**3

    new, (y_true, y_score) = month(5)
    mapped = increasing(new), (y_true, increasing(y_score))
    for function in (estimate_prior, functools.partial(estimate, "average_precision")):
        plain = function(new, (y_true, y_score))
        assert numbers(function(*mapped)) == numbers(plain)


@functools.cache
def small_month():
    new, labelled = month(9, n=1000, n_new=1000)
    return new, labelled, estimate_prior(new, labelled).value


def test_the_value_is_that_of_the_labelled_curve(case):
    new, labelled, prior = small_month()
    curve = ConfusionCurve.from_predictions(*labelled).at_prior(prior)
    found = estimate(case.curve, new, labelled, n_resamples=20)
    assert found.value == pytest.approx(case.curve(curve), rel=1e-12)
    assert found.low <= found.high
    assert found.prior.value == prior


# ------------------------------------------------------------------------------- known truths


def test_intervals_of_a_prior_near_0_cover_it_and_the_fit_test_keeps_its_size():
    """The validation has other priors. The least share is 0.9 less three standard errors."""
    found, truth = [], 0.001
    for seed in range(40):
        new, labelled = month(1000 + seed, new_prior=truth, prior=0.02, n_new=2000)
        with warnings.catch_warnings(category=IntervalWarning, action="ignore"):
            found.append(estimate_prior(new, labelled, confidence_level=0.9))
    kept = [each for each in found if not each.fit.refuted]
    assert len(kept) > 0.85 * 40
    assert np.mean([each.low <= truth <= each.high for each in kept]) > 0.75


def test_the_error_of_the_estimated_prior_is_added_to_that_of_the_curve():
    new, labelled = month(30, n=1000, n_new=100_000)
    prior = estimate_prior(new, labelled)
    estimated = estimate("average_precision", new, labelled)
    assert numbers(estimated) == numbers(estimate("average_precision", new, labelled, prior=prior))
    known = estimate("average_precision", new, labelled, prior=prior.value)
    assert known.standard_error < estimated.standard_error


def test_metrics_of_a_balanced_labelled_sample_cover_at_a_low_prior():
    """A joint percentile bootstrap covered 17 to 66 percent here."""
    rng, n_covered, n_found, new_prior = np.random.default_rng(0), 0, 0, 0.005

    def scores_of(n_pos, n_neg):
        means = np.where(rng.random(n_pos) < 0.3, 0, 3)
        return np.concatenate([rng.normal(means), rng.normal(size=n_neg)])

    thresholds = np.linspace(9, -9, 20_001)
    tpr = 0.7 * special.ndtr(3 - thresholds) + 0.3 * special.ndtr(-thresholds)
    precision = new_prior * tpr / (new_prior * tpr + (1 - new_prior) * special.ndtr(-thresholds))
    truth = float((np.diff(tpr) * precision[1:]).sum())
    y_true = np.arange(4000) < 2000
    for _ in range(30):
        labelled, n_pos = scores_of(2000, 2000), rng.binomial(20_000, new_prior)
        new = scores_of(n_pos, 20_000 - n_pos)
        with warnings.catch_warnings(action="ignore"):
            found = estimate("average_precision", new, (y_true, labelled))
        n_found += not found.fit.refuted
        n_covered += bool(found.low <= truth <= found.high)
    assert n_covered >= 0.85 * n_found


# ---------------------------------------------------------------------------------- fit test


@pytest.mark.parametrize("function", [estimate_prior, functools.partial(estimate, "roc_auc")])
def test_shifted_negatives_withhold_the_interval(function):
    new, labelled = month(11, n=20_000, prior=0.015, n_new=20_000, new_prior=0.006, negatives=0.1)
    with pytest.warns(IntervalWarning, match="no interval: label shift is refuted") as caught:
        found = function(new, labelled)
    assert [each.filename for each in caught] == [__file__]
    assert np.isnan([found.low, found.high, found.standard_error]).all()
    assert found.value > 0
    assert "only the prior" in found.reason
    assert found.fit.refuted
    assert found.fit.df == 8
    assert found.fit.p_value < 1e-4
    assert "no interval" in repr(found)


# ------------------------------------------------------------------------- data built to break


def test_two_values_of_the_scores_have_an_estimate_but_no_test():
    new, (y_true, y_score) = month(14)
    with pytest.warns(IntervalWarning, match="label shift was not tested"):
        found = estimate_prior(new > 1, (y_true, y_score > 1))
    assert found.fit.df == 0
    assert np.isnan(found.fit.p_value)
    assert not found.fit.refuted
    assert found.low < 0.05 < found.high


def test_a_constant_score_is_refused():
    with pytest.raises(ValueError, match="scores of labelled must not be all equal, got only 3"):
        estimate_prior([3.0, 4.0], ([0, 1], [3, 3]))


@pytest.mark.parametrize(("new_prior", "end"), [(0.0, 0), (1.0, 1)])
def test_a_prior_of_0_or_1(new_prior, end):
    new, labelled = month(16, new_prior=new_prior)
    with pytest.warns(IntervalWarning, match="expected to hold .* fewer than 5"):
        found = estimate_prior(new, labelled)
    assert found.value == pytest.approx(end, abs=0.01)
    assert end in (found.low, found.high)
    with pytest.warns(IntervalWarning):
        found = estimate("average_precision", new, labelled)
    assert found.low <= found.value <= found.high


# ------------------------------------------------------------------------------- other priors


def test_an_external_prior_replaces_the_estimate():
    new, labelled = month(20)
    curve = ConfusionCurve.from_predictions(*labelled)
    expected = scores.average_precision(curve.at_prior(0.02))
    known = estimate("average_precision", new, labelled, prior=0.02)
    audited = Estimate.normal(0.02, 0.005, bounds=(0, 1))
    uncertain = estimate("average_precision", new, labelled, prior=audited)
    for found in (known, uncertain):
        assert found.value == expected
        assert found.fit == estimate_prior(new, labelled).fit
        assert found.confidence_level == 0.95
    assert (known.prior, uncertain.prior) == (0.02, audited)
    assert uncertain.low < known.low < known.high < uncertain.high


def test_a_withheld_prior_withholds_the_metric():
    new, labelled = month(22, n=20_000, n_new=20_000, negatives=0.2)
    with pytest.warns(IntervalWarning):
        withheld = estimate_prior(new, labelled)
    unshifted, _ = month(22)
    found = estimate("roc_auc", unshifted, labelled, prior=withheld.value)
    assert found.reason is None
    with pytest.warns(IntervalWarning, match="no interval: label shift is refuted"):
        found = estimate("roc_auc", unshifted, labelled, prior=withheld)
    assert np.isnan(found.low)


def test_a_metric_at_a_reference_prior_is_that_of_the_labelled_rows():
    new, labelled = month(23)
    curve = ConfusionCurve.from_predictions(*labelled)
    expected = scores.average_precision(curve.at_prior(0.3))
    found = estimate(Metric("average_precision", 0.3), new, labelled)
    own = interval("average_precision", curve, pi0=0.3)
    assert found.value == expected
    assert found.prior is None
    assert (found.low, found.high) == (own.low, own.high)


def test_the_estimated_prior_goes_into_other_functions():
    new, labelled = month(25, n_new=20_000, n=20_000)
    prior = estimate_prior(new, labelled)
    curve = ConfusionCurve.from_predictions(*labelled)
    assert choose_threshold(curve, pi0=prior, min_precision=0.3).certified
    copy = pickle.loads(pickle.dumps(prior))
    assert copy.limits(0.5) == prior.limits(0.5)
    assert copy.fit == prior.fit


# ---------------------------------------------------------------------------------- arguments

GOOD = {"new": [0.1, 0.9, 0.5], "labelled": ([0, 0, 1, 1], [0.1, 0.4, 0.3, 0.8])}
BAD = [
    ({"new": [0.1, np.nan]}, ValueError, "new"),
    ({"labelled": [0, 1, 1]}, TypeError, r"labelled must be .* a pair \(y_true, y_score\)"),
    ({"labelled": ([0, 1], [0.1])}, ValueError, "y_true has 2, y_score has 1"),
    ({"labelled": ([0, 1], [0.1, np.inf])}, ValueError, "y_score must be finite"),
    ({"clusters": [1, 2, 3]}, ValueError, "clusters must be given"),
    ({"n_bins": 1}, ValueError, "n_bins"),
]


@pytest.mark.parametrize(("arguments", "kind", "named"), BAD)
def test_bad_arguments_are_refused(arguments, kind, named):
    for function in (estimate_prior, functools.partial(estimate, "roc_auc")):
        with pytest.raises(kind, match=named):
            function(**GOOD | arguments)


@pytest.mark.parametrize(
    ("arguments", "kind", "named"),
    [
        ({"prior": 1.5}, ValueError, r"prior must lie in the open interval \(0, 1\), got 1.5"),
        (
            {"prior": Estimate.normal(1.7, 0.1)},
            ValueError,
            r"value of prior must lie in \[0, 1\], got 1.7",
        ),
        ({"prior": (0.1, 0.2)}, TypeError, "prior must be a real number"),
        ({"metric": Metric("roc_auc", 0.1), "prior": 0.1}, ValueError, "prior must be None"),
    ],
)
def test_bad_arguments_of_a_metric_are_refused(arguments, kind, named):
    with pytest.raises(kind, match=named):
        estimate(**{"metric": "roc_auc", **GOOD, **arguments})


def test_a_prior_without_an_interval_is_refused_with_its_reason():
    new, labelled = month(30, negatives=1.0)
    with pytest.warns(IntervalWarning, match="refuted"):
        prior = estimate_prior(new, labelled)
    curve = ConfusionCurve.from_predictions(*labelled)
    for use in (
        lambda: interval("roc_auc", curve, pi0=prior),
        lambda: choose_threshold(curve, min_precision=0.3, pi0=prior),
    ):
        with pytest.raises(ValueError, match=r"pi0 must be .* with an interval, got .* is refuted"):
            use()


def test_a_withheld_gain_is_reported_once():
    new, labelled = month(31)
    with pytest.warns(IntervalWarning, match="no interval: AUC-PR Gain") as caught:
        found = estimate(Metric("prg_auc", 0.001), new, labelled)
    assert [each.filename for each in caught] == [__file__]
    assert np.isnan(found.low)
    assert found.reason.startswith("AUC-PR Gain")


# -------------------------------------------------------------------------- how rows were drawn


def test_weights_that_are_equal_within_a_class_and_priors_of_the_curve_have_no_influence():
    new, (y_true, y_score) = month(32)
    plain = estimate("average_precision", new, (y_true, y_score))
    weighted = ConfusionCurve.from_predictions(
        y_true, y_score, sample_weight=np.where(y_true, 1, 100)
    )
    for curve in (weighted, weighted.at_prior(0.3)):
        found = estimate("average_precision", new, curve)
        assert numbers(found)[:4] == pytest.approx(numbers(plain)[:4], rel=1e-12)
        assert found.fit == plain.fit


def test_counted_rows_are_rows():
    new, (y_true, y_score) = month(33)
    rounded, y_score = np.round(new, 1), np.round(y_score, 1)
    thresholds, place = np.unique(y_score, return_inverse=True)
    counts = (np.bincount(place, weights=rows) for rows in (y_true, ~y_true))
    counted = ConfusionCurve.from_counts(thresholds, *counts)
    found, plain = (estimate_prior(rounded, each) for each in (counted, (y_true, y_score)))
    assert numbers(found)[:4] == pytest.approx(numbers(plain)[:4])
    assert found.fit == pytest.approx(plain.fit)


def test_new_and_labelled_scores_are_compared_in_the_coarser_precision():
    """0.7 in float32 is below 0.7 in float64, and must not fall into another bin."""
    new, (y_true, y_score) = month(35)
    new, y_score = np.round(new, 1), np.round(y_score, 1)
    expected = numbers(estimate_prior(new, (y_true, y_score)))
    narrow = new.astype(np.float32), y_score.astype(np.float32)
    for given, labelled in ((narrow[0], y_score), (new, narrow[1]), narrow):
        assert numbers(estimate_prior(given, (y_true, labelled))) == expected


UNLIKE = {
    "weights": {"sample_weight": np.arange(1, 5)},
    "strata": {"strata": ["a", "b", "a", "c"]},
}


@pytest.mark.parametrize("drawn", UNLIKE.values(), ids=UNLIKE)
def test_other_weights_and_strata_are_refused(drawn):
    curve = ConfusionCurve.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.3, 0.8], **drawn)
    with pytest.raises(ValueError, match="labelled must have no strata, and no weights that"):
        estimate_prior([0.1, 0.9], curve)


def test_curves_without_rows_are_refused():
    for curve, message in (
        (ConfusionCurve.from_binormal(1, 0, 0.5), "labelled must hold its rows"),
        (ConfusionCurve.from_probabilities([0.1, 0.9]), "labelled must count rows"),
    ):
        with pytest.raises(ValueError, match=message):
            estimate_prior([0.1, 0.9], curve)


def test_clusters_are_given_for_both_or_none_and_for_each_row():
    new, curve, clusters = clustered_month(0)
    with pytest.raises(ValueError, match="clusters must be given for new rows if labelled has"):
        estimate_prior(new, curve)
    with pytest.raises(ValueError, match="new has 4000, clusters has 3999"):
        estimate_prior(new, curve, clusters=clusters[1:])


def test_few_labelled_rows_widen_the_interval():
    """Without their noise in the information, 0.90 of these intervals would cover."""
    rng, y_true, n_covered = np.random.default_rng(3), np.arange(100) < 50, 0
    for _ in range(300):
        new = rng.normal(1.5 * (rng.random(5000) < 0.3))
        found = label_shift(new, (y_true, rng.normal(1.5 * y_true)), None, None, 10)
        likelihood = [found.histograms.log_likelihood(prior) for prior in (found.prior, 0.3)]
        reach = t_quantile(0.95, found.errors.df)  # as of the limits, which take longer
        n_covered += likelihood[0] - likelihood[1] <= found.errors.inflation * reach**2 / 2
    assert n_covered >= 0.93 * 300


def test_copies_of_rows_are_clusters_that_tell_nothing_new():
    """The standard error of tripled rows is that of single rows, and so is the test."""
    new, (y_true, y_score) = month(36)
    row = np.arange(8000)
    once, thrice = (
        estimate_prior(
            np.repeat(new, times),
            ConfusionCurve.from_predictions(
                *(np.repeat(each, times) for each in (y_true, y_score)),
                clusters=np.repeat(row[:4000], times),
            ),
            clusters=np.repeat(row[4000:], times),
        )
        for times in (1, 3)
    )
    assert thrice.value == pytest.approx(once.value, rel=1e-9)
    assert thrice.standard_error == pytest.approx(once.standard_error, rel=0.01)
    assert thrice.fit.p_value == pytest.approx(once.fit.p_value, rel=0.05)
    assert (thrice.low, thrice.high) == pytest.approx((once.low, once.high), rel=0.01)


def test_clusters_reach_the_interval_of_the_metric():
    new, curve, clusters = clustered_month(1, n_customers=60)
    found = estimate("roc_auc", new, curve, clusters=clusters)
    sample = curve.rows
    naive = interval("roc_auc", (sample.positive, sample.score), pi0=found.prior)
    assert found.reason is None
    assert found.high - found.low > 1.2 * (naive.high - naive.low)


def test_too_few_clusters_withhold_the_interval():
    new, curve, clusters = clustered_month(2, n_customers=3)
    with pytest.warns(IntervalWarning, match="no interval: .* are in too few clusters"):
        found = estimate_prior(new, curve, clusters=clusters)
    assert np.isnan([found.low, found.high, *found.limits(0.5)]).all()


# --------------------------------------------------------------------------------- other levels


def test_limits_of_many_rows_are_those_of_the_standard_error():
    found = estimate_prior(*month(36, n=40_000, n_new=40_000, prior=0.4, new_prior=0.3))
    reach = stats.norm.ppf(0.975) * found.standard_error
    assert found.high - found.low == pytest.approx(2 * reach, rel=0.02)


def test_limits_at_another_level_are_those_of_an_estimate_at_that_level():
    wide, narrow = (estimate_prior(*month(37), confidence_level=level) for level in (0.99, 0.5))
    assert wide.limits(0.5) == (narrow.low, narrow.high)
    assert narrow.limits(0.99) == (wide.low, wide.high)
    with pytest.raises(ValueError, match="confidence_level"):
        wide.limits(1.5)


def test_scores_of_the_same_distribution_in_both_classes_tell_no_prior():
    with pytest.warns(IntervalWarning):
        found = estimate_prior([1.0, 2.0], ([0, 0, 1, 1], [1, 2, 1, 2]))
    assert (found.low, found.high) == (0, 1)
    assert found.standard_error > 1e3


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_scores_whose_difference_is_no_number_have_a_prior():
    y_score = np.where(np.arange(40) % 4 > 0, 1e308, -1e308)
    with pytest.warns(IntervalWarning, match="fill fewer than three bins"):
        found = label_free.estimate_prior(y_score, (np.arange(40) < 20, y_score))
    assert 0 <= found.value <= 1


def test_a_given_prior_says_how_many_rows_are_expected():
    y_true = np.arange(2000) < 400
    score = np.random.default_rng(0).normal(size=2000) + 2 * y_true
    new = np.random.default_rng(1).normal(size=2000)
    metric = Metric("precision", threshold=1.0)
    assert not label_free.estimate(metric, new, (y_true, score), prior=0.05).remarks
    with pytest.warns(IntervalWarning, match="expected to hold 2 rows of a class"):
        label_free.estimate(metric, new, (y_true, score), prior=0.001)


@pytest.mark.filterwarnings("ignore:the new rows are expected")
def test_at_a_prior_of_0_the_upper_limit_is_that_at_the_limit_of_the_prior():
    """It was 0.998, where the greatest prior of 0.072 has an AUC-PR of 0.23."""
    y_true = np.arange(20_000) < 1600
    labelled = y_true, np.random.default_rng(1).normal(1.0 * y_true)
    new = np.random.default_rng(101).normal(size=300)
    prior = label_free.estimate_prior(new, labelled)
    found = label_free.estimate("average_precision", new, labelled)
    assert prior.value == 0
    at_limit = interval("average_precision", labelled, pi0=prior.high)
    assert found.low <= found.value < found.high == pytest.approx(at_limit.high, rel=1e-6)
