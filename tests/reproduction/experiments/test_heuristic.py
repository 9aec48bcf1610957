"""Figure 6's table."""

import numpy as np
import pandas as pd
import pytest

from calibrated_metrics import ConfusionCurve, scores
from reproduction.fraud import heuristic
from reproduction.fraud.draws import undersample
from reproduction.core.streams import stream
from reproduction.fraud.undersampling import simulated_average_precision
from reproduction.settings import Heuristic

COLUMNS = ["pi0", "n_pos", "n_neg_kept", "n_runs", "mean", "sd", "expected", "closed_form"]
COLUMNS += ["low", "high"]
SETTINGS = Heuristic(n_runs=200, n_priors=8)


def binormal_curve(n_pos, n_neg, distance, seed=0):
    rng = np.random.default_rng(seed)
    y_score = np.concatenate([rng.normal(distance, 1, n_pos), rng.normal(0, 1, n_neg)])
    return ConfusionCurve.from_predictions(np.arange(n_pos + n_neg) < n_pos, y_score)


@pytest.fixture(scope="module")
def curve():
    """As many frauds and genuine rows as in the paper's test set."""
    return binormal_curve(147, 85_296, 3.5)


@pytest.fixture(scope="module")
def table(curve):
    return heuristic.run(SETTINGS, curve, seed=5)


def test_a_row_per_reference_prior_in_order(table, curve):
    assert list(table.columns) == COLUMNS
    np.testing.assert_allclose(table["pi0"], np.geomspace(curve.prior, 0.5, 8))
    assert set(table["n_pos"]) == {147}
    assert set(table["n_runs"]) == {200}


def test_the_kept_negatives_are_those_of_the_published_rule(table):
    expected = np.floor(147 * (1 - table["pi0"]) / table["pi0"] * (1 + 1e-12))
    assert (table["n_neg_kept"] == expected).all()
    assert (table["n_neg_kept"].iloc[0], table["n_neg_kept"].iloc[-1]) == (85_296, 147)


def test_nothing_is_random_at_the_prior_itself(table, curve):
    first = table.iloc[0]
    assert first["sd"] == 0
    plain = scores.average_precision(curve)
    assert (first["mean"], first["expected"], first["closed_form"]) == (plain, plain, plain)


def test_the_draws_scatter_above_the_prior(table):
    assert (table["sd"].iloc[1:] > 0).all()


def test_the_mean_is_near_its_expectation(table):
    drawn = table.iloc[1:]
    errors = (drawn["mean"] - drawn["expected"]) / (drawn["sd"] / np.sqrt(drawn["n_runs"]))
    assert errors.abs().max() < 4


def test_the_expectation_lies_above_the_closed_form(table):
    """Precision is convex in the number of false positives."""
    assert (table["expected"].iloc[1:] > table["closed_form"].iloc[1:]).all()


def test_the_closed_form_is_within_a_quarter_of_a_standard_deviation(curve):
    table = heuristic.run(Heuristic(n_runs=1000, n_priors=8), curve, seed=5).iloc[1:]
    assert ((table["mean"] - table["closed_form"]).abs() < 0.25 * table["sd"]).all()
    assert ((table["expected"] - table["closed_form"]).abs() < 0.25 * table["sd"]).all()


def test_the_closed_form_is_the_calibrated_area(table, curve):
    for row in table.itertuples():
        assert row.closed_form == scores.average_precision(curve.at_prior(row.pi0))
    assert table["closed_form"].is_monotonic_increasing


def test_mean_and_deviation_are_those_of_row_by_row_draws():
    curve = binormal_curve(20, 2000, 2.0)
    table = heuristic.run(Heuristic(n_runs=2000, n_priors=3), curve, seed=1)
    rng = np.random.default_rng(2)
    for row in table.iloc[1:].itertuples():
        drawn = [scores.average_precision(undersample(curve, row.pi0, rng)) for _ in range(2000)]
        error = np.hypot(row.sd, np.std(drawn)) / np.sqrt(2000)
        assert abs(row.mean - np.mean(drawn)) < 4 * error
        assert row.sd == pytest.approx(np.std(drawn), rel=0.1)


def test_mean_and_deviation_are_those_of_the_streams_draws(table, curve):
    for point, row in enumerate(table.itertuples()):
        rng = stream(5, "heuristic", point)
        drawn = simulated_average_precision(curve, row.pi0, 200, rng)
        assert row.mean == pytest.approx(drawn.mean(), rel=1e-12)
        assert row.sd == pytest.approx(drawn.std(ddof=1), rel=1e-9, abs=1e-12)


def test_the_table_is_the_same_again(table, curve):
    pd.testing.assert_frame_equal(heuristic.run(SETTINGS, curve, seed=5), table, check_exact=True)


def test_another_seed_gives_other_draws(table, curve):
    other = heuristic.run(SETTINGS, curve, seed=6)
    assert (other["mean"].iloc[1:] != table["mean"].iloc[1:]).all()
    assert (other["expected"] == table["expected"]).all()


def test_the_highest_prior_ends_the_table(curve):
    settings = SETTINGS.model_copy(update={"highest_prior": 0.1, "n_runs": 2, "n_priors": 2})
    assert heuristic.run(settings, curve, seed=0)["pi0"].iloc[-1] == pytest.approx(0.1)


def test_a_highest_prior_below_that_of_the_data_is_refused():
    settings = Heuristic(n_runs=2, n_priors=3, highest_prior=0.2)
    with pytest.raises(ValueError, match="highest_prior"):
        heuristic.run(settings, binormal_curve(30, 70, 1.0), seed=0)
