"""Public signatures: one word for one thing, as in the table of CONTRIBUTING.md."""

import inspect
from types import FunctionType

import numpy as np
import pytest

import calibrated_metrics
from calibrated_metrics import ConfusionCurve
from calibrated_metrics.uncertainty import interval

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


def test_built_data_remember_their_positive_label():
    """The messages; test_doors.py tries each function."""
    of_text = ConfusionCurve.from_predictions(TEXT, SCORE, pos_label="fraud")
    for other in ("ok", 1):
        with pytest.raises(ValueError, match=rf"pos_label must be None or 'fraud'.* got {other!r}"):
            interval("roc_auc", of_text, pos_label=other)
    of_numbers = ConfusionCurve.from_predictions(FRAUD.astype(int), SCORE)
    expected = interval("roc_auc", of_numbers)
    for same in (1, 1.0, True, np.float32(1)):
        assert interval("roc_auc", of_numbers, pos_label=same) == expected
    with pytest.raises(ValueError, match=r"pos_label must be None or 1, .* got 0"):
        interval("roc_auc", of_numbers, pos_label=0)
    counts = ConfusionCurve.from_counts(SCORE, pos=FRAUD, neg=~FRAUD)
    with pytest.raises(ValueError, match=r"pos_label must be None if .* has no labels"):
        interval("roc_auc", counts, pos_label=1)


def test_the_true_positive_rate_comes_first(signatures):
    for name, parameters in signatures.items():
        order = [each for each in parameters if each in ("tpr", "fpr")]
        assert order in ([], ["tpr", "fpr"]), name
