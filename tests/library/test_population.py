"""Reference populations of strata: values against explicit weights, and intervals."""

import math
from fractions import Fraction

import numpy as np
import oracle
import pandas as pd
import pytest
from samples import matrix_of

from calibrated_metrics import ConfusionCurve, Metric, comparison, scores
from calibrated_metrics.uncertainty import Estimate, difference, interval

few_positives = pytest.mark.filterwarnings("ignore:the stratum .* whose weight exceeds its share")

AP, PRECISION = "average_precision", Metric("precision", threshold=1.0)
SEGMENTS = {"old": 0.25, "young": 0.75}
CELLS = {("old", 0): 0.2, ("old", 1): 0.05, ("young", 0): 0.6, ("young", 1): 0.15}


def rows_of(n=400, seed=0):
    rng = np.random.default_rng(seed)
    segment = rng.choice(["old", "young"], n, p=[0.7, 0.3])
    y_true = rng.random(n) < np.where(segment == "old", 0.4, 0.1)
    y_score = np.round(rng.normal(size=n) + y_true * np.where(segment == "old", 1, 2), 1)
    return y_true, y_score, segment


def by_cell(y_true, segment):
    return list(zip(segment.tolist(), y_true.astype(int).tolist(), strict=True))


Y_TRUE, Y_SCORE, SEGMENT = rows_of()
CURVE = ConfusionCurve.from_predictions(Y_TRUE, Y_SCORE, strata=SEGMENT)


def strata_of(kind):
    """Strata of the rows, and the shares of a population."""
    return (SEGMENT.tolist(), SEGMENTS) if kind == "segment" else (by_cell(Y_TRUE, SEGMENT), CELLS)


def exact_weights(strata, population):
    """Weight of each row as a fraction: the share of its stratum over its number of rows."""
    return [Fraction(population[each]) / strata.count(each) for each in strata]


@pytest.mark.parametrize("kind", ["segment", "cell"])
@pytest.mark.parametrize("pi0", [None, 0.05])
def test_values_are_those_of_rows_with_explicit_weights(kind, pi0):
    strata, population = strata_of(kind)
    weights = exact_weights(strata, population)
    ranking = oracle.Ranking.of_samples(Y_TRUE, Y_SCORE, weights)
    curve = ConfusionCurve.from_predictions(Y_TRUE, Y_SCORE, strata=strata)
    curve, matrix = curve.at_population(population), curve.confusion_matrix(1.0)
    matrix = matrix.at_population(population)
    outcome = {
        (label, alert): sum(
            weight
            for weight, y, score in zip(weights, Y_TRUE, Y_SCORE, strict=True)
            if y == label and (score >= 1) == alert
        )
        for label in (True, False)
        for alert in (True, False)
    }
    if pi0 is not None:
        ranking = ranking.by_reweighting(Fraction(pi0))
        curve, matrix = curve.at_prior(pi0), matrix.at_prior(pi0)
        totals = {y: outcome[y, True] + outcome[y, False] for y in (True, False)}
        prior = {True: Fraction(pi0), False: 1 - Fraction(pi0)}
        outcome = {key: each * prior[key[0]] / totals[key[0]] for key, each in outcome.items()}
    precision = outcome[True, True] / (outcome[True, True] + outcome[False, True])
    assert scores.average_precision(curve) == pytest.approx(
        float(oracle.average_precision(ranking)), rel=1e-13
    )
    assert scores.precision(matrix) == pytest.approx(float(precision), rel=1e-13)
    of_curve = curve.confusion_matrix(1.0)
    assert scores.precision(of_curve) == pytest.approx(float(precision), rel=1e-13)
    assert curve.n_pos + curve.n_neg == pytest.approx(
        len(Y_TRUE) if pi0 is None else curve.n_pos / pi0
    )


@few_positives
@pytest.mark.parametrize("metric", [AP, PRECISION])
@pytest.mark.parametrize("kind", ["segment", "cell"])
@pytest.mark.parametrize("pi0", [None, 0.05])
def test_intervals_are_those_of_strata_with_explicit_weights(metric, kind, pi0):
    strata, population = strata_of(kind)
    weights = np.array(exact_weights(strata, population), dtype=float)
    curve, explicit = (
        ConfusionCurve.from_predictions(Y_TRUE, Y_SCORE, strata=strata, sample_weight=each)
        for each in (None, weights)
    )
    found = interval(metric, curve, population=population, pi0=pi0)
    expected = interval(metric, explicit, pi0=pi0)
    for name in ("value", "low", "high", "standard_error"):
        assert getattr(found, name) == pytest.approx(getattr(expected, name), rel=1e-9)


@pytest.mark.parametrize("labels", [Y_TRUE, [("a", 1) if y else ("b", 0) for y in Y_TRUE]])
def test_the_case_of_the_two_classes_is_a_prior(labels):
    pos, neg = (labels[int(np.argmax(of_class))] for of_class in (Y_TRUE, ~Y_TRUE))
    curve = ConfusionCurve.from_predictions(Y_TRUE, Y_SCORE, strata=labels)
    standard = curve.at_population({pos: 0.02, neg: 0.98})
    known = ConfusionCurve.from_predictions(Y_TRUE, Y_SCORE).at_prior(0.02)
    assert standard.prior_is_known
    for metric in (AP, "roc_auc", PRECISION):
        found, expected = interval(metric, standard), interval(metric, known)
        for name in ("value", "low", "high", "standard_error"):
            assert getattr(found, name) == pytest.approx(getattr(expected, name), rel=1e-9)


def test_the_prior_is_known_if_strata_lie_within_classes():
    cells = ConfusionCurve.from_predictions(Y_TRUE, Y_SCORE, strata=by_cell(Y_TRUE, SEGMENT))
    cells = cells.at_population(CELLS)
    assert cells.prior_is_known
    assert cells.prior == pytest.approx(0.2)
    assert cells.confusion_matrix(1.0).prior_is_known
    assert not CURVE.at_population(SEGMENTS).prior_is_known


@pytest.mark.parametrize(
    ("population", "error", "message"),
    [
        ({"old": 1.0}, ValueError, r"missing: \['young'\], unknown: \[\]"),
        ({"old": 0.5, "young": 0.4, "x": 0.1}, ValueError, r"missing: \[\], unknown: \['x'\]"),
        ({"old": 0.5, "young": 0.4}, ValueError, "sum to 1, got a sum of 0.9"),
        ({"old": 1.5, "young": -0.5}, ValueError, r"population\['old'\] must"),
        ({"old": 1, "young": 0}, ValueError, r"population\['young'\] must"),
        ([0.5, 0.5], TypeError, "population must be a mapping"),
    ],
)
def test_shares_are_checked(population, error, message):
    for call in (
        lambda: CURVE.at_population(population),
        lambda: CURVE.confusion_matrix(1.0).at_population(population),
        lambda: interval(AP, CURVE, population=population),
    ):
        with pytest.raises(error, match=message):
            call()


def test_data_without_strata_or_rows_are_refused():
    plain = ConfusionCurve.from_predictions(Y_TRUE, Y_SCORE)
    with pytest.raises(ValueError, match="population needs the stratum of each row"):
        plain.at_population(SEGMENTS)
    for data in (CURVE.hull(), matrix_of(1, 2, 3, 4)):
        with pytest.raises(
            ValueError, match=r"(curve must hold|population needs a matrix that holds) its rows"
        ):
            data.at_population(SEGMENTS)


@few_positives
def test_functions_take_a_population():
    standard, other = CURVE.at_population(SEGMENTS), rows_of(seed=1)
    other = ConfusionCurve.from_predictions(*other[:2], strata=other[2])
    for pi0 in (None, 0.1, [0.1, 0.2], Estimate.normal(0.1, 0.01)):
        found = interval(AP, CURVE, population=SEGMENTS, pi0=pi0)
        assert repr(found) == repr(interval(AP, standard, pi0=pi0))
        found = difference(AP, CURVE, other, population=SEGMENTS, pi0=pi0)
        expected = difference(AP, standard, other.at_population(SEGMENTS), pi0=pi0)
        assert repr(found) == repr(expected)


def test_groups_take_a_population_and_say_what_they_lack():
    frame = pd.DataFrame({"y": Y_TRUE, "s": Y_SCORE, "segment": SEGMENT, "group": "both"})
    frame.loc[(np.arange(400) % 2 == 0) & (SEGMENT == "old"), "group"] = "only old"
    arguments = {"y_true": "y", "y_score": "s", "metrics": AP, "strata": "segment", "pi0": 0.1}
    table = comparison.by_group(frame, "group", population=SEGMENTS, **arguments)
    rows = frame["group"] == "both"
    curve = ConfusionCurve.from_predictions(Y_TRUE[rows], Y_SCORE[rows], strata=SEGMENT[rows])
    expected = interval(AP, curve, population=SEGMENTS, pi0=0.1)
    assert table["value"][0] == expected.value
    assert table["low"][0] == expected.low
    assert "unknown: ['young']" in table["status"][1]
    assert math.isnan(table["value"][1])
    with pytest.raises(ValueError, match="population must hold shares that sum to 1"):
        comparison.by_group(frame, "group", population={"old": 0.1}, **arguments)
