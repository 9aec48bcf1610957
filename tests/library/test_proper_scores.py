"""Brier score and log loss at a reference prior, against scikit-learn with weights."""

import math
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics

from calibrated_metrics import ConfusionCurve, Metric
from calibrated_metrics.comparison import by_group
from calibrated_metrics.probabilities import brier_score, log_loss, rebase
from calibrated_metrics.uncertainty import Estimate, IntervalWarning, difference, interval, p_value

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
    with warnings.catch_warnings(action="error"):  # 0 and 1 are probabilities
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
    with pytest.raises(ValueError, match="pi0=1e-310 gives weights outside the range"):
        score(Y_TRUE, Y_PROB, pi0=1e-310, rebase=True)


# ------------------------------------------------------------------------ intervals of means


def losses(score, y_prob=Y_PROB):
    if score is brier_score:
        return (Y_TRUE - y_prob) ** 2
    return -np.log(np.where(Y_TRUE == 1, y_prob, 1 - y_prob))


def test_the_metric_is_the_score_and_its_error_that_of_a_mean(score):
    own, at = interval(score.__name__, (Y_TRUE, Y_PROB)), {"pi0": 0.02}
    assert own.value == pytest.approx(score(Y_TRUE, Y_PROB))
    assert own.standard_error == pytest.approx(losses(score).std(ddof=1) / 300**0.5, rel=0.02)
    assert own.low < own.value < own.high
    found = interval(Metric(score, rebase=True), (Y_TRUE, Y_PROB), **at)
    assert found.value == pytest.approx(score(Y_TRUE, Y_PROB, rebase=True, **at))
    of_classes = [losses(score)[label == Y_TRUE] for label in (1, 0)]
    errors = [
        w * x.std(ddof=1) / len(x) ** 0.5 for w, x in zip((0.02, 0.98), of_classes, strict=True)
    ]
    expected = math.hypot(*errors)
    fixed = interval(score.__name__, (Y_TRUE, Y_PROB), **at)
    assert fixed.standard_error == pytest.approx(expected)
    estimated = interval(score.__name__, (Y_TRUE, Y_PROB), pi0=Estimate.normal(0.02, 0.005))
    assert estimated.standard_error > fixed.standard_error


def test_clusters_of_equal_rows_are_one_row(score):
    twice = [np.repeat(each, 2) for each in (Y_TRUE, Y_PROB)]
    curve = ConfusionCurve.from_predictions(*twice, clusters=np.repeat(np.arange(300), 2))
    own, found = (interval(score.__name__, each) for each in ((Y_TRUE, Y_PROB), curve))
    assert found.standard_error == pytest.approx(own.standard_error, rel=0.01)
    weighted = ConfusionCurve.from_predictions(Y_TRUE, Y_PROB, sample_weight=WEIGHT)
    expected = score(Y_TRUE, Y_PROB, sample_weight=WEIGHT)
    assert interval(score.__name__, weighted).value == pytest.approx(expected)


def test_paired_differences_use_the_losses_row_by_row(score):
    worse = Y_PROB**1.3
    models, name = ((Y_TRUE, Y_PROB), (Y_TRUE, worse)), score.__name__
    found = difference(name, *models, paired=True, alternative="less", margin=0.001)
    expected = losses(score) - losses(score, worse)
    assert found.value == pytest.approx(expected.mean())
    assert found.standard_error == pytest.approx(expected.std(ddof=1) / 300**0.5, rel=0.02)
    assert found.low == {brier_score: -1, log_loss: -math.inf}[score]
    p = p_value(name, *models, paired=True, alternative="less", margin=0.001)
    assert (p <= 0.05) == (found.high < 0.001)
    with pytest.warns(IntervalWarning, match="the same labels in the same order"):
        apart = difference(name, *models, pi0=0.1)
    assert apart.standard_error > 2 * found.standard_error


def test_groups_have_intervals(score):
    frame = pd.DataFrame({"month": np.arange(300) % 2, "y": Y_TRUE, "p": Y_PROB})
    groups = by_group(frame, "month", y_true="y", y_score="p", metrics=score.__name__, pi0=0.1)
    rows = frame[frame["month"] == 1]
    expected = interval(score.__name__, (rows["y"], rows["p"]), pi0=0.1)
    assert groups.loc[1, ["value", "low", "high"]].tolist() == pytest.approx(
        [expected.value, expected.low, expected.high]
    )


def test_an_infinite_loss_has_no_interval(score):
    certain = np.where(Y_PROB > 0.5, 1.0, Y_PROB)
    if score is brier_score:
        assert interval("brier_score", (Y_TRUE, certain)).reason is None
        return
    with pytest.warns(IntervalWarning, match="log loss is infinite, because a label contradicts"):
        found = interval("log_loss", (Y_TRUE, certain))
    assert found.value == math.inf
    assert math.isnan(found.high)
    with pytest.raises(ValueError, match="the metric of b is infinite"):
        difference("log_loss", (Y_TRUE, Y_PROB), (Y_TRUE, certain), paired=True)


def test_a_perfect_model_may_still_be_wrong(score):
    found = interval(score.__name__, (Y_TRUE, np.where(Y_TRUE == 1, 0.999, 0.001)))
    assert 0 < found.low <= found.value * (1 + 1e-12)
    assert found.high > 10 * found.value


def test_scores_that_are_no_probabilities_are_refused(score):
    with pytest.raises(ValueError, match=r"curve must have probabilities in \[0, 1\].*got -"):
        interval(score.__name__, (Y_TRUE, np.log(Y_PROB)))


def test_conversion_from_a_prior_at_which_probabilities_are_not_calibrated_is_warned_of(score):
    rows = Y_TRUE, rebase(Y_PROB, prior=0.25, pi0=0.02)
    converts, does_not = (Metric(score.__name__, rebase=each) for each in (True, False))
    for call in (
        lambda metric: interval(metric, rows, pi0=0.1),
        lambda metric: difference(metric, rows, (Y_TRUE, Y_PROB), pi0=0.1, paired=True),
        lambda metric: metric.at(0.1)(rows),
        lambda metric: score(*rows, pi0=0.1, **metric.options),
    ):
        with pytest.warns(UserWarning, match="but their mean is 0.0.*, so they are not calibrated"):
            call(converts)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            call(does_not)
            interval(converts, (Y_TRUE, Y_PROB), pi0=0.1)
            interval(converts, rows)
