"""The validation of intervals draws what it says, and prints a row for each design."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

FOLDER = Path(__file__).parents[1] / "validation"


@pytest.fixture
def intervals(monkeypatch):
    """The module, forgotten afterwards."""
    monkeypatch.syspath_prepend(FOLDER)
    yield importlib.import_module("intervals")
    for name in ("intervals", "populations"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize("part", ["few", "rare", "ordinary", "strata", "weights", "clusters"])
def test_a_design_is_measured(intervals, part):
    cell = next(intervals.PARTS[part]())
    row = intervals.measured(cell, 2).strip("| ").split(" | ")
    assert row[0] == cell.name
    assert 0 <= float(row[1]) <= 1
    assert float(row[4]) > 0
    assert row[-1] == "0"


def test_models_on_the_same_rows_differ_by_their_true_values(intervals):
    cell = next(intervals.paired())
    estimate, true = cell.draw(np.random.default_rng(0))
    assert estimate.low < true < estimate.high
    assert 0.01 < true < 0.04


def test_areas_of_populations_are_those_of_normal_scores(intervals):
    for distance in (0.5, 2.0):
        area = intervals._true_value("roc_auc", distance, 0.0, 0.1)
        assert area == pytest.approx(stats.norm.cdf(distance / np.sqrt(2)), abs=1e-6)


def test_exact_coverage_of_recall_is_that_of_its_limits(intervals):
    """With all FP alike, the coverage of recall is a sum over one binomial distribution."""
    (least, tpr, _), *_ = intervals._exact("recall", 5, 5, None)
    chance = stats.binom.pmf(np.arange(6), 5, tpr)
    limits = [
        intervals.interval("recall", intervals.ConfusionMatrix(tp=tp, fp=1, fn=5 - tp, tn=4))
        for tp in range(6)
    ]
    covered = [each.low <= tpr <= each.high for each in limits]
    assert least == pytest.approx(chance @ np.array(covered), abs=1e-12)
