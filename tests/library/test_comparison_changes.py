"""`explain_change` and `explain_changes`: prior part and model part of a change."""

import math
import pickle
import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from calibrated_metrics import ConfusionCurve, ConfusionMatrix, scores, uncertainty
from calibrated_metrics.comparison import explain_change, explain_changes
from calibrated_metrics.registry import Metric
from calibrated_metrics.uncertainty import Estimate, IntervalWarning

pytestmark = [
    pytest.mark.filterwarnings("error"),
    # Most samples here are small.
    pytest.mark.filterwarnings("ignore:.*AUC-PR Gain at .* starts at recall pi0"),
]

AP = "average_precision"
HALF = Metric("precision", options={"threshold": 0.5})
PARTS = ("total", "prior_part", "model_part")


def curve(n_pos, n_neg, quality=2.0, seed=0):
    rng = np.random.default_rng([seed, n_pos, n_neg])
    y_true = np.arange(n_pos + n_neg) < n_pos
    return ConfusionCurve.from_predictions(
        y_true, rng.normal(size=n_pos + n_neg) + quality * y_true
    )


BEFORE, AFTER = curve(200, 2000), curve(100, 3000, quality=1.4)


def parts_of(change):
    return [getattr(change, name) for name in PARTS]


# ------------------------------------------------------------------------------------- values


@pytest.mark.parametrize("score", [AP, "roc_auc", HALF, scores.average_precision])
def test_each_part_is_the_mean_over_both_orders(score):
    change = explain_change(BEFORE, AFTER, score)

    def value(sample, prior):
        return uncertainty.interval(score, sample, pi0=prior).value

    old, new = BEFORE.prior, AFTER.prior
    prior_first = value(BEFORE, new) - value(BEFORE, old), value(AFTER, new) - value(BEFORE, new)
    model_first = value(AFTER, new) - value(AFTER, old), value(AFTER, old) - value(BEFORE, old)
    expected = (np.array(prior_first) + np.array(model_first)) / 2
    found = change.prior_part.value, change.model_part.value
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-15)
    assert (change.prior_before, change.prior_after) == (old, new)
    assert (change.value_before, change.value_after) == (value(BEFORE, old), value(AFTER, new))
    assert change.before_at_prior_after == value(BEFORE, new)
    assert change.after_at_prior_before == value(AFTER, old)


def test_the_precision_of_two_matrices_is_split_exactly():
    before, after = (
        ConfusionMatrix(*outcomes) for outcomes in ((30, 20, 10, 940), (12, 30, 8, 950))
    )

    def precision(matrix, prior):
        tpr = Fraction(int(matrix.tp), int(matrix.n_pos))
        fpr = Fraction(int(matrix.fp), int(matrix.n_neg))
        return prior * tpr / (prior * tpr + (1 - prior) * fpr)

    old, new = Fraction(40, 1000), Fraction(20, 1000)
    prior_part = (
        precision(before, new)
        - precision(before, old)
        + precision(after, new)
        - precision(after, old)
    ) / 2
    total = precision(after, new) - precision(before, old)
    found = [part.value for part in parts_of(explain_change(before, after, "precision"))]
    expected = [float(each) for each in (total, prior_part, total - prior_part)]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-15)


def test_the_parts_add_up_to_the_last_digit():
    rng = np.random.default_rng(0)
    for seed in range(25):
        n_pos, n_neg = rng.integers(5, 60, 2), rng.integers(5, 300, 2)
        curves = [
            curve(int(a), int(b), rng.random() * 3, seed) for a, b in zip(n_pos, n_neg, strict=True)
        ]
        with warnings.catch_warnings(category=IntervalWarning, action="ignore"):
            change = explain_change(*curves, AP)
        assert change.total.value == change.prior_part.value + change.model_part.value
        difference = change.value_after - change.value_before
        assert change.total.value == pytest.approx(difference, rel=0, abs=3e-16)


@pytest.mark.parametrize("score", [AP, "roc_auc", HALF])
def test_swapping_the_samples_turns_the_signs(score):
    forward = explain_change(BEFORE, AFTER, score)
    backward = explain_change(AFTER, BEFORE, score)
    for there, back in zip(parts_of(forward), parts_of(backward), strict=True):
        assert (there.value, there.low, there.high, there.standard_error) == pytest.approx(
            (-back.value, -back.high, -back.low, back.standard_error), abs=1e-12
        )


def test_the_same_rates_at_another_prior_have_no_model_part():
    """With ten times the negatives at each score, only the prior differs."""
    thresholds = np.linspace(3, -3, 40)
    pos, neg = 40 - np.arange(40), 10 + 5 * np.arange(40)
    before, after = (ConfusionCurve.from_counts(thresholds, pos, n * neg) for n in (1, 10))
    change = explain_change(before, after, AP)
    assert change.model_part.value == pytest.approx(0, abs=1e-15)
    assert change.prior_part.high < 0
    assert change.model_part.low < 0 < change.model_part.high


@pytest.mark.parametrize("score", ["roc_auc", Metric("recall", options={"threshold": 1.0})])
def test_a_score_that_no_prior_changes_has_no_prior_part(score):
    part = explain_change(BEFORE, AFTER, score).prior_part
    assert part.value == 0
    assert max(abs(part.low), abs(part.high)) < 1e-15
    assert part.standard_error < 1e-9  # numerical derivatives


# ---------------------------------------------------------------------------------- intervals


@pytest.mark.parametrize("score", [AP, "roc_auc", HALF])
def test_at_a_common_known_prior_the_model_part_is_the_difference(score):
    change = explain_change(BEFORE, AFTER, score, pi0=(0.1, 0.1))
    expected = uncertainty.difference(score, AFTER, BEFORE, pi0=0.1)
    for part in (change.total, change.model_part):
        assert (part.value, part.low, part.high) == pytest.approx(
            (expected.value, expected.low, expected.high), abs=1e-9
        )
        assert part.standard_error == pytest.approx(expected.standard_error, rel=1e-6)
    assert change.prior_part.value == 0
    # Nothing is uncertain about a prior part at two equal known priors.
    assert max(abs(change.prior_part.low), abs(change.prior_part.high)) < 1e-9


def test_the_total_adds_the_binomial_error_of_both_priors():
    binomial = [
        Estimate.normal(each.prior, math.sqrt(each.prior * (1 - each.prior) / n), bounds=(0, 1))
        for each, n in ((BEFORE, 2200), (AFTER, 3100))
    ]
    estimates = [
        uncertainty.interval(AP, each, pi0=prior)
        for each, prior in zip((BEFORE, AFTER), binomial, strict=True)
    ]
    expected = math.hypot(*(each.standard_error for each in estimates))
    assert explain_change(BEFORE, AFTER, AP).total.standard_error == pytest.approx(
        expected, rel=1e-6
    )
    known = explain_change(BEFORE, AFTER, AP, pi0=(BEFORE.prior, AFTER.prior))
    assert known.total.standard_error < expected
    given = explain_change(BEFORE, AFTER, AP, pi0=binomial)
    own = explain_change(BEFORE, AFTER, AP)
    for a, b in zip(parts_of(given), parts_of(own), strict=True):
        assert a.standard_error == pytest.approx(b.standard_error, rel=1e-9)
        assert (a.low, a.high) == pytest.approx((b.low, b.high), abs=0.005)


def test_the_prior_of_a_calibrated_curve_is_known():
    calibrated = explain_change(BEFORE.at_prior(0.1), AFTER.at_prior(0.05), AP)
    known = explain_change(BEFORE, AFTER, AP, pi0=(0.1, 0.05))
    for a, b in zip(parts_of(calibrated), parts_of(known), strict=True):
        assert (a.value, a.low, a.high) == (b.value, b.low, b.high)


@pytest.mark.parametrize("score", [AP, HALF])
def test_intervals_cover_and_standard_errors_are_those_of_repeated_samples(score):
    rng = np.random.default_rng(5)
    priors, qualities, n = (0.2, 0.1), (1.5, 1.0), (600, 1200)

    def drawn(index):
        n_pos = rng.binomial(n[index], priors[index])
        y_true = np.arange(n[index]) < n_pos
        y_score = rng.normal(size=n[index]) + qualities[index] * y_true
        return ConfusionCurve.from_predictions(y_true, y_score)

    metric = score if isinstance(score, Metric) else Metric(score)
    values = np.array(
        [
            [
                metric(
                    ConfusionCurve.from_predictions(
                        np.arange(100_000) < 50_000,
                        np.concatenate([rng.normal(quality, 1, 50_000), rng.normal(size=50_000)]),
                    ).at_prior(prior)
                )
                for prior in priors
            ]
            for quality in qualities
        ]
    )
    prior_part = (values[0, 1] - values[0, 0] + values[1, 1] - values[1, 0]) / 2
    total = values[1, 1] - values[0, 0]
    truth = np.array([total, prior_part, total - prior_part])

    changes = [parts_of(explain_change(drawn(0), drawn(1), score)) for _ in range(100)]
    found = np.array([[(p.value, p.standard_error, p.low, p.high) for p in c] for c in changes])
    value, error, low, high = np.moveaxis(found, -1, 0)
    covered = ((low <= truth) & (truth <= high)).mean(axis=0)
    assert (covered >= 0.88).all()
    np.testing.assert_allclose(error.mean(axis=0), value.std(axis=0), rtol=0.25)


def test_scores_without_bounds_are_split_too():
    change = explain_change(BEFORE, AFTER, _odds_of_precision, n_resamples=40, rng=0)
    for part in parts_of(change):
        assert part.low < part.value < part.high
    assert change.prior_part.low < -1  # further than any bounded score


def _odds_of_precision(curve):
    matrix = curve.confusion_matrix(curve.thresholds[len(curve) // 3])
    return matrix.tp / matrix.fp


@pytest.mark.parametrize("score", [AP, HALF, "roc_auc"])
def test_wider_levels_contain_narrower_ones(score):
    for part in parts_of(explain_change(BEFORE, AFTER, score)):
        low, high = part.limits(0.5)
        assert part.low <= low <= part.value <= high <= part.high


def test_intervals_stay_within_the_possible_changes():
    few = ConfusionCurve.from_predictions([1, 1, 0, 0], [4, 3, 2, 1])
    none = ConfusionCurve.from_predictions([0, 0, 1, 1], [4, 3, 2, 1])
    with pytest.warns(IntervalWarning):
        change = explain_change(few, none, AP)
    for part in parts_of(change):
        assert -1 <= part.low <= part.value <= part.high <= 1


def test_a_pair_of_labels_and_scores_is_a_curve():
    pairs = [([1, 0, 1, 0, 0, 1], [6, 5, 4, 3, 2, 1]), ([1, 1, 0, 0, 1, 0], [6, 5, 4, 3, 2, 1])]
    curves = [ConfusionCurve.from_predictions(*pair) for pair in pairs]
    of_pairs, of_curves = (explain_change(*both, "roc_auc") for both in (pairs, curves))
    assert of_pairs.total.limits(0.5) == of_curves.total.limits(0.5)


@pytest.mark.parametrize("score", ["best_fbeta", lambda each: scores.roc_auc(each) ** 2])
def test_other_scores_take_the_bootstrap(score):
    name = "max_h" if score == "best_fbeta" else "bootstrap"
    change = explain_change(BEFORE, AFTER, score, n_resamples=60, rng=1)
    again = explain_change(BEFORE, AFTER, score, n_resamples=60, rng=1)
    for part, same in zip(parts_of(change), parts_of(again), strict=True):
        assert (part.low, part.high) == (same.low, same.high)
        assert part.low <= part.value <= part.high
    methods = [part.method for part in parts_of(change)]
    assert methods == [f"mover of {name}", "mover of bootstrap", "mover of bootstrap"]
    assert change.model_part.high < 0


def test_the_bootstrap_agrees_with_the_influence_function():
    analytic = explain_change(BEFORE, AFTER, AP)
    drawn = explain_change(BEFORE, AFTER, AP, method="bootstrap", n_resamples=300, rng=0)
    for a, b in zip(parts_of(analytic), parts_of(drawn), strict=True):
        assert a.value == b.value
        assert a.standard_error == pytest.approx(b.standard_error, rel=0.15)


@pytest.mark.filterwarnings("ignore:.*AUC-PR Gain at .* starts at recall pi0")
def test_intervals_of_the_parts_of_the_gain_are_withheld_and_the_values_are_given():
    with pytest.warns(IntervalWarning, match="no interval: AUC-PR Gain at pi0=.* needs"):
        change = explain_change(BEFORE, AFTER, "prg_auc")
    for part in (change.prior_part, change.model_part):
        assert math.isnan(part.low)
        assert math.isnan(part.high)
        assert math.isfinite(part.value)
        assert part.reason in change.withheld
    assert change.total.low < change.total.value < change.total.high
    equal = explain_change(BEFORE, AFTER, "prg_auc", pi0=(0.1, 0.1))
    assert equal.withheld == []


def test_warnings_name_the_sample():
    with pytest.warns(IntervalWarning) as caught:
        explain_change(curve(500, 3000), curve(30, 60), AP, pi0=(None, 0.001))
    messages = [str(each.message) for each in caught]
    assert messages[0].startswith("after: at pi0=0.001 one negative weighs")
    assert {each.filename for each in caught} == {__file__}


def test_a_change_is_printed_in_words_and_survives_a_pickle():
    change = explain_change(BEFORE, AFTER, AP)
    assert repr(change).startswith("Change(total=Estimate(-0.")
    copy = pickle.loads(pickle.dumps(change))
    assert copy.model_part.limits(0.8) == change.model_part.limits(0.8)


# ------------------------------------------------------------------------------ several periods

PERIODS = {"May": BEFORE, "June": AFTER, "July": curve(80, 900, quality=1.0)}


def test_a_row_per_period_without_the_reference():
    table = pd.DataFrame(explain_changes(PERIODS, AP))
    assert list(table.columns) == [
        *("period", "metric", "n_pos", "n_neg", "prior", "value"),
        *("reference_prior", "reference_value", "total", "total_low", "total_high"),
        *("prior_part", "prior_part_low", "prior_part_high"),
        *("model_part", "model_part_low", "model_part_high"),
        *("confidence_level", "status"),
    ]
    assert table["period"].tolist() == ["June", "July"]
    assert table["n_pos"].tolist() == [100, 80]
    assert table["n_neg"].tolist() == [3000, 900]
    assert set(table["status"]) == {"ok"}
    change = explain_change(BEFORE, PERIODS["July"], AP)
    july = table.iloc[1]
    for name in PARTS:
        part = getattr(change, name)
        assert july[[name, f"{name}_low", f"{name}_high"]].tolist() == [
            *(part.value, part.low, part.high)
        ]
    assert july["value"] - july["reference_value"] == pytest.approx(july["total"], abs=1e-15)
    assert july["reference_prior"] == BEFORE.prior


@pytest.mark.parametrize("reference", ["July", PERIODS["July"]])
def test_the_reference_is_a_period_or_a_curve(reference):
    rows = explain_changes(PERIODS, AP, reference=reference)
    others = list(PERIODS)[: 2 if isinstance(reference, str) else 3]
    assert [row["period"] for row in rows] == others
    expected = explain_change(PERIODS["July"], BEFORE, AP).model_part
    assert (rows[0]["model_part"], rows[0]["model_part_low"]) == (expected.value, expected.low)


def test_a_sequence_has_numbers_for_names():
    rows = explain_changes(list(PERIODS.values()), HALF, reference=1)
    assert [row["period"] for row in rows] == [0, 2]
    assert rows[0]["metric"] == "precision(threshold=0.5)"


def test_matrices_are_periods_too():
    matrices = [each.confusion_matrix(0.5) for each in PERIODS.values()]
    of_matrices = explain_changes(matrices, "precision")
    of_curves = explain_changes(list(PERIODS.values()), HALF)
    for a, b in zip(of_matrices, of_curves, strict=True):
        assert {**a, "metric": ""} == {**b, "metric": ""}


def test_a_bad_period_is_a_row_with_a_status():
    rng = np.random.default_rng(0)
    good = np.repeat([1, 0], [50, 150]), rng.normal(size=200)
    months = {
        "May": BEFORE,
        "one class": (np.zeros(30), rng.normal(size=30)),
        "NaN": (np.repeat([1, 0], [10, 20]), np.r_[math.nan, rng.normal(size=29)]),
        "missing": ([1, 0, None], [0.2, 0.3, 0.1]),
        "lengths": ([1, 0, 0], [0.2, 0.3]),
        "good": good,
    }
    rows = explain_changes(months, AP)
    status = {row["period"]: row["status"] for row in rows}
    assert status["one class"].startswith("y_true holds no positives: pos_label=1 is not among")
    assert status["NaN"] == "y_score must be finite, got nan at index 0"
    assert status["missing"] == "y_true must not hold missing labels"
    assert "must have the same length" in status["lengths"]
    assert status["good"] == "ok"
    for row in rows[:-1]:
        assert all(math.isnan(row[name]) for name in ("prior", "value", *PARTS, "total_low"))
    assert [row["n_pos"] for row in rows] == [0, 10, 1, 1, 50]


@pytest.mark.filterwarnings("ignore:.*AUC-PR Gain at .* starts at recall pi0")
def test_an_undefined_metric_and_a_withheld_interval_are_statuses():
    high = Metric("precision", options={"threshold": 3.9})
    silent = ConfusionCurve.from_predictions([1, 0, 1, 0], [0.2, 0.1, 0.4, 0.3])
    (row,) = explain_changes([BEFORE, silent], high)
    assert "is undefined" in row["status"]
    assert math.isnan(row["total"])
    (row,) = explain_changes([BEFORE, AFTER], "prg_auc")
    assert row["status"].startswith("no interval: AUC-PR Gain")
    assert math.isfinite(row["total"])
    assert math.isnan(row["model_part_low"])
    assert math.isfinite(row["total_low"])


def test_warnings_name_the_period():
    with pytest.warns(IntervalWarning) as caught:
        explain_changes([curve(30, 60), curve(10, 3000)], AP)
    messages = [str(each.message) for each in caught]
    assert any(each.startswith("period 1, before: at pi0=0.003322 one") for each in messages)
    assert {each.filename for each in caught} == {__file__}


# ------------------------------------------------------------------------------------ refusals


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((BEFORE, "after", AP), TypeError, "after must be a ConfusionCurve or a ConfusionMatrix"),
        ((BEFORE, AFTER, "auc"), ValueError, "unknown score 'auc'"),
        ((BEFORE, AFTER, "precision"), ValueError, "needs a threshold"),
        (
            (BEFORE, AFTER, Metric(AP, pi0=0.1)),
            ValueError,
            "no reference prior of its own, got 0.1",
        ),
    ],
)
def test_wrong_arguments_are_named(arguments, error, message):
    with pytest.raises(error, match=message):
        explain_change(*arguments)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"pi0": 0.1}, TypeError, r"pi0 must be None or a pair \(before, after\), got 0.1"),
        ({"pi0": (0.1,)}, TypeError, r"pi0 must be None or a pair"),
        ({"pi0": (0.1, 1.0)}, ValueError, r"pi0 must lie in the open interval \(0, 1\), got 1.0"),
        ({"method": "delta"}, ValueError, 'method must be "auto" or "bootstrap"'),
        ({"confidence_level": 1}, ValueError, "confidence_level must lie in the open interval"),
    ],
)
def test_wrong_options_are_named(options, error, message):
    with pytest.raises(error, match=message):
        explain_change(BEFORE, AFTER, AP, **options)


@pytest.mark.parametrize(
    ("periods", "reference", "error", "message"),
    [
        ({}, None, ValueError, "periods must not be empty"),
        (PERIODS, "August", ValueError, "reference must be the name of a period.*got 'August'"),
        (PERIODS, ([1, 0], [1, 0]), ValueError, "reference must be the name of a period"),
        (
            [([0, 0], [1, 2]), BEFORE],
            None,
            ValueError,
            "reference 0 cannot be used: y_true holds no positives",
        ),
        ([BEFORE, 3], None, TypeError, "periods must hold ConfusionCurves.* got 3"),
    ],
)
def test_wrong_periods_are_named(periods, reference, error, message):
    with pytest.raises(error, match=message):
        explain_changes(periods, AP, reference=reference)


@pytest.mark.parametrize("periods", [None, BEFORE, "May"])
def test_periods_of_another_type_are_named(periods):
    with pytest.raises(TypeError, match="periods must be a mapping or a sequence, got"):
        explain_changes(periods, AP)


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (([[1], [1, 0]], [1, 2]), "y_true must be one-dimensional"),
        (([1, 0], np.ma.masked_array([1, 2], [True, False])), "y_score must not hold masked"),
        ((1, 2), r"y_true must be one-dimensional"),
    ],
)
def test_a_period_that_is_no_pair_of_vectors_has_a_status(data, status):
    bad, good = explain_changes([BEFORE, data, AFTER], AP)
    assert bad["status"].startswith(status)
    assert good["status"] == "ok"


def test_the_reference_is_no_row_even_if_its_name_is_nan():
    rows = explain_changes({math.nan: BEFORE, 1: AFTER}, AP)
    assert [row["period"] for row in rows] == [1]
