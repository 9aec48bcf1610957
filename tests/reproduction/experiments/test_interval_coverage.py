"""The coverage simulation: its samples, its true values, and its table."""

import math

import numpy as np
import pytest
from scipy import stats

from calibrated_metrics import ConfusionCurve
from calibrated_metrics.registry import Metric, score_named
from reproduction.experiments.interval_coverage import (
    DESIGNS,
    DISTRIBUTIONS,
    SCORES,
    _Cell,
    _threshold,
    _true_value,
    cell,
)

SMALL = {"n_pos": 20, "prior": 0.2, "pi0": 0.5, "n_samples": 3, "seed": 0, "n_resamples": 10}


def true_value(name, distribution, rounded, pi0):
    return _true_value(name, distribution, rounded, pi0, _threshold(distribution))


@pytest.mark.parametrize("distance", ["0.5", "1", "2"])
def test_true_values_of_binormal_scores_are_known(distance):
    name, d = f"binormal {distance}", float(distance)
    assert true_value("roc_auc", name, False, 0.3) == pytest.approx(
        stats.norm.cdf(d / math.sqrt(2)), abs=1e-7
    )
    fpr = stats.norm.sf(_threshold(name))
    assert true_value("recall", name, False, 0.3) == pytest.approx(0.5, abs=1e-12)
    expected = 0.01 * 0.5 / (0.01 * 0.5 + 0.99 * fpr)
    assert true_value("precision", name, False, 0.01) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("rounded", [False, True])
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_true_values_are_the_limits_of_large_samples(distribution, rounded):
    simulated = _Cell(
        "rounded" if rounded else "independent", distribution, distribution, 10**5, 0.5
    )
    drawn = simulated.draw(np.random.default_rng(0))
    curve = ConfusionCurve.from_predictions(drawn.y_true, drawn.y_score).at_prior(0.3)
    for name in SCORES:
        options = {}
        if score_named(name).of == "matrix":
            options["threshold"] = _threshold(distribution)
        measured = Metric(name, options=options)(curve)
        assert true_value(name, distribution, rounded, 0.3) == pytest.approx(measured, abs=0.008)


@pytest.mark.parametrize("design", DESIGNS)
def test_a_cell_has_a_row_per_score(design):
    found = cell(design=design, distribution="binormal 1", **SMALL)
    assert found["score"].tolist() == list(SCORES)
    assert (found[["design", "n_pos", "prior", "pi0"]] == [design, 20, 0.2, 0.5]).all(axis=None)
    assert found["n_given"].le(3).all()
    assert found.loc[found["score"] != "prg_auc", "n_given"].eq(3).all()
    parts = found["coverage"] + found["below"] + found["above"]
    np.testing.assert_allclose(parts, 1)
    assert found["mean_width"].gt(0).all()


def test_a_cell_is_determined_by_its_seed():
    first, second, other = (
        cell(design="groups", distribution="two kinds", **{**SMALL, "seed": seed})
        for seed in (0, 0, 1)
    )
    assert first.equals(second)
    assert not first.equals(other)


def test_most_intervals_contain_the_true_value():
    found = cell(
        design="independent",
        distribution="exponential",
        scores=("average_precision", "roc_auc", "precision"),
        **{**SMALL, "n_samples": 200, "pi0": None},
    )
    # Four standard deviations below 0.95.
    assert found["coverage"].min() > 0.95 - 4 * math.sqrt(0.05 * 0.95 / 200)


def test_a_withheld_interval_is_not_counted():
    found = cell(
        design="independent",
        distribution="binormal 1",
        scores=("prg_auc",),
        **{**SMALL, "pi0": 0.01},
    )
    assert found["n_given"].item() == 0
    assert found["warned"].item() == 1


def test_groups_share_a_part_of_their_scores():
    drawn = _Cell("groups", "binormal 1", "binormal 1", 1000, 0.1).draw(np.random.default_rng(0))
    sizes = np.bincount(drawn.groups)
    assert sizes.max() <= 50
    scores = drawn.y_score - drawn.y_true
    means = np.bincount(drawn.groups, weights=scores) / sizes
    between = np.var(means[sizes > 25])
    assert between == pytest.approx(0.3 + 0.7 / 38, abs=0.08)
    assert np.var(scores) == pytest.approx(1, abs=0.1)


def test_two_models_agree_on_many_rows():
    drawn = _Cell("two models", "binormal 1", "binormal 2", 2000, 0.5).draw(
        np.random.default_rng(0)
    )
    negatives = ~drawn.y_true
    correlation = np.corrcoef(drawn.y_score[negatives], drawn.y_score_other[negatives])[0, 1]
    assert correlation == pytest.approx(0.6, abs=0.06)
    gain = drawn.y_score_other[drawn.y_true].mean() - drawn.y_score[drawn.y_true].mean()
    assert gain == pytest.approx(1, abs=0.1)


def test_random_counts_are_binomial():
    simulated = _Cell("random counts", "binormal 1", "binormal 1", 50, 0.1)
    rng = np.random.default_rng(0)
    counts = [simulated.draw(rng).y_true.sum() for _ in range(400)]
    assert np.mean(counts) == pytest.approx(50, abs=4 * math.sqrt(45 / 400))
    assert np.var(counts) == pytest.approx(45, rel=0.3)


def test_an_unknown_design_is_refused():
    with pytest.raises(ValueError, match="design must be one of"):
        cell(design="tied", distribution="binormal 1", **SMALL)
