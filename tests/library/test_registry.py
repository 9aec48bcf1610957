"""Metrics by name: options, reference priors, labels, keys, and users' own scores."""

import inspect
import math
import pickle

import numpy as np
import pytest

from calibrated_metrics import ConfusionCurve, label_free, register_score, registry, scores
from calibrated_metrics.registry import (
    Metric,
    TimesPrior,
    bounds_of,
    forget_scores_of,
    registered_scores,
    score_named,
    thresholds_of,
    values_of,
)

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture
def curve():
    return ConfusionCurve.from_predictions(
        [0, 1, 0, 0, 1, 0, 1, 0, 0, 0], [9, 8, 8, 7, 6, 5, 4, 3, 2, 1]
    )


NAMES = [name for name in scores.__all__ if inspect.isfunction(getattr(scores, name))]
OF_A_MATRIX = {
    *("precision", "recall", "fbeta", "specificity", "npv", "accuracy", "balanced_accuracy"),
    *("matthews_corrcoef", "cohen_kappa", "net_benefit"),
    *("positive_likelihood_ratio", "negative_likelihood_ratio"),
}
THRESHOLD = 6  # a score of the curve
REQUIRED = {
    "net_benefit": {"threshold_probability": 0.2},
    "partial_roc_auc": {"max_fpr": 0.3},
    "partial_gains_auc": {"max_alert_rate": 0.3},
    "precision_at_recall": {"recall": 0.5},
    "recall_at_precision": {"precision": 0.2},
    "precision_at_top": {"alert_rate": 0.3},
    "recall_at_top": {"alert_rate": 0.3},
}


def _options_of(name):
    return ({"threshold": THRESHOLD} if name in OF_A_MATRIX else {}) | REQUIRED.get(name, {})


# ------------------------------------------------------------------------ values


def test_every_score_is_registered_under_its_name():
    assert set(registered_scores()) >= set(NAMES)
    for name in NAMES:
        assert score_named(name).function is getattr(scores, name)
        assert (score_named(name).of == "matrix") == (name in OF_A_MATRIX)


@pytest.mark.parametrize("name", NAMES)
def test_metric_is_the_score_of_the_calibrated_curve(curve, name):
    function, options = getattr(scores, name), _options_of(name)

    def value_of(curve):
        data = curve.confusion_matrix(THRESHOLD) if name in OF_A_MATRIX else curve
        return function(data, **REQUIRED.get(name, {}))

    assert Metric(name, options=options)(curve) == value_of(curve)
    for pi0 in (1e-6, 0.5, 0.99):
        metric = Metric(name, pi0, options)
        assert metric(curve) == value_of(curve.at_prior(pi0))
        assert type(metric(curve)) is float


def test_a_score_at_the_threshold_is_predicted_positive(curve):
    """Scores 8 and 8, one of each class, and 9, a negative."""
    for threshold, expected in ((8, 1 / 3), (np.nextafter(8, 9), 0.0)):
        assert Metric("precision", options={"threshold": threshold})(curve) == expected


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
    at_threshold = curve.at_prior(0.1).confusion_matrix(5.5)
    options = {"threshold": 5.5, "beta": 0.5}
    assert Metric("fbeta", 0.1, options)(curve) == scores.fbeta(at_threshold, 0.5)
    assert options == {"threshold": 5.5, "beta": 0.5}  # not used up


def test_thresholds_of_metrics():
    metrics = [
        Metric("roc_auc"),
        Metric("precision", options={"threshold": 0.7}),
        Metric("npv", 0.1, {"threshold": -2.5}),
        Metric("fbeta", 0.1, {"threshold": 0.7, "beta": 0.5}),
        Metric("best_fbeta", options={"beta": 9}),
    ]
    assert thresholds_of(metrics) == [-2.5, 0.7]
    assert thresholds_of(iter(metrics[:2])) == [0.7]
    assert thresholds_of([]) == []


def test_thresholds_of_own_scores_of_a_curve(own_registry):
    """A default counts; an option with another name does not."""

    @register_score(label="F2")
    def f2(curve, threshold=1 / 3, level=0.9):
        return scores.fbeta(curve.confusion_matrix(threshold), 2.0)

    assert thresholds_of([Metric("f2"), Metric("f2", options={"threshold": 0.25})]) == [0.25, 1 / 3]


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


def test_other_names_of_scores_are_translated():
    with pytest.raises(ValueError, match=r"unknown score 'PPV' \(it is 'precision' here\); reg"):
        score_named("PPV")
    assert set(registry._SYNONYMS.values()) <= set(registered_scores())
    assert not set(registry._SYNONYMS) & set(registered_scores())


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


@pytest.mark.parametrize("name", sorted(OF_A_MATRIX | set(REQUIRED)))
def test_missing_options_are_named(name):
    given = _options_of(name)
    for missing in given:
        with pytest.raises(ValueError, match=f"'{name}' needs the option '{missing}'"):
            Metric(name, options={key: given[key] for key in given if key != missing})


@pytest.mark.parametrize("threshold", [math.nan, "0.5", None, True, 0.5j], ids=repr)
def test_bad_thresholds_are_found_without_data(threshold):
    metric = Metric("precision", options={"threshold": threshold})
    with pytest.raises((ValueError, TypeError), match="threshold"):
        metric.check_options()


def test_good_options_pass_the_check():
    for name in NAMES:
        Metric(name, 0.5, _options_of(name)).check_options()
    with pytest.raises(ValueError, match="beta"):
        Metric("best_fbeta", options={"beta": -1}).check_options()


@pytest.mark.parametrize("name", [name for name in NAMES if not _options_of(name)])
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


def test_metrics_are_hashable():
    """Equal metrics have one hash, so that they can be keys."""
    one, same, other = (Metric("fbeta", 0.5, {"threshold": threshold}) for threshold in (1, 1.0, 2))
    assert hash(one) == hash(same)
    assert {one: "one", other: "other"}[same] == "one"
    assert len({one, same, other, Metric("fbeta", TimesPrior(2), {"threshold": 1})}) == 3
    assert pickle.loads(pickle.dumps(one)) == one


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
        (Metric("npv", 0.25, {"threshold": 1}), "NPV$_c$ (π$_0$=0.25)"),
        (Metric("specificity", options={"threshold": 1}), "specificity"),
        (Metric("accuracy", 0.5, {"threshold": 1}), "accuracy$_c$ (π$_0$=0.5)"),
    ],
)
def test_labels(metric, label):
    assert metric.label == label


def test_a_calibrated_metric_is_of_the_family_of_its_twin():
    for name in NAMES:
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


def test_an_own_score_of_a_curve_is_usable_and_calibrated_too(curve, own_registry):
    with pytest.raises(ValueError, match="unknown score 'lift'"):
        Metric("lift")

    @register_score(label="lift at {share:g}", calibrated_label="calibrated lift at {share:g}")
    def lift(curve, share=0.1):
        return curve.tp[1] + curve.fp[1] + share

    assert lift(curve) == 1.1  # still a function
    assert Metric("lift")(curve) == 1.1
    assert Metric("lift", 0.5)(curve) == pytest.approx(curve.at_prior(0.5).fp[1] + 0.1)
    assert Metric("lift", TimesPrior(2), {"share": 0.25}).label == (
        "calibrated lift at 0.25 (π$_0$=2π)"
    )
    assert Metric("lift", 0.5).key == "lift@pi0=0.5"
    with pytest.raises(ValueError, match="did you mean 'lift'"):
        Metric("lfit")
    with pytest.raises(ValueError, match="did you mean 'share'"):
        Metric("lift", options={"shar": 1})


def test_an_own_score_of_a_matrix_needs_a_threshold(curve, own_registry):
    @register_score(label="cost per {cost:g}", of="matrix", bounds=(-math.inf, 0))
    def cost(matrix, cost=1.0):
        return -(matrix.fp + cost * matrix.fn)

    assert score_named("cost").options == {"threshold": inspect.Parameter.empty, "cost": 1.0}
    with pytest.raises(ValueError, match="'cost' needs the option 'threshold'"):
        Metric("cost")
    metric = Metric("cost", None, {"threshold": 6, "cost": 5})
    assert metric(curve) == -(3 + 5 * 1)
    calibrated = Metric("cost", 0.5, {"threshold": 6})
    assert calibrated(curve) == pytest.approx(-(3 * 3 / 7 + 1))
    assert calibrated.key == "cost(threshold=6)@pi0=0.5"
    assert calibrated.label == "calibrated cost per 1 (π$_0$=0.5)"
    assert thresholds_of([metric]) == [6]
    assert values_of([metric, calibrated], curve) == {
        metric.key: metric(curve),
        calibrated.key: calibrated(curve),
    }


def test_a_score_of_a_matrix_has_no_threshold_of_its_own(own_registry):
    with pytest.raises(ValueError, match="threshold"):

        @register_score(label="odd", of="matrix")
        def odd(matrix, threshold=0.5):
            return matrix.tp


@pytest.mark.parametrize("of", ["matrices", "Matrix", "", None, ["curve"]], ids=repr)
def test_a_score_is_of_a_curve_or_of_a_matrix(own_registry, of):
    with pytest.raises(ValueError, match='of must be "curve" or "matrix", got'):
        register_score(label="odd", of=of)


# ------------------------------------------------------------------------ replacing


def _score_of(module, name, value):
    def score(curve):
        return value

    score.__name__, score.__module__ = name, module
    return score


def test_a_session_may_register_its_own_score_again(curve, own_registry):
    for value in (0.25, 0.75):
        register_score(label="own")(_score_of("__main__", "own", value))
        assert Metric("own")(curve) == value


@pytest.mark.parametrize(
    ("first", "second"),
    [("__main__", "a_file"), ("a_file", "__main__"), ("a_file", "a_file"), ("a_file", "another")],
)
def test_a_score_of_a_file_is_never_replaced(curve, own_registry, first, second):
    register_score(label="own")(_score_of(first, "own", 0.25))
    with pytest.raises(ValueError, match="'own' is already registered"):
        register_score(label="own")(_score_of(second, "own", 0.75))
    assert Metric("own")(curve) == 0.25


@pytest.mark.parametrize("module", ["__main__", "a_file"])
@pytest.mark.parametrize("name", NAMES)
def test_a_built_in_score_is_never_replaced(own_registry, module, name):
    before = score_named(name)
    with pytest.raises(ValueError, match=f"'{name}' is already registered"):
        register_score(label="own")(_score_of(module, name, 0.25))
    with pytest.raises(ValueError, match=f"'{name}' is already registered"):
        register_score(label="own", name=name)(_score_of(module, "other", 0.25))
    assert score_named(name) is before


def test_the_scores_of_a_module_are_forgotten(own_registry):
    for module, name in (("a_file", "one"), ("a_file", "two"), ("another", "three")):
        register_score(label=name)(_score_of(module, name, 0.5))
    forget_scores_of("a_file")
    assert set(registered_scores()) == {*NAMES, "three"}
    register_score(label="one")(_score_of("another", "one", 0.5))
    forget_scores_of("a_file")
    assert score_named("one")


# ------------------------------------------------------------------------ bounds


BOUNDS = {
    "prg_auc": (-math.inf, 1.0),
    "matthews_corrcoef": (-1.0, 1.0),
    "cohen_kappa": (-1.0, 1.0),
    "net_benefit": (-math.inf, 1.0),
    "positive_likelihood_ratio": (0.0, math.inf),
    "negative_likelihood_ratio": (0.0, math.inf),
}


def test_only_the_negative_likelihood_ratio_is_better_if_smaller():
    smaller = [name for name in NAMES if not score_named(name).greater_is_better]
    assert smaller == ["negative_likelihood_ratio"]


def test_bounds_of_the_built_in_scores():
    for name in NAMES:
        expected = BOUNDS.get(name, (0.0, 1.0))
        assert bounds_of(getattr(scores, name)) == expected
        assert bounds_of(Metric(name, 0.5, _options_of(name))) == expected


def test_bounds_of_own_scores(own_registry):
    register_score(label="own", bounds=(-1, 1), name="named")(own := _score_of("x", "own", 0))
    assert bounds_of(own) == bounds_of(Metric("named")) == (-1, 1)
    register_score(label="default")(default := _score_of("x", "default", 0))
    assert bounds_of(default) == (0, 1)


def test_bounds_of_an_unknown_function_are_infinite():
    assert bounds_of(lambda curve: 0.5) == (-math.inf, math.inf)


@pytest.mark.parametrize("bounds", [(1, 0), (0, 0), (0, math.nan), (math.nan, 1), (math.inf, 0)])
def test_bounds_must_ascend(own_registry, bounds):
    with pytest.raises(ValueError, match="bounds must ascend, got"):
        register_score(label="odd", bounds=bounds)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"label": 3}, "label must be a string, got 3"),
        ({"label": "odd", "name": 3}, "name must be a string, got 3"),
        ({"label": "odd", "bounds": 3}, "bounds must be a pair of numbers, got 3"),
        ({"label": "odd", "bounds": ("a", "b")}, "bounds must be a pair of numbers, got"),
    ],
)
def test_arguments_of_another_type_are_named(own_registry, arguments, message):
    with pytest.raises(TypeError, match=message):
        register_score(**arguments)


def test_only_functions_are_registered(own_registry):
    with pytest.raises(TypeError, match="a registered score must be a function, got 3"):
        register_score(label="odd", name="odd")(3)


def test_arbitrary_keywords_are_no_option(own_registry):
    def constant(curve, **options):
        return 0.5

    register_score(label="constant")(constant)
    assert Metric("constant")(ConfusionCurve.from_predictions([0, 1], [0, 1])) == 0.5


def test_bounds_limit_the_intervals_of_an_own_score(own_registry):
    def share(curve):
        return scores.average_precision(curve)

    y_prob = np.random.default_rng(0).beta(0.2, 0.3, 60)
    free = label_free.estimate(share, y_prob, n_resamples=50, rng=0)
    bounds = (free.value - 1e-3, free.value + 1e-3)
    register_score(label="share", bounds=bounds)(share)
    for score in (share, Metric("share")):
        cut = label_free.estimate(score, y_prob, n_resamples=50, rng=0)
        assert (cut.low, cut.high) == bounds
        assert (cut.value, cut.standard_error) == (free.value, free.standard_error)
    assert free.low < bounds[0] < bounds[1] < free.high


# ------------------------------------------------------------------------ the rest


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
        ValueError, match=r"metric nothing@pi0=0\.5 must be finite, got nan for ConfusionCurve"
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
    assert score_named("npv").options == {"threshold": inspect.Parameter.empty}


def test_public_names_exist():
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


def test_options_that_are_no_mapping_are_refused():
    with pytest.raises(TypeError, match=r"options must be a mapping, got 0\.5"):
        registry.Metric("roc_auc", options=0.5)


def test_an_error_of_an_option_is_not_hidden_by_its_note():
    metric = registry.Metric("fbeta", options={"threshold": 0.5, "beta": "2"})
    with pytest.raises(TypeError, match="beta must be a real number, got '2'"):
        metric(ConfusionCurve.from_predictions([1, 0], [0.9, 0.1]))
