"""Audits: which rows are labelled, and estimates of a finite population from their labels."""

from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import pandas as pd
import pytest
from samples import limits_of
from scipy import stats
from scipy.special import expit, logit

from calibrated_metrics import ConfusionCurve, ConfusionMatrix, Metric, audit, thresholds
from calibrated_metrics.binomial import none_of_population
from calibrated_metrics.uncertainty import IntervalWarning, difference, interval

GOALS = "precision", "recall", "average_precision", "prior"
METRICS = (
    "average_precision",
    "roc_auc",
    Metric("precision", threshold=1.5),
    Metric("recall", threshold=1.5),
)


def population(n=3000, prior=0.03, distance=2.0, seed=0):
    rng = np.random.default_rng(seed)
    y_true = rng.random(n) < prior
    return y_true, rng.normal(size=n) + distance * y_true


# ------------------------------------------------------------------ which rows


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("budget", [10, 37, 400, 2999, 3000])
def test_a_design_draws_within_strata_that_cover_the_population(goal, budget):
    _, score = population()
    plan = audit.design(score, budget, goal, threshold=1.5, rng=1)
    assert len(set(plan["row"].tolist())) == budget
    np.testing.assert_array_equal(plan["score"], score[plan["row"]])
    strata, first, n = np.unique(plan["stratum"], return_index=True, return_counts=True)
    np.testing.assert_array_equal(plan["n_labels"][first], n)
    assert plan["n_rows"][first].sum() == len(score)
    assert (n <= plan["n_rows"][first]).all()
    assert (n >= np.minimum(plan["n_rows"][first], 2)).all()
    for stratum in strata:
        of_stratum = plan["score"][plan["stratum"] == stratum]
        assert (of_stratum >= 1.5).all() or (of_stratum < 1.5).all()


@pytest.mark.parametrize("threshold", [3.0, 3.5])
def test_a_threshold_inside_a_stratum_leaves_the_share_of_alerts_unknown(threshold):
    y_true, score = population(20_000, 0.02)
    recall = (y_true & (score >= threshold)).sum() / y_true.sum()
    n_audits = n_covered = 0
    for seed in range(40):
        plan = audit.design(score, 60, "recall", threshold=2.0, rng=seed)
        labels = y_true[plan["row"]]
        if labels.sum() < 2:
            continue
        n_audits += 1
        found = interval(
            Metric("recall", threshold=threshold), audit.curve(plan, labels, target="these rows")
        )
        assert found.high - found.low > 0.05
        n_covered += found.low <= recall <= found.high
    assert n_covered >= 0.9 * n_audits > 20


def test_a_curve_keeps_its_scores():
    y_true, score = population()
    plan = audit.design(score, 300, rng=0)
    curve = audit.curve(plan, y_true[plan["row"]], target="these rows")
    before = interval("average_precision", curve)
    plan["score"][:] = 0.0
    assert interval("average_precision", curve).low == before.low


def test_the_recorded_seed_draws_the_same_rows():
    _, score = population()
    plan = audit.design(score, 100)
    again = audit.design(score, 100, rng=plan["seed"])
    np.testing.assert_array_equal(plan["row"], again["row"])
    assert (audit.design(score, 100)["row"] != plan["row"]).any()


def test_recall_needs_labels_of_low_scores_and_precision_needs_alerts():
    _, score = population(100_000, 0.01)
    below = {
        goal: (audit.design(score, 1000, goal, threshold=2.5, rng=0)["score"] < 1).sum()
        for goal in GOALS
    }
    assert below["precision"] < 150
    assert below["recall"] > 300
    assert below["prior"] > 300


def test_a_pilot_sends_labels_to_where_it_found_positives():
    """Positives of a good model are in the top scores; those of a bad one are anywhere."""
    _, score = population(50_000, 0.01)
    of_top = []
    for distance in (3.5, 0.3):
        pilot = population(5000, 0.01, distance, seed=1)
        plan = audit.design(score, 1000, "prior", pilot=pilot, rng=0)
        of_top.append((plan["score"] > 2).sum())
    assert of_top[0] > 2 * of_top[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"budget": 101}, "budget must be at most the number of scores, 100, got 101"),
        ({"goal": "f1"}, 'goal must be "precision" or'),
        ({"threshold": 100}, "at most 99, got 100"),
        ({"threshold": 0}, "above the least score 0,"),
    ],
)
def test_wrong_designs_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        audit.design(np.arange(100.0), **{"budget": 20, **arguments})


# ------------------------------------------------------------------ curves of labels


def test_with_all_labels_nothing_is_uncertain():
    y_true, score = population()
    plan = audit.design(score, len(score), rng=0)
    curve, full = (
        audit.curve(plan, y_true, target="these rows"),
        ConfusionCurve.from_predictions(y_true, score),
    )
    for metric in METRICS:
        found, value = interval(metric, curve), Metric(metric)(full)
        np.testing.assert_allclose([found.value, found.low, found.high], value, rtol=1e-9)
        assert found.standard_error == 0
    prior = audit.prior(plan, y_true, target="these rows")
    np.testing.assert_allclose([prior.low, prior.value, prior.high], full.prior, rtol=1e-12)


def test_the_variance_is_that_of_all_samples_which_could_be_drawn():
    """Two strata of 5 and 4 rows, 3 and 2 labels: the 60 samples, one by one, in fractions."""
    y_true = np.array([1, 0, 0, 1, 0, 1, 1, 0, 1])
    strata, n_rows, n_labels = np.array([0] * 5 + [1] * 4), (5, 4), (3, 2)
    design = {"score": np.arange(9.0), "stratum": strata, "n_rows": np.array(n_rows)[strata]}
    values, variances = [], []
    for low in combinations(range(5), n_labels[0]):
        for high in combinations(range(5, 9), n_labels[1]):
            rows = np.array(low + high)
            drawn = {name: column[rows] for name, column in design.items()}
            found = audit.prior(drawn, y_true[rows], target="these rows")
            exact = sum(
                Fraction(n, k) * int(y_true[list(part)].sum())
                for n, k, part in zip(n_rows, n_labels, (low, high), strict=True)
            ) / sum(n_rows)
            assert found.value == pytest.approx(float(exact), rel=1e-12)
            values.append(exact)
            variances.append(found.standard_error**2)
    mean = sum(values) / len(values)
    assert mean == Fraction(int(y_true.sum()), 9)
    variance = sum((value - mean) ** 2 for value in values) / len(values)
    assert np.mean(variances) == pytest.approx(float(variance), rel=1e-12)


@pytest.mark.parametrize(("n_rows", "n"), [(30, 5), (30, 25), (1000, 20), (8, 8), (100_000, 60)])
def test_without_positives_the_limit_is_hypergeometric(n_rows, n):
    """More positives than the limit are missed with a probability of at most 2.5 %."""
    most = none_of_population(n, n / n_rows, 0.025) * n_rows
    first_excluded = int(np.floor(most)) + 1
    if first_excluded <= n_rows - n:
        missed = Fraction(comb(n_rows - first_excluded, n), comb(n_rows, n))
        assert missed <= Fraction(25, 1000)
    least_excluded = next(
        m
        for m in range(n_rows + 1)
        if Fraction(comb(n_rows - m, n), comb(n_rows, n)) <= Fraction(25, 1000)
    )
    assert most <= 1.7 * least_excluded


def test_a_stratum_without_positives_has_no_normal_error():
    plan = audit.design(np.linspace(0, 1, 10_000), 200, "prior", rng=0)
    found = audit.prior(plan, np.zeros(200), target="these rows")
    heaviest = np.argmax(plan["n_rows"] / plan["n_labels"])
    n, n_rows = plan["n_labels"][heaviest], plan["n_rows"][heaviest]
    exact = n_rows * (1 - 0.025 ** (1 / n)) / 10_000
    assert found.value == found.low == 0
    assert found.high == pytest.approx(exact, rel=0.05)
    one = audit.prior(
        plan, plan["row"] == plan["row"][-1], target="these rows"
    )  # a positive of the lightest stratum
    assert one.high > 0.8 * found.high


def test_positives_that_hide_in_the_heaviest_stratum_are_allowed_for():
    """Without the limits of single strata, 90 % of these samples cover the prior."""
    rng = np.random.default_rng(0)
    sizes, n_labels, positives = [18_000, 1600, 400], [300, 200, 200], [150, 30, 60]
    true, covered = sum(positives) / 20_000, 0
    design = {
        "score": np.repeat([0.1, 0.5, 0.9], n_labels),
        "stratum": np.repeat([0, 1, 2], n_labels),
        "n_rows": np.repeat(sizes, n_labels),
    }
    for _ in range(300):
        negatives = np.subtract(sizes, positives)
        found = [
            rng.hypergeometric(*each) for each in zip(positives, negatives, n_labels, strict=True)
        ]
        y_true = np.concatenate([np.arange(n) < k for n, k in zip(n_labels, found, strict=True)])
        prior = audit.prior(design, y_true, target="these rows")
        covered += prior.low <= true <= prior.high
    assert covered >= 0.95 * 300


def test_weights_and_strata_of_your_own_audit():
    """All alerts reviewed, and some of the other rows: values by weighted rows."""
    rng = np.random.default_rng(0)
    alerts, others = rng.random(300) < 0.3, rng.random(200) < 0.03
    design = {
        "score": np.append(rng.random(300) + 1, rng.random(200)),
        "stratum": np.repeat(["alert", "other"], [300, 200]),
        "n_rows": np.repeat([300, 9700], [300, 200]),
    }
    y_true = np.append(alerts, others)
    curve = audit.curve(design, y_true, target="these rows")
    hits, missed = alerts.sum(), others.sum() * 9700 / 200
    precision = interval(Metric("precision", threshold=1), curve)
    assert precision.low == pytest.approx(alerts.mean())
    assert precision.high == pytest.approx(alerts.mean())
    recall = interval(Metric("recall", threshold=1), curve)
    assert recall.value == pytest.approx(hits / (hits + missed))
    assert recall.low < recall.value < recall.high


@pytest.mark.parametrize("ranges", [{}, {"lowest": np.min, "highest": np.max}])
def test_an_audit_of_alerts_alone_has_only_the_precision_of_its_own_prior(ranges):
    y_true, score = population()
    alerts = np.flatnonzero(score >= 1.5)
    design = {"score": score[alerts], "stratum": alerts * 0, "n_rows": alerts * 0 + len(alerts)}
    design |= {name: alerts * 0 + end(score[alerts]) for name, end in ranges.items()}
    curve = audit.curve(design, y_true[alerts], target="these rows")
    precision = Metric("precision", threshold=1.5)
    assert limits_of(interval(precision, curve)) == pytest.approx(2 * (y_true[alerts].mean(),))
    for metric in (Metric("recall", threshold=1.5), Metric("f1", threshold=1.5), precision.at(0.1)):
        with pytest.warns(IntervalWarning, match="no rows with scores below the threshold 1.5"):
            assert np.isnan(interval(metric, curve).low)


def test_recall_may_be_large_if_no_alert_was_found_true():
    """The upper limit: most positives among alerts, and fewest among the others."""
    design = {
        "score": np.repeat([2.0, 0.0], [20, 200]),
        "stratum": np.repeat([1, 0], [20, 200]),
        "n_rows": np.repeat([1000, 9000], [20, 200]),
    }
    y_true = np.arange(220) >= 218
    found = interval(
        Metric("recall", threshold=1), audit.curve(design, y_true, target="these rows")
    )
    most = 1000 * (1 - 0.025 ** (1 / 20))
    assert found.value == found.low == 0
    assert most / (most + 2 * 45) < found.high < most / (most + 1)


@pytest.mark.parametrize("n_alerts", [60, 200])
def test_shares_of_strata_stay_within_0_and_1(n_alerts):
    """With no positive among the others, shares of their strata add up to slightly more than 1."""
    score, y_true = np.repeat([1, 0], [60, 100]), np.arange(160) < 40
    for n_others in range(5000, 7000, 30):
        n_rows = np.repeat([n_alerts, n_others], [60, 100])
        design = {"score": score, "stratum": score, "n_rows": n_rows}
        curve = audit.curve(design, y_true, target="these rows")
        found = interval(Metric("recall", threshold=1), curve)
        assert found.low < found.value == found.high == 1


def test_other_functions_take_the_curve():
    y_true, score = population(5000)
    plans = [audit.design(score, 500, rng=seed) for seed in (0, 1)]
    curves = [audit.curve(plan, y_true[plan["row"]], target="these rows") for plan in plans]
    change = difference("average_precision", *curves)
    assert change.low < 0 < change.high
    point = thresholds.choose_threshold(curves[0], min_precision=0.3, confidence_level=None)
    assert point.precision >= 0.3
    with pytest.raises(ValueError, match="independent rows for a guarantee"):
        thresholds.choose_threshold(curves[0], min_precision=0.3)
    drawn = interval("best_fbeta", curves[0], n_resamples=50, rng=0)
    assert drawn.low < Metric("best_fbeta")((y_true, score)) < drawn.high
    with pytest.raises(ValueError, match="curves of audits cannot be added"):
        curves[0] + curves[1]


# ------------------------------------------------------------------ these rows or future ones


VERIFIED = [231, 32, 27, 54]  # tp, fp, fn, tn
N_TESTED = 429, 221  # with a positive and with a negative test


def verified():
    """The study of Begg & Greenes (1983): a test of 650 patients, of whom 344 were verified."""
    test = np.repeat([1, 1, 0, 0], VERIFIED)
    y_true = np.repeat([1, 0, 1, 0], VERIFIED)
    ends = {"lowest": test, "highest": test}
    return {"score": test, "stratum": test, "n_rows": np.where(test, *N_TESTED), **ends}, y_true


def test_predictive_values_of_future_patients_are_exact():
    curve = audit.curve(*verified(), target="future rows")
    for name, counts in (("precision", (231, 263)), ("npv", (54, 81))):
        exact = stats.binomtest(*counts).proportion_ci()
        assert limits_of(interval(Metric(name, threshold=1), curve)) == pytest.approx(exact)


def test_rates_of_future_patients_are_as_wide_as_those_of_begg_and_greenes():
    curve = audit.curve(*verified(), target="future rows")
    of_alerts, (tp, fp, fn, tn) = 429 / 650, VERIFIED
    share = 1 / (650 * of_alerts * (1 - of_alerts))
    for name, value, others in (
        ("recall", 0.836, fp / (263 * tp) + tn / (81 * fn)),
        ("specificity", 0.738, tp / (263 * fp) + fn / (81 * tn)),
    ):
        found = interval(Metric(name, threshold=1), curve)
        low, high = expit(logit(found.value) + np.array([-1.96, 1.96]) * np.sqrt(share + others))
        assert found.value == pytest.approx(value, abs=0.001)
        assert found.high - found.low == pytest.approx(high - low, rel=0.05)
        these = interval(Metric(name, threshold=1), audit.curve(*verified(), target="these rows"))
        assert found.low < these.low < these.high < found.high


def test_the_variance_of_future_rows_is_that_of_both_phases():
    """That of the labels within the strata, and that of the strata among the scored rows."""
    y_true, score = population()
    plan = audit.design(score, 400, rng=0)
    labels = y_true[plan["row"]]
    found = audit.prior(plan, labels, target="future rows")
    variance, n_rows = 0.0, len(score)
    for stratum in np.unique(plan["stratum"]):
        rows = plan["stratum"] == stratum
        share = plan["n_rows"][rows][0] / n_rows
        variance += share**2 * labels[rows].var(ddof=1) / rows.sum()
        variance += share * (labels[rows].mean() - found.value) ** 2 / n_rows
    assert found.standard_error == pytest.approx(np.sqrt(variance), rel=1e-9)


@pytest.mark.parametrize("target", ["these rows", "future rows"])
def test_a_bootstrap_has_the_error_of_its_target(target):
    y_true, score = population(2000, 0.2, 1.0)
    plan = audit.design(score, 1200, rng=0)
    curve = audit.curve(plan, y_true[plan["row"]], target=target)
    found = interval("roc_auc", curve)
    drawn = interval("roc_auc", curve, method="bootstrap", n_resamples=300, rng=0)
    assert drawn.standard_error == pytest.approx(found.standard_error, rel=0.1)


def test_models_with_different_targets_are_not_compared():
    curves = [audit.curve(*verified(), target=each) for each in ("these rows", "future rows")]
    with pytest.raises(ValueError, match="but their targets differ"):
        difference(Metric("recall", threshold=1), *curves, paired=True)


@pytest.mark.parametrize("target", [None, "patients"])
def test_the_target_must_be_said(target):
    for function in (audit.curve, audit.prior):
        with pytest.raises(ValueError, match='target must be "these rows" or "future rows"'):
            function(*verified(), target=target)
        with pytest.raises(TypeError, match="target"):
            function(*verified())


def test_with_all_labels_the_rates_of_future_rows_are_those_of_a_table():
    y_true = np.repeat([1, 0, 1, 0], [40, 20, 10, 130])
    test = np.repeat([1, 1, 0, 0], [40, 20, 10, 130])
    design = {"score": test, "stratum": test, "n_rows": np.where(test, 60, 140)}
    curve = audit.curve(design, y_true, target="future rows")
    table = ConfusionMatrix(tp=40, fp=20, fn=10, tn=130)
    for name in ("precision", "npv", "recall", "specificity", "f1"):
        of_curve, of_table = interval(Metric(name, threshold=1), curve), interval(name, table)
        assert limits_of(of_curve) == pytest.approx(limits_of(of_table), abs=0.015)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y_true": [1, 0, 1, np.nan]}, "y_true must not hold NaN"),
        ({"y_true": [0, 0, 0, 0]}, "no positives"),
        ({"n_rows": [5, 5, 4, 3]}, "n_rows of design must be equal in each stratum"),
        ({"n_rows": [1, 1, 4, 4]}, "at least its number of labels"),
        ({"n_labels": [3, 3, 2, 2]}, "design must hold all n_labels rows of each stratum"),
    ],
)
def test_labels_that_are_not_those_of_the_design_are_refused(change, message):
    design = {"score": [1, 2, 3, 4], "stratum": [0, 0, 1, 1], "n_rows": [5, 5, 4, 4]}
    design |= {name: column for name, column in change.items() if name != "y_true"}
    with pytest.raises(ValueError, match=message):
        audit.curve(design, change.get("y_true", [0, 1, 0, 1]), target="these rows")


def test_columns_and_labels_in_another_order_are_refused():
    design = {"score": [1, 2, 3, 4], "stratum": [0, 0, 1, 1], "n_rows": [5, 5, 4, 4]}
    design |= {"n_labels": 4 * [2], "lowest": [1, 1, 3, 3], "highest": [2, 2, 4, 4]}
    series = {name: pd.Series(column) for name, column in design.items()}
    y_true = pd.Series([0, 1, 0, 1])
    assert len(audit.curve(series, y_true, target="these rows")) == len(
        audit.curve(design, y_true, target="these rows")
    )
    for name in design:
        with pytest.raises(ValueError, match=r"y_true and .* must have the same index"):
            audit.curve({**series, name: series[name][::-1]}, y_true, target="these rows")


@pytest.mark.parametrize("design", [{}, {"score": [1, 2], "stratum": [0, 0]}, None, [1, 2]])
def test_a_design_without_its_columns_is_refused(design):
    for function in (audit.curve, audit.prior):
        with pytest.raises(
            ValueError, match=r"design must have the columns score, stratum and n_r"
        ):
            function(design, [0, 1], target="these rows")


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["no", "yes", "no", "yes"], "pos_label=1 is not among its labels"),
        ([0, 1, 2, 1], "at most two labels"),
    ],
)
def test_a_prior_needs_labels_that_are_positive_or_not(labels, message):
    design = {"score": [1, 2, 3, 4], "stratum": [0, 0, 1, 1], "n_rows": [5, 5, 4, 4]}
    with pytest.raises(ValueError, match=message):
        audit.prior(design, labels, target="these rows")
    assert (
        audit.prior(design, ["no", "yes", "no", "no"], pos_label="yes", target="these rows").value
        > 0
    )
