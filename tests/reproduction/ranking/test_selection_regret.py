"""Regret of choosing by another metric, against loops."""

from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest

from reproduction.core.metrics import Metric
from reproduction.ranking import regret
from reproduction.ranking.panels import CONVENTIONS, Conventions

METRICS = [Metric("average_precision"), Metric("prg_auc", 0.5), Metric("roc_auc")]
KEYS = [metric.key for metric in METRICS]
COLUMNS = [
    "chosen_by",
    "judged_by",
    "chosen_by_pi0",
    "judged_by_pi0",
    "mean",
    "median",
    "p90",
    "n_tasks",
]


def frames(values):
    """Scores and tasks from {task: (n_models, 3)}; published values have the opposite sign."""
    rows = [
        (task, f"{run:02d}", key, value, -value)
        for task, of_task in values.items()
        for run, of_run in enumerate(np.asarray(of_task, dtype=float))
        for key, value in zip(KEYS, of_run, strict=True)
    ]
    columns = ["task", "run", "metric", "value", "value_as_published"]
    tasks = pd.DataFrame({"task": list(values), "outcome": "used", "all": True})
    return pd.DataFrame(rows, columns=columns), tasks.assign(imbalanced=False, small_prior=False)


def random_values(n_tasks=12, seed=0):
    """With ties: values have one decimal."""
    rng = np.random.default_rng(seed)
    return {f"t{i:02d}": np.round(rng.random((5 + i, 3)), 1) + 0.1 for i in range(n_tasks)}


def ran(values, panel="all", **conventions):
    with patch.dict(CONVENTIONS, tested=Conventions(**conventions)):
        return regret.run(*frames(values), METRICS, conventions="tested", panel=panel)


def by_loops(values, chooser, judge):
    regrets = []
    for of_task in values.values():
        best = max(row[chooser] for row in of_task)
        judged = [row[judge] for row in of_task if row[chooser] == best]
        regrets.append(max(row[judge] for row in of_task) - sum(judged) / len(judged))
    return regrets


def test_regrets_are_those_of_loops():
    values = random_values()
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
            assert cell.n_tasks == 12


def test_a_metric_has_no_regret_by_itself():
    result = ran(random_values())
    own = result["chosen_by"] == result["judged_by"]
    assert (result.loc[own, ["mean", "median", "p90"]] == 0).all(axis=None)
    assert (result[["mean", "median", "p90"]] >= 0).all(axis=None)


def test_the_lowest_value_is_best_for_a_metric_of_which_less_is_better():
    metrics = [Metric("negative_likelihood_ratio", options={"threshold": 0.5}), *METRICS[1:]]
    scores, tasks = frames({"t": [[0.2, 0.5, 0.9], [0.4, 0.8, 0.7], [0.9, 0.6, 0.8]]})
    scores["metric"] = scores["metric"].replace(KEYS[0], metrics[0].key)
    result = regret.run(scores, tasks, metrics, conventions="corrected", panel="all")
    regrets = result["mean"].to_numpy().reshape(3, 3)
    np.testing.assert_allclose(regrets, [[0, 0.3, 0], [0.2, 0, 0.2], [0, 0.3, 0]], atol=1e-15)


def test_tied_best_models_count_by_their_mean():
    result = ran({"t": [[0.9, 0.2, 0.5], [0.9, 0.8, 0.5], [0.1, 1.0, 0.5]]})
    mean = result.set_index(["chosen_by", "judged_by"])["mean"]
    assert mean[KEYS[0], KEYS[1]] == pytest.approx(1.0 - 0.5)
    assert mean[KEYS[2], KEYS[0]] == pytest.approx(0.9 - 1.9 / 3)


def test_models_that_tie_up_to_rounding_count_by_their_mean():
    exact = random_values()
    rng = np.random.default_rng(1)
    rounded = {
        task: of_task * (1 + np.finfo(float).eps * rng.integers(-2, 3, of_task.shape))
        for task, of_task in exact.items()
    }
    expected, result = ran(exact), ran(rounded)
    pd.testing.assert_frame_equal(result, expected, check_exact=False, rtol=0, atol=1e-14)
    own = result["chosen_by"] == result["judged_by"]
    assert (result.loc[own, ["mean", "median", "p90"]] == 0).all(axis=None)
    ranked = ran(rounded, near_ties="ranked")
    assert (ranked["mean"] - expected["mean"]).abs().max() > 0.01


def test_the_gain_crossing_decides_which_value_is_taken():
    values = random_values()
    published = ran(values, gain_crossing="as_published", zeroed_runs="kept")
    negated = {task: -of_task for task, of_task in values.items()}
    pd.testing.assert_frame_equal(published, ran(negated, zeroed_runs="kept"))


def test_models_of_zeros_are_dropped_or_kept():
    values = {task: -of_task for task, of_task in random_values().items()}
    padded = {task: np.vstack([of_task, np.zeros(3)]) for task, of_task in values.items()}
    padded["t99"] = np.zeros((4, 3))
    pd.testing.assert_frame_equal(ran(padded), ran(values))
    kept = ran(padded, zeroed_runs="kept")
    assert (kept["mean"] == 0).all()
    assert set(kept["n_tasks"]) == {13}


def test_an_empty_panel_has_empty_cells():
    result = ran(random_values(), panel="imbalanced")
    assert len(result) == 9
    assert result[["mean", "median", "p90"]].isna().all(axis=None)
    assert (result["n_tasks"] == 0).all()


def test_the_order_of_the_input_does_not_matter():
    scores, tasks = frames(random_values())
    shuffled = (frame.sample(frac=1, random_state=0) for frame in (scores, tasks))
    result = regret.run(*shuffled, METRICS, conventions="corrected", panel="all")
    pd.testing.assert_frame_equal(result, ran(random_values()), check_exact=True)
