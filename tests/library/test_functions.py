"""The scikit-learn-shaped functions: against scikit-learn, at any prior, for any input."""

import inspect
import itertools
import math
import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn.metrics
from samples import short

from calibrated_metrics import functions, scores
from calibrated_metrics.scores import UndefinedMetricWarning, registered_scores
from calibrated_metrics.scores.facts import facts_of

pytestmark = pytest.mark.filterwarnings("error")

Y_TRUE = [0, 1, 0, 0, 1, 0, 1, 0, 0, 0]
Y_SCORE = [9, 8, 8, 7, 6, 5, 4, 3, 2, 1]
Y_PRED = [1, 1, 0, 0, 1, 0, 0, 0, 1, 0]
WEIGHTS = [1, 2, 3, 1, 1, 0, 2, 1, 4, 1]

# Metrics without a function of labels.
BY_NAME = {
    "alert_rate",
    "youden_index",
    "diagnostic_odds_ratio",
    "recall_at_specificity",
    "specificity_at_recall",
}
OF_LIBRARY = [
    name
    for name, facts in registered_scores().items()
    if hasattr(scores, facts.function.__name__) and name not in BY_NAME
]
CURVES = [
    functions.precision_recall_curve,
    functions.precision_recall_gain_curve,
    functions.roc_curve,
]


def _samples(n_samples=60, seed=0, n=60):
    rng = np.random.default_rng(seed)
    for _ in range(n_samples):
        size = int(rng.integers(4, n))
        y_true = rng.permutation(np.arange(size) < rng.integers(1, size))
        y_score = np.round(rng.normal(size=size) + y_true, int(rng.integers(0, 3)))
        weights = rng.integers(0, 4, size).astype(float)
        weights[[np.argmax(y_true), np.argmin(y_true)]] = 2
        yield y_true.astype(int), y_score, weights


# ------------------------------------------------------------------------ scikit-learn


# Our function, that of scikit-learn, and the options of both.
AS_IN_SCIKIT_LEARN = [
    ("precision_score", "precision_score", {}, {}),
    ("recall_score", "recall_score", {}, {}),
    ("f1_score", "f1_score", {}, {}),
    ("fbeta_score", "fbeta_score", {"beta": 0.5}, {"beta": 0.5}),
    ("specificity_score", "recall_score", {}, {"pos_label": 0}),
    ("npv_score", "precision_score", {}, {"pos_label": 0}),
    ("accuracy_score", "accuracy_score", {}, {}),
    ("balanced_accuracy_score", "balanced_accuracy_score", {}, {}),
    ("matthews_corrcoef_score", "matthews_corrcoef", {"zero_division": 0}, {}),
    ("cohen_kappa_score", "cohen_kappa_score", {}, {}),
]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("ours", "theirs", "of_ours", "of_theirs"), AS_IN_SCIKIT_LEARN, ids=str)
def test_hard_metrics_equal_those_of_scikit_learn(ours, theirs, of_ours, of_theirs, weighted):
    rng = np.random.default_rng(1)
    both = (getattr(functions, ours), of_ours), (getattr(sklearn.metrics, theirs), of_theirs)
    for k, (y_true, y_score, weights) in enumerate(_samples(30)):
        cut = (np.inf, -np.inf, *rng.choice(y_score, 3))[k % 5]
        y_pred, sample_weight = (y_score > cut).astype(int), weights if weighted else None
        values = []
        for function, options in both:
            undefined = {"zero_division": (0, 1, np.nan)[k % 3]}
            given = options if not _takes_zero_division(function) else {**undefined, **options}
            values.append(function(y_true, y_pred, sample_weight=sample_weight, **given))
        assert values[0] == pytest.approx(values[1], rel=1e-13, nan_ok=True)


def _takes_zero_division(function):
    return "zero_division" in inspect.signature(function).parameters


@pytest.mark.parametrize("weighted", [False, True])
def test_precision_recall_curve_is_scikit_learns_with_fewer_vertices(weighted):
    """drop_intermediate keeps one point per run of negatives; ours are among all of theirs."""
    for y_true, y_score, weights in _samples():
        sample_weight = weights if weighted else None
        ours = functions.precision_recall_curve(y_true, y_score, sample_weight=sample_weight)
        theirs = sklearn.metrics.precision_recall_curve(
            y_true, y_score, sample_weight=sample_weight
        )
        fewer = sklearn.metrics.precision_recall_curve(
            y_true, y_score, sample_weight=sample_weight, drop_intermediate=True
        )
        ours, theirs, fewer = (_by_threshold(*curve) for curve in (ours, theirs, fewer))
        assert set(fewer) - set(ours) <= {_at_zero_recall(fewer)}
        for threshold in ours:
            assert ours[threshold] == pytest.approx(theirs[threshold], rel=1e-12)


def _by_threshold(precision, recall, thresholds):
    assert len(precision) == len(recall) == len(thresholds) + 1
    assert (precision[-1], recall[-1]) == (1, 0)
    assert (np.diff(thresholds) > 0).all()
    assert (np.diff(recall) <= 0).all()
    return {
        float(t): (p, r) for t, p, r in zip(thresholds, precision[:-1], recall[:-1], strict=True)
    }


def _at_zero_recall(curve):
    """The highest threshold: scikit-learn keeps it inside a run of negatives too."""
    return max(curve)


@pytest.mark.parametrize("weighted", [False, True])
def test_roc_curve_is_scikit_learns_with_other_vertices_on_the_same_lines(weighted):
    for y_true, y_score, weights in _samples():
        sample_weight = weights if weighted else None
        fpr, tpr, thresholds = functions.roc_curve(y_true, y_score, sample_weight=sample_weight)
        full = sklearn.metrics.roc_curve(
            y_true, y_score, sample_weight=sample_weight, drop_intermediate=False
        )
        at = {threshold: (f, t) for f, t, threshold in zip(*full, strict=True)}
        for f, t, threshold in zip(fpr, tpr, thresholds, strict=True):
            assert (f, t) == pytest.approx(at[threshold], rel=1e-12)
        assert thresholds[0] == np.inf
        assert sklearn.metrics.auc(fpr, tpr) == pytest.approx(sklearn.metrics.auc(*full[:2]))


# ------------------------------------------------------------------------ priors


@pytest.mark.parametrize("make", [list, tuple, np.array, pd.Series, lambda p: np.array(p, "f4")])
def test_several_priors_give_an_array(case, make):
    priors = [1e-6, 0.3, 0.5, 0.5, 1 - 1e-6]
    values = case(Y_TRUE, Y_SCORE, pi0=make(priors), sample_weight=WEIGHTS)
    assert isinstance(values, np.ndarray)
    assert values.dtype == np.float64
    one_by_one = [
        case(Y_TRUE, Y_SCORE, pi0=float(pi0), sample_weight=WEIGHTS) for pi0 in make(priors)
    ]
    np.testing.assert_array_equal(values, one_by_one)


BAD_PRIORS = [
    0, 1.5, math.nan, True, "0.5", 0.5j, 10**400, [], [[0.5]], [0.5, 1.0], ["0.5"], [None, 0.5],
    [True, False], np.array(["0.5", "0.2"], dtype=object), np.timedelta64(1, "s"), [0.5, [0.5]],
]  # fmt: skip


def _required_options(function):
    parameters = inspect.signature(function).parameters.values()
    return [p.name for p in parameters if p.kind is p.KEYWORD_ONLY and p.default is p.empty]


def _public_functions():
    return {
        name: getattr(functions, name)
        for name in functions.__all__
        if inspect.isfunction(getattr(functions, name))
    }


@pytest.mark.parametrize("pi0", BAD_PRIORS, ids=short)
def test_bad_priors_are_refused_by_every_function(pi0):
    for function in _public_functions().values():
        hard = "y_pred" in inspect.signature(function).parameters
        options = {"zero_division": 0} if _takes_zero_division(function) else {}
        options |= {option: 0.5 for option in _required_options(function)}
        for predicted in (Y_PRED, [0] * 10) if hard else (Y_SCORE, [1] * 10):
            with pytest.raises((ValueError, TypeError), match="pi0"):
                function(Y_TRUE, predicted, pi0=pi0, **options)


def test_a_curve_takes_one_prior_only():
    for curve_of in CURVES:
        with pytest.raises((ValueError, TypeError), match="pi0"):
            curve_of(Y_TRUE, Y_SCORE, pi0=[0.5])


# ------------------------------------------------------------------------ hard predictions


@pytest.mark.parametrize("pi0", [None, 0.2, [0.2, 0.7]])
@pytest.mark.parametrize(
    ("function", "y_pred", "replaced_by"),
    [
        (functions.precision_score, [0, 0, 0], 0),
        (functions.npv_score, [1, 1, 1], 0),
        (functions.matthews_corrcoef_score, [0, 0, 0], 0),
        (functions.matthews_corrcoef_score, [1, 1, 1], 0),
        (functions.positive_likelihood_ratio_score, [0, 0, 0], 1),
        (functions.negative_likelihood_ratio_score, [1, 1, 1], 1),
    ],
)
def test_the_same_label_for_all_samples(function, y_pred, replaced_by, pi0):
    """The likelihood ratios get their value of chance."""
    shape = np.shape(pi0) if pi0 is not None else ()
    for chosen in (0, 1, 0.0, 1.0, np.nan, np.int64(1), np.float32(0)):
        value = function([0, 1, 0], y_pred, pi0=pi0, zero_division=chosen)
        assert np.shape(value) == shape
        np.testing.assert_array_equal(value, np.full(shape, chosen))
    message = f"set to {replaced_by}: .*zero_division"
    with pytest.warns(UndefinedMetricWarning, match=message) as caught:
        value = function([0, 1, 0], y_pred, pi0=pi0)
    assert [warning.filename for warning in caught] == [__file__]
    assert str(caught[0].message).startswith(function.__name__.removesuffix("_score"))
    np.testing.assert_array_equal(value, np.full(shape, replaced_by))


@pytest.mark.parametrize(
    "y_pred",
    [
        [2] * 10, [0.5] * 10, ["1"] * 10, [None] * 10, np.array([1, 0] * 4 + [math.nan, 1]),
        [], Y_PRED[:9], [Y_PRED], None, "0101010101",
    ],
    ids=short,
)  # fmt: skip
def test_bad_predicted_labels(hard_case, y_pred):
    with pytest.raises((ValueError, TypeError), match="y_pred"):
        hard_case(Y_TRUE, y_pred)


# ------------------------------------------------------------------------ the interface


NEVER_UNDEFINED = {"accuracy_score", "net_benefit_score"}


def test_shape_of_the_functions():
    for name, function in _public_functions().items():
        parameters = inspect.signature(function).parameters.values()
        positional = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
        keywords = {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}
        assert positional in (["y_true", "y_score"], ["y_true", "y_pred"])
        assert {"pi0": None, "pos_label": 1, "sample_weight": None}.items() <= keywords.items()
        takes_labels = positional[1] == "y_pred"
        assert ("zero_division" in keywords) == (takes_labels and name not in NEVER_UNDEFINED)


def test_unknown_keywords_are_refused():
    for name, function in _public_functions().items():
        options = dict.fromkeys(_required_options(function), 0.5)
        unknown = {"f1_score": "beta", "best_f1_score": "beta"}.get(name, "scale")
        with pytest.raises(TypeError, match=f"{name} has no argument '{unknown}'"):
            function(Y_TRUE, Y_PRED, **options, **{unknown: 2.0})


def test_returned_curves_are_new_arrays():
    given = [np.array(values, dtype=float) for values in (Y_TRUE, Y_SCORE)]
    for function, pi0 in itertools.product(CURVES, (None, 0.3)):
        returned = function(*given, pi0=pi0)
        for one, other in itertools.combinations([*returned, *given], 2):
            assert not np.shares_memory(one, other)
        for values in returned:
            assert values.flags.writeable
            values[:] = -1
    assert [values.tolist() for values in given] == [Y_TRUE, Y_SCORE]


def test_returned_values_at_several_priors_are_new_arrays(any_case):
    priors = np.array([0.2, 0.7])
    for predicted in (Y_PRED, [0] * 9 + [1]):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "the scores are only 0 and 1")
            values = any_case(Y_TRUE, predicted, pi0=priors)
        assert values.flags.writeable
        assert values.flags.owndata
        assert not np.shares_memory(values, priors)


def test_a_function_has_the_options_of_its_score():
    for name in OF_LIBRARY:
        given = inspect.signature(getattr(functions, f"{name}_score")).parameters
        for option, default in facts_of(getattr(scores, name)).options.items():
            assert given[option].default == default, name
            assert given[option].kind is inspect.Parameter.KEYWORD_ONLY, name


ONE_CLASS = {
    "only positives": ([1, 1, 1], [1, 0, 1], {"recall_score", "precision_score", "f1_score"}),
    "only negatives": ([0, 0, 0], [0, 1, 0], {"specificity_score", "npv_score"}),
}


@pytest.mark.parametrize(("y_true", "y_pred", "defined"), ONE_CLASS.values(), ids=ONE_CLASS)
def test_labels_of_one_class_are_fine_where_the_metric_is_defined(y_true, y_pred, defined):
    expected = {"recall_score": 2 / 3, "specificity_score": 2 / 3, "accuracy_score": 2 / 3}
    expected |= {"precision_score": 1, "npv_score": 1, "f1_score": 0.8}
    for name in {*defined, "accuracy_score"}:
        function = getattr(functions, name)
        assert function(y_true, y_pred) == pytest.approx(expected[name], rel=1e-15)
        with pytest.raises(ValueError, match="both classes; pi0=None keeps the prior of the data"):
            function(y_true, y_pred, pi0=0.5)
    for function in (
        functions.balanced_accuracy_score,
        functions.matthews_corrcoef_score,
        functions.recall_score if y_true == [0, 0, 0] else functions.specificity_score,
    ):
        assert function(y_true, y_pred, zero_division=1) == 1
        with pytest.warns(UndefinedMetricWarning, match="undefined and set to 0"):
            assert function(y_true, y_pred) == 0
    assert functions.accuracy_score([1, 0, 0], [1, 0, 1], sample_weight=[0, 1, 1]) == 0.5
    with pytest.warns(UndefinedMetricWarning, match="^f1 is undefined"):
        functions.f1_score([0, 0], [0, 0])
    for function in (functions.average_precision_score, functions.roc_auc_score):
        with pytest.raises(
            ValueError, match=r"y_true holds (no positives|only the positive class)"
        ):
            function(y_true, [0.1, 0.2, 0.3])
