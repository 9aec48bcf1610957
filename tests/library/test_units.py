"""Contributions of rows to the error of a metric, and their variance."""

import math

import numpy as np
import pytest
from samples import audit_of, curve_of, rows_of

from calibrated_metrics import ConfusionCurve, ConfusionMatrix, Metric
from calibrated_metrics.binomial import gradient
from calibrated_metrics.uncertainty import interval
from calibrated_metrics.uncertainty.units import (
    Linear,
    contributions,
    contributions_to_prior,
    covariance,
    linearise,
    slope_by_prior,
    unit_errors,
)

Y_TRUE, SMOOTH = rows_of(3, 12, 30, 1.2)
SCORES = {"continuous": SMOOTH, "tied": np.round(2 * SMOOTH) / 2}
METRICS = [
    *map(Metric, ("average_precision", "roc_auc", "prg_auc")),
    Metric("best_fbeta", beta=2.0),
    *(Metric(name, threshold=0.75) for name in ("precision", "matthews_corrcoef", "npv")),
]
each_metric = pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.key)
WEIGHT = np.random.default_rng(1).uniform(0.5, 3, size=42)


def by_derivatives(metric, y_true, y_score, weight, prior, step=1e-5):
    """The weight of each row times the derivative of the metric by it."""
    found = []
    for row in range(len(y_true)):
        values = []
        for sign in (1, -1):
            moved = weight * np.where(np.arange(len(weight)) == row, 1 + sign * step, 1)
            # Weights that differ within a class leave the prior to the weights.
            curve = ConfusionCurve.from_predictions(y_true, y_score, sample_weight=moved)
            values.append(metric(curve if prior is None else curve.at_prior(prior)))
        found.append((values[0] - values[1]) / (2 * step))
    return np.array(found)


def unbiased(y_true, errors, n_of_classes):
    """Factors √(n / (n - 1)) of both classes."""
    n = np.where(y_true, *n_of_classes)
    return np.sqrt(n / (n - 1)) * errors


@pytest.mark.parametrize("y_score", SCORES.values(), ids=SCORES)
@pytest.mark.parametrize("weight", [np.ones(42), WEIGHT], ids=["equal", "weighted"])
@each_metric
def test_contributions_are_derivatives_by_the_weights_of_rows(metric, weight, y_score):
    curve = ConfusionCurve.from_predictions(Y_TRUE, y_score, sample_weight=weight).at_prior(0.1)
    found = linearise(metric, metric._prepare(curve))
    n = [weight[rows].sum() ** 2 / (weight[rows] ** 2).sum() for rows in (Y_TRUE, ~Y_TRUE)]
    expected = unbiased(Y_TRUE, by_derivatives(metric, Y_TRUE, y_score, weight, 0.1), n)
    np.testing.assert_allclose(found.error, expected, atol=2e-8)
    assert found.value == pytest.approx(metric(curve), rel=1e-12)
    assert found.variance == pytest.approx((expected**2).sum(), rel=1e-6)


def delong(y_true, y_score):
    """Variance of AUC-ROC by its definition: placements of each row."""
    pos, neg = y_score[y_true][:, None], y_score[~y_true]
    wins = (pos > neg) + 0.5 * (pos == neg)
    placements = wins.mean(axis=1), wins.mean(axis=0)
    return sum(np.var(each, ddof=1) / len(each) for each in placements)


@pytest.mark.parametrize("y_score", SCORES.values(), ids=SCORES)
def test_the_variance_of_auc_roc_is_delongs(y_score):
    curve = ConfusionCurve.from_predictions(Y_TRUE, y_score)
    expected = delong(Y_TRUE, y_score)
    assert linearise(Metric("roc_auc"), curve).variance == pytest.approx(expected, rel=1e-12)
    standard_error = interval("roc_auc", curve).standard_error
    assert standard_error == pytest.approx(math.sqrt(expected), rel=1e-12)


@each_metric
def test_the_variance_of_clusters_is_that_of_sums_over_them(metric):
    clusters = np.random.default_rng(2).integers(12, size=42)
    one, dependent = (
        linearise(
            metric,
            metric._prepare(
                ConfusionCurve.from_predictions(Y_TRUE, SMOOTH, clusters=each)
            ).at_prior(0.3),
        )
        for each in (np.arange(42), clusters)
    )
    # The factor n / (n - 1) counts effective clusters of each class.
    n = [rows.sum() ** 2 / (np.bincount(clusters[rows]) ** 2).sum() for rows in (Y_TRUE, ~Y_TRUE)]
    plain = one.error / np.where(Y_TRUE, math.sqrt(12 / 11), math.sqrt(30 / 29))
    sums = np.bincount(clusters, weights=unbiased(Y_TRUE, plain, n))
    assert dependent.variance == pytest.approx((sums**2).sum(), rel=1e-9)


def test_errors_are_centred_within_strata():
    y_true, y_score, weight, strata = audit_of()
    drawn = {"sample_weight": weight, "strata": strata}
    curve = ConfusionCurve.from_predictions(y_true, y_score, **drawn).at_prior(0.1)
    found = linearise(Metric("average_precision"), curve)
    expected = 0.0
    for stratum in range(4):
        errors = found.error[strata == stratum]
        expected += len(errors) * np.var(errors, ddof=1)
    assert found.variance == pytest.approx(expected, rel=1e-12)
    # The factor n / (n - 1) is already in the errors of the classes, for rows without strata.
    assert found.variance < 1.05 * (found.error**2).sum()


def test_the_error_of_a_prior_that_strata_estimate_is_a_derivative_too():
    y_true, y_score, weight, strata = audit_of()
    metric = Metric("average_precision")
    curve = ConfusionCurve.from_predictions(y_true, y_score, sample_weight=weight, strata=strata)
    open_prior, known = linearise(metric, curve), linearise(metric, curve.at_prior(curve.prior))
    n = [weight[rows].sum() ** 2 / (weight[rows] ** 2).sum() for rows in (y_true, ~y_true)]
    plain = known.error / unbiased(y_true, np.ones(300), n)
    of_prior = (open_prior.error - known.error) + plain
    np.testing.assert_allclose(
        of_prior, by_derivatives(metric, y_true, y_score, weight, None), atol=1e-7
    )
    assert open_prior.value == pytest.approx(known.value, rel=1e-12)
    assert slope_by_prior(metric, curve, 0.01) == pytest.approx(
        slope_by_prior(metric, curve), rel=0.05
    )


def test_samples_that_share_clusters_covary():
    a, b, apart = (
        linearise(Metric("roc_auc"), curve_of(seed, clusters=first + np.arange(200) // 2))
        for seed, first in ((0, 0), (1, 50), (2, 1000))
    )
    sums = [
        np.bincount(first + np.arange(200) // 2, each.error, 150)
        for first, each in ((0, a), (50, b))
    ]
    assert covariance(a, b) == pytest.approx(sums[0] @ sums[1])
    assert covariance(a, apart) == 0
    assert covariance(a, linearise(Metric("roc_auc"), curve_of())) == 0


def linear_of_copies(times, **sizes):
    """AUC-ROC of rows that each occur several times, in one cluster."""
    y_true, y_score = rows_of(**sizes)
    row = np.repeat(np.arange(len(y_true)), times)
    curve = ConfusionCurve.from_predictions(y_true[row], y_score[row], clusters=row)
    return linearise(Metric("roc_auc"), curve)


def test_degrees_of_freedom_are_those_of_satterthwaite():
    equal = linear_of_copies(2, n_pos=30, n_neg=30)
    assert equal.df == pytest.approx(60, rel=0.1)
    assert linear_of_copies(2, n_pos=10, n_neg=10_000).df == pytest.approx(10, rel=0.05)
    assert linear_of_copies(5, n_pos=30, n_neg=30).df == pytest.approx(equal.df, rel=0.05)
    assert Linear(0.0, np.zeros(120), equal.sample).df == math.inf
    dependent = curve_of(clusters=np.arange(200) // 20)
    assert linearise(Metric("roc_auc"), dependent).df < linear_of_copies(2).df


def test_an_infinite_decision_has_no_derivative():
    matrix = ConfusionMatrix.from_predictions([1, 1, 0, 0], [1, 0, 0, 0])
    found = linearise(Metric("positive_likelihood_ratio"), matrix)
    assert found.value == math.inf
    assert found.variance == 0


def test_a_gradient_at_the_ends_of_shares_is_one_sided():
    found = gradient(lambda shares: shares[0] + 3 * shares[1] ** 2, np.array([0.0, 1.0]))
    assert found == pytest.approx([1, 6], rel=1e-4)


def test_degrees_of_freedom_do_not_depend_on_the_size_of_the_error():
    sample = ConfusionCurve.from_predictions(Y_TRUE, SMOOTH, sample_weight=WEIGHT).rows
    error = contributions(sample, np.where(Y_TRUE, SMOOTH, 0.0))
    tiny = Linear(0.0, 1e-100 * error, sample)
    assert tiny.df == pytest.approx(Linear(0.0, error, sample).df, rel=1e-12)


def test_a_row_whose_weight_is_lost_belongs_to_the_last_step():
    weight = [1, 2, 1, 1, 2, 1e-30]
    curve = ConfusionCurve.from_predictions(
        [1, 0, 1, 0, 1, 0], [6, 5, 4, 3, 2, 1], sample_weight=weight
    )
    assert curve._counts.step_of_row[-1] == len(curve.tp) - 2
    assert interval("roc_auc", curve).low > 0


def sample_of_eight(**how):
    y_true, y_score = [1, 1, 1, 1, 0, 0, 0, 0], [8, 7, 3, 2, 6, 5, 4, 1]
    return ConfusionCurve.from_predictions(y_true, y_score, **how).rows


def test_contributions_give_the_variances_of_rates():
    sample = sample_of_eight()
    errors = unit_errors(sample, contributions(sample, sample.positive * (sample.score >= 3.0)))
    assert (errors**2).sum() == pytest.approx(0.75 * 0.25 / 3, rel=1e-12)
    prior = unit_errors(sample, contributions_to_prior(sample))
    assert (prior**2).sum() == pytest.approx(0.5 * 0.5 / 8, rel=1e-12)


def test_errors_add_over_clusters_and_are_centred_within_strata():
    clusters, strata = [1, 1, 2, 2, 3, 3, 4, 4], ["a", "a", "a", "a", "b", "b", "b", "c"]
    given = np.arange(8.0)
    of_clusters = unit_errors(sample_of_eight(clusters=clusters), given)
    assert of_clusters.tolist() == [1, 5, 9, 13]
    of_strata = unit_errors(sample_of_eight(strata=strata), given)
    centred = [*(np.arange(4) - 1.5) * math.sqrt(4 / 3), *(np.arange(3) - 1) * math.sqrt(1.5), 7]
    np.testing.assert_allclose(of_strata, centred, rtol=1e-12)
