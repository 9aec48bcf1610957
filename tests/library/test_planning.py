"""Plans and simulated coverage: against other samplers of the same populations."""

import warnings

import numpy as np
import pytest
from scipy import stats

from calibrated_metrics import ConfusionCurve, Metric, planning, scores
from calibrated_metrics.planning import plans
from calibrated_metrics.planning.goals import Goal, rows_of_certificate
from calibrated_metrics.planning.populations import PilotPopulation
from calibrated_metrics.thresholds import choose_threshold
from calibrated_metrics.uncertainty import difference, interval

BINORMAL = ConfusionCurve.from_binormal(2, 0, prior=0.1)


def rows(rng, n_pos, n_neg, d=2.0):
    y_true = np.arange(n_pos + n_neg) < n_pos
    return y_true, rng.normal(d * y_true)


# ----------------------------------------------------------------------------------- populations


def test_samples_have_the_distribution_of_the_population():
    population = PilotPopulation(BINORMAL, 0.1)
    assert scores.roc_auc(population.curve) == pytest.approx(
        stats.norm.cdf(2 / np.sqrt(2)), abs=1e-6
    )
    curve = population.draw(np.random.default_rng(0).normal(size=6000), 2000)
    log_ratio = np.log(curve.rows.score)  # 2 x - 2
    for of_class, mean in ((log_ratio[:2000], 2), (log_ratio[2000:], -2)):
        assert stats.kstest(of_class, stats.norm(mean, 2).cdf).pvalue > 0.01


def test_a_threshold_keeps_its_meaning():
    population = PilotPopulation(BINORMAL, 0.1)
    value = Metric("recall", threshold=3.0)(population.curve)
    assert value == pytest.approx(stats.norm.sf((np.log(3) + 2) / 2 - 2))
    curve = population.draw(np.random.default_rng(1).normal(size=50_000), 25_000)
    assert scores.recall(curve.confusion_matrix(3.0)) == pytest.approx(value, abs=0.01)


@pytest.mark.parametrize("to_score", [lambda x: x, lambda x: 1 / (1 + np.exp(5 - 2 * x))])
def test_a_smoothed_pilot_is_close_to_its_rows(to_score):
    y_true, x = rows(np.random.default_rng(0), 400, 3600)
    pilot = ConfusionCurve.from_predictions(y_true, to_score(x))
    for metric in ("average_precision", "roc_auc", Metric("precision", threshold=to_score(1.5))):
        value = Metric(metric)(PilotPopulation(pilot, pilot.prior).curve)
        assert value == pytest.approx(Metric(metric)(pilot), abs=0.02)


def test_a_smoothed_pilot_ignores_the_unit_of_scores():
    y_true, x = rows(np.random.default_rng(0), 50, 450)
    values = [
        scores.average_precision(
            PilotPopulation(ConfusionCurve.from_predictions(y_true, each), 0.1).curve
        )
        for each in (x, np.exp(x))
    ]
    assert values[0] == pytest.approx(values[1], abs=1e-3)


def test_smoothed_samples_have_no_ties():
    pilot = ConfusionCurve.from_predictions(*rows(np.random.default_rng(0), 10, 40))
    curve = PilotPopulation(pilot, 0.2).draw(np.random.default_rng(0).normal(size=200), 40)
    assert len(np.unique(curve.rows.score)) == 200


def test_a_curve_without_thresholds_is_a_population():
    curve = ConfusionCurve.from_roc(tpr=[0, 0.8, 1], fpr=[0, 0.1, 1], n_pos=1, n_neg=9)
    sample = PilotPopulation(curve, 0.3).draw(np.random.default_rng(0).normal(size=9000), 3000)
    assert scores.roc_auc(sample) == pytest.approx(0.85, abs=0.02)


def test_the_same_state_gives_the_same_result():
    options = {"width": 0.4, "n_samples": 50}
    one, other = (planning.rows_for("roc_auc", BINORMAL, **options, rng=1) for _ in range(2))
    assert repr(one) == repr(other)


# ---------------------------------------------------------------------------------------- plans


def test_a_plan_for_a_width_reaches_it_in_about_half_of_other_samples():
    plan = planning.rows_for("roc_auc", BINORMAL, width=0.1, n_samples=200, rng=0)
    assert plan.n_neg == 9 * plan.n_pos
    rng = np.random.default_rng(1)
    found = [interval("roc_auc", rows(rng, plan.n_pos, plan.n_neg), pi0=0.1) for _ in range(200)]
    reached = np.mean([each.high - each.low <= 0.1 for each in found])
    assert 0.42 < reached < 0.68
    assert plan.power.value == pytest.approx(0.55, abs=0.1)


@pytest.mark.parametrize("correlation", [None, 0.9])
def test_a_plan_for_a_difference_has_its_power_in_other_samples(correlation):
    better = ConfusionCurve.from_binormal(3, 0, prior=0.4)
    pilot = ConfusionCurve.from_binormal(2, 0, prior=0.4)
    options = {"difference": better, "correlation": correlation, "n_samples": 50, "rng": 0}
    plan = planning.rows_for("roc_auc", pilot, **options)
    rng, r, reached = np.random.default_rng(1), correlation or 0.0, []
    for _ in range(60):
        y_true, a = rows(rng, plan.n_pos, plan.n_neg, 0)
        b = r * a + np.sqrt(1 - r**2) * rng.normal(size=len(a))
        data = (y_true, a + 2 * y_true), (y_true, b + 3 * y_true)
        found = difference("roc_auc", *data, paired=correlation is not None)
        reached.append(not found.low <= 0 <= found.high)
    assert np.mean(reached) == pytest.approx(0.8, abs=0.16)


def test_a_plan_for_a_certificate_has_its_power_in_other_samples():
    goal = {"min_precision": 0.5, "max_alert_rate": 0.1}
    plan = planning.rows_for(None, BINORMAL, certify=goal, power=0.7, n_samples=100, rng=0)
    rng = np.random.default_rng(1)
    points = [
        choose_threshold(rows(rng, plan.n_pos, plan.n_neg), pi0=0.1, **goal) for _ in range(100)
    ]
    assert np.mean([point.certified for point in points]) == pytest.approx(0.7, abs=0.15)


def test_the_reference_prior_differs_from_that_of_the_rows():
    metric, options = Metric("precision", threshold=1.0), {"width": 0.4, "n_samples": 50, "rng": 0}
    plan = planning.rows_for(metric, BINORMAL, prior=0.5, pi0=0.1, **options)
    assert plan.n_pos == plan.n_neg


# --------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("metric", "options", "message"),
    [
        ("roc_auc", {}, "got metric='roc_auc' and no goal"),
        ("brier_score", {"width": 0.1}, "one of a decision or a ranking, got 'brier_score'"),
        ("roc_auc", {"width": 0.1, "difference": BINORMAL}, "and difference and width"),
        ("roc_auc", {"certify": {"min_recall": 0.5}}, "metric=None with certify"),
        (None, {"width": 0.1}, "got metric=None and width"),
        (None, {"certify": {"min_recall": 0.95}}, "all rows positive, .* one of max_alert_rate"),
        (None, {"certify": {"min_specificity": 0.9, "max_alert_rate": 0.3}}, "all rows negative"),
        ("roc_auc", {"width": 0}, "width must be above 0"),
        ("roc_auc", {"width": 0.1, "correlation": 0.5}, "correlation .* needs difference"),
        ("roc_auc", {"difference": BINORMAL, "correlation": 1.0}, r"correlation .* \(-1, 1\)"),
        ("roc_auc", {"width": 0.1, "power": 1.0}, "power must lie"),
        ("roc_auc", {"width": 0.1, "n_samples": 10}, "n_samples must be at least 50"),
        ("roc_auc", {"width": 0.1, "prior": 0}, "prior must lie"),
        (Metric("roc_auc", pi0=0.1), {"width": 0.1, "pi0": 0.2}, "pi0 must be None for a Metric"),
        (Metric("precision", threshold=1e300), {"width": 0.1}, "precision is undefined"),
    ],
)
def test_bad_arguments_are_named(metric, options, message):
    with pytest.raises(ValueError, match=message):
        planning.rows_for(metric, BINORMAL, **options)


def test_a_goal_that_more_rows_do_not_reach_is_refused():
    sizes = []

    def never(n_pos, n_neg):
        sizes.append(n_pos + n_neg)
        return np.full(10, np.inf)

    with pytest.raises(ValueError, match="no plan: more than 640000 rows are needed, and at most"):
        plans._least_plan(never, 0.8, 19.0, 500)
    assert sizes[0] == 10_000
    assert 5 * 10**5 < max(sizes) <= 10**6


@pytest.mark.parametrize(
    ("metric", "options", "message"),
    [
        ("average_precision", {"width": 1e-6}, "about .*e.1[0-9] rows are needed"),
        ("average_precision", {"width": 1e-6, "prior": 1e-3}, "about .* rows are needed"),
        ("average_precision", {"difference": BINORMAL}, "both models have the value 0.66"),
        ("roc_auc", {"difference": BINORMAL, "correlation": 0.9}, "both models have the value 0.9"),
        (
            "roc_auc",
            {"difference": ConfusionCurve.from_binormal(2.0001, 0, prior=0.1)},
            "about .* rows are needed, and at most 1000000",
        ),
        (None, {"certify": {"min_precision": 0.9, "min_recall": 0.9}}, "no threshold of the pilot"),
        (None, {"certify": {"min_recall": 0.95, "max_alert_rate": 0.2}}, "no threshold of the"),
        (None, {"certify": {"min_recall": 0.5, "max_alert_rate": 0.0706}}, "about .* rows"),
    ],
)
def test_a_goal_that_is_far_out_of_reach_is_refused_after_a_few_samples(
    metric, options, message, monkeypatch
):
    calls, factor = [], Goal.factor

    def counted(*args):
        calls.append(args)
        return factor(*args)

    monkeypatch.setattr(Goal, "factor", counted)
    with pytest.raises(ValueError, match=f"no plan: {message}"):
        planning.rows_for(metric, BINORMAL, **options)
    assert len(calls) <= 20


def test_a_plan_is_where_the_power_is_reached():
    tried = lambda n_pos, n_neg: np.where(np.arange(1000) < n_pos, 0.0, np.inf)  # noqa: E731
    plan = plans._least_plan(tried, 0.8, 2.5, 100)
    assert 770 <= plan.n_pos <= 830
    assert plan.power.value == plan.n_pos / 1000
    assert plan.n_neg == round(2.5 * plan.n_pos)
    step = lambda n_pos, n_neg: np.full(500, 0.0 if n_pos >= 37 else np.inf)  # noqa: E731
    assert plans._least_plan(step, 0.8, 1.0, 5000).n_pos == 37


def test_the_next_size_is_where_errors_that_fall_with_the_root_of_n_reach_the_goal():
    sizes, spread = [], np.linspace(0.5, 1.5, 500)

    def factors(n_pos, n_neg):
        sizes.append(n_pos)
        return np.sqrt(400 / n_pos) * spread

    plan = plans._least_plan(factors, 0.55, 1.0, 5000)
    n_pos = pytest.approx(400 * np.quantile(spread, 0.55) ** 2, rel=0.01)
    assert sizes == [5000, n_pos]
    assert plan.n_pos == n_pos
    assert plan.power.value == pytest.approx(0.55, abs=0.002)


def test_a_plan_for_a_bootstrap_interval_reaches_its_width_in_about_half_of_other_samples():
    plan = planning.rows_for("best_fbeta", BINORMAL, width=0.3, n_samples=50, rng=0)
    rng = np.random.default_rng(1)
    found = [
        interval("best_fbeta", rows(rng, plan.n_pos, plan.n_neg), n_resamples=50, rng=rng)
        for _ in range(40)
    ]
    assert np.mean([each.high - each.low <= 0.3 for each in found]) == pytest.approx(0.55, abs=0.2)


@pytest.mark.parametrize(
    ("pi0", "goal"),
    [
        (None, {"min_precision": 0.3, "min_recall": 0.6}),
        (0.03, {"min_precision": 0.3, "max_alert_rate": 0.2}),
        (0.1, {"min_npv": 0.97, "max_alert_rate": 0.5}),
        (None, {"min_recall": 0.6, "max_fpr": 0.3}),
    ],
)
def test_the_first_guess_of_a_certificate_is_near_its_plan(pi0, goal):
    quantile = stats.norm.ppf(0.95) + stats.norm.ppf(0.8)
    guess = rows_of_certificate(BINORMAL, pi0, goal, quantile)
    plan = planning.rows_for(None, BINORMAL, certify=goal, pi0=pi0, n_samples=50, rng=0)
    assert 0.3 < guess / (plan.n_pos + plan.n_neg) < 1.2


def test_a_margin_is_not_offered():
    with pytest.raises(TypeError, match=r"'margin' .non-inferiority is not offered"):
        planning.rows_for("roc_auc", BINORMAL, margin=0.02)


def test_a_pilot_of_unlike_rows_is_refused():
    y_true, score = rows(np.random.default_rng(0), 20, 80)
    pilot = ConfusionCurve.from_predictions(y_true, score, clusters=np.arange(100) // 2)
    with pytest.raises(ValueError, match=r"a pilot must hold independent rows, .* got clusters"):
        planning.rows_for("roc_auc", pilot, width=0.2)


def test_models_of_the_same_rows_without_a_correlation_are_noticed():
    rng = np.random.default_rng(0)
    y_true = rng.random(300) < 0.3
    a, b = ((y_true, rng.normal(d * y_true)) for d in (3, 0.5))
    given = {"difference": b, "n_samples": 50, "rng": 0}
    with pytest.warns(UserWarning, match="same rows, pass correlation"):
        planning.rows_for("roc_auc", a, **given)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        planning.rows_for("roc_auc", a, correlation=0.5, **given)
