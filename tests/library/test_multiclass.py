"""One-vs-rest curves: values against scikit-learn and exact weights, and intervals of averages."""

import pickle

import numpy as np
import pandas as pd
import pytest

from calibrated_metrics import Metric, scores
from calibrated_metrics.multiclass import one_vs_rest
from calibrated_metrics.scores.facts import UndefinedMetricWarning
from calibrated_metrics.uncertainty import IntervalWarning

AP = "average_precision"
PRIORS = {"a": 0.7, "b": 0.2, "c": 0.1}
NUMBERS = {"a": 40, "b": 30, "c": 20}


def rows_of(seed=0, numbers=NUMBERS, shift=1.2):
    rng = np.random.default_rng(seed)
    y_true = np.repeat(list(numbers), list(numbers.values()))
    code = np.repeat(np.arange(len(numbers)), list(numbers.values()))
    y_score = rng.normal(size=(len(y_true), len(numbers)))
    y_score[np.arange(len(y_true)), code] += shift
    return y_true, np.round(y_score, 1)


Y_TRUE, Y_SCORE = rows_of()
WEIGHT = np.random.default_rng(1).integers(1, 5, len(Y_TRUE)) / 2


def weights_at(priors, y_true=Y_TRUE, weight=WEIGHT):
    """Weight of each row by q / p, without the library."""
    of_class = {name: weight[y_true == name].sum() for name in priors}
    return weight * [priors[name] / of_class[name] for name in y_true]


def test_values_are_those_of_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics")
    found = one_vs_rest(Y_TRUE, Y_SCORE, pi0=PRIORS, sample_weight=WEIGHT)
    expected = [
        metrics.average_precision_score(
            name == Y_TRUE, Y_SCORE[:, column], sample_weight=weights_at(PRIORS)
        )
        for column, name in enumerate(PRIORS)
    ]
    for name, value in zip(PRIORS, expected, strict=True):
        assert scores.average_precision(found.curves[name]) == pytest.approx(value, rel=1e-12)
        assert found.curves[name].prior == pytest.approx(PRIORS[name])
    assert found.value(AP) == pytest.approx(np.mean(expected), rel=1e-12)
    weighted = np.average(expected, weights=list(PRIORS.values()))
    assert found.value(AP, average="weighted") == pytest.approx(weighted, rel=1e-12)
    own = one_vs_rest(Y_TRUE, Y_SCORE)
    one_hot = Y_TRUE[:, np.newaxis] == list(PRIORS)
    for average in ("macro", "weighted"):
        value = metrics.average_precision_score(one_hot, Y_SCORE, average=average)
        assert own.value(AP, average=average) == pytest.approx(value, rel=1e-12)


def test_forms_of_the_arguments_are_equal():
    expected = one_vs_rest(Y_TRUE, Y_SCORE, pi0=PRIORS).interval(AP)
    frame = pd.DataFrame(Y_SCORE)
    columns, labels = Y_SCORE[:, [2, 0, 1]], ["a", "b", "c"]
    for found, rel in (
        (
            one_vs_rest(pd.Series(Y_TRUE), frame, classes=labels, pi0=[0.7, 0.2, 0.1]),
            1e-12,
        ),
        (one_vs_rest(Y_TRUE, columns, classes=["c", "a", "b"], pi0=PRIORS), 1e-12),
        (one_vs_rest(Y_TRUE, Y_SCORE, pi0=PRIORS, strata=Y_TRUE), 5e-2),
    ):
        for name in ("value", "low", "high"):
            expected_value = getattr(expected, name)
            assert getattr(found.interval(AP), name) == pytest.approx(expected_value, rel=rel)
    assert repr(one_vs_rest(Y_TRUE, Y_SCORE, pi0=PRIORS)) == (
        "OneVsRest(priors={'a': 0.7, 'b': 0.2, 'c': 0.1})"
    )


@pytest.mark.parametrize(
    ("y_true", "y_score", "more", "message"),
    [
        (
            np.ones((90, 3)),
            Y_SCORE,
            {},
            r"y_true must hold one label per row, .*argmax.* in a loop",
        ),
        (Y_TRUE, Y_SCORE[:, 0], {}, r"y_score must have the shape \(n_rows, n_classes\)"),
        (Y_TRUE, Y_SCORE[:, :2], {}, "one per column of y_score"),
        (Y_TRUE, Y_SCORE, {"classes": ["a", "b", "b"]}, "classes must hold the labels of y_true"),
        (Y_TRUE[:40], Y_SCORE[:40], {}, "at least two"),
        (Y_TRUE, Y_SCORE, {"pi0": {"a": 0.5, "b": 0.5}}, r"missing: \['c'\]"),
        (Y_TRUE, Y_SCORE, {"classes": [*"abc"], "pi0": [0.5, 0.4, 0.2]}, "sum to 1"),
        (
            Y_TRUE,
            Y_SCORE,
            {"pi0": [0.7, 0.2, 0.1]},
            "pi0 must be a mapping",
        ),
        (Y_TRUE, Y_SCORE, {"strata": np.arange(90) % 2}, "strata must each lie in one class"),
    ],
)
def test_bad_input_is_refused(y_true, y_score, more, message):
    with pytest.raises(ValueError, match=message):
        one_vs_rest(y_true, y_score, **more)


def test_intervals_without_a_basis_are_withheld():
    found = one_vs_rest(Y_TRUE, Y_SCORE, pi0=PRIORS)
    with pytest.warns(IntervalWarning, match="averages of 'best_fbeta' have no interval"):
        assert np.isnan(found.interval("best_fbeta").low)
    with pytest.raises(
        ValueError, match='average="micro" is offered for precision, recall and F-b'
    ):
        found.value(AP, average="micro")
    single = one_vs_rest(Y_TRUE[:71], Y_SCORE[:71])
    with pytest.warns(IntervalWarning, match="class 'c': at least two rows of each class"):
        assert single.interval(AP).reason is not None


def test_decisions_have_intervals():
    found = one_vs_rest(Y_TRUE, Y_SCORE, pi0=PRIORS)
    each = found.interval(Metric("recall", threshold=0.5))
    recalls = [np.mean(Y_SCORE[name == Y_TRUE, k] >= 0.5) for k, name in enumerate(PRIORS)]
    assert each.value == pytest.approx(np.mean(recalls))
    shares = np.array(recalls)
    error = np.sqrt((shares * (1 - shares) / [39, 29, 19]).sum()) / 3
    assert each.standard_error == pytest.approx(error, rel=1e-9)


@pytest.mark.parametrize("kind", ["macro", "weighted", "clusters", "weights"])
def test_standard_errors_are_those_of_repeated_samples(kind):
    """Errors of curves as if independent, or with random class priors, are far off here."""
    numbers, found = {0: 150, 1: 80, 2: 60}, []
    average = "weighted" if kind == "weighted" else "macro"
    for seed in range(100):
        rng = np.random.default_rng([seed, 3])
        y_true, y_score = rows_of([seed, 4], numbers)
        drawn = {}
        if kind == "clusters":
            drawn["clusters"] = rng.integers(60, size=len(y_true))
            y_score = y_score + rng.normal(size=(60, 3))[drawn["clusters"]]
        if kind == "weights":
            drawn["sample_weight"] = rng.integers(1, 6, len(y_true))
        each = one_vs_rest(y_true, y_score, pi0=[0.8, 0.15, 0.05], **drawn)
        each = each.interval("roc_auc" if kind == "clusters" else AP, average=average)
        found.append((each.value, each.standard_error))
    value, error = np.array(found).T
    assert np.sqrt(np.mean(error**2)) == pytest.approx(value.std(ddof=1), rel=0.18)


@pytest.mark.parametrize("average", ["macro", "weighted"])
def test_without_priors_their_error_is_included(average):
    found = []
    for seed in range(120):
        rng = np.random.default_rng([seed, 5])
        y_true = rng.choice(3, 300, p=[0.7, 0.2, 0.1])
        y_score = rng.normal(size=(300, 3)) + (y_true[:, np.newaxis] == range(3))
        estimated = one_vs_rest(y_true, y_score)
        known = one_vs_rest(y_true, y_score, pi0=dict(estimated.priors))
        each, other = (of.interval(AP, average=average) for of in (estimated, known))
        assert each.value == pytest.approx(other.value)
        assert each.standard_error > other.standard_error
        found.append((each.value, each.standard_error))
    value, error = np.array(found).T
    assert np.sqrt(np.mean(error**2)) == pytest.approx(value.std(ddof=1), rel=0.15)


def test_heavy_rows_that_were_not_drawn_are_allowed_for():
    """The t interval alone covers 38 % here (200 rows per class)."""
    priors, n_covered = [0.98, 0.015, 0.005], 0
    large = rows_of(9, dict.fromkeys(range(3), 20_000), shift=2)
    true = one_vs_rest(*large, pi0=priors).value(AP)
    for seed in range(60):
        found = one_vs_rest(*rows_of(seed, dict.fromkeys(range(3), 200), shift=2), pi0=priors)
        each = found.interval(AP)
        n_covered += each.low <= true <= each.high
    assert n_covered >= 55


def test_the_names_of_columns_are_the_labels_or_are_refused():
    """Names from a file are text: "2", "0", "1" must not be taken for the sorted labels."""
    y_true = np.unique(Y_TRUE, return_inverse=True)[1]
    frame = pd.DataFrame(Y_SCORE[:, [2, 0, 1]], columns=["2", "0", "1"])
    with pytest.raises(ValueError, match=r"columns \['2', '0', '1'\], which are not the labels"):
        one_vs_rest(y_true, frame)
    expected = one_vs_rest(y_true, Y_SCORE).value(AP)
    assert one_vs_rest(y_true, frame, classes=[2, 0, 1]).value(AP) == expected
    assert one_vs_rest(y_true, frame.rename(columns=int)).value(AP) == expected
    assert one_vs_rest(Y_TRUE, pd.DataFrame(Y_SCORE)).value(AP) == expected  # without names


Y_PRED = np.array([*PRIORS])[Y_SCORE.argmax(axis=1)]


@pytest.mark.parametrize("average", ["macro", "weighted", "micro"])
@pytest.mark.parametrize("weight", [None, WEIGHT])
def test_predicted_labels_have_the_averages_of_scikit_learn(average, weight):
    metrics = pytest.importorskip("sklearn.metrics")
    found = one_vs_rest(Y_TRUE, y_pred=Y_PRED, sample_weight=weight)
    for name in ("precision", "recall", "f1"):
        score = getattr(metrics, f"{name}_score")
        expected = score(Y_TRUE, Y_PRED, average=average, sample_weight=weight)
        assert found.value(name, average=average) == pytest.approx(expected, rel=1e-12)
    at_priors = one_vs_rest(Y_TRUE, y_pred=Y_PRED, sample_weight=weight, pi0=PRIORS)
    weight = weights_at(PRIORS, weight=np.ones(90) if weight is None else weight)
    expected = metrics.f1_score(Y_TRUE, Y_PRED, average=average, sample_weight=weight)
    assert at_priors.value("f1", average=average) == pytest.approx(expected, rel=1e-12)


def test_a_class_that_is_never_predicted_counts_as_0():
    metrics = pytest.importorskip("sklearn.metrics")
    y_pred = np.where(Y_PRED == "c", "a", Y_PRED)
    found = one_vs_rest(Y_TRUE, y_pred=y_pred)
    expected = metrics.precision_score(Y_TRUE, y_pred, average="macro", zero_division=0)
    with pytest.warns(
        UndefinedMetricWarning, match=r"precision of the classes \['c'\] counts as 0"
    ):
        each = found.interval("precision")
    assert each.value == pytest.approx(expected, rel=1e-12)
    assert each.high > expected + 0.3  # the precision of c may be 1


def test_predicted_labels_that_are_not_clear_are_refused():
    for more, message in (
        ({}, "either y_score or y_pred must be given"),
        ({"y_pred": Y_PRED, "y_score": Y_SCORE}, "and not both"),
        ({"y_pred": np.arange(90) % 3}, r"labels of y_true, \['a', 'b', 'c'\], got \[0, 1"),
        ({"y_pred": Y_PRED[:80]}, "y_pred"),
        ({"y_pred": np.where(Y_PRED == "a", "A", Y_PRED), "classes": [*"abc"]}, "'A'"),
        ({"y_pred": Y_SCORE}, "y_pred must be one-dimensional"),
    ):
        with pytest.raises(ValueError, match=message):
            one_vs_rest(Y_TRUE, **more)
    with pytest.raises(ValueError, match="metric must be one of a decision, without a threshold"):
        one_vs_rest(Y_TRUE, y_pred=Y_PRED).value(AP)
    frame = pd.DataFrame(Y_SCORE, columns=[*"abc"])
    with pytest.raises(ValueError, match=r"classes must have the order of the columns of y_score"):
        one_vs_rest(Y_TRUE, frame, classes=[*"acb"])


def test_a_frame_has_the_classes_and_their_averages():
    found = one_vs_rest(Y_TRUE, y_pred=Y_PRED, pi0=PRIORS)
    frame = found.to_frame(["precision", "specificity"]).set_index(["metric", "class"])
    assert frame["n"].tolist()[:6] == [40, 30, 20, 90, 90, 90]
    for average in ("macro", "micro"):
        row = frame.loc[("precision", f"{average} average")]
        each = found.interval("precision", average=average)
        assert (row["value"], row["low"], row["high"]) == (each.value, each.low, each.high)
    assert ("specificity", "micro average") not in frame.index
    table = found.to_frame(format=".2f")
    assert table.columns.tolist() == ["precision", "recall", "F1"]
    assert table.loc["macro average", "F1"] == f"{found.interval('f1'):.2f}"
    scored = one_vs_rest(Y_TRUE, Y_SCORE).to_frame(format=".2f")
    assert scored.columns.tolist() == ["AUC-PR", "AUC-ROC"]
    classes = [*"abcd"]
    with pytest.warns(UndefinedMetricWarning, match=r"no rows of the classes \['d'\]"):
        table = one_vs_rest(Y_TRUE, y_pred=Y_PRED, classes=classes).to_frame("recall")
    assert table["status"][3] == "no interval: y_true has no rows of this class"


@pytest.mark.long  # the validation has more of these samples
@pytest.mark.parametrize("metric", ["precision", "recall"])
def test_a_class_with_few_rows_has_the_limits_of_its_counts(metric):
    """The t interval covers 75 to 85 % here, since often all 8 rows of a class are right."""
    rates = np.array([[0.95, 0.04, 0.01], [0.05, 0.93, 0.02], [0.05, 0.1, 0.85]])
    priors = np.array([0.9, 0.08, 0.02])
    joint = priors[:, np.newaxis] * rates
    whole = priors if metric == "recall" else joint.sum(axis=0)
    y_true, n_covered = np.repeat([0, 1, 2], [300, 100, 8]), 0
    for seed in range(100):
        u = np.random.default_rng([seed, 8]).random((len(y_true), 1))
        y_pred = (u > rates.cumsum(axis=1)[y_true][:, :2]).sum(axis=1)
        each = one_vs_rest(y_true, y_pred=y_pred, classes=range(3), pi0=priors).interval(metric)
        n_covered += each.low <= np.mean(np.diag(joint) / whole) <= each.high
    assert n_covered >= 92


@pytest.mark.parametrize("metric", ["precision", "recall", "f1"])
def test_naming_the_class_priors_of_the_rows_makes_no_interval_longer(metric):
    rng = np.random.default_rng(0)
    y_true = np.repeat(np.arange(10), 40)
    is_right = rng.random(400) < 0.92
    y_pred = np.where(is_right, y_true, (y_true + rng.integers(1, 10, 400)) % 10)
    named, unnamed = (
        one_vs_rest(y_true, y_pred=y_pred, classes=range(10), pi0=pi0)
        for pi0 in (np.full(10, 0.1), None)
    )
    ours, theirs = named.interval(metric), unnamed.interval(metric)
    assert ours.value == pytest.approx(theirs.value)
    assert ours.value - ours.low <= 1.05 * (theirs.value - theirs.low)
    assert ours.high - ours.value <= 1.05 * (theirs.high - theirs.value)


def test_the_limits_of_a_class_are_about_its_value_at_any_class_priors():
    found = one_vs_rest(Y_TRUE, y_pred=Y_PRED, pi0=PRIORS)
    for name in ("precision", "npv", "f1", "accuracy"):
        frame = found.to_frame(name).set_index("class")
        for label, curve in found.curves.items():
            assert frame["value"][label] == pytest.approx(Metric(name, threshold=0.5)(curve))
            assert frame["low"][label] <= frame["value"][label] <= frame["high"][label]


def test_a_class_without_rows_is_left_out_with_a_warning():
    rows, given = Y_TRUE != "b", {"classes": [*PRIORS]}
    expected = one_vs_rest(Y_TRUE[rows], Y_SCORE[rows][:, [0, 2]], classes=["a", "c"])
    with pytest.warns(UndefinedMetricWarning, match=r"no rows of the classes \['b'\]; averages"):
        found = one_vs_rest(Y_TRUE[rows], Y_SCORE[rows], **given)
    assert [*found.curves] == ["a", "c"]
    assert found.priors["b"] == 0
    for average in ("macro", "weighted"):
        each, other = (one.interval(AP, average=average) for one in (found, expected))
        assert repr(each) == repr(other)
    with pytest.raises(ValueError, match=r"pi0 must be 0 for classes without rows .* \['b'\]"):
        one_vs_rest(Y_TRUE[rows], Y_SCORE[rows], pi0=PRIORS, **given)
    for pi0 in ({"a": 0.7, "c": 0.3}, {"a": 0.7, "b": 0, "c": 0.3}, [0.7, 0, 0.3]):
        with pytest.warns(UndefinedMetricWarning, match="no rows of the classes"):
            found = one_vs_rest(Y_TRUE[rows], Y_SCORE[rows], pi0=pi0, **given)
        assert found.priors == {"a": 0.7, "b": 0, "c": 0.3}


def test_the_result_cannot_be_changed_and_has_a_pickle():
    found = one_vs_rest(Y_TRUE, Y_SCORE)
    with pytest.raises(TypeError):
        found.curves["a"] = found.curves["b"]
    again = pickle.loads(pickle.dumps(found))
    assert repr(again.interval(AP)) == repr(found.interval(AP))
    assert repr(again) == repr(found)
