"""Public signatures: one word for one thing, as in the table of CONTRIBUTING.md."""

import inspect
from types import FunctionType

import numpy as np
import pytest

import calibrated_metrics
from calibrated_metrics import ConfusionCurve, Metric, classification_report
from calibrated_metrics.baselines import chance_test
from calibrated_metrics.comparison import explain_change, explain_changes
from calibrated_metrics.displays import PrecisionRecallDisplay
from calibrated_metrics.dominance import compare
from calibrated_metrics.label_free import estimate, estimate_prior
from calibrated_metrics.planning import check_coverage
from calibrated_metrics.spaces import roc
from calibrated_metrics.thresholds import choose_threshold
from calibrated_metrics.uncertainty import difference, interval

OTHER_WORDS = {
    "alpha": "significance_level",
    "group": "by",
    "groups": "by",
    "level": "confidence_level or significance_level",
    "new_prior": "pi0",
    "per": "by",
    "prevalence": "pi0 or prior",
    "priors": "pi0",
    "random_state": "rng",
    "seed": "rng",
    "weight": "sample_weight",
    "weights": "sample_weight",
}
DEFAULTS = {"confidence_level": 0.95, "rng": None, "sample_weight": None}
PAIRS = ("CurveLike", "DataLike")  # annotations that accept pairs with labels


def functions_of(module):
    """Public functions and methods of a module, by their names."""
    for name in module.__all__:
        found = getattr(module, name)
        if inspect.ismodule(found):
            yield from functions_of(found)
        elif inspect.isfunction(found):
            yield f"{module.__name__}.{name}", found
        elif inspect.isclass(found):
            for method, of_class in vars(found).items():
                if isinstance(of_class, FunctionType | classmethod) and method[0] != "_":
                    yield f"{name}.{method}", getattr(found, method)


@pytest.fixture(scope="module")
def signatures():
    found = dict(functions_of(calibrated_metrics))
    assert {"calibrated_metrics.f1_score", "ConfusionCurve.from_roc"} < set(found)
    return {name: inspect.signature(each).parameters for name, each in found.items()}


def test_one_word_for_one_thing(signatures):
    for name, parameters in signatures.items():
        for each in OTHER_WORDS.keys() & parameters:
            pytest.fail(f"{name}: {each} is called {OTHER_WORDS[each]}")


def test_options_have_the_same_defaults(signatures):
    for name, parameters in signatures.items():
        for option in DEFAULTS.keys() & parameters:
            if parameters[option].default is not inspect.Parameter.empty:
                assert parameters[option].default == DEFAULTS[option], (name, option)
                assert parameters[option].kind is inspect.Parameter.KEYWORD_ONLY, (name, option)


def test_functions_hint_at_the_right_name_of_an_unknown_keyword():
    """Except metrics of one curve or matrix and their scorers, which take options."""
    functions = dict(functions_of(calibrated_metrics))
    names = [name for name in functions if name.startswith("calibrated_metrics")]
    asked = [name for name in names if not {"scores", "scorers"} & set(name.split("."))]
    assert len(asked) > 50
    for name in asked:
        with pytest.raises(TypeError, match="has no argument 'no_such_name'"):
            functions[name](no_such_name=1)


def test_pairs_have_a_positive_label(signatures):
    for name, parameters in signatures.items():
        takes_pairs = any(
            kind in str(each.annotation) for each in parameters.values() for kind in PAIRS
        )
        if takes_pairs and "options" not in parameters:
            assert parameters["pos_label"].default is None, name


RNG = np.random.default_rng(0)
FRAUD = np.arange(300) < 60
SCORE = RNG.normal(2.0 * FRAUD)
TEXT = np.where(FRAUD, "fraud", "ok")
OF_LABELS = {
    "a value": lambda data, **label: Metric("average_precision")(data, **label),
    "an interval": lambda data, **label: interval("average_precision", data, **label).low,
    "a difference": lambda data, **label: difference("roc_auc", data, data, **label).low,
    "a threshold": lambda data, **label: choose_threshold(data, min_precision=0.3, **label).value,
    "chance": lambda data, **label: chance_test(data, n_resamples=9, rng=0, **label),
    "dominance": lambda data, **label: compare(data, data, **label),
    "coordinates": lambda data, **label: roc(data, **label)[0].tolist(),
    "a prior without labels": lambda data, **label: estimate_prior(SCORE, data, **label).value,
    "a change": lambda data, **label: explain_change("roc_auc", data, data, **label).total.low,
    "periods": lambda data, **label: explain_changes("roc_auc", [data, data], **label)[0]["value"],
    "a report": lambda data, **label: reported(data, **label)["roc_auc"].low,
    "a display": lambda data, **label: PrecisionRecallDisplay.from_curve(data, **label).area,
}


def reported(data, **label):
    """The report of built data, or of the columns of a pair."""
    given = {"y_true": data[0], "y_score": data[1]} if isinstance(data, tuple) else {"y_true": data}
    return classification_report(**given, metrics="roc_auc", **label)


every_call = pytest.mark.parametrize("call", OF_LABELS.values(), ids=OF_LABELS)


@every_call
def test_pairs_may_have_labels_of_text(call):
    np.testing.assert_equal(call((TEXT, SCORE), pos_label="fraud"), call((FRAUD, SCORE)))
    with pytest.raises(ValueError, match="pos_label"):
        call((TEXT, SCORE))


@every_call
def test_built_data_remember_their_positive_label(call):
    """Another label was ignored: the metric of the label 1 was returned."""
    of_text = ConfusionCurve.from_predictions(TEXT, SCORE, pos_label="fraud")
    expected = call(ConfusionCurve.from_predictions(FRAUD, SCORE))
    np.testing.assert_equal(call(of_text), expected)
    np.testing.assert_equal(call(of_text, pos_label="fraud"), expected)
    for other in ("ok", 1):
        with pytest.raises(ValueError, match=rf"pos_label must be None or 'fraud'.* got {other!r}"):
            call(of_text, pos_label=other)
    of_numbers = ConfusionCurve.from_predictions(FRAUD.astype(int), SCORE)
    for same in (1, 1.0, True, np.float32(1)):
        np.testing.assert_equal(call(of_numbers, pos_label=same), expected)
    with pytest.raises(ValueError, match=r"pos_label must be None or 1, .* got 0"):
        call(of_numbers, pos_label=0)
    counts = ConfusionCurve.from_counts(SCORE, pos=FRAUD, neg=~FRAUD)
    with pytest.raises(ValueError, match=r"pos_label must be None if .* has no labels"):
        call(counts, pos_label=1)


OF_DECISIONS = {
    "a value": lambda data, **label: Metric("f1")(data, **label),
    "an interval": lambda data, **label: interval("f1", data, **label).low,
    "a difference": lambda data, **label: difference("f1", data, data, **label).low,
    "a change": lambda data, **label: explain_change("f1", data, data, **label).total.low,
    "periods": lambda data, **label: explain_changes("f1", [data, data], **label)[0]["value"],
    "without labels": lambda data, **label: estimate("f1", data[1], data, **label).low,
    "coverage": lambda data, **label: (
        check_coverage("f1", data, n_pos=30, n_neg=90, n_samples=5, rng=0, **label).width.value
    ),
}


@pytest.mark.filterwarnings("ignore:label shift was not tested")
@pytest.mark.parametrize("call", OF_DECISIONS.values(), ids=OF_DECISIONS)
def test_pairs_of_decisions_may_have_labels_of_text(call):
    named = TEXT, np.where(SCORE >= 1, "fraud", "ok")
    np.testing.assert_equal(call(named, pos_label="fraud"), call((FRAUD, SCORE >= 1)))
    assert np.isfinite(call(named, pos_label="fraud"))
    with pytest.raises(ValueError, match="pos_label"):
        call(named)


def test_the_true_positive_rate_comes_first(signatures):
    for name, parameters in signatures.items():
        order = [each for each in parameters if each in ("tpr", "fpr")]
        assert order in ([], ["tpr", "fpr"]), name
