"""The table of metrics agrees with what the functions return."""

import math

import numpy as np
import pytest
from metrics_at_a_glance import (
    CURVE,
    MATRIX,
    as_python,
    options_of,
    scores_of,
    table_of,
)

import calibrated_metrics
from calibrated_metrics import ConfusionCurve, ConfusionMatrix, Metric, functions, scores

PRIORS = (0.02, 0.3, 0.6)
SHARES = (0.1, 0.5)  # of positive predictions
EVERY = [*scores_of(CURVE), *scores_of(MATRIX)]


def evaluated(text, score, **values):
    """A formula of the table, evaluated."""
    options = options_of(score)
    names = {
        "beta": options.get("beta"),
        "p": options.get("threshold_probability", options.get("precision")),
        "q": options.get("max_alert_rate", options.get("alert_rate")),
        "f": 1 - options.get("specificity", math.nan),
        "inf": math.inf,
        "sqrt": math.sqrt,
        "min": min,
        **values,
    }
    return eval(as_python(text), {"__builtins__": {}}, names)


def by_name(score):
    return score.name


def of_matrix(score, matrix):
    options = {name: value for name, value in options_of(score).items() if name != "threshold"}
    return float(score.function(matrix, **options))


def test_every_metric_of_the_library_is_in_the_table():
    names = {score.name for score in EVERY}
    others = {"Facts", "Metric", "UndefinedMetricWarning", "register_score", "registered_scores"}
    assert names == set(scores.__all__) - others
    for kind in (CURVE, MATRIX):
        lines = table_of(kind).splitlines()
        assert len(lines) == 2 + len(scores_of(kind))
        assert len({line.count("|") for line in lines}) == 1
    without = {name for name in names if f"{name}_score" not in functions.__all__}
    others = {"diagnostic_odds_ratio", "recall_at_specificity", "specificity_at_recall"}
    assert without == {"alert_rate", "youden_index", *others}


@pytest.mark.parametrize("score", scores_of(MATRIX), ids=by_name)
def test_the_formula_of_a_decision(score):
    rng = np.random.default_rng(0)
    for _ in range(5):
        counts = map(float, rng.integers(1, 50, 4))
        outcomes = dict(zip(("TP", "FP", "FN", "TN"), counts, strict=True))
        matrix = ConfusionMatrix(**{name.lower(): n for name, n in outcomes.items()})
        expected = of_matrix(score, matrix)
        assert evaluated(score.formula, score, **outcomes) == pytest.approx(expected)


@pytest.mark.parametrize("score", scores_of(CURVE), ids=by_name)
def test_perfect_and_chance_of_a_ranking(score):
    perfect = ConfusionCurve.from_counts([0, 1], pos=[0, 4], neg=[4, 0])
    constant = ConfusionCurve.from_counts([0], pos=[4], neg=[4])
    metric = Metric(score.name, **options_of(score))
    for pi0 in PRIORS:
        expected = [evaluated(text, score, pi0=pi0) for text in (score.perfect, score.chance)]
        values = [metric(curve.at_prior(pi0)) for curve in (perfect, constant)]
        assert values == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("score", scores_of(MATRIX), ids=by_name)
def test_perfect_and_chance_of_a_decision(score):
    for pi0 in PRIORS:
        perfect = ConfusionMatrix.from_rates(tpr=1, fpr=0, prior=pi0)
        assert of_matrix(score, perfect) == pytest.approx(evaluated(score.perfect, score, pi0=pi0))
        for share in SHARES:
            random = ConfusionMatrix.from_rates(tpr=share, fpr=share, prior=pi0)
            expected = evaluated(score.chance, score, pi0=pi0, a=share)
            assert of_matrix(score, random) == pytest.approx(expected, abs=1e-12)


def test_a_metric_of_a_user_is_not_in_the_table(own_registry):
    @calibrated_metrics.register_score(label="mine")
    def mine(curve):
        return 0.5

    assert "mine" in scores.registered_scores()
    assert "mine" not in table_of(CURVE)


def test_the_page_of_a_function_has_the_facts(site):
    path = site.folder / "reference/api/generated/calibrated_metrics.functions.f1_score.html"
    page = path.read_text(encoding="utf-8")
    assert "At a glance" in page
    assert scores.registered_scores()["fbeta"].formula in page
    assert ", with β = 1" in page
