"""Bootstrap draws, and intervals by them: of areas, the best F-beta, and points of a curve."""

import numpy as np
import pytest
from samples import BY_CONTRIBUTIONS, FAST, audit_of, curve_of, limits_of, rows_of
from scipy import stats

from calibrated_metrics import ConfusionCurve, Metric, scores
from calibrated_metrics.uncertainty import IntervalWarning, difference, draws, interval
from calibrated_metrics.uncertainty.bootstrap import draw_values, draws_at_priors
from calibrated_metrics.uncertainty.draws import RowsOfSteps, RowsToDraw
from calibrated_metrics.uncertainty.estimate import Settings
from calibrated_metrics.uncertainty.hull import with_half_rows

pytestmark = pytest.mark.filterwarnings("error")


# ---------------------------------------------------------------------------------------- draws


@pytest.mark.parametrize("drawn", ["rows", "weights", "dtype float32", "audit"])
def test_the_curve_of_a_draw_is_that_of_its_rows(drawn):
    y_true, y_score, weight, strata = audit_of()
    y_score = np.round(y_score, 1)
    given = {
        "rows": {},
        "weights": {"sample_weight": 1 + np.arange(300) % 5},
        "dtype float32": {},
        "audit": {"sample_weight": weight, "strata": strata},
    }[drawn]
    if drawn == "dtype float32":
        y_score = y_score.astype(np.float32)
    curve = ConfusionCurve.from_predictions(y_true, y_score, **given)
    times = np.random.default_rng(0).poisson(size=300)
    rows = RowsOfSteps(curve)
    everything, _ = rows.curves(np.ones(300))
    assert everything.tp.tolist() == pytest.approx(curve.tp.tolist())
    found = rows.curves(times[:298].astype(float), times[298:])
    for of_draw, counted in zip(found, (np.append(times[:298], [0, 0]), times), strict=True):
        of_rows = ConfusionCurve.from_predictions(
            y_true, y_score, sample_weight=counted * given.get("sample_weight", 1)
        )
        for metric in (scores.average_precision, scores.pr_auc, scores.prg_auc):
            assert metric(of_draw) == pytest.approx(metric(of_rows), rel=1e-12)
        thresholds = np.array([-9, 0.1, 0.25, 0.3, 9])
        one, other = (each.confusion_matrix(thresholds) for each in (of_draw, of_rows))
        np.testing.assert_allclose(one.tp, other.tp, rtol=1e-12)
        np.testing.assert_allclose(one.fp, other.fp, rtol=1e-12)


def drawn_times(curve, n=200, prior_varies=False):
    """Times of each row in draws, without the rows that are added."""
    (half,) = with_half_rows(curve, 1.0)
    rows = RowsToDraw(curve.rows, prior_varies, [curve.rows.score])
    generator = np.random.default_rng(0)
    drawn, _ = draw_values(
        curve.rows,
        [half],
        lambda drawn: [float(curve.n_pos + curve.n_neg) for curve in drawn[0]],
        Settings(n_resamples=n),
        prior_varies=prior_varies,
    )
    weight = curve.rows.row_weight.mean()
    assert (drawn[:, 1] - drawn[:, 0]).mean() == pytest.approx(weight, rel=0.4)
    return np.array([rows.times(generator) for _ in range(n)])


def test_rows_are_drawn_within_their_class():
    times = drawn_times(curve_of(n_pos=6, n_neg=10))
    assert set(times[:, :6].sum(axis=1)) == {6}
    assert set(times[:, 6:].sum(axis=1)) == {10}
    assert times.mean(axis=0) == pytest.approx(np.ones(16), abs=0.3)


def test_the_share_of_the_classes_varies_if_the_prior_is_estimated():
    times = drawn_times(curve_of(n_pos=6, n_neg=10), 2000, prior_varies=True)
    priors = times[:, :6].sum(axis=1) / times.sum(axis=1)
    assert times.sum(axis=1) == pytest.approx(np.full(2000, 16))
    assert priors.mean() == pytest.approx(6.5 / 17, abs=0.01)  # beta distribution
    assert priors.var() == pytest.approx(6.5 * 10.5 / 17**2 / 18, rel=0.1)


def test_clusters_are_drawn_whole():
    clusters = np.arange(16) % 4
    times = drawn_times(curve_of(n_pos=6, n_neg=10, clusters=clusters))
    for cluster in range(4):
        rows = times[:, clusters == cluster]
        assert (rows == rows[:, :1]).all()
    assert set(times[:, :4].sum(axis=1)) == {4}


def test_strata_are_drawn_apart():
    y_true, y_score, weight, strata = audit_of()
    audit = ConfusionCurve.from_predictions(y_true, y_score, sample_weight=weight, strata=strata)
    times = drawn_times(audit, 20)
    for stratum in range(4):
        assert set(times[:, strata == stratum].sum(axis=1)) == {(strata == stratum).sum()}
    assert len(set(times[:, y_true].sum(axis=1))) > 1  # the prior of the draws varies
    for curve, n_priors in ((audit, 20), (audit.at_prior(0.1), 1)):
        (half,) = with_half_rows(curve, 1.0)
        metric = Metric(lambda drawn: drawn.prior)
        drawn, _ = draws_at_priors(metric, [curve], half, Settings(n_resamples=20))
        priors = set(drawn[:, 0, 0].round(9).tolist())
        assert (len(priors) > 1) == (n_priors > 1)


def test_counted_rows_are_drawn_as_often_as_they_count():
    curve = ConfusionCurve.from_counts([1, 2, 3], [2, 3, 7], [30, 4, 6])
    times = drawn_times(curve, 400)
    assert times.mean(axis=0) == pytest.approx(curve.rows.number, rel=0.15)
    assert set(times[:, :3].sum(axis=1)) == {12}


# ------------------------------------------------------------------------------------- intervals


@pytest.mark.parametrize(
    ("name", "drawn"),
    [
        *((name, {}) for name in BY_CONTRIBUTIONS),
        ("average_precision", {"clusters": np.arange(800) % 160}),
        ("average_precision", {"sample_weight": 1.0 + np.arange(800) % 3}),
    ],
    ids=[*BY_CONTRIBUTIONS, "clusters", "weights"],
)
def test_a_bootstrap_has_the_standard_error_of_contributions(name, drawn):
    curve = curve_of(n_pos=200, n_neg=600, **drawn)
    auto = interval(name, curve, pi0=0.6)
    by_draws = interval(name, curve, pi0=0.6, method="bootstrap", n_resamples=300, rng=1)
    assert (auto.method, by_draws.method) == ("hull", "bootstrap")
    assert by_draws.standard_error == pytest.approx(auto.standard_error, rel=0.2)


def test_all_priors_have_the_same_draws():
    found = interval("pr_auc", curve_of(), pi0=[0.1, 0.2, 0.1], **FAST)
    alone = interval("pr_auc", curve_of(), pi0=0.2, **FAST)
    assert found.low[0] == found.low[2]
    assert (found.low[1], found.high[1]) == limits_of(alone)


def recall_of_the_best_half(curve):
    """The share of positives above half of the negatives, undefined below one half."""
    share = curve.tp[curve.fp <= curve.n_neg / 2].max() / curve.n_pos
    if share < 0.5:
        raise ValueError("too few positives are in the best half")
    return share


MIXED = ConfusionCurve.from_predictions([1, 1, 1, 1, 1, 0, 0, 0, 0], [9, 8, 7, 1, 2, 6, 5, 4, 3])


def test_a_metric_that_is_undefined_on_some_draws_warns():
    with pytest.warns(IntervalWarning, match=r"undefined on \d+ of 60 draws.* left out") as caught:
        found = interval(recall_of_the_best_half, MIXED, n_resamples=60, rng=1)
    assert {warning.filename for warning in caught} == {__file__}
    assert found.low < found.value < found.high


def test_a_metric_that_is_undefined_on_most_draws_has_no_interval():
    def of_few_scores(curve):
        if (np.diff(curve.tp) > 1).any():
            raise ValueError("a positive is repeated")
        return 0.5

    with pytest.warns(IntervalWarning, match="no interval: the metric is undefined on"):
        found = interval(of_few_scores, MIXED, n_resamples=50, rng=3)
    assert "e.g. a positive is repeated" in found.reason


def test_a_value_that_is_the_same_for_all_draws_is_warned_of():
    with pytest.warns(IntervalWarning, match="the value 0.2 is the same for all draws of the rows"):
        found = interval(lambda curve: curve.prior, curve_of(), pi0=0.2, **FAST)
    assert limits_of(found) == pytest.approx((0.2, 0.2))


# ------------------------------------------------------------------------- best F and points


TOP = Metric("recall_at_top", alert_rate=0.01)


def recall_at_low_fpr(curve):
    return float(curve.tp[curve.fp <= 0.005 * curve.n_neg].max() / curve.n_pos)


@pytest.mark.parametrize("metric", [TOP, recall_at_low_fpr])
def test_a_value_of_0_has_the_upper_limit_of_rows_that_a_sample_may_miss(metric):
    y_true = np.arange(1000) % 20 == 19
    score = -np.arange(1000.0)  # no positive among the first 19 rows
    found = interval(metric, (y_true, score), pi0=0.05, n_resamples=20, rng=0)
    more = -np.log(0.025)
    assert found.low <= found.value == 0
    assert found.high >= more / (50 + more) * (1 - 1e-9)
    assert found.high < 0.2


def test_a_difference_of_values_of_0_allows_for_a_rise_of_either():
    rng = np.random.default_rng(0)
    y_true = np.arange(1000) % 20 == 19
    a = -np.arange(1000.0)
    b = np.append(a[:19], rng.permutation(a[19:]))
    found = difference(TOP, (y_true, a), (y_true, b), paired=True, pi0=0.05, n_resamples=20, rng=0)
    assert found.value == 0
    assert found.low < -0.03
    assert found.high > 0.03


def test_a_value_that_jumps_may_be_that_of_the_next_level():
    """The second level has a recall of 23 / 30, so the sample needs the lowest one for 0.8."""
    y_true = np.arange(330) < 30
    level = np.repeat([3, 2, 1, 3, 2, 1], [15, 8, 7, 9, 36, 255])
    found = interval(Metric("specificity_at_recall", recall=0.8), (y_true, level), rng=0)
    assert found.low == found.value == 0
    assert 0.85 < found.high < 0.9  # of the second level: 285 / 300
    swapped = interval(Metric("recall_at_specificity", specificity=0.8), (~y_true, -level), rng=0)
    assert limits_of(swapped) == pytest.approx(limits_of(found), abs=0.02)


def test_limits_of_a_value_that_jumps_contain_percentiles_of_draws_of_the_rows():
    curve, metric = curve_of(decimals=0), Metric("specificity_at_recall", recall=0.8)
    found = interval(metric, curve, n_resamples=200, rng=0)
    (half,) = with_half_rows(curve, 1.0)
    draws, _ = draws_at_priors(metric, [curve], half, Settings.of(0.95, "auto", 200, 0))
    tail = stats.norm.cdf(stats.t(39).ppf(0.025))
    ends = [
        np.quantile(draws[:, :, 0], each, axis=0, method="weibull") for each in (tail, 1 - tail)
    ]
    assert limits_of(found) == pytest.approx((ends[0].min(), ends[1].max()))
    wide, whole = (
        interval(metric, curve, n_resamples=200, rng=0, confidence_level=level)
        for level in (0.98, 0.999)
    )
    assert wide.low <= found.low < found.value < found.high <= wide.high
    assert limits_of(whole) == (0, 1)  # 200 draws do not reach so far


def test_the_best_fbeta_has_a_lower_limit_that_allows_for_the_choice():
    for n_pos in (20, 200):
        found = interval("best_fbeta", curve_of(n_pos=n_pos), n_resamples=200, rng=0)
        auto = interval("best_fbeta", curve_of(n_pos=n_pos), method="bootstrap", rng=0)
        assert found.method == "best_fbeta"
        assert found.low <= auto.low + 0.02
        assert found.low < found.value < found.high


def test_recall_at_a_precision_may_be_0_unless_the_precision_is_certainly_reached():
    metric, n = Metric("recall_at_precision", precision=0.5), {"n_pos": 80, "n_neg": 320}
    reached = interval(metric, curve_of(**n), **FAST)
    assert 0 < reached.low < reached.value
    uncertain = interval(metric, curve_of(**n), pi0=0.02, **FAST)
    assert uncertain.low == 0 < uncertain.value < uncertain.high
    for drawn in ({"clusters": np.arange(400) // 2}, {"sample_weight": 1 + np.arange(400) % 2}):
        assert interval(metric, curve_of(**n, **drawn), **FAST).low == 0
    certain = Metric("recall_at_precision", precision=1.0)
    assert interval(certain, curve_of(**n), **FAST).low == 0
    weighted = curve_of(**n, sample_weight=np.full(400, 2.0))
    assert limits_of(interval(metric, weighted, **FAST)) == limits_of(reached)


@pytest.mark.parametrize("pi0", [0.05, 0.5])
def test_limits_of_the_top_lie_within_what_is_possible_at_the_prior(pi0):
    """No more than all positives can be in the top, and no more than the whole top positive."""
    curve = curve_of(n_neg=400)
    for name, most in (("precision", min(1, pi0 / 0.3)), ("recall", min(1, 0.3 / pi0))):
        metric = Metric(f"{name}_at_top", alert_rate=0.3)
        found = interval(metric, curve, pi0=pi0, confidence_level=0.9999, **FAST)
        assert 0 < found.low < found.value < found.high < most


def test_a_metric_that_is_undefined_with_half_a_row_more_has_no_interval():
    def whole(curve):
        if curve.n_pos % 1:
            raise ValueError("the positives are no whole number")
        return scores.roc_auc(curve)

    y_true, y_score = rows_of()
    with pytest.warns(IntervalWarning, match="no interval: the positives are no whole number"):
        interval(whole, (y_true, y_score), **FAST)
    with pytest.warns(IntervalWarning, match="no interval: the positives are no whole number"):
        found = difference(whole, (y_true, y_score), (y_true, -y_score), paired=True, **FAST)
    assert np.isnan(limits_of(found)).all()


def test_the_best_fbeta_without_a_found_positive_has_an_upper_limit():
    """All draws had the value of a model that calls every row positive, without an error."""
    rows = [1] * 20 + [0] * 200, [-9.0] * 20 + list(np.linspace(0, 1, 200))
    assert interval("best_fbeta", rows, pi0=0.01, rng=0).high > 0.15


def test_the_best_fbeta_of_draws_that_are_all_perfect_has_no_lower_limit():
    perfect = [1, 1, 0, 0], [4, 3, 2, 1]
    lows = [interval("best_fbeta", perfect, n_resamples=2, rng=rng).low for rng in range(12)]
    assert 0 == min(lows) < max(lows) < 1


@pytest.mark.parametrize("metric", ["pr_auc", lambda curve: scores.roc_auc(curve) ** 2])
def test_few_draws_are_warned_of(metric, monkeypatch):
    """Two draws gave half of the width without a word."""
    monkeypatch.setattr(draws, "ENOUGH_DRAWS", 100)
    curve = curve_of()
    with pytest.warns(IntervalWarning, match="n_resamples=99 is too few for an interval: use 100"):
        found = interval(metric, curve, n_resamples=99, rng=0)
    assert np.isfinite(limits_of(found)).all()
    interval(metric, curve, n_resamples=100, rng=0)
    interval("average_precision", curve, n_resamples=2, rng=0)  # without draws
