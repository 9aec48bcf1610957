"""The hull: intervals by contributions, with and without half a row more of each class."""

import math

import numpy as np
import pytest
from numpy.testing import assert_equal
from samples import BY_CONTRIBUTIONS, EVERY, audit_of, curve_of, limits_of, rows_of
from scipy import stats
from scipy.special import expit, logit

from calibrated_metrics import ConfusionCurve, ConfusionMatrix, Metric, audit, scores
from calibrated_metrics.uncertainty import interval
from calibrated_metrics.uncertainty.estimate import Scale, Settings
from calibrated_metrics.uncertainty.hull import (
    rows_at_the_ends,
    with_half_rows,
)
from calibrated_metrics.uncertainty.interval import estimate
from calibrated_metrics.uncertainty.units import linearise

pytestmark = pytest.mark.filterwarnings("error")
by_contributions = pytest.mark.parametrize("name", BY_CONTRIBUTIONS)


def t_interval(linear, low, high, df):
    """By its definition, on the logit of a finite range or the logarithm of the distance."""
    reach = stats.t(df).ppf(0.975) * linear.standard_error
    if math.isinf(low):
        factor = math.exp(reach / (high - linear.value))
        distance = high - linear.value
        return high - distance * factor, high - distance / factor
    share = (linear.value - low) / (high - low)
    reach /= (high - low) * share * (1 - share)
    return tuple(low + (high - low) * expit(logit(share) + sign * reach) for sign in (-1, 1))


@by_contributions
@pytest.mark.parametrize("pi0", [None, 0.4])
def test_the_lower_limit_is_that_of_the_t_interval_and_of_rows_that_were_missed(name, pi0):
    curve = curve_of() if pi0 is None else curve_of().at_prior(pi0)
    metric = Metric(name)
    y_true, y_score = rows_of()

    def with_rows_against_the_model(number):
        more = ConfusionCurve.from_predictions(
            np.append(y_true, [True, False]),
            np.append(y_score, [-1e9, 1e9]),
            sample_weight=np.append(np.ones(200), [number, number]),
        )
        return metric(more.at_prior(curve.prior))

    low, high = t_interval(linearise(metric, curve), *metric.facts.range, 39)
    scale, t = Scale(*metric.facts.range), stats.t(39).ppf(0.975)
    centre, limit = scale.forward(metric(curve)), scale.forward(low)
    half, two = (scale.forward(with_rows_against_the_model(number)) for number in (0.5, 2))
    odds_against = (1 - curve.prior) / curve.prior * 40 / 160
    bias = {"roc_auc": 0, "average_precision": odds_against**2 / (1 + odds_against**2)}.get(name, 1)
    error = max((centre - limit) / t + bias * (centre - half) / 2, (centre - two) / 2)
    found = interval(name, curve)
    assert limits_of(found) == pytest.approx((scale.inverse(centre - t * error), high), rel=1e-9)
    assert found.method == "hull"
    assert found.standard_error == pytest.approx(linearise(metric, curve).standard_error, rel=1e-9)


@pytest.mark.parametrize("drawn", ["independent", "clusters", "weights"])
def test_auc_roc_has_the_same_interval_if_the_classes_and_the_order_are_swapped(drawn):
    rng = np.random.default_rng(0)
    y_true, y_score = rows_of(n_pos=1000, n_neg=10, shift=2)
    given = {
        "independent": {},
        "clusters": {"clusters": rng.integers(40, size=1010)},
        "weights": {"sample_weight": rng.uniform(0.5, 3, size=1010)},
    }[drawn]
    found, swapped = (
        interval("roc_auc", ConfusionCurve.from_predictions(*rows, **given))
        for rows in ((y_true, y_score), (~y_true, -y_score))
    )
    assert limits_of(swapped) == pytest.approx(limits_of(found), rel=1e-12)


@by_contributions
@pytest.mark.parametrize(
    "drawn", [{}, {"clusters": np.arange(60) // 2}, {"sample_weight": 1 + np.arange(60) % 2}]
)
def test_a_perfect_ranking_has_an_interval_with_a_width(name, drawn):
    y_true = np.arange(60) < 20
    found = interval(name, ConfusionCurve.from_predictions(y_true, 2.0 * y_true, **drawn), pi0=0.3)
    assert found.value == 1
    assert found.low < 0.99 < found.high <= 1


def test_a_perfect_ranking_has_the_exact_limit_of_auc_roc():
    """Before, it had the limit 0.48, and one with a discordant pair, which is worse, 0.67."""
    y_true, best = np.arange(50) < 10, np.arange(50, 0, -1.0)
    found = interval("roc_auc", (y_true, best))
    assert limits_of(found) == pytest.approx((0.025 ** (1 / 10), 1), rel=1e-9)
    worse = best.copy()
    worse[9:11] = best[10:8:-1]
    assert limits_of(interval("roc_auc", (y_true, worse)))[0] < found.low
    precision = interval("average_precision", (y_true, best), pi0=0.5).low
    n_neg = 40 * 0.025 ** (-1 / 40)  # the negatives, and those missed at the top
    more = [*y_true, False], [*best, 99], [*[1.0] * 50, n_neg - 40]
    worst = ConfusionCurve.from_predictions(*more[:2], sample_weight=more[2]).at_prior(0.5)
    assert precision == pytest.approx(scores.average_precision(worst), rel=1e-9)


def test_a_reversed_ranking_has_the_mirrored_interval():
    y_true = np.arange(60) < 20
    found, best = (interval("roc_auc", (y_true, sign * y_true), pi0=0.3) for sign in (-2, 2))
    assert limits_of(found) == pytest.approx(tuple(1 - limit for limit in limits_of(best))[::-1])
    assert found.high > 0.01


def test_degrees_of_freedom_count_the_smaller_class():
    for n_pos, n_neg in ((20, 400), (400, 20)):
        curve = curve_of(n_pos=n_pos, n_neg=n_neg)
        assert linearise(Metric("roc_auc"), curve).df == 19


def test_degrees_of_freedom_of_strata_are_those_of_satterthwaite():
    y_true, y_score, weight, strata = audit_of()
    segments = ConfusionCurve.from_predictions(y_true, y_score, sample_weight=weight, strata=strata)
    linear = linearise(Metric("roc_auc"), segments)
    variances, terms = [], []
    for stratum in range(4):
        error = linear.error[strata == stratum]
        variances.append(len(error) * np.var(error, ddof=1))
        terms.append(variances[-1] ** 2 / (len(error) - 1))
    assert linear.df == pytest.approx(sum(variances) ** 2 / sum(terms))
    n_rows = (weight * np.bincount(strata)[strata]).round()
    design = {"score": y_score, "stratum": strata, "n_rows": n_rows}
    audited = audit.curve(design, y_true, target="these rows")
    assert linearise(Metric("roc_auc"), audited).df == math.inf


def test_replicated_rows_of_a_cluster_add_no_information():
    """Each row ten times in one cluster has the interval of each row twice in one cluster."""
    y_true, y_score = rows_of()
    for metric in ("average_precision", "roc_auc", "prg_auc", EVERY["precision"]):
        twofold, tenfold = (
            interval(
                metric,
                ConfusionCurve.from_predictions(
                    np.repeat(y_true, times),
                    np.repeat(y_score, times),
                    clusters=np.repeat(np.arange(200), times),
                ),
                pi0=0.4,
            )
            for times in (2, 10)
        )
        assert tenfold.value == pytest.approx(twofold.value)
        assert tenfold.standard_error == pytest.approx(twofold.standard_error, rel=1e-6)
        assert limits_of(tenfold) == pytest.approx(limits_of(twofold), abs=0.004)


def test_clusters_have_a_design_effect():
    clusters = np.arange(200) // 2
    y_true, y_score = np.repeat(rows_of(n_pos=20, n_neg=80), 2, axis=1)
    linear = linearise(
        Metric("roc_auc"),
        ConfusionCurve.from_predictions(y_true.astype(bool), y_score, clusters=clusters),
    )
    assert linear.excess == pytest.approx(2, rel=1e-9)
    assert linearise(Metric("roc_auc"), curve_of()).excess == 1


def test_an_added_row_of_a_cluster_is_a_cluster_of_its_own():
    curve = curve_of(clusters=np.repeat(["a", "b", "c", "d"], 50))
    (added,) = with_half_rows(curve, 1.5)
    assert len(added.rows.clusters.labels) == 6
    assert added.rows.number[-2:].tolist() == [0.5, 0.5]
    assert added.rows.row_weight[-2:].tolist() == [1.5, 1.5]


@pytest.mark.parametrize("of_positives", ["kept", "as negatives"])
def test_an_added_positive_weighs_as_much_as_negatives_if_those_of_the_sample_do(of_positives):
    y_true = np.arange(300) < 60
    score = np.linspace(0, 1, 300)[np.argsort(~y_true * 7 + np.arange(300) % 11, kind="stable")]
    weight = np.where(score < 0.5, 20.0, 1.0)
    low_positives = y_true & (score < 0.5)
    weight[low_positives] = 1.0 if of_positives == "kept" else 20.0
    curve = ConfusionCurve.from_predictions(y_true, score, sample_weight=weight)
    (added,) = with_half_rows(curve, 1.5)
    typical = [(each**2).sum() / each.sum() for each in (weight, weight[~y_true])]
    expected = [1.0 if of_positives == "kept" else max(typical[0], 1), typical[1]]
    assert low_positives.any()
    assert added.rows.row_weight[-2:] / 1.5 == pytest.approx(expected, rel=0.05)


@pytest.mark.parametrize("end", [1, -1])
def test_rows_at_the_ends_are_against_the_model_or_for_it(end):
    curve = curve_of()
    value = scores.roc_auc(rows_at_the_ends(curve)(0.5, end))
    assert np.sign(scores.roc_auc(curve) - value) == end


def test_the_rows_added_to_strata_weigh_as_much_as_the_heaviest_of_their_class():
    y_true, y_score, weight, strata = audit_of()
    curve = ConfusionCurve.from_predictions(y_true, y_score, sample_weight=weight, strata=strata)
    (added,) = with_half_rows(curve, 1.0)
    pair = {name: getattr(added.rows, name)[-2:].tolist() for name in ("score", "positive")}
    assert pair["score"][0] < y_score.min()
    assert pair["score"][1] > y_score.max()
    assert pair["positive"] == [True, False]
    assert added.rows.number[-2:].tolist() == [0.5, 0.5]
    heaviest = [weight[rows].max() for rows in (y_true, ~y_true)]
    assert added.rows.row_weight[-2:].tolist() == heaviest
    known = with_half_rows(curve.at_prior(0.1), 1.0)[0]
    assert known.prior == pytest.approx(0.1)


def test_a_positive_that_a_stratum_without_any_may_have_missed_weighs_as_its_rows():
    """Simulated intervals of AUC-ROC from 100 and 300 rows of such strata covered 0.47."""
    y_true, strata = np.arange(60) < 10, np.arange(60) >= 30
    weight, score = np.where(strata, 5.0, 1.0), np.linspace(1, 0, 60)
    curve = ConfusionCurve.from_predictions(y_true, score, sample_weight=weight, strata=strata)
    (added,) = with_half_rows(curve, 1.0)
    assert added.rows.row_weight[-2:].tolist() == [5, 5]
    by_class = ConfusionCurve.from_predictions(
        y_true, score, sample_weight=weight, strata=2 * strata + y_true
    )
    assert with_half_rows(by_class, 1.0)[0].rows.row_weight[-2:].tolist() == [1, 5]


def test_a_sample_in_which_no_positive_is_found_is_warned_of():
    """Its upper limit was the value 0.01 without a word, where a recall of 0 has the limit 0.17."""
    missed = [1] * 20 + [0] * 200, [-9.0] * 20 + list(np.linspace(0, 1, 200))
    found = estimate(Metric("average_precision"), missed, 0.01, Settings())
    assert "if the sample missed such positives, the upper limit is too low" in found.remarks[0]
    useful = estimate(Metric("average_precision"), curve_of(n_pos=20), 0.01, Settings())
    assert useful.remarks == ()


def test_a_decision_without_true_positives_has_an_upper_limit():
    y_true = np.arange(80) % 4 == 0
    clusters = np.arange(80) // 2
    matrix = ConfusionMatrix.from_predictions(
        y_true, ~y_true & (np.arange(80) < 20), clusters=clusters
    )
    found = interval("precision", matrix)
    assert found.value == 0
    assert 0.01 < found.high < 0.5


@pytest.mark.parametrize("metric", ["log_loss", "brier_score"])
def test_the_order_of_rows_in_strata_does_not_matter(metric):
    """The rows that are added at the lower end are like the heaviest ones, too."""
    rng = np.random.default_rng(0)
    y_true, y_prob = np.arange(12) % 3 == 0, rng.uniform(0.1, 0.9, 12)
    strata = np.array([0, 0, 0, 1, 0, 1, 1, 1, 1, 1, 1, 1])
    found = [
        interval(
            metric,
            ConfusionCurve.from_predictions(y_true[order], y_prob[order], strata=strata[order]),
        )
        for order in (np.arange(12), np.arange(12)[::-1])
    ]
    assert limits_of(found[0]) == pytest.approx(limits_of(found[1]), rel=1e-9)


@pytest.mark.parametrize("pi0", [None, 0.1])
def test_the_order_of_weighted_clusters_without_errors_does_not_matter(pi0):
    """Rounding errors of a class whose rows all count alike have no design effect."""
    rng = np.random.default_rng(0)
    y_true, cluster = np.arange(60) % 5 < 2, rng.integers(0, 20, 60)
    alert, weight = y_true | (np.arange(60) % 4 == 1), rng.choice([0.1, 0.7, 2.0], 60)
    found = []
    for order in [np.arange(60), *(rng.permutation(60) for _ in range(5))]:
        drawn = {"sample_weight": weight[order], "clusters": cluster[order]}
        matrix = ConfusionMatrix.from_predictions(y_true[order], alert[order], **drawn)
        found.append(interval("npv", matrix, pi0=pi0).low)
    assert found == pytest.approx([found[0]] * 6, rel=1e-9)


@pytest.mark.parametrize("end", [1, -1])
@pytest.mark.parametrize("lowest", [0.0, -np.finfo(float).max])
@pytest.mark.parametrize("excess", [1.0, 2.5])
def test_rows_added_at_the_ends_count_as_any_other_rows(end, lowest, excess):
    """They are not sorted again, also if scores of the sample are the lowest or highest float."""
    curve = ConfusionCurve.from_predictions([0, 1, 1, 0, 0], [lowest, lowest, 0, 1, -lowest])
    more = rows_at_the_ends(curve, excess)(2.0, end)
    assert_equal(more._counts.vertices, ConfusionCurve._from_rows(more.rows)._counts.vertices)
