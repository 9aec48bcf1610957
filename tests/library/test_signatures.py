"""Public signatures: one word for one thing, as in the table of CONTRIBUTING.md."""

import inspect
from types import FunctionType
from typing import get_type_hints

import numpy as np
import pytest

import calibrated_metrics
from calibrated_metrics import Metric
from calibrated_metrics.baselines import chance_test
from calibrated_metrics.comparison import explain_changes
from calibrated_metrics.dominance import compare
from calibrated_metrics.functions.decision import of_decision, of_labels
from calibrated_metrics.functions.documentation import Decisions, Rows
from calibrated_metrics.functions.ranking import of_ranking
from calibrated_metrics.label_free import estimate_prior
from calibrated_metrics.spaces import roc
from calibrated_metrics.thresholds import choose_threshold
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
DEFAULTS = {"pos_label": 1, "confidence_level": 0.95, "rng": None, "sample_weight": None}
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


def test_pairs_have_a_positive_label(signatures):
    for name, parameters in signatures.items():
        takes_pairs = any(
            kind in str(each.annotation) for each in parameters.values() for kind in PAIRS
        )
        assert not takes_pairs or "pos_label" in parameters or "options" in parameters, name


WITH_TEXT = {
    "a value": lambda pair, **label: Metric("average_precision")(pair, **label),
    "an interval": lambda pair, **label: interval("average_precision", pair, **label).low,
    "a threshold": lambda pair, **label: choose_threshold(pair, min_precision=0.3, **label).value,
    "chance": lambda pair, **label: chance_test(pair, n_resamples=9, rng=0, **label),
    "dominance": lambda pair, **label: compare(pair, pair, **label),
    "coordinates": lambda pair, **label: roc(pair, **label)[0].tolist(),
    "a prior without labels": lambda pair, **label: estimate_prior(pair[1], pair, **label).value,
    "periods": lambda pair, **label: explain_changes("roc_auc", [pair, pair], **label)[0]["value"],
}


@pytest.mark.parametrize("call", WITH_TEXT.values(), ids=WITH_TEXT)
def test_pairs_may_have_labels_of_text(call):
    rng = np.random.default_rng(0)
    fraud = np.arange(300) < 60
    score = rng.normal(2.0 * fraud)
    text = np.where(fraud, "fraud", "ok")
    np.testing.assert_equal(call((text, score), pos_label="fraud"), call((fraud, score)))
    with pytest.raises(ValueError, match="pos_label"):
        call((text, score))


def test_the_true_positive_rate_comes_first(signatures):
    for name, parameters in signatures.items():
        order = [each for each in parameters if each in ("tpr", "fpr")]
        assert order in ([], ["tpr", "fpr"]), name


@pytest.mark.parametrize(
    ("keywords", "form"), [(Rows, of_ranking), (Rows, of_labels), (Decisions, of_decision)]
)
def test_type_checkers_know_the_keywords_of_each_form(keywords, form):
    parameters = inspect.signature(form).parameters.values()
    names = [each.name for each in parameters if each.kind is each.KEYWORD_ONLY]
    assert list(get_type_hints(keywords)) == names
