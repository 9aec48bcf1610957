"""Regret of choosing by another metric, against loops."""

import numpy as np
import pandas as pd
import pytest
from ranked_values import METRICS, frames, random_values

from reproduction.ranking import regret

KEYS = [metric.key for metric in METRICS]
COLUMNS = ["chosen_by", "judged_by", "chosen_by_pi0", "judged_by_pi0"]
COLUMNS += ["mean", "median", "p90", "largest", "n_tasks"]


def ran(values, panel="all"):
    return regret.run(*frames(values), METRICS, panel=panel)


def by_loops(values, chooser, judge):
    regrets = []
    for of_task in values.values():
        best = max(row[chooser] for row in of_task)
        judged = [row[judge] for row in of_task if row[chooser] == best]  # ties are averaged
        regrets.append(max(row[judge] for row in of_task) - sum(judged) / len(judged))
    return regrets


def test_regrets_are_those_of_loops():
    values = random_values(12)
    result = ran(values)
    assert list(result.columns) == COLUMNS
    cells = iter(result.itertuples())
    for chooser in range(3):
        for judge in range(3):
            cell = next(cells)
            assert (cell.chosen_by, cell.judged_by) == (KEYS[chooser], KEYS[judge])
            regrets = by_loops(values, chooser, judge)
            assert cell.mean == pytest.approx(np.mean(regrets))
            assert cell.median == pytest.approx(np.median(regrets))
            assert cell.p90 == pytest.approx(np.quantile(regrets, 0.9))
            assert cell.largest == pytest.approx(max(regrets))
            assert cell.n_tasks == 12


def test_models_that_tie_up_to_rounding_count_by_their_mean():
    exact = random_values()
    rng = np.random.default_rng(1)
    rounded = {
        task: of_task * (1 + np.finfo(float).eps * rng.integers(-2, 3, of_task.shape))
        for task, of_task in exact.items()
    }
    result = ran(rounded)
    pd.testing.assert_frame_equal(result, ran(exact), check_exact=False, rtol=0, atol=1e-14)
    own = result["chosen_by"] == result["judged_by"]
    assert (result.loc[own, ["mean", "median", "p90"]] == 0).all(axis=None)


def test_an_empty_panel_has_empty_cells():
    result = ran(random_values(), panel="imbalanced")
    assert len(result) == 9
    assert result[["mean", "median", "p90"]].isna().all(axis=None)
    assert (result["n_tasks"] == 0).all()
