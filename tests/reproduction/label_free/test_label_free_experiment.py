"""Metrics without labels: the tables, and how fast samples converge."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.integrate import quad

from calibrated_metrics import ConfusionCurve, scores
from reproduction.label_free import experiment, population
from reproduction.label_free.settings import Settings

KEYS = ["distribution", "computation", "metric"]
METRICS = ["accuracy", "precision", "recall", "f1"]
AREAS = ["average_precision", "average_precision@pi0=0.5"]


def run(n_samples=500, n_thresholds=21, seed=3):
    return experiment.run(n_samples=n_samples, n_thresholds=n_thresholds, seed=seed)


@pytest.fixture(scope="module")
def table():
    return run()


def values(table, *keys):
    return table[(table[KEYS] == list(keys)).all(axis=1)].set_index("threshold")["value"]


# ------------------------------------------------------------------------------- the population


@pytest.mark.parametrize("shape", experiment.DISTRIBUTIONS.values())
def test_the_population_counts_are_integrals(shape):
    density, mean = stats.beta(*shape).pdf, stats.beta(*shape).mean()
    thresholds = np.array([0.05, 0.3, 0.5, 0.9])
    found = population.matrices(*shape, thresholds)
    tp = [quad(lambda x: x * density(x), threshold, 1)[0] for threshold in thresholds]
    fp = [quad(lambda x: (1 - x) * density(x), threshold, 1)[0] for threshold in thresholds]
    np.testing.assert_allclose([found.tp, found.fp], [tp, fp], rtol=1e-6)
    np.testing.assert_allclose([found.n_pos, found.n_neg], [[mean] * 4, [1 - mean] * 4])
    curve = population.curve(*shape, 11)
    np.testing.assert_allclose(curve.tp[[1, 5]], population.matrices(*shape, [0.9, 0.5]).tp)
    assert (curve.tp[0], curve.fp[0]) == (0, 0)
    assert (curve.thresholds[0], curve.thresholds[-1]) == (np.inf, 0)


def test_errors_are_taken_from_the_known_limits():
    exact = experiment._metrics_of_population(*experiment.DISTRIBUTIONS["U(0, 1)"])
    assert [exact[metric] for metric in METRICS] == pytest.approx([0.75] * 4, abs=1e-12)
    assert [exact[area] for area in AREAS] == pytest.approx([5 / 6] * 2, abs=1e-7)
    # Precision is TP / P(X > t) = 2 (1 - t³) / 3 (1 - t²), recall 1 - t³: ∫ Prec dRec.
    exact = experiment._metrics_of_population(*experiment.DISTRIBUTIONS["F(x) = x²"])
    t = (np.arange(100_000) + 0.5) / 100_000
    area = np.mean(2 / 3 * (1 - t**3) / (1 - t**2) * 3 * t**2)
    assert exact["average_precision"] == pytest.approx(area, abs=1e-6)


# ------------------------------------------------------------------------------------ the tables


def test_only_precision_above_all_scores_is_left_out(table):
    assert table["value"].between(0, 1).all()
    n_rows = table.groupby(KEYS)["value"].size()
    assert len(n_rows) == len(experiment.DISTRIBUTIONS) * 3 * 4
    assert set(n_rows[n_rows < 21].index.get_level_values("metric")) == {"precision"}
    for name in experiment.DISTRIBUTIONS:
        assert n_rows[name, "distribution", "precision"] == 20  # a density reaches up to 1
        labels, alone = (values(table, name, way, "precision") for way in ("labels", "scores"))
        assert list(labels.index) == list(alone.index)


def test_metrics_of_the_uniform_distribution_have_their_closed_forms(table):
    t = np.linspace(0, 1, 21)[:-1]
    expected = {
        "accuracy": 0.5 + t - t**2,
        "precision": (1 + t) / 2,
        "recall": 1 - t**2,
        "f1": 2 * (1 - t**2) / (3 - 2 * t),
    }
    for metric, exact in expected.items():
        found = values(table, "U(0, 1)", "distribution", metric)
        np.testing.assert_allclose(found.iloc[:20], exact, atol=1e-12)


def test_scores_at_the_threshold_are_predicted_negative(monkeypatch):
    """As in the note, not as in the library."""
    y_prob = np.tile(np.linspace(0, 1, 11), 10)
    y_true = np.arange(110) % 3 == 0
    curves = {
        "labels": ConfusionCurve.from_predictions(y_true, y_prob),
        "scores": ConfusionCurve.from_probabilities(y_prob),
    }
    monkeypatch.setattr(experiment, "_drawn_curves", lambda *_: curves)
    drawn = run(n_thresholds=11)
    for way, weights in {"labels": y_true, "scores": y_prob}.items():
        recall = [weights[y_prob > at].sum() / weights.sum() for at in np.linspace(0, 1, 11)]
        np.testing.assert_allclose(values(drawn, "U(0, 1)", way, "recall"), recall, atol=1e-12)
    errors = experiment.convergence(sizes=[110, 111], n_runs=1, seed=0)
    found = errors[errors["computation"] == "labels"].groupby("metric")["rmse"].first()
    recall, area = np.mean(y_prob[y_true] > 0.5), scores.average_precision(curves["labels"])
    assert found["recall"] == pytest.approx(abs(recall - 0.75), abs=1e-12)
    assert found["average_precision"] == pytest.approx(abs(area - 5 / 6), abs=1e-6)


def test_the_draws_depend_on_the_seed_and_not_on_the_thresholds(table):
    pd.testing.assert_frame_equal(run(), table, check_exact=True)
    coarse, fine, other = (
        values(each, "Beta(2, 3)", "labels", "recall")
        for each in (run(n_thresholds=11), table, run(seed=4))
    )
    np.testing.assert_array_equal(coarse, fine.iloc[::2])
    assert (other != fine).any()


# ---------------------------------------------------------------------------------- convergence


def test_errors_fall_as_the_root_of_the_sample_size():
    errors = experiment.convergence(sizes=[60, 6000], n_runs=100, seed=5)
    assert len(errors) == 2 * 4 * 2 * len(METRICS + AREAS)
    at_half = errors["metric"].str.endswith("@pi0=0.5")
    assert (errors["pi0"].eq(0.5) == at_half).all()
    assert not errors[[*KEYS, "n_samples"]].duplicated().any()
    line = errors.pivot_table("rmse", KEYS, "n_samples")
    slopes = np.log(line[6000] / line[60]) / math.log(100)
    # An error over 100 runs is known to 1 in sqrt(200); over 2 decades that is 0.02 in a slope.
    spread = math.sqrt(2 / 200) / math.log(100)
    assert (slopes + 0.5).abs().max() < 4 * spread
    assert abs(slopes.mean() + 0.5) < spread


@pytest.mark.parametrize(
    "setting",
    [
        {"n_samples": 10},
        {"n_thresholds": 1},
        *({"sizes": sizes} for sizes in ([100], [10, 100], [100, 100])),
    ],
)
def test_settings_without_a_result_are_refused(setting):
    with pytest.raises(ValueError, match=next(iter(setting))):
        Settings(**setting)
