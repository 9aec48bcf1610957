"""Mean rank correlations, their intervals and what corrections change, against loops."""

from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from ranked_values import METRICS, frames, random_values
from scipy.stats import spearmanr, t

from reproduction.core.metrics import Metric, TimesPrior
from reproduction.ranking import corrections, experiment
from reproduction.ranking.experiment import _interval
from reproduction.ranking.panels import CORRECTIONS, FEWEST_TASKS, PANELS

CORRECTED, AS_PUBLISHED = frozenset(CORRECTIONS), frozenset()
COLUMNS = ["row", "column", "row_pi0", "column_pi0", "spearman", "low", "high", "n_tasks"]
COLUMNS += ["n_sources", "n_tasks_of_panel"]


def ran(scores, tasks, corrections=CORRECTED, *, metrics=METRICS, panel="all", n_bootstrap=50):
    options = {"panel": panel, "n_bootstrap": n_bootstrap, "seed": 7}
    with patch.object(experiment, "CORRECTIONS", corrections):
        return experiment.run(scores, tasks, metrics, **options)


def matrix(result, column="spearman"):
    size = round(len(result) ** 0.5)
    return result[column].to_numpy().reshape(size, size)


def test_every_cell_is_the_mean_of_spearmans_over_the_tasks():
    values = random_values()
    result = ran(*frames(values))
    assert list(result.columns) == COLUMNS
    keys = [metric.key for metric in METRICS]
    pairs = list(zip(result["row"], result["column"], strict=True))
    assert pairs == [(row, column) for row in keys for column in keys]
    for i in range(3):
        for j in range(3):
            expected = np.mean([spearmanr(v[:, i], v[:, j]).statistic for v in values.values()])
            assert matrix(result)[i, j] == pytest.approx(expected)
    assert (np.diagonal(matrix(result)) == 1).all()
    assert set(result["n_tasks"]) == {6}


def test_values_that_differ_by_rounding_rank_as_ties_in_any_order():
    rng = np.random.default_rng(0)
    exact = random_values()
    exact["t0"][:6] = 1.0  # perfect models
    exact["t1"][:, 1] *= -40  # AUC-PR Gain
    exact["t2"][:, 2] = 0.7  # constant
    rounded = {
        task: of_task * (1 + np.finfo(float).eps * rng.integers(-2, 3, of_task.shape))
        for task, of_task in exact.items()
    }
    expected = ran(*frames(exact))
    pd.testing.assert_frame_equal(ran(*frames(rounded)), expected, check_exact=True)
    turned = {task: of_task[::-1] for task, of_task in rounded.items()}
    pd.testing.assert_frame_equal(ran(*frames(turned)), expected, check_exact=True)
    ranked = matrix(ran(*frames(rounded), CORRECTED - {"near_ties"}))
    slow = [spearmanr(of_task).statistic for of_task in rounded.values()]
    np.testing.assert_allclose(ranked, np.mean(slow, axis=0), atol=1e-9)
    assert np.abs(ranked - matrix(expected)).max() > 0.02


def test_a_metric_that_is_constant_is_left_out_or_counts_as_one():
    values = random_values()
    values["t1"][:, 2] = 0.7
    scores, tasks = frames(values)
    left_out = ran(scores, tasks)
    assert matrix(left_out, "n_tasks").tolist() == [[6, 6, 5], [6, 6, 5], [5, 5, 5]]
    rest = [v for task, v in values.items() if task != "t1"]
    mean = np.mean([spearmanr(v[:, 0], v[:, 2]).statistic for v in rest])
    assert matrix(left_out)[0, 2] == pytest.approx(mean)
    as_one = ran(scores, tasks, CORRECTED - {"undefined_correlation"})
    assert matrix(as_one)[2, 0] == pytest.approx((5 * mean + 1) / 6)
    assert set(as_one["n_tasks"]) == {6}


def test_the_gain_crossing_decides_which_value_is_taken():
    scores, tasks = frames(random_values())
    gain = scores["metric"] == METRICS[1].key
    scores["value_as_published"] = np.where(gain, -scores["value"], scores["value"])
    exact = matrix(ran(scores, tasks))
    published = matrix(ran(scores, tasks, CORRECTED - {"gain_crossing"}))
    np.testing.assert_allclose(published, exact * np.array([[1, -1, 1], [-1, 1, -1], [1, -1, 1]]))


def test_a_metric_of_which_less_is_better_ranks_the_smallest_value_first():
    values = random_values()
    metrics = [*METRICS[:2], Metric("negative_likelihood_ratio", options={"threshold": 0.5})]
    negated = {task: of_task * [1, 1, -1] for task, of_task in values.items()}
    result = ran(*frames(negated, metrics), metrics=metrics)
    for column in ("spearman", "low", "high"):
        np.testing.assert_allclose(result[column], ran(*frames(values))[column])


def test_a_panel_takes_its_tasks_only_in_any_order():
    values = random_values()
    scores, tasks = frames(values, small_prior=[True, False] * 3)
    tasks.loc[len(tasks)] = ["t9", "timeout", "t9", True, False, True]
    shuffled = (frame.sample(frac=1, random_state=1) for frame in (scores, tasks))
    result = ran(*shuffled, panel="small_prior")
    expected = ran(*frames({task: values[task] for task in ("t0", "t2", "t4")}))
    np.testing.assert_array_equal(result["spearman"], expected["spearman"])
    assert set(result["n_tasks"]) == {3}
    assert set(result["n_tasks_of_panel"]) == {4}


def test_an_empty_panel_has_empty_cells():
    scores, tasks = frames(random_values())
    result = ran(scores, tasks, panel="small_prior")
    assert len(result) == 9
    assert result[["spearman", "low", "high"]].isna().all(axis=None)
    assert (result[["n_tasks", "n_tasks_of_panel"]] == 0).all(axis=None)
    assert ran(scores[:0], tasks[:0])["spearman"].isna().all()


@pytest.mark.parametrize(("n_used", "is_made"), [(4, False), (5, True)])
def test_the_imbalanced_panel_needs_five_tasks(n_used, is_made):
    assert FEWEST_TASKS == {"all": 1, "imbalanced": 5, "small_prior": 1}
    scores, tasks = frames(random_values(), imbalanced=True)
    tasks.loc[n_used:, "outcome"] = "timeout"
    result = ran(scores, tasks, panel="imbalanced")
    assert result["spearman"].notna().all() == is_made
    assert set(result["n_tasks"]) == {n_used if is_made else 0}
    changes = corrections.run(scores, tasks, METRICS, METRICS)
    assert ("imbalanced" in set(changes["panel"])) == is_made


def test_refusals():
    scores, tasks = frames(random_values())
    gone = (scores["task"] == "t3") & (scores["run"] == "01")
    gone &= scores["metric"] == METRICS[1].key
    with pytest.raises(ValueError, match=r"task t3, run 01 lacks the metric prg_auc@pi0=0\.5"):
        ran(scores[~gone], tasks)
    with pytest.raises(ValueError, match="task t2 of the panel 'all' has no scores"):
        ran(scores[scores["task"] != "t2"], tasks)
    with pytest.raises(ValueError, match="duplicate"):
        ran(pd.concat([scores, scores[:1]]), tasks)


# ----------------------------------------------------------------------------------- intervals


def test_the_interval_is_a_t_interval_of_the_mean_on_fishers_z():
    values = random_values(n_tasks=40)
    result = ran(*frames(values), n_bootstrap=4000)
    cell = np.array([spearmanr(v[:, 0], v[:, 1]).statistic for v in values.values()])
    slope = 1 / (1 - cell.mean() ** 2)
    reach = t.ppf(0.975, 39) * cell.std(ddof=1) / np.sqrt(40) * slope
    expected = np.tanh([np.arctanh(cell.mean()) - reach, np.arctanh(cell.mean()) + reach])
    low, high = matrix(result, "low"), matrix(result, "high")
    np.testing.assert_allclose([low[1, 0], high[1, 0]], expected, atol=0.008)
    np.testing.assert_array_equal(low, low.T)
    assert (np.diagonal(low) == 1).all()
    below = np.tril_indices(3, -1)
    centre = (np.arctanh(low[below]) + np.arctanh(high[below])) / 2
    np.testing.assert_allclose(np.tanh(centre), matrix(result)[below])


def test_intervals_cover_the_mean_of_a_few_skewed_correlations():
    """Correlations near 1, some of them exactly 1; the percentile interval covers 0.8 here."""
    rng = np.random.default_rng(0)
    n_tasks, n_samples, true = 6, 400, 1 - 0.7 * 0.2
    covered = 0
    for _ in range(n_samples):
        cell = 1 - rng.choice([0.0, 1.0], n_tasks, p=[0.3, 0.7]) * rng.exponential(0.2, n_tasks)
        cells = np.broadcast_to(cell[:, None, None], (n_tasks, 2, 2))
        low, high = _interval(cells.clip(-1), range(n_tasks), 200, rng)
        covered += low[1, 0] <= true <= high[1, 0]
    assert 0.9 < covered / n_samples < 0.99


def test_intervals_cover_the_mean_of_tasks_of_few_sources():
    """Tasks of a source differ little. As independent tasks, they would cover 0.8."""
    rng = np.random.default_rng(0)
    n_samples, true = 400, 0.7
    covered = {"sources": 0, "tasks": 0}
    sources = np.repeat(np.arange(10), 2)
    for _ in range(n_samples):
        cell = true + rng.uniform(-0.25, 0.25, 10)[sources] + rng.uniform(-0.02, 0.02, 20)
        cells = np.broadcast_to(cell[:, None, None], (20, 2, 2))
        for unit, units in (("sources", sources), ("tasks", range(20))):
            low, high = _interval(cells, units, 200, rng)
            covered[unit] += low[1, 0] <= true <= high[1, 0]
    assert 0.92 < covered["sources"] / n_samples < 0.98
    assert covered["tasks"] / n_samples < 0.87


def test_tasks_of_a_source_are_drawn_together():
    values = random_values(n_tasks=8)
    scores, tasks = frames(values)
    alone = ran(scores, tasks)
    pairs = ran(scores, tasks.assign(dataset=list("aabbccdd")))
    np.testing.assert_array_equal(alone["spearman"], pairs["spearman"])
    assert (set(alone["n_sources"]), set(pairs["n_sources"])) == ({8}, {4})
    assert (matrix(alone, "low")[0, 1] != matrix(pairs, "low")[0, 1]).all()


@pytest.mark.parametrize("n_tasks", [1, 2])
def test_one_source_has_no_interval(n_tasks):
    scores, tasks = frames(random_values(n_tasks))
    result = ran(scores, tasks.assign(dataset="a"))
    assert result["spearman"].notna().all()
    assert result[["low", "high"]].isna().all(axis=None)


def test_draws_in_which_nothing_is_defined_are_left_out():
    values = random_values(n_tasks=8)
    for task in list(values)[2:]:
        values[task][:, 2] = 1.0
    result = ran(*frames(values), n_bootstrap=200)
    low, mean, high = (matrix(result, each)[0, 2] for each in ("low", "spearman", "high"))
    assert -1 < low < mean < high < 1


# --------------------------------------------------------------------------------- corrections


IMBALANCED = [METRICS[0], Metric("prg_auc", TimesPrior(10)), METRICS[2]]


def corrected_frames():
    """Six tasks, five of them imbalanced, with everything that there is to correct."""
    values = {task: np.hstack([v, v[:, [1]]]) for task, v in random_values().items()}
    values["t1"][:, [2, 3]] = 0.5
    metrics = [*METRICS, IMBALANCED[1]]
    return frames(values, metrics, imbalanced=[True, True, True, True, True, False])


def test_each_correction_alone_and_all_together():
    scores, tasks = corrected_frames()
    table = corrections.run(scores, tasks, METRICS, IMBALANCED)
    names = list(table.groupby(["panel", "correction"], sort=False).groups)
    assert names == [(panel, kind) for panel in PANELS[:2] for kind in [*CORRECTIONS, "all"]]
    for (panel, kind), part in table.groupby(["panel", "correction"]):
        conventions = CORRECTED if kind == "all" else {kind}
        metrics = METRICS if panel == "all" else IMBALANCED
        published = ran(scores, tasks, AS_PUBLISHED, metrics=metrics, panel=panel)
        expected = ran(scores, tasks, conventions, metrics=metrics, panel=panel)
        np.testing.assert_array_equal(part["as_published"], published["spearman"])
        np.testing.assert_array_equal(part["corrected"], expected["spearman"])
        np.testing.assert_array_equal(part["change"], part["corrected"] - part["as_published"])
        assert list(part["row"]) == list(published["row"])


def test_corrections_of_nothing_and_of_undefined_cells():
    scores, tasks = corrected_frames()
    table = corrections.run(scores[:0], tasks[:0], METRICS, IMBALANCED)
    assert table.empty
    assert "correction" in table
    values = {task: each * [1, 0, 0] + [0, 1, 1] for task, each in random_values(2).items()}
    table = corrections.run(*frames(values), METRICS, IMBALANCED)
    corrected = table[table["correction"] == "all"].set_index(["row", "column"])["corrected"]
    first, second, _ = (metric.key for metric in METRICS)
    assert corrected[first, first] == 1
    assert np.isnan(corrected[first, second])
