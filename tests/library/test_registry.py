"""Metrics by name: options, reference priors, labels, keys, and scores of the users' own."""

import inspect
import math

import numpy as np
import pytest

from calibrated_metrics import ConfusionCurve, register_score, registry, scores
from calibrated_metrics.registry import (
    Metric,
    TimesPrior,
    registered_scores,
    score_named,
    values_of,
)

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture
def curve():
    return ConfusionCurve.from_predictions(
        [0, 1, 0, 0, 1, 0, 1, 0, 0, 0], [9, 8, 8, 7, 6, 5, 4, 3, 2, 1]
    )


def _options_of(name):
    return {"threshold": 5.5} if name in ("precision", "recall", "fbeta") else {}


# ------------------------------------------------------------------------ values


def test_every_score_is_registered_under_its_name():
    assert set(registered_scores()) >= set(scores.__all__)
    for name in scores.__all__:
        assert score_named(name).function is getattr(scores, name)


@pytest.mark.parametrize("name", scores.__all__)
def test_metric_is_the_score_of_the_calibrated_curve(curve, name):
    function, options = getattr(scores, name), _options_of(name)
    assert Metric(name, options=options)(curve) == function(curve, **options)
    for pi0 in (1e-6, 0.5, 0.99):
        metric = Metric(name, pi0, options)
        assert metric(curve) == function(curve.at_prior(pi0), **options)
        assert type(metric(curve)) is float


def test_multiple_of_the_prior(curve):
    metric = Metric("average_precision", TimesPrior(1.5))
    assert metric(curve) == pytest.approx(scores.average_precision(curve.at_prior(0.45)))
    rarer = curve.at_prior(0.01)
    assert metric(rarer) == pytest.approx(scores.average_precision(curve.at_prior(0.015)))
    assert Metric("average_precision", TimesPrior(1))(curve) == pytest.approx(
        scores.average_precision(curve), rel=1e-14
    )


def test_options_are_passed_on(curve):
    assert Metric("best_fbeta", options={"beta": 2})(curve) == scores.best_fbeta(curve, 2)
    assert Metric("fbeta", 0.1, {"threshold": 5.5, "beta": 0.5})(curve) == scores.fbeta(
        curve.at_prior(0.1), 5.5, 0.5
    )


def test_values_by_key(curve):
    metrics = [
        Metric("average_precision"),
        Metric("average_precision", 0.5),
        Metric("prg_auc", TimesPrior(1.01)),
        Metric("best_fbeta", options={"beta": 2.0}),
    ]
    values = values_of(metrics, curve)
    assert list(values) == [metric.key for metric in metrics]
    assert list(values.values()) == [metric(curve) for metric in metrics]


# ------------------------------------------------------------------------ refusals


@pytest.mark.parametrize(
    ("name", "suggestion"),
    [
        ("average_precison", "average_precision"),
        ("prg_acu", "prg_auc"),
        ("bestfbeta", "best_fbeta"),
        ("roc", "roc_auc"),
    ],
)
def test_unknown_scores_get_the_nearest_suggestion(name, suggestion):
    message = rf"unknown score '{name}' \(did you mean '{suggestion}'\?\); registered: \["
    for refused in (lambda: Metric(name), lambda: score_named(name)):
        with pytest.raises(ValueError, match=message):
            refused()


def test_unknown_scores_far_from_all_others():
    with pytest.raises(ValueError, match=r"unknown score 'xyzzy'; registered: \[.*roc_auc"):
        Metric("xyzzy")


@pytest.mark.parametrize(
    "score", ["", None, 1, scores.roc_auc, ["roc_auc"]], ids=lambda s: type(s).__name__
)
def test_a_score_is_named_by_a_word(score):
    with pytest.raises((ValueError, TypeError), match="score"):
        Metric(score)


def test_unknown_options_get_the_nearest_suggestion():
    with pytest.raises(
        ValueError, match=r"'fbeta' has no option 'bta' \(did you mean 'beta'\?\).*'threshold'"
    ):
        Metric("fbeta", options={"threshold": 0.5, "bta": 2})
    with pytest.raises(ValueError, match="'roc_auc' has no option 'beta'; its options: none"):
        Metric("roc_auc", options={"beta": 2})


@pytest.mark.parametrize("name", ["precision", "recall", "fbeta"])
def test_missing_options_are_named(name):
    with pytest.raises(ValueError, match=f"'{name}' needs the option 'threshold'"):
        Metric(name)


@pytest.mark.parametrize("name", [name for name in scores.__all__ if not _options_of(name)])
def test_options_with_defaults_may_be_left_out(curve, name):
    assert math.isfinite(Metric(name)(curve))


@pytest.mark.parametrize("pi0", [0, 1, -0.5, 1.5, math.nan, True, "0.5", [0.5], 0.5j], ids=repr)
def test_bad_priors(pi0):
    with pytest.raises((ValueError, TypeError), match="pi0"):
        Metric("roc_auc", pi0)


@pytest.mark.parametrize("factor", [0, -1, math.nan, math.inf, True, "2", None, [2]], ids=repr)
def test_bad_multiples_of_the_prior(factor):
    with pytest.raises((ValueError, TypeError), match="times_prior"):
        TimesPrior(factor)


@pytest.mark.parametrize("factor", [10 / 3, 3.4, 10, 1e300])
def test_multiples_that_leave_no_negatives_are_refused(curve, factor):
    """The prior is 0.3, so that a factor of 1/0.3 or more reaches 1."""
    metric = Metric("roc_auc", TimesPrior(factor))
    with pytest.raises(ValueError, match=r"times_prior=.*prior 0\.3"):
        metric(curve)
    assert math.isfinite(Metric("roc_auc", TimesPrior(3.3))(curve))


def test_a_metric_is_frozen():
    metric = Metric("roc_auc")
    with pytest.raises(AttributeError):
        metric.pi0 = 0.5
    with pytest.raises(AttributeError):
        TimesPrior(2).factor = 3
    with pytest.raises(TypeError):
        registered_scores()["mine"] = None


def test_options_given_are_not_shared(curve):
    options = {"beta": 2.0}
    metric = Metric("best_fbeta", options=options)
    options["beta"] = 3.0
    assert metric.key == "best_fbeta(beta=2)"
    assert metric(curve) == scores.best_fbeta(curve, 2)


def test_equal_metrics_are_equal():
    assert Metric("roc_auc", 0.5) == Metric("roc_auc", 0.5)
    assert Metric("roc_auc", 0.5) != Metric("roc_auc", TimesPrior(0.5))
    assert Metric("fbeta", None, {"threshold": 1}) != Metric("fbeta", None, {"threshold": 2})


# ------------------------------------------------------------------------ names


@pytest.mark.parametrize(
    ("metric", "key"),
    [
        (Metric("average_precision"), "average_precision"),
        (Metric("average_precision", 0.5), "average_precision@pi0=0.5"),
        (Metric("prg_auc", TimesPrior(1.01)), "prg_auc@pi0=1.01π"),
        (Metric("prg_auc", TimesPrior(10)), "prg_auc@pi0=10π"),
        (Metric("fbeta", 0.5, {"threshold": 0.5}), "fbeta(threshold=0.5)@pi0=0.5"),
        (Metric("fbeta", None, {"threshold": 0.5, "beta": 2}), "fbeta(beta=2,threshold=0.5)"),
    ],
)
def test_keys(metric, key):
    assert metric.key == key


@pytest.mark.parametrize(
    ("metric", "label"),
    [
        (Metric("average_precision"), "AUC-PR"),
        (Metric("average_precision", 0.5), "AUC-P$_c$R (π$_0$=0.5)"),
        (Metric("prg_auc", TimesPrior(1.01)), "AUC-P$_c$R Gain (π$_0$=1.01π)"),
        (Metric("best_fbeta"), "best F1"),
        (Metric("best_fbeta", options={"beta": 0.5}), "best F0.5"),
        (Metric("best_fbeta", 0.5), "best F1$_c$ (π$_0$=0.5)"),
        (Metric("fbeta", options={"threshold": 1}), "F1"),
        (Metric("roc_auc"), "AUC-ROC"),
    ],
)
def test_labels(metric, label):
    assert metric.label == label


def test_a_calibrated_metric_is_of_the_family_of_its_twin():
    for name in scores.__all__:
        options = _options_of(name)
        plain = Metric(name, options=options)
        assert Metric(name, 0.5, options).family == plain.family == plain.label
        assert Metric(name, TimesPrior(2), options).family == plain.family


def test_labels_and_keys_of_different_metrics_differ():
    """A key is a column of the tables: two metrics under one key lose a value."""
    for one, other in (
        (Metric("roc_auc", 0.1234567), Metric("roc_auc", 0.1234568)),
        (Metric("roc_auc", 1e-7), Metric("roc_auc", 1.0000001e-7)),
        (Metric("roc_auc", 0.9999999), Metric("roc_auc", 0.99999999)),
        (Metric("roc_auc", TimesPrior(1.0000001)), Metric("roc_auc", TimesPrior(1))),
        (
            Metric("recall", options={"threshold": 1234567.0}),
            Metric("recall", options={"threshold": 1234568.0}),
        ),
    ):
        assert one.key != other.key


# ------------------------------------------------------------------------ own scores


def test_a_name_of_ones_own_and_the_default_label(curve, own_registry):
    @register_score(label="area", name="area under ROC")
    def some_function(curve):
        return scores.roc_auc(curve)

    assert score_named("area under ROC").function is some_function
    assert Metric("area under ROC")(curve) == scores.roc_auc(curve)
    assert Metric("area under ROC", 0.5).label == "calibrated area (π$_0$=0.5)"
    assert "some_function" not in registered_scores()


def test_labels_with_braces_of_their_own(curve, own_registry):
    """A label is TeX, in which braces are common: refused when registered, or shown."""
    try:

        @register_score(label="AUC-P$_{c}$R", calibrated_label="AUC-P$_{c}$R")
        def braces(curve):
            return scores.roc_auc(curve)

    except ValueError as error:
        assert "label" in str(error)  # noqa: PT017
    else:
        assert Metric("braces").label == "AUC-P$_{c}$R"


def test_a_score_that_is_nan_is_refused(curve, own_registry):
    @register_score(label="nothing")
    def nothing(curve):
        return math.nan

    with pytest.raises(
        ValueError, match=r"metric nothing@pi0=0\.5 must be finite, is nan for ConfusionCurve"
    ):
        Metric("nothing", 0.5)(curve)


def test_any_number_a_score_returns_becomes_a_float(curve, own_registry):
    @register_score(label="count")
    def count(curve):
        return np.int64(len(curve))

    assert type(Metric("count")(curve)) is float


def test_options_are_read_from_the_signature():
    assert score_named("roc_auc").options == {}
    assert score_named("best_fbeta").options == {"beta": 1.0}
    assert score_named("fbeta").options == {"threshold": inspect.Parameter.empty, "beta": 1.0}


def test_everything_promised_is_there():
    for name in registry.__all__:
        assert hasattr(registry, name)


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_a_value_that_is_not_finite_is_refused(curve, own_registry, value):
    register_score(label="odd", name="odd")(lambda curve: value)
    with pytest.raises(ValueError, match=r"metric odd@pi0=0\.5 must be finite"):
        Metric("odd", 0.5)(curve)


def test_an_error_of_a_score_names_the_metric(curve, own_registry):
    register_score(label="broken", name="broken")(lambda curve: 1 / 0)
    with pytest.raises(ZeroDivisionError) as caught:
        Metric("broken", 0.5)(curve)
    assert any(
        "metric broken@pi0=0.5 of ConfusionCurve(" in note for note in caught.value.__notes__
    )
