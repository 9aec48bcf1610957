"""The synthetic experiments give the numbers read off the paper's Figures 4 and 5.

Siblini et al., *Master your Metrics with Calibration*, IDA 2020: two Gaussian classes, scored by
their likelihood ratio. Figure 4 was read to 0.005, Figure 5 to 0.01.
"""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from calibrated_metrics import ConfusionCurve
from reproduction.experiments import kl_sweep, pi_sweep
from reproduction.core.metrics import values_of
from reproduction.settings import Config, KlSweep, PiSweep, read_metrics

AREA, GAIN, F1 = "average_precision", "prg_auc", "fbeta(threshold=0.5)"
CALIBRATED = tuple(f"{name}@pi0=0.5" for name in (AREA, GAIN, F1))

FIGURE_4_READING = 0.005
FIGURE_4_BALANCED = {AREA: 0.547, GAIN: 0.103, F1: 0.667}
FIGURE_4_RAREST = {AREA: 0.002, F1: 0.002}

FIGURE_5_READING = 0.01
# By the mean of the negatives: the farthest, and the nearest that is not the positives' own.
FIGURE_5_CALIBRATED = {
    0.0: {AREA: 0.922, GAIN: 0.866, F1: 0.84},
    1.95: {AREA: 0.512, GAIN: 0.025, F1: 0.667},
}
FIGURE_5 = [(mu0, name) for mu0, published in FIGURE_5_CALIBRATED.items() for name in published]

CONFIG = Config()
GRID = CONFIG.pi_sweep.priors


@pytest.fixture(scope="module")
def metrics():
    return read_metrics(CONFIG.metrics_of("pi_sweep"))


@pytest.fixture(scope="module")
def figure_4(metrics):
    """Population values by prior."""
    curves = {prior: ConfusionCurve.from_binormal(2.0, 1.8, prior) for prior in GRID}
    return {prior: values_of(metrics, curve) for prior, curve in curves.items()}


def population_of_figure_5(metrics, mu0, prior):
    return values_of(metrics, ConfusionCurve.from_binormal(2.0, mu0, prior))


def by_quadrature(mu1, mu0, prior):
    """The three ordinary metrics from their definitions, integrated over recall."""
    odds = prior / (1 - prior)

    def false_positive_rate(recall):
        return norm.cdf(mu0 - mu1 + norm.ppf(recall))

    def precision(recall):
        return prior * recall / (prior * recall + (1 - prior) * false_positive_rate(recall))

    def gain(recall):
        return (1 - false_positive_rate(recall) / recall) * odds / recall**2

    threshold = (mu1 + mu0) / 2 + np.log(0.5) / (mu1 - mu0)
    tp, fp = prior * norm.sf(threshold, mu1), (1 - prior) * norm.sf(threshold, mu0)
    return {
        AREA: quad(precision, 0, 1, limit=200)[0],
        GAIN: quad(gain, prior, 1, limit=200)[0],
        F1: 2 * tp / (tp + fp + prior),
    }


# --------------------------------------------------------------------------------- Figure 4


def test_the_experiment_is_that_of_figure_4():
    settings = CONFIG.pi_sweep
    assert (settings.mu1, settings.mu0) == (2.0, 1.8)
    assert (min(GRID), max(GRID)) == (0.001, 0.5)


@pytest.mark.parametrize("name", [AREA, GAIN, F1])
def test_balanced_classes(figure_4, name):
    for key in (name, f"{name}@pi0=0.5"):
        assert figure_4[0.5][key] == pytest.approx(FIGURE_4_BALANCED[name], abs=FIGURE_4_READING)


@pytest.mark.parametrize("name", [AREA, F1])
def test_ordinary_metrics_vanish_with_the_prior(figure_4, name):
    published = FIGURE_4_RAREST[name]
    assert figure_4[0.001][name] == pytest.approx(published, abs=FIGURE_4_READING)
    falling = [figure_4[prior][name] for prior in sorted(GRID, reverse=True)]
    assert falling == sorted(falling, reverse=True)


def test_the_ordinary_gain_rises_as_the_prior_falls(figure_4):
    rising = [figure_4[prior][GAIN] for prior in sorted(GRID, reverse=True)]
    assert rising == sorted(rising)
    assert rising[-1] == pytest.approx(0.4, abs=0.1)


@pytest.mark.parametrize("name", CALIBRATED)
def test_calibrated_metrics_stay_flat_over_all_priors(figure_4, name):
    published = FIGURE_4_BALANCED[name.partition("@")[0]]
    for prior in GRID:
        assert figure_4[prior][name] == pytest.approx(published, abs=FIGURE_4_READING)


def test_samples_of_figure_4(metrics):
    settings = PiSweep(n_samples=400_000, priors=[0.5, 0.2, 0.05])
    table = pi_sweep.run(settings, metrics, seed=0, runs=range(3))
    means = table.groupby(["metric", "prior"])["value"].mean()
    for name, published in FIGURE_4_BALANCED.items():
        assert means[name, 0.5] == pytest.approx(published, abs=FIGURE_4_READING)
        for prior in settings.priors:
            calibrated = means[f"{name}@pi0=0.5", prior]
            assert calibrated == pytest.approx(published, abs=FIGURE_4_READING)
        assert abs(means[name, 0.05] - published) > 0.1


def test_a_sample_at_the_rarest_prior(metrics):
    settings = PiSweep(n_samples=400_000, priors=[0.001])
    table = pi_sweep.run(settings, metrics, seed=0, runs=range(3))
    means = table.groupby("metric")["value"].mean()
    for name, published in FIGURE_4_RAREST.items():
        assert means[name] == pytest.approx(published, abs=FIGURE_4_READING)


# --------------------------------------------------------------------------------- Figure 5


def test_the_experiment_is_that_of_figure_5():
    settings = CONFIG.kl_sweep
    assert settings.mu1 == 2.0
    assert sorted(settings.mu0)[0] == 0.0
    assert sorted(settings.mu0)[-2:] == [1.95, 2.0]


@pytest.mark.parametrize(("mu0", "name"), FIGURE_5)
@pytest.mark.parametrize("prior", [0.001, 0.1, 0.5])
def test_both_ends_of_figure_5(metrics, mu0, name, prior):
    value = population_of_figure_5(metrics, mu0, prior)[f"{name}@pi0=0.5"]
    assert value == pytest.approx(FIGURE_5_CALIBRATED[mu0][name], abs=FIGURE_5_READING)


def test_samples_at_both_ends_of_figure_5(metrics):
    settings = KlSweep(n_samples=400_000, mu0=list(FIGURE_5_CALIBRATED), lowest_prior=0.05)
    table = kl_sweep.run(settings, metrics, seed=0, runs=range(3))
    means = table.groupby(["metric", "mu0"])["value"].mean()
    for mu0, name in FIGURE_5:
        published = FIGURE_5_CALIBRATED[mu0][name]
        assert means[f"{name}@pi0=0.5", mu0] == pytest.approx(published, abs=FIGURE_5_READING)
    assert set(table[table["mu0"] == 0.0]["squared_distance"]) == {4.0}


def test_ordinary_metrics_are_jagged_and_calibrated_ones_smooth(metrics):
    table = kl_sweep.run(KlSweep(n_samples=1000), metrics, seed=0, runs=[0])
    for name, rows in table.groupby("metric"):
        steps = rows.set_index("kl")["population"].sort_index().diff().dropna()
        falls = (steps < -1e-4).sum()
        assert falls == 0 if name in CALIBRATED else falls > 10, name


# ------------------------------------------------------------------------ an independent check


@pytest.mark.parametrize("prior", [0.001, 0.05, 0.5])
@pytest.mark.parametrize("mu0", [0.0, 1.0, 1.8, 1.95])
def test_population_values_are_those_of_the_definitions(metrics, mu0, prior):
    ours = population_of_figure_5(metrics, mu0, prior)
    for name, value in by_quadrature(2.0, mu0, prior).items():
        assert ours[name] == pytest.approx(value, abs=1e-4)
    for name, value in by_quadrature(2.0, mu0, 0.5).items():
        assert ours[f"{name}@pi0=0.5"] == pytest.approx(value, abs=1e-4)
