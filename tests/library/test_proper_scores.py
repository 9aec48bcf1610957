"""Brier score and log loss at a reference prior, against scikit-learn with weights."""

import math

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics

from calibrated_metrics.probabilities import brier_score, log_loss, rebase

RNG = np.random.default_rng(7)
Y_PROB = RNG.beta(0.7, 2, size=300)
Y_TRUE = (RNG.random(300) < Y_PROB**1.2).astype(int)
WEIGHT = RNG.exponential(size=300)
ORACLES = {
    brier_score: metrics.brier_score_loss,
    log_loss: lambda *args, **kwargs: metrics.log_loss(*args, **kwargs, labels=[0, 1]),
}
pytestmark = pytest.mark.parametrize("score", ORACLES)


def weights_at(pi0, weight):
    """Weights of the rows with which the share of positives is the prior."""
    total = [weight[label == Y_TRUE].sum() for label in (0, 1)]
    return weight * np.where(Y_TRUE == 1, pi0 / total[1], (1 - pi0) / total[0])


@pytest.mark.parametrize("weight", [None, WEIGHT, np.where(Y_TRUE, 1.0, 100.0)])
def test_the_score_is_that_of_rows_weighted_to_the_prior(score, weight):
    oracle, given = ORACLES[score], np.ones(300) if weight is None else weight
    priors = [0.01, 0.3, 0.9]
    expected = [oracle(Y_TRUE, Y_PROB, sample_weight=weights_at(pi0, given)) for pi0 in priors]
    found = score(Y_TRUE, Y_PROB, pi0=priors, sample_weight=weight)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    own = score(Y_TRUE, Y_PROB, sample_weight=weight)
    assert isinstance(own, float)
    assert own == pytest.approx(oracle(Y_TRUE, Y_PROB, sample_weight=weight), rel=1e-12)


@pytest.mark.parametrize("weight", [None, WEIGHT])
def test_with_rebase_the_probabilities_are_converted_from_the_prior_of_the_data(score, weight):
    prior, pi0 = np.average(Y_TRUE, weights=weight), 0.02
    odds = Y_PROB / (1 - Y_PROB) * (pi0 / (1 - pi0)) / (prior / (1 - prior))
    given = np.ones(300) if weight is None else weight
    expected = ORACLES[score](Y_TRUE, odds / (1 + odds), sample_weight=weights_at(pi0, given))
    found = score(Y_TRUE, Y_PROB, pi0=pi0, rebase=True, sample_weight=weight)
    assert found == pytest.approx(expected, rel=1e-9)
    converted = rebase(Y_PROB, prior=prior, pi0=pi0)
    assert found == pytest.approx(score(Y_TRUE, converted, pi0=pi0, sample_weight=weight))
    unchanged = score(Y_TRUE, Y_PROB, rebase=True, sample_weight=weight)
    assert unchanged == pytest.approx(score(Y_TRUE, Y_PROB, sample_weight=weight), rel=1e-12)


def test_the_best_constant_is_the_prior(score):
    values = [score(Y_TRUE, np.full(300, p), pi0=0.1) for p in (0.05, 0.1, 0.2)]
    assert min(values) == values[1]
    best = {brier_score: 0.09, log_loss: -0.1 * math.log(0.1) - 0.9 * math.log(0.9)}[score]
    assert values[1] == pytest.approx(best)


def test_labels_that_contradict_certainty(score):
    worst = {brier_score: 0.25, log_loss: math.inf}[score]
    assert score([1, 0], [0.0, 0.0], pi0=0.25) == worst
    assert score([1, 0, 0], [1.0, 0.0, 0.0], pi0=0.25) == 0


def test_any_labels_and_containers(score):
    expected = score(Y_TRUE, Y_PROB, pi0=0.1)
    names = np.where(Y_TRUE, "ill", "well")
    assert score(pd.Series(names), pd.Series(Y_PROB), pi0=0.1, pos_label="ill") == expected
    weight = np.append(np.full(300, 7.0), 0.0)
    more = score([*Y_TRUE, 1], [*Y_PROB, 0.5], pi0=0.1, sample_weight=weight)
    assert more == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, 0], [0.5, 1.5]), r"y_prob must lie in \[0, 1\], got 1.5 at index 1"),
        (([1, 0, 0], [0.5, 0.5]), "y_true has 3, y_prob has 2"),
        (([0, 0], [0.5, 0.5]), "y_true holds no positives"),
    ],
)
def test_bad_rows(score, arguments, message):
    with pytest.raises(ValueError, match=message):
        score(*arguments, pi0=0.1)


def test_a_class_whose_weight_vanishes_still_counts(score):
    weight = [1e-200, 1e100]
    even = {brier_score: 0.25, log_loss: math.log(2)}[score]
    assert score([1, 0], [0.5, 0.5], sample_weight=weight) == pytest.approx(even)
    contradicted = {brier_score: 0.0, log_loss: math.inf}[score]
    assert score([1, 0], [0.0, 0.0], sample_weight=weight) == pytest.approx(contradicted)


def test_what_cannot_be_converted_is_refused(score):
    with_numpy = score(Y_TRUE, Y_PROB, pi0=0.1, rebase=np.False_)
    assert with_numpy == score(Y_TRUE, Y_PROB, pi0=0.1)
    with pytest.raises(ValueError, match=r"pi0 must be closer to the prior of the data: .*1e-310"):
        score(Y_TRUE, Y_PROB, pi0=1e-310, rebase=True)
