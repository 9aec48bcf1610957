"""The paper's synthetic data, and their population."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from calibrated_metrics import ConfusionCurve
from reproduction.core.metrics import read_metrics, values_of
from reproduction.core.settings import Metrics
from reproduction.core.sweeps import bands, likelihood_ratio_sample, measured_and_population


@pytest.fixture
def metrics():
    return read_metrics(Metrics().described("sweep"))


def sample(n_pos, n_neg, mu1=2.0, mu0=1.8, seed=0):
    return likelihood_ratio_sample(n_pos, n_neg, mu1, mu0, np.random.default_rng(seed))


@pytest.mark.parametrize(("mu1", "mu0"), [(2.0, 1.8), (2.0, 0.0), (0.5, 1.5)])
def test_scores_are_likelihood_ratios_of_gaussian_points(mu1, mu0):
    y_true, y_score = sample(4000, 4000, mu1, mu0)
    points = np.log(y_score) / (mu1 - mu0) + (mu1 + mu0) / 2
    densities = stats.norm.pdf(points, mu1) / stats.norm.pdf(points, mu0)
    np.testing.assert_allclose(y_score, densities, rtol=1e-9)
    for label, mean in ((1, mu1), (0, mu0)):
        assert stats.kstest(points[y_true == label], stats.norm(mean).cdf).pvalue > 1e-3


def test_equal_means_give_equal_scores():
    _, y_score = sample(10, 20, 2.0, 2.0)
    assert set(y_score) == {1.0}


def test_values_are_those_of_the_sample_and_of_the_population(metrics):
    rows = measured_and_population(metrics, 300, 700, 2.0, 1.5, np.random.default_rng(1))
    of_sample = values_of(
        metrics, ConfusionCurve.from_predictions(*sample(300, 700, 2.0, 1.5, seed=1))
    )
    of_population = values_of(metrics, ConfusionCurve.from_binormal(2.0, 1.5, 0.3))
    for row in rows:
        assert row["value"] == of_sample[row["metric"]]
        assert row["population"] == of_population[row["metric"]]


def test_bands_are_t_intervals_of_the_mean():
    values = [1.0, 2.0, 4.0]
    runs = pd.DataFrame({"x": 1, "metric": "a", "pi0": 0.5, "value": values})
    (row,) = bands(runs, ["x"]).itertuples()
    interval = stats.t(2, loc=np.mean(values), scale=stats.sem(values)).interval(0.95)
    assert [row.low, row.high] == pytest.approx(interval, rel=1e-12)
    assert (row.value, row.n_runs, row.pi0) == (pytest.approx(7 / 3), 3, 0.5)
