"""The simulation of months without labels: its truths, its summary, and its randomness."""

import functools

import numpy as np
import pandas as pd
import pytest

from calibrated_metrics import ConfusionCurve, scores
from reproduction.experiments import unlabelled_months
from reproduction.experiments.unlabelled_months import DISTRIBUTIONS, DRIFTS, ESTIMATORS, NO_DRIFT
from reproduction.settings import UnlabelledMonths

SMALL = UnlabelledMonths(
    n_runs=2, n_resamples=5, n_labelled=[2000], n_new=1500, new_priors=[0.03, 0.1], prior=0.05
)


@functools.cache
def rows():
    return unlabelled_months.run(SMALL, runs=range(2), seed=0)


def test_each_estimator_has_a_row_and_only_those_that_test_have_one_with_a_drift():
    table = unlabelled_months.summary([rows()])
    cells = table.groupby(["drift", "new_prior"])["estimator"].apply(list)
    for (drift, _), estimators in cells.items():
        expected = list(ESTIMATORS) if drift == NO_DRIFT else list(unlabelled_months._TESTING)
        assert estimators == expected
    assert len(cells) == 2 * len(DRIFTS)
    assert (table["n_runs"] == 2).all()
    is_prior = table["quantity"] == "prior"
    assert (table["truth"] == table["new_prior"])[is_prior].all()
    assert table["pi0"].isna().equals(is_prior)
    assert (table["pi0"] == table["new_prior"])[~is_prior].all()


def test_blocks_of_runs_join_to_the_whole():
    blocks = [unlabelled_months.run(SMALL, runs=[run], seed=0) for run in range(2)]
    pd.testing.assert_frame_equal(pd.concat(blocks, ignore_index=True), rows())
    other = unlabelled_months.run(SMALL, runs=[0], seed=1)
    assert not np.isclose(other["value"], blocks[0]["value"]).all()


def test_summary_of_known_rows():
    known = (
        rows()
        .iloc[[0, 0, 0, 0]]
        .assign(
            truth=0.1,
            value=[0.11, 0.09, 0.13, 0.1],
            low=[0.05, 0.05, np.nan, 0.11],
            high=[0.15, 0.15, np.nan, 0.12],
            run=range(4),
        )
    )
    (found,) = unlabelled_months.summary([known[:2], known[2:]]).to_dict("records")
    assert found["n_runs"] == 4
    assert found["bias"] == pytest.approx(0.075)
    assert found["withheld"] == 0.25
    assert found["coverage"] == pytest.approx(2 / 3)
    assert found["coverage_error"] == pytest.approx(np.sqrt(2 / 9 / 3))
    assert found["width"] == pytest.approx((1 + 1 + 0.1) / 3)


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
@pytest.mark.parametrize("drift", DRIFTS)
def test_true_average_precision_is_that_of_a_large_sample(distribution, drift):
    positives, negatives = DISTRIBUTIONS[distribution]
    change, sd, rng = DRIFTS[drift], negatives.std(), np.random.default_rng(0)
    pos = positives.rvs(size=50_000, random_state=rng) + change.positives * sd
    in_tail = rng.random(500_000) < change.tail
    neg = np.where(
        in_tail,
        positives.rvs(size=500_000, random_state=rng),
        negatives.rvs(size=500_000, random_state=rng),
    )
    neg += change.negatives * sd
    curve = ConfusionCurve.from_predictions(np.arange(550_000) < 50_000, np.concatenate([pos, neg]))
    measured = scores.average_precision(curve.at_prior(0.02))
    truth = unlabelled_months._true_average_precision(distribution, drift, 0.02)
    assert truth == pytest.approx(measured, rel=0.03)


def test_true_average_precision_of_normal_scores_is_known():
    expected = scores.pr_auc(ConfusionCurve.from_binormal(2, 0, 0.006))
    found = unlabelled_months._true_average_precision("normal", NO_DRIFT, 0.006)
    assert found == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_probabilities_are_calibrated(distribution):
    positives, negatives = DISTRIBUTIONS[distribution]
    rng = np.random.default_rng(1)
    y_true = rng.random(100_000) < 0.1
    score = np.where(
        y_true,
        positives.rvs(size=100_000, random_state=rng),
        negatives.rvs(size=100_000, random_state=rng),
    )
    probability = unlabelled_months._calibrated(distribution, 0.1, score)
    high = probability > 0.5
    assert probability.mean() == pytest.approx(0.1, abs=0.003)
    assert probability[high].mean() == pytest.approx(y_true[high].mean(), abs=0.02)
