"""Subsampling against calibration: against all subsets."""

from itertools import combinations

import numpy as np
import pytest
from figure_checks import assert_readable
from pydantic import ValidationError

from calibrated_metrics import ConfusionCurve
from calibrated_metrics.scores import average_precision
from reproduction.subsampling import experiment, figure
from reproduction.subsampling.settings import Settings

NAMES = ("subsampling", "subsampling_orders")
FP = np.array([0, 1, 1, 4, 7, 9])  # negatives above each of six positives, of 12


@pytest.fixture(scope="module")
def tables():
    made = experiment.run(**Settings(n_runs=20).model_dump(), seed=0)
    return dict(zip(NAMES, made, strict=True))


def curve_of(fp, n_neg):
    above = 0.5 - np.asarray(fp) - 0.01 * np.arange(len(fp))  # no ties
    scores = np.concatenate([above, -np.arange(n_neg)])
    return ConfusionCurve.from_predictions(np.repeat([1, 0], [len(fp), n_neg]), scores)


def test_the_calibrated_value_is_that_of_the_library():
    rng = np.random.default_rng(0)
    for pi0 in (0.1, 0.25):
        ours, _, _ = experiment.of_test_set(FP, 12, pi0, 1, rng)
        assert ours == pytest.approx(average_precision(curve_of(FP, 12).at_prior(pi0)), rel=1e-12)


def test_subsamples_are_random_subsets_of_the_positives():
    pi0, kept = 3 / 15, 3
    assert experiment.n_kept(12, pi0) == kept
    subsets = [np.array(each) for each in combinations(FP, kept)]
    values = np.array([average_precision(curve_of(each, 12)) for each in subsets])
    _, one, mean = experiment.of_test_set(FP, 12, pi0, 40_000, np.random.default_rng(1))
    assert np.abs(values - one).min() < 1e-12
    assert mean == pytest.approx(values.mean(), abs=5 * values.std() / 200)


def test_the_reference_prior_of_the_test_set_keeps_all():
    values = experiment.of_test_set(FP, 12, 6 / 18, 3, np.random.default_rng(0))
    assert values == pytest.approx([average_precision(curve_of(FP, 12))] * 3, rel=1e-12)


def test_a_prior_that_subsampling_cannot_reach_is_refused():
    with pytest.raises(
        ValidationError, match=r"prior 0\.2 must keep between 1 and all of the 1000"
    ):
        Settings(priors=[0.2])
    with pytest.raises(ValidationError, match="priors must be distinct"):
        Settings(priors=[0.1, 0.1])


@pytest.mark.parametrize("smaller", [False, True])
def test_the_figure_can_be_read(tables, smaller):
    made = tables.values()
    if smaller:
        settings = Settings(n_pos=200, n_neg=1800, n_runs=5)
        made = experiment.run(**settings.model_dump(), seed=1)
    errors, orders = made
    same = figure.draw(errors.assign(rmse=0.1), orders).get_suptitle()
    assert "up to 1.0 times the error" in same
    drawn = figure.draw(errors, orders)
    assert_readable(drawn)


def test_which_model_is_better_depends_on_the_prior(tables):
    gap = tables["subsampling_orders"].groupby("pi0")["gap"].first()
    assert gap[0.1] > 0.01  # the narrow model at the prior of the test set
    assert (gap[:0.05] < -0.005).all()  # the wide model below it
