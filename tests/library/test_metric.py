"""Metrics by name: options, reference priors, labels, keys, and users' own scores."""

import copy
import functools
import inspect
import math
import pickle
import re
import warnings
from dataclasses import replace
from types import FunctionType

import numpy as np
import pytest
from samples import OPTIONS, limits_of, matrix_of

from calibrated_metrics import (
    ConfusionCurve,
    ConfusionMatrix,
    Metric,
    average_precision_score,
    register_score,
    scores,
)
from calibrated_metrics.label_errors import from_predictions
from calibrated_metrics.scorers import score_function
from calibrated_metrics.scores import facts, registered_scores
from calibrated_metrics.scores.facts import facts_of
from calibrated_metrics.uncertainty import IntervalWarning, difference, interval

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture
def curve():
    return ConfusionCurve.from_predictions(
        [0, 1, 0, 0, 1, 0, 1, 0, 0, 0], [9, 8, 8, 7, 6, 5, 4, 3, 2, 1]
    )


OTHERS = {"register_score", "registered_scores"}
FUNCTIONS = {name for name in scores.__all__ if inspect.isfunction(getattr(scores, name))}
NAMES = sorted(FUNCTIONS - OTHERS)
OF_A_MATRIX = {
    *("precision", "recall", "fbeta", "specificity", "npv", "accuracy", "balanced_accuracy"),
    *("matthews_corrcoef", "cohen_kappa", "net_benefit"),
    *("positive_likelihood_ratio", "negative_likelihood_ratio"),
    *("alert_rate", "youden_index", "diagnostic_odds_ratio"),
}
THRESHOLD = 6  # a score of the curve


def _options_of(name):
    return ({"threshold": THRESHOLD} if name in OF_A_MATRIX else {}) | OPTIONS.get(name, {})


# ------------------------------------------------------------------------ values


def test_every_score_is_registered_under_its_name():
    assert set(registered_scores()) >= set(NAMES)
    for name in NAMES:
        facts = facts_of(name)
        assert facts.function is getattr(scores, name)
        assert facts_of(facts.function) is facts
        assert facts.of == ("matrix" if name in OF_A_MATRIX else "curve")


@pytest.mark.parametrize("name", NAMES)
def test_metric_is_the_score_of_the_calibrated_curve(curve, name):
    function, options = getattr(scores, name), _options_of(name)

    def value_of(curve):
        data = curve.confusion_matrix(THRESHOLD) if name in OF_A_MATRIX else curve
        return function(data, **OPTIONS.get(name, {}))

    assert Metric(name, **options)(curve) == value_of(curve)
    for pi0 in (1e-6, 0.5, 0.99):
        metric = Metric(name, pi0, **options)
        assert metric(curve) == value_of(curve.at_prior(pi0)) == metric.at(None).at(pi0)(curve)
        assert type(metric(curve)) is float


@pytest.mark.parametrize("name", sorted(OF_A_MATRIX))
def test_a_metric_of_a_decision_takes_its_matrix_without_a_threshold(curve, name):
    metric = Metric(name, 0.1, **OPTIONS.get(name, {}))
    at_threshold = Metric(metric, threshold=THRESHOLD)
    assert metric(curve.confusion_matrix(THRESHOLD)) == at_threshold(curve)
    with pytest.raises(ValueError, match=f"{name}.* needs a threshold, such as Metric"):
        metric(curve)
    with pytest.raises(ValueError, match="must be a ConfusionCurve for a Metric with a threshold"):
        at_threshold(curve.confusion_matrix(THRESHOLD))


def test_the_hint_of_a_threshold_keeps_the_options_and_takes_their_probability(curve):
    metric = Metric("net_benefit", threshold_probability=0.1)
    with pytest.raises(ValueError, match=r"threshold_probability=0.1, threshold=0.1\)"):
        metric(curve)


def test_labels_and_scores_are_taken_where_a_curve_is(curve):
    y_true, y_score = [1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1]
    of_curve = ConfusionCurve.from_predictions(y_true, y_score)
    for metric in (Metric("auprc", 0.1), Metric("ppv", 0.1, threshold=0.7)):
        assert metric((y_true, y_score)) == metric([y_true, y_score]) == metric(of_curve)


@pytest.mark.parametrize("data", [None, 1, "data", [1, 0, 1], matrix_of(1, 2, 3, 4)])
def test_other_data_is_refused_by_name(data):
    with pytest.raises(TypeError, match="data must be a ConfusionCurve"):
        Metric("roc_auc")(data)


def test_a_stack_has_a_value_for_each_matrix(curve):
    stack = curve.confusion_matrix([100, 8, 6])
    np.testing.assert_array_equal(Metric("precision")._values(stack), [np.nan, 1 / 3, 2 / 5])


# ------------------------------------------------------------------------ names that people use


SYNONYMS = {
    **dict.fromkeys(("ap", "auc_pr", "aupr", "auprc", "AUPRC"), "average_precision"),
    **dict.fromkeys(("AUC-PR", "AUC PR", "Average Precision"), "average_precision"),
    **dict.fromkeys(("average-precision", "average_precision_score"), "average_precision"),
    **dict.fromkeys(("auc", "auroc", "auc_roc", "AUC", "ROC-AUC", "roc auc"), "roc_auc"),
    **dict.fromkeys(("ppv", "PPV", "positive_predictive_value"), "precision"),
    **dict.fromkeys(("sensitivity", "tpr"), "recall"),
    **dict.fromkeys(("tnr",), "specificity"),
    **dict.fromkeys(("negative_predictive_value", "NPV"), "npv"),
    **dict.fromkeys(("mcc", "MCC"), "matthews_corrcoef"),
    **dict.fromkeys(("kappa", "Cohen's kappa"), "cohen_kappa"),
    **dict.fromkeys(("f1", "F1", "f1_score", "F1-score", "F-measure"), "fbeta"),
    **dict.fromkeys(("best_f1", "best_f1_score"), "best_fbeta"),
    **dict.fromkeys(("LR+",), "positive_likelihood_ratio"),
    **dict.fromkeys(("LR-", "LR−"), "negative_likelihood_ratio"),
    **dict.fromkeys(("Youden", "Youden's J", "youden_index"), "youden_index"),
    **dict.fromkeys(("DOR", "odds ratio"), "diagnostic_odds_ratio"),
    **dict.fromkeys(("pr_gain_auc",), "prg_auc"),
}


def test_synonyms_are_accepted(curve):
    for synonym, name in SYNONYMS.items():
        metric, same = (Metric(each, 0.2, **_options_of(name)) for each in (synonym, name))
        assert facts_of(synonym) is facts_of(name)
        assert (metric, metric.name, metric(curve)) == (same, same.name, same(curve))
        assert metric.key.startswith(synonym)  # the name that was given
        copies = pickle.loads(pickle.dumps(metric)), metric.at(None).at(0.2), Metric(metric)
        assert {each.key for each in copies} == {metric.key}


def test_a_label_is_the_name_that_was_given():
    for name, label in (("ppv", "ppv"), ("PPV", "PPV"), ("precision", "precision")):
        assert Metric(name).label == label
    assert Metric("f1").label == Metric("fbeta").label == "F1"
    assert Metric("npv").label == "NPV"


def test_no_two_metrics_have_one_name():
    names = [
        each.lower()
        for facts in registered_scores().values()
        for each in (facts.name, *facts.synonyms)
    ]
    assert len(names) == len(set(names))


def test_a_metric_is_made_of_a_name_a_function_or_a_metric():
    expected = Metric("fbeta", 0.1, beta=2.0)
    assert Metric(scores.fbeta, 0.1, beta=2.0) == expected
    assert Metric(functools.partial(scores.fbeta, beta=2.0), 0.1) == expected
    assert Metric(Metric("f1", beta=3.0), 0.1, beta=2.0) == expected
    assert Metric(Metric("f1", 0.1), beta=2.0) == expected
    assert Metric(expected) == expected
    with pytest.raises(ValueError, match=r"own reference prior 0\.1, got 0\.2"):
        Metric(expected, 0.2)


def test_any_function_is_a_metric(curve):
    metric = Metric(lambda data, power=1: scores.roc_auc(data) ** power, 0.1, power=2)
    assert metric(curve) == scores.roc_auc(curve) ** 2
    assert metric.facts.of is None
    assert metric.facts.range == (-math.inf, math.inf)
    of_matrix = Metric(lambda matrix: matrix.fn / matrix.n_pos)
    assert of_matrix(curve.confusion_matrix(8)) == 2 / 3


# ------------------------------------------------------------------------ refusals


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("recall_at_fpr", "use Metric('recall_at_specificity', specificity=1 - fpr)"),
        ("Sensitivity at FPR", "use Metric('recall_at_specificity', specificity=1 - fpr)"),
        ("PPV at FPR", "use Metric('precision_at_specificity', specificity=1 - fpr)"),
        ("gini", "it is 2 'roc_auc' - 1"),
        ("lift", "it is 'precision' / prior"),
        ("KS", "it is the highest 'youden_index': choose_threshold(curve, pi0=0.5, cost_fp=1, co"),
        ("G-mean", "it is the square root of 'recall' * 'specificity'"),
        ("jaccard_score", "it is 'f1' / (2 - 'f1')"),
        ("prauc", "use 'average_precision', or 'pr_auc' for the interpolated curve"),
        ("hit rate", "use 'recall', or 'precision' for the share of alerts that are true"),
        ("FNR", "it is 1 - 'recall'); known"),
        ("false discovery rate", "it is 1 - 'precision'); known"),
        ("prevalence", "use label_errors.prior(y_true), or audit.prior); known"),
    ],
)
def test_names_that_are_no_metrics_say_what_gives_them(name, instead):
    with pytest.raises(ValueError, match=re.escape(f"unknown metric '{name}' ({instead}")):
        Metric(name)


def test_what_hints_say_is_right(curve):
    matrix = curve.confusion_matrix(8)
    f1, tp = scores.fbeta(matrix), matrix.tp
    assert f1 / (2 - f1) == pytest.approx(tp / (tp + matrix.fp + matrix.fn))
    y_true, y_score = [1, 0, 1, 0], [0.9, 0.8, 0.4, 0.1]
    with pytest.raises(ValueError, match=r"Metric\(name, threshold=\.\.\.\), or y_s"):
        Metric("youden")((y_true, y_score))
    assert Metric("youden", threshold=0.5)((y_true, y_score)) == 0


@pytest.mark.parametrize(
    ("name", "suggestion"),
    [
        ("average_precison", "average_precision"),
        ("sensitivty", "sensitivity"),
    ],
)
def test_unknown_names_get_the_nearest_suggestion(name, suggestion):
    message = rf"unknown metric '{name}' \(did you mean '{suggestion}'\?\); known are \["
    with pytest.raises(ValueError, match=message):
        Metric(name)
    with pytest.raises(ValueError, match=r"unknown metric 'xyzzy'; known are \[.*roc_auc"):
        Metric("xyzzy")


@pytest.mark.parametrize("score", ["", None, 1, ["roc_auc"]], ids=lambda s: type(s).__name__)
def test_what_is_no_metric_is_refused(score):
    with pytest.raises((ValueError, TypeError), match="metric"):
        Metric(score)


def test_unknown_options_get_the_nearest_suggestion():
    with pytest.raises(
        ValueError, match=r"'fbeta' has no option 'bta' \(did you mean 'beta'\?\).*'threshold'"
    ):
        Metric("fbeta", threshold=0.5, bta=2)
    with pytest.raises(ValueError, match="'roc_auc' has no option 'beta'; its options: none"):
        Metric("roc_auc", beta=2)


def test_missing_options_are_named():
    required = {name: options for name, options in OPTIONS.items() if len(options) == 1}
    for name, (missing,) in required.items():
        with pytest.raises(ValueError, match=f"'{name}' needs the option '{missing}'"):
            Metric(name)


@pytest.mark.parametrize("threshold", [math.nan, "0.5", None, True, 0.5j], ids=repr)
def test_bad_thresholds_are_found_without_data(threshold):
    metric = Metric("precision", threshold=threshold)
    with pytest.raises((ValueError, TypeError), match="threshold"):
        metric.check_options()


def test_good_options_pass_the_check():
    for name in NAMES:
        Metric(name, 0.5, **_options_of(name)).check_options()
        Metric(name, 0.5, **OPTIONS.get(name, {})).check_options()
    for name in ("best_fbeta", "fbeta"):
        with pytest.raises(ValueError, match="beta"):
            Metric(name, beta=-1).check_options()


@pytest.mark.parametrize("pi0", [0, math.nan, True, "0.5", [0.5]], ids=repr)
def test_bad_priors(pi0):
    with pytest.raises((ValueError, TypeError), match="pi0"):
        Metric("roc_auc", pi0)


def test_a_metric_is_frozen():
    metric = Metric("best_fbeta", beta=2.0)
    with pytest.raises(AttributeError):
        metric.pi0 = 0.5
    with pytest.raises(TypeError):
        metric.options["beta"] = 3.0
    with pytest.raises(TypeError):
        registered_scores()["mine"] = None


def test_metrics_are_hashable_and_pickled():
    """Equal metrics have equal hashes, so that they can be keys, and can be pickled."""
    one, same, other = (Metric("fbeta", 0.5, threshold=threshold) for threshold in (1, 1.0, 2))
    assert one == same
    assert one != other
    assert Metric("roc_auc") not in (Metric("roc_auc", 0.5), Metric("pr_auc"), "roc_auc")
    assert hash(one) == hash(same)
    assert {one: "one", other: "other"}[same] == "one"
    assert len({one, same, other}) == 2
    for name in NAMES:
        metric = Metric(name, 0.1, **_options_of(name))
        assert pickle.loads(pickle.dumps(metric)) == metric


def test_equal_options_make_equal_metrics():
    assert Metric("fbeta") == Metric("fbeta", beta=1.0) == Metric("f1", beta=1)
    assert Metric("fbeta") != Metric("fbeta", beta=2.0)
    several = np.array([0.1, 0.2])
    one, same, other = (
        Metric("net_benefit", threshold_probability=each)
        for each in (several, several.tolist(), several / 2)
    )
    assert one == same
    assert one != other


def _percent(curve, factor=100.0):
    return factor * scores.roc_auc(curve)


def test_a_copy_of_an_own_metric_keeps_its_record(own_registry, monkeypatch):
    """Workers got the function without its range, label and kind."""
    register_score(label="percent", name="percent", range=(0, 100))(_percent)
    metric = Metric("percent", 0.1, factor=50)
    dumped = pickle.dumps(metric)
    of_worker = FunctionType(_percent.__code__, globals(), "_percent", _percent.__defaults__)
    returned = Metric(replace(metric.facts, function=of_worker), 0.1, factor=50)
    monkeypatch.delitem(facts._FACTS, "percent")
    data = np.arange(100) < 30, np.arange(100) % 37
    for each in (pickle.loads(dumped), copy.deepcopy(metric), returned):
        assert each == metric
        assert hash(each) == hash(metric)
        assert (each.label, each.facts.range, each.facts.of) == (
            "percent(factor=50)",
            (0, 100),
            "curve",
        )
        one, other = (interval(m, data, n_resamples=20, rng=0) for m in (each, metric))
        assert limits_of(one) == limits_of(other)


def test_a_partial_function_is_a_metric_with_its_options(own_registry):
    given = functools.partial(_percent, factor=50)
    assert Metric(given) == Metric(_percent, factor=50)
    register_score(label="half", name="half", range=(0, 50))(given)
    for metric in (Metric("half"), Metric(given), pickle.loads(pickle.dumps(Metric("half")))):
        assert metric.facts.range == (0, 50)
    at_prior = functools.partial(average_precision_score, pi0=0.1)
    assert Metric(at_prior) == Metric("average_precision", 0.1)
    with pytest.raises(ValueError, match="name must be given for a function without a name"):
        register_score(label="half")(given)


# ------------------------------------------------------------------------ names


@pytest.mark.parametrize(
    ("metric", "key"),
    [
        (Metric("average_precision"), "average_precision"),
        (Metric("average_precision", 0.5), "average_precision@pi0=0.5"),
        (Metric("fbeta", 0.5, threshold=0.5), "fbeta(threshold=0.5)@pi0=0.5"),
        (Metric("fbeta", threshold=0.5, beta=2), "fbeta(beta=2,threshold=0.5)"),
    ],
)
def test_keys(metric, key):
    assert metric.key == key
    assert repr(metric) == f"Metric({key!r})"


def test_keys_of_different_metrics_differ():
    """A key is a column of the tables: two metrics under one key lose a value."""
    for one, other in (
        (Metric("roc_auc", 0.1234567), Metric("roc_auc", 0.1234568)),
        (Metric("roc_auc", 1e-7), Metric("roc_auc", 1.0000001e-7)),
        (Metric("roc_auc", 0.9999999), Metric("roc_auc", 0.99999999)),
        (Metric("recall", threshold=1234567.0), Metric("recall", threshold=1234568.0)),
    ):
        assert one.key != other.key


# ------------------------------------------------------------------------ own scores


def test_an_own_score_of_a_curve_is_usable_and_calibrated_too(curve, own_registry):
    with pytest.raises(ValueError, match="unknown metric 'lift'"):
        Metric("lift")

    @register_score(label="lift at {share:g}", range=(0, math.inf), synonyms=("Gain",))
    def lift(curve, share=0.1):
        return curve.tp[1] + curve.fp[1] + share

    assert lift(curve) == 1.1  # still a function
    assert Metric("lift")(curve) == Metric("gain")(curve) == Metric(lift)(curve) == 1.1
    assert Metric("lift", 0.5)(curve) == pytest.approx(curve.at_prior(0.5).fp[1] + 0.1)
    assert Metric("lift", share=0.25).label == "lift at 0.25"
    assert Metric("lift", 0.5).key == "lift@pi0=0.5"
    with pytest.raises(ValueError, match="did you mean 'lift'"):
        Metric("lfit")
    with pytest.raises(ValueError, match="did you mean 'share'"):
        Metric("lift", shar=1)


def test_an_own_score_of_a_matrix_takes_a_threshold(curve, own_registry):
    @register_score(label="cost per {cost:g}", of="matrix", range=(-math.inf, 0))
    def cost(matrix, cost=1.0):
        return -(matrix.fp + cost * matrix.fn)

    assert facts_of("cost").options == {"cost": 1.0}
    assert Metric("cost", cost=5)(curve.confusion_matrix(6)) == -(3 + 5 * 1)
    assert Metric("cost", threshold=6, cost=5)(curve) == -(3 + 5 * 1)
    calibrated = Metric("cost", 0.5, threshold=6)
    assert calibrated(curve) == pytest.approx(-(3 * 3 / 7 + 1))
    assert calibrated.key == "cost(threshold=6)@pi0=0.5"
    assert calibrated.label == "cost per 1"


def test_an_own_share_has_the_interval_of_ours(own_registry):
    share = {"label": "own", "of": "matrix", "share": (("tp",), ("fp",))}
    own = register_score(**share)(lambda matrix: matrix.tp / (matrix.tp + matrix.fp))
    few = ConfusionMatrix(tp=5, fp=0, fn=20, tn=75)
    for data in (few, few.at_prior(0.1)):
        assert limits_of(interval(own, data)) == limits_of(interval("precision", data))
    assert interval(own, few).low > 0.4  # the exact one; by the counts of two classes it is 0.2


def test_an_own_share_must_name_what_the_metric_depends_on(own_registry):
    with pytest.raises(ValueError, match=r"share must name each outcome .* without 'fp'"):

        @register_score(label="own", of="matrix", share=(("tp",), ("fn",)))
        def precision_of_my_own(matrix):
            return matrix.tp / (matrix.tp + matrix.fp)


def test_a_score_of_a_matrix_has_no_threshold_of_its_own(own_registry):
    with pytest.raises(ValueError, match="threshold"):

        @register_score(label="odd", of="matrix")
        def odd(matrix, threshold=0.5):
            return matrix.tp


def test_a_score_is_registered_with_parentheses(own_registry):
    with pytest.raises(TypeError, match=r"needs parentheses and a label: @register_score\(label="):

        @register_score
        def odd(curve):
            return 0.5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"label": 3}, "label must be a string, got 3"),
        ({"name": 3}, "name must be a string, got 3"),
        ({"of": "matrices"}, 'of must be "curve" or "matrix", got \'matrices\''),
        ({"of": ["curve"]}, 'of must be "curve" or "matrix", got'),
        ({"range": 3}, "range must be a pair of numbers, got 3"),
        ({"range": ("a", "b")}, "range must be a pair of numbers, got"),
        ({"range": (0, 0)}, "range must ascend, got"),
        ({"range": (0, math.nan)}, "range must ascend, got"),
        ({"synonyms": "one"}, "synonyms must be a tuple of strings, got 'one'"),
        ({"synonyms": (1,)}, r"synonyms must be a tuple of strings, got \(1,\)"),
        ({"share": (("tp",), ("fp",))}, "share must be .* of=\"matrix\", .* and of='curve'"),
        ({"of": "matrix", "share": "tp"}, "share must be successes and failures"),
        ({"of": "matrix", "share": (("tp",), ("p",))}, "share must be successes and failures"),
    ],
)
def test_bad_arguments_of_a_registration_are_named(own_registry, arguments, message):
    with pytest.raises((ValueError, TypeError), match=message):
        register_score(**{"label": "odd", **arguments})


def test_only_functions_are_registered(own_registry):
    with pytest.raises(TypeError, match="a registered score must be a function, got 3"):
        register_score(label="odd", name="odd")(3)


# ------------------------------------------------------------------------ replacing


def _score_of(module, name, value):
    def score(curve):
        return value

    score.__name__, score.__module__ = name, module
    return score


@pytest.mark.parametrize("module", ["__main__", "a_file"])
def test_a_module_may_register_its_score_again(curve, own_registry, module):
    """A cell of a notebook is run again, a module is reloaded."""
    for value in (0.25, 0.75):
        register_score(label="own", synonyms=("mine",))(_score_of(module, "own", value))
        assert Metric("own")(curve) == Metric("mine")(curve) == value
    register_score(label="own")(_score_of(module, "own", 0.5))
    with pytest.raises(ValueError, match="unknown metric 'mine'"):
        Metric("mine")


@pytest.mark.parametrize(
    ("first", "second"), [("__main__", "a_file"), ("a_file", "__main__"), ("a_file", "another")]
)
def test_a_score_of_another_module_is_never_replaced(curve, own_registry, first, second):
    register_score(label="own", synonyms=("mine",))(_score_of(first, "own", 0.25))
    for name in ("own", "mine", "Own"):
        with pytest.raises(ValueError, match=f"'{name}' is already registered"):
            register_score(label="own", name=name)(_score_of(second, "own", 0.75))
    with pytest.raises(ValueError, match="'own' is already registered"):
        register_score(label="other", synonyms=("own",))(_score_of(second, "other", 0.75))
    assert Metric("own")(curve) == Metric("mine")(curve) == 0.25


def test_a_built_in_score_is_never_replaced(own_registry):
    for name in (*NAMES, "f1", "PPV"):
        before = facts_of(name)
        for function, options in (
            (_score_of("__main__", name, 0.25), {}),
            (_score_of("a_file", "other", 0.25), {"name": name}),
            (_score_of("__main__", "other", 0.25), {"synonyms": (name,)}),
        ):
            with pytest.raises(ValueError, match=f"'{name}' is already registered"):
                register_score(label="own", **options)(function)
        assert facts_of(name) is before


@pytest.mark.parametrize("name", NAMES)
def test_the_kind_of_data_is_checked_by_position_and_by_name(curve, name):
    """By name, `precision` of a curve gave a number per vertex."""
    function, options = getattr(scores, name), OPTIONS.get(name, {})
    first, right = (
        ("matrix", curve.confusion_matrix(6)) if name in OF_A_MATRIX else ("curve", curve)
    )
    wrong = curve if first == "matrix" else curve.confusion_matrix(6)
    with_errors = from_predictions([0, 1, 0, 1], [1, 2, 3, 4], label_sensitivity=0.9)
    np.testing.assert_equal(function(**{first: right}, **options), function(right, **options))
    for data in (wrong, with_errors, [1, 0], None):
        with pytest.raises(TypeError, match=f"{name} takes a Confusion{first.capitalize()}"):
            function(data, **options)
        with pytest.raises(TypeError, match=f"{name} takes a Confusion{first.capitalize()}"):
            function(**{first: data}, **options)


# ------------------------------------------------------------------------ ranges


RANGES = {
    "prg_auc": (-math.inf, 1.0),
    "matthews_corrcoef": (-1.0, 1.0),
    "cohen_kappa": (-1.0, 1.0),
    "net_benefit": (-math.inf, 1.0),
    "positive_likelihood_ratio": (0.0, math.inf),
    "negative_likelihood_ratio": (0.0, math.inf),
    "youden_index": (-1.0, 1.0),
    "diagnostic_odds_ratio": (0.0, math.inf),
}


def test_only_the_negative_likelihood_ratio_is_better_if_smaller():
    smaller = [name for name in NAMES if not facts_of(name).greater_is_better]
    assert smaller == ["negative_likelihood_ratio"]


def test_ranges_of_the_built_in_scores():
    for name in NAMES:
        assert facts_of(name).range == RANGES.get(name, (0.0, 1.0)), name


def test_scales_of_intervals_hold_the_range():
    """They are narrower only where the prior excludes values."""
    half = ConfusionMatrix.from_rates(tpr=0.5, fpr=0.5, prior=0.5)
    tenth, third = (half.at_prior(pi) for pi in (0.1, 0.3))
    for name in NAMES:
        metric = Metric(name, **_options_of(name))
        low, high = metric._scale(third)
        assert low <= metric.facts.range[0] < high
    assert Metric("precision_at_top", alert_rate=0.3)._scale(tenth) == (0, pytest.approx(1 / 3))
    at_specificity = Metric("precision_at_specificity", specificity=0.9)
    assert at_specificity._scale(tenth) == (0, pytest.approx(0.1 / (0.1 + 0.1 * 0.9)))
    assert Metric("recall_at_top", alert_rate=0.1)._scale(third) == (0, pytest.approx(1 / 3))


def test_a_value_outside_the_range_is_refused(curve, own_registry):
    register_score(label="percent", name="percent")(lambda curve: 50.0)
    message = r"'percent' must lie in its range \(0, 1\), got 50"
    with pytest.raises(ValueError, match=message):
        Metric("percent")(curve)
    with pytest.raises(ValueError, match=message):  # it was not checked
        score_function("percent")([0, 1], [0.1, 0.9])


# ------------------------------------------------------------------------ the rest


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan, "0.5", None, True])
def test_a_value_that_is_no_finite_number_is_refused(curve, own_registry, value):
    register_score(label="odd", name="odd")(lambda curve: value)
    with pytest.raises((ValueError, TypeError), match="metric 'odd' must be a "):
        Metric("odd", 0.5)(curve)


def test_an_error_of_a_score_names_the_metric(curve, own_registry):
    register_score(label="broken", name="broken")(lambda curve: 1 / 0)
    with pytest.raises(ValueError, match="the metric is undefined: it divides by 0") as caught:
        Metric("broken", 0.5)(curve)
    assert any(
        "metric broken@pi0=0.5 of ConfusionCurve(" in note for note in caught.value.__notes__
    )


@pytest.mark.parametrize(
    "miss_rate",
    [
        lambda matrix: matrix.fn / matrix.n_pos if matrix.n_pos else 0.0,
        lambda matrix: max(matrix.fn, 0) / matrix.n_pos,
        lambda matrix: math.sqrt((matrix.fn / matrix.n_pos) ** 2),
        lambda matrix: 1 - scores.recall(matrix),
    ],
)
def test_an_own_score_gets_one_matrix_at_a_time_in_every_function(own_registry, miss_rate):
    """Intervals gave it a stack, so that `if`, `max` and `math` failed there only."""
    data = np.repeat([1, 0, 1, 0], [20, 5, 10, 65]), np.repeat([1, 1, 0, 0], [20, 5, 10, 65])
    register_score(label="missed", name="own", of="matrix")(miss_rate)
    assert score_function("own")(*data, pi0=[0.1, 0.2]) == pytest.approx([1 / 3, 1 / 3])
    register_score(label="missed", name="stacks", of="matrix", stacks=True)(
        lambda matrix: matrix.fn / matrix.n_pos
    )
    for design in (
        {},
        {"clusters": np.arange(100) // 2},
        {"sample_weight": 1 + np.arange(100) % 3},
    ):
        matrix = ConfusionMatrix.from_predictions(*data, **design)
        one, stack = (interval(name, matrix, pi0=0.1) for name in ("own", "stacks"))
        assert limits_of(one) == pytest.approx(limits_of(stack), rel=1e-9)


def test_an_error_of_an_own_score_in_an_interval_names_it(own_registry):
    @register_score(label="own", of="matrix", stacks=True)
    def of_stacks(matrix):
        return matrix.fn / matrix.n_pos if np.ndim(matrix.fn) == 0 else [1.0, "two"]

    with pytest.raises(ValueError, match="could not convert") as caught:
        interval("of_stacks", ConfusionMatrix(tp=9, fp=5, fn=9, tn=50))
    assert any("metric of_stacks of ConfusionMatrix(" in note for note in caught.value.__notes__)
    with pytest.raises(ValueError, match=r'stacks must be False for of="curve", got True'):
        register_score(label="own", stacks=True)


def test_an_error_of_an_option_is_not_hidden_by_its_note():
    metric = Metric("fbeta", threshold=0.5, beta="2")
    with pytest.raises(TypeError, match="beta must be a real number, got '2'"):
        metric(ConfusionCurve.from_predictions([1, 0], [0.9, 0.1]))


def test_a_metric_stays_usable_after_its_function_was_registered_anew(own_registry):
    """A plug-in that runs again replaces its functions."""

    def register():
        @register_score(label="miss rate", of="matrix", greater_is_better=False)
        def miss_rate(matrix):
            return matrix.fn / matrix.n_pos

    register()
    metric = Metric("miss_rate", threshold=0.5)
    register()
    for each in (metric.at(None), metric.at(0.1), Metric(metric)):
        assert each(([0, 1, 1, 1], [0.9, 0.7, 0.6, 0.1])) == pytest.approx(1 / 3)
        assert not each.facts.greater_is_better


def test_a_metric_of_a_matrix_does_not_take_a_pair_of_labels_unless_it_is_registered():
    def own_precision(matrix):
        return matrix.tp / (matrix.tp + matrix.fp + 1)

    with pytest.raises(
        TypeError, match=r"one number for a curve.* needs a ConfusionMatrix, or reg"
    ):
        Metric(own_precision)(([1, 0, 1, 0], [1, 0, 0, 1]))


def test_predicted_labels_in_place_of_scores_are_noticed():
    y_true, y_score = np.arange(400) % 4 == 0, np.arange(400) % 7
    decisions = y_true, y_score > 3
    said = "the scores are only 0 and 1"
    for ranked in (Metric("average_precision"), functools.partial(interval, "average_precision")):
        with pytest.warns(UserWarning, match=said):
            ranked(decisions)
    with pytest.warns(UserWarning, match=said):
        average_precision_score(*decisions)
    with pytest.warns(IntervalWarning, match=said):
        difference("roc_auc", (y_true, y_score), decisions, paired=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        average_precision_score(y_true, y_score)
        average_precision_score([0, 0, 1, 0], [2, 1, 0, 3])  # its vertices are at 1 and 0
        for share in ("precision", Metric("precision", threshold=0.5)):
            interval(share, decisions)
