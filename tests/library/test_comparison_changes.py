"""`explain_change` and `explain_changes`: prior part and model part of a change."""

import math
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest

from calibrated_metrics import ConfusionCurve, Metric, scores, uncertainty
from calibrated_metrics.comparison import explain_change, explain_changes
from calibrated_metrics.uncertainty import IntervalWarning

pytestmark = [
    pytest.mark.filterwarnings("error"),
]

AP = "average_precision"
HALF = Metric("precision", threshold=0.5)
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
    change = explain_change(score, BEFORE, AFTER)

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


def test_the_parts_add_up_to_the_last_digit():
    rng = np.random.default_rng(0)
    for seed in range(25):
        n_pos, n_neg = rng.integers(5, 60, 2), rng.integers(5, 300, 2)
        curves = [
            curve(int(a), int(b), rng.random() * 3, seed) for a, b in zip(n_pos, n_neg, strict=True)
        ]
        with warnings.catch_warnings(category=IntervalWarning, action="ignore"):
            change = explain_change(AP, *curves)
        assert change.total.value == change.prior_part.value + change.model_part.value
        difference = change.value_after - change.value_before
        assert change.total.value == pytest.approx(difference, rel=0, abs=3e-16)


def test_the_same_rates_at_another_prior_have_no_model_part():
    """With ten times the negatives at each score, only the prior differs."""
    thresholds = np.linspace(3, -3, 40)
    pos, neg = 40 - np.arange(40), 10 + 5 * np.arange(40)
    before, after = (ConfusionCurve.from_counts(thresholds, pos, n * neg) for n in (1, 10))
    change = explain_change(AP, before, after)
    assert change.model_part.value == pytest.approx(0, abs=1e-15)
    assert change.prior_part.high < 0
    assert change.model_part.low < 0 < change.model_part.high


# ---------------------------------------------------------------------------------- intervals


@pytest.mark.parametrize("score", [AP, "roc_auc", HALF])
def test_at_a_common_known_prior_the_model_part_is_the_difference(score):
    change = explain_change(score, BEFORE.at_prior(0.1), AFTER.at_prior(0.1))
    expected = uncertainty.difference(score, AFTER, BEFORE, pi0=0.1)
    for part in (change.total, change.model_part):
        assert part.value == pytest.approx(expected.value, abs=1e-12)
        assert part.standard_error == pytest.approx(expected.standard_error, rel=0.01)
        assert (part.low, part.high) == pytest.approx((expected.low, expected.high), abs=0.01)
    assert change.prior_part.value == 0
    # Nothing is uncertain about a prior part at two equal known priors.
    assert max(abs(change.prior_part.low), abs(change.prior_part.high)) < 1e-9


def test_the_error_of_the_own_priors_is_included():
    known = explain_change(AP, *(each.at_prior(each.prior) for each in (BEFORE, AFTER)))
    own = explain_change(AP, BEFORE, AFTER)
    for a, b in zip(parts_of(own)[:2], parts_of(known)[:2], strict=True):
        assert a.value == b.value
        assert a.standard_error > 1.02 * b.standard_error


def test_intervals_stay_within_the_possible_changes():
    few = ConfusionCurve.from_predictions([1, 1, 0, 0], [4, 3, 2, 1])
    none = ConfusionCurve.from_predictions([0, 0, 1, 1], [4, 3, 2, 1])
    change = explain_change(AP, few, none)
    for part in parts_of(change):
        assert -1 <= part.low <= part.value <= part.high <= 1


@pytest.mark.parametrize("score", [AP, "pr_auc"])
@pytest.mark.parametrize("kept", [1, 20])
def test_the_total_is_the_difference_between_the_samples(score, kept):
    rng, samples = np.random.default_rng(7), []
    for prior in (0.3, 0.1):
        y_true = rng.random(300) < prior
        weight = np.where(y_true, 1, kept)
        y_score = rng.normal(1.5 * y_true)
        samples.append(ConfusionCurve.from_predictions(y_true, y_score, sample_weight=weight))
    options = {"n_resamples": 60, "rng": 0}
    total = explain_change(score, *samples, **options).total
    expected = uncertainty.difference(score, *samples[::-1], **options)
    assert (total.low, total.high) == pytest.approx((expected.low, expected.high), abs=1e-9)


@pytest.mark.parametrize("score", ["best_fbeta", lambda each: scores.roc_auc(each) ** 2])
def test_other_scores_take_the_bootstrap(score):
    change = explain_change(score, BEFORE, AFTER, n_resamples=60, rng=1)
    again = explain_change(score, BEFORE, AFTER, n_resamples=60, rng=1)
    for part, same in zip(parts_of(change), parts_of(again), strict=True):
        assert (part.low, part.high) == (same.low, same.high)
        assert part.low <= part.value <= part.high
    methods = [part.method for part in parts_of(change)]
    of_samples = "best_fbeta" if score == "best_fbeta" else "bootstrap"
    assert methods == [f"mover of {of_samples}", "bootstrap", "bootstrap"]
    assert change.model_part.high < 0


def test_the_bootstrap_agrees_with_the_influence_function():
    analytic = explain_change(AP, BEFORE, AFTER)
    drawn = explain_change(AP, BEFORE, AFTER, method="bootstrap", n_resamples=300, rng=0)
    for a, b in zip(parts_of(analytic), parts_of(drawn), strict=True):
        assert a.value == b.value
        assert a.standard_error == pytest.approx(b.standard_error, rel=0.15)


def test_an_interval_that_would_be_withheld_for_one_sample_is_withheld_for_the_part():
    """AUC-PR Gain needs a positive up to recall pi0, here at the prior of `after` alone."""
    with pytest.warns(IntervalWarning, match="no interval: AUC-PR Gain starts at recall") as caught:
        change = explain_change("prg_auc", curve(40, 120), curve(400, 9000))
    assert {each.filename for each in caught} == {__file__}
    for part in (change.prior_part, change.model_part):
        assert math.isnan(part.low)
        assert math.isnan(part.high)
        assert math.isfinite(part.value)
        assert part.reason in change.withheld
    assert change.total.low < change.total.value < change.total.high
    assert explain_change("prg_auc", curve(400, 1200), curve(300, 700)).withheld == []


def test_remarks_name_the_sample():
    def refuses_many_positives(curve):
        if curve.tp[-1] > 34:
            raise ValueError("too many positives")
        return scores.roc_auc(curve)

    rng = np.random.default_rng(0)
    y_true = np.arange(200) < 30
    clusters = np.arange(200) % 40  # draws of clusters have random numbers of positives
    after = ConfusionCurve.from_predictions(
        y_true, rng.normal(size=200) + y_true, clusters=clusters
    )
    options = {"n_resamples": 30, "rng": 0}
    with pytest.warns(IntervalWarning, match="after: the metric is undefined on .* too many"):
        change = explain_change(refuses_many_positives, curve(20, 60), after, **options)
    assert change.remarks
    assert change.withheld == []
    with pytest.warns(IntervalWarning, match="period 1, after: the metric is undefined on"):
        explain_changes(refuses_many_positives, [curve(20, 60), after], **options)


# --------------------------------------------------------------------------- how rows were drawn


def test_weights_that_are_equal_within_each_class_leave_the_prior_estimated():
    rng = np.random.default_rng(3)
    y_true = np.arange(600) < 150
    y_score = rng.normal(size=600) + y_true
    weighted = ConfusionCurve.from_predictions(
        y_true, y_score, sample_weight=np.where(y_true, 1, 20)
    )
    plain = ConfusionCurve.from_predictions(y_true, y_score)
    found = explain_change(AP, BEFORE, weighted)
    known = explain_change(AP, BEFORE, weighted.at_prior(weighted.prior))
    for a, b in zip(parts_of(found)[:2], parts_of(known)[:2], strict=True):
        assert a.value == b.value
        assert a.standard_error > b.standard_error
    of_plain = explain_change(AP, BEFORE, plain.at_prior(weighted.prior))
    for a, b in zip(parts_of(known), parts_of(of_plain), strict=True):
        assert (a.value, a.low, a.high, a.standard_error) == pytest.approx(
            (b.value, b.low, b.high, b.standard_error), abs=1e-12
        )


def test_a_cluster_in_both_samples_is_one_cluster():
    """With the same rows in both samples nothing changes, and no part has an error."""
    y_true, y_score = np.arange(300) < 60, np.random.default_rng(6).normal(size=300)
    same, other = (
        ConfusionCurve.from_predictions(y_true, y_score, clusters=np.arange(300) + first)
        for first in (0, 300)
    )
    for part in parts_of(explain_change(AP, same, same)):
        assert part.value == 0
        assert part.standard_error < 1e-9
    for name in ("total", "model_part"):
        assert getattr(explain_change(AP, same, other), name).standard_error > 0.01


def test_clusters_in_both_samples_withhold_intervals_of_a_bootstrap():
    y_true = np.arange(300) < 60
    sample = ConfusionCurve.from_predictions(
        y_true, np.random.default_rng(7).normal(size=300), clusters=np.arange(300) % 50
    )
    with pytest.warns(IntervalWarning, match="the samples share clusters"):
        change = explain_change("best_fbeta", sample, sample, n_resamples=5)
    assert len(change.withheld) == 1
    assert change.total.value == 0


@pytest.mark.parametrize("score", [AP, "roc_auc"])
def test_segments_of_two_periods_leave_the_total_and_its_error_as_they_are(score):
    """Numbers of rows of segments are taken as random."""
    rng = np.random.default_rng(8)
    samples, without = [], []
    for _ in range(2):
        stratum = np.repeat([0, 1], [300, 300])
        y_true = rng.random(600) < np.where(stratum, 0.3, 0.1)
        y_score = rng.normal(size=600) + stratum + y_true
        weight = np.where(stratum, 1.0, 30.0)
        samples.append(
            ConfusionCurve.from_predictions(y_true, y_score, sample_weight=weight, strata=stratum)
        )
        without.append(ConfusionCurve.from_predictions(y_true, y_score, sample_weight=weight))
    change = explain_change(score, *samples)
    same = explain_change(score, *without).total
    assert change.total.value == pytest.approx(same.value, rel=1e-9)
    assert change.total.standard_error == pytest.approx(same.standard_error, rel=0.01)
    assert explain_change(score, BEFORE, samples[1]).withheld == []  # strata in one sample alone


def test_curves_without_rows_and_matrices_with_a_bootstrap_are_refused():
    with pytest.raises(ValueError, match="after must hold its rows"):
        explain_change(AP, BEFORE, AFTER.hull())
    matrix = BEFORE.confusion_matrix(0.5)
    with pytest.raises(ValueError, match='method must be "auto" for the metric'):
        explain_change("precision", matrix, matrix, method="bootstrap")


def test_a_change_is_printed_in_words_and_survives_a_pickle():
    change = explain_change(AP, BEFORE, AFTER)
    assert repr(change).startswith("Change(total=Estimate(-0.")
    copy = pickle.loads(pickle.dumps(change))
    assert copy.model_part.low == change.model_part.low
    assert repr(copy) == repr(change)


# ------------------------------------------------------------------------------ several periods

PERIODS = {"May": BEFORE, "June": AFTER, "July": curve(80, 900, quality=1.0)}


def test_a_row_per_period_without_the_reference():
    table = pd.DataFrame(explain_changes(AP, PERIODS))
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
    change = explain_change(AP, BEFORE, PERIODS["July"])
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
    rows = explain_changes(AP, PERIODS, reference=reference)
    others = list(PERIODS)[: 2 if isinstance(reference, str) else 3]
    assert [row["period"] for row in rows] == others
    expected = explain_change(AP, PERIODS["July"], BEFORE).model_part
    assert (rows[0]["model_part"], rows[0]["model_part_low"]) == (expected.value, expected.low)


def test_matrices_are_periods_too():
    matrices = [each.confusion_matrix(0.5) for each in PERIODS.values()]
    of_matrices = explain_changes("precision", matrices)
    of_curves = explain_changes(HALF, list(PERIODS.values()))
    for a, b in zip(of_matrices, of_curves, strict=True):
        assert {**a, "metric": ""} == {**b, "metric": ""}


BAD_PERIODS = {
    # labels and scores of a period, the positives that can be counted, and how its status begins
    "one class": ((np.zeros(30), np.arange(30)), 0, "no positives among 30 rows"),
    "NaN": (([1, 1, 0], [math.nan, 2, 1]), 2, "y_score must be finite, got nan at index 0"),
    "missing": (([1, 0, None], [0.2, 0.3, 0.1]), 1, "y_true must not hold missing labels"),
    "lengths": (([1, 0, 0], [0.2, 0.3]), 0, "arguments must have the same length"),
    "ragged": (([[1], [1, 0]], [1, 2]), 0, "y_true must be one-dimensional"),
    "masked": (([1, 0], np.ma.masked_array([1, 2], [1, 0])), 0, "y_score must not hold masked"),
    "numbers": ((1, 2), 0, "y_true must be one-dimensional"),
}


def test_a_bad_period_is_a_row_with_a_status():
    pairs = {period: pair for period, (pair, *_) in BAD_PERIODS.items()}
    with pytest.warns(UserWarning, match=r"2 of 9 groups \(NaN; missing\) have no values"):
        *rows, good = explain_changes(AP, {"May": BEFORE, **pairs, "good": AFTER})
    assert good["status"] == "ok"
    for row, (period, (_, n_pos, status)) in zip(rows, BAD_PERIODS.items(), strict=True):
        assert (row["period"], row["n_pos"]) == (period, n_pos)
        assert row["status"].startswith(status)
        assert all(math.isnan(row[name]) for name in ("prior", "value", *PARTS, "total_low"))


def test_an_undefined_metric_and_a_withheld_interval_are_statuses():
    high = Metric("precision", threshold=3.9)
    silent = ConfusionCurve.from_predictions([1, 0, 1, 0], [0.2, 0.1, 0.4, 0.3])
    (row,) = explain_changes(high, [BEFORE, silent])
    assert "is undefined" in row["status"]
    assert math.isnan(row["total"])
    with pytest.warns(IntervalWarning, match="period 1, no interval: AUC-PR Gain"):
        (row,) = explain_changes("prg_auc", [curve(40, 120), curve(400, 9000)])
    assert row["status"].startswith("no interval: AUC-PR Gain")
    assert math.isfinite(row["total"])
    assert math.isnan(row["model_part_low"])
    assert math.isfinite(row["total_low"])


# ------------------------------------------------------------------------------------ refusals


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"after": "after"}, TypeError, "after must be a ConfusionCurve, a Conf"),
        ({"metric": "precision"}, ValueError, "needs a threshold"),
        ({"metric": Metric(AP, pi0=0.1)}, ValueError, "no reference prior of its own, got 0.1"),
        ({"pi0": 0.1}, TypeError, "set priors with at_prior, or use uncertainty.difference"),
        ({"method": "delta"}, ValueError, 'method must be "auto" or "bootstrap"'),
    ],
)
def test_wrong_arguments_are_named(arguments, error, message):
    with pytest.raises(error, match=message):
        explain_change(**{"metric": AP, "before": BEFORE, "after": AFTER, **arguments})


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
            "reference 0 cannot be used: no positives among",
        ),
        ([BEFORE, 3], None, TypeError, "periods must hold ConfusionCurves.* got 3"),
        (pd.DataFrame({"y": [1, 0]}), None, TypeError, "got a frame; .* frame.groupby"),
        (
            {"May": (["ok", "fraud"], [0, 1]), "June": (["ok", "fraud"], [1, 0])},
            BEFORE,
            ValueError,
            r"periods must hold positives, got none: .*pos_label=1 .* \['fraud', 'ok'\]$",
        ),
    ],
)
def test_wrong_periods_are_named(periods, reference, error, message):
    with pytest.raises(error, match=message):
        explain_changes(AP, periods, reference=reference)


def test_a_period_without_rows_has_a_status():
    (row,) = explain_changes(AP, [BEFORE, AFTER.hull()])
    assert row["status"].startswith("after must hold its rows")
    assert (row["n_pos"], row["n_neg"]) == (100, 3000)


def test_the_reference_is_no_row_even_if_its_name_is_nan():
    rows = explain_changes(AP, {math.nan: BEFORE, 1: AFTER})
    assert [row["period"] for row in rows] == [1]


def test_rows_of_periods_with_missing_values_are_dropped():
    y_true = np.arange(360) < 60
    y_score = np.random.default_rng(0).normal(2 * y_true)
    holed = np.where(np.arange(360) % 90 == 5, np.nan, y_score)
    with pytest.warns(UserWarning, match=r"1 of 2 groups \(May\) have no values .*\(4 in all\)"):
        rows = explain_changes(AP, {"April": BEFORE, "May": (y_true, holed)})
    assert rows[0]["status"] == "y_score must be finite, got nan at index 5"
    kept = ~np.isnan(holed)
    expected = explain_changes(AP, {"April": BEFORE, "May": (y_true[kept], y_score[kept])})
    with pytest.warns(UserWarning, match=r"dropped in 1 of 2 groups \(May\) \(4 in all\)"):
        rows = explain_changes(AP, {"April": BEFORE, "May": (y_true, holed)}, missing="drop")
    assert rows == expected
    with pytest.raises(ValueError, match="y_true and y_score must have the same index"):
        explain_changes(AP, [BEFORE, (pd.Series(y_true), pd.Series(y_score)[::-1])])


@pytest.mark.parametrize(
    "score",
    [
        "roc_auc",
        Metric("recall_at_specificity", specificity=0.9),
        Metric("partial_roc_auc", max_fpr=0.2),
    ],
)
def test_a_metric_that_is_the_same_at_each_prior_changes_by_its_model_part(score):
    before, after = curve(40, 300), curve(60, 300, quality=1.6)
    found = explain_change(score, before, after, n_resamples=20, rng=0)
    part = found.prior_part
    assert (part.value, part.low, part.high, part.standard_error) == (0, 0, 0, 0)
    assert found.model_part == found.total
    assert found.total.value == pytest.approx(found.value_after - found.value_before, abs=1e-12)
    assert found.total.low < found.total.value < found.total.high
