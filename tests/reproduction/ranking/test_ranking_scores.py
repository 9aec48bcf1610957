"""Mean metrics of models over folds, against a plain loop."""

import numpy as np
import pandas as pd
import pytest

from calibrated_metrics import ConfusionCurve
from reproduction.core.io import write
from reproduction.core.metrics import Metric, TimesPrior, read_metrics
from reproduction.core.settings import Metrics
from reproduction.ranking import scores
from reproduction.ranking.predictions import no_predictions
from reproduction.ranking.published_gain import prg_auc_as_published
from reproduction.ranking.scores import mean_over_folds

PAPER = read_metrics(Metrics().described("paper"))
COLUMNS = ["task", "run", "metric", "pi0", "value", "value_as_published"]


def predictions(runs=("a", "b", "c"), n_folds=10, n_rows=20, repeat=0, seed=0, prior=0.3):
    rng = np.random.default_rng(seed)
    size = len(runs) * n_folds * n_rows
    y_true = np.tile(np.arange(n_rows) < prior * n_rows, len(runs) * n_folds).astype("int8")
    return pd.DataFrame(
        {
            "task": "31",
            "run": np.repeat(runs, n_folds * n_rows),
            "repeat": repeat,
            "fold": np.tile(np.repeat(np.arange(n_folds), n_rows), len(runs)),
            "row_id": np.tile(np.arange(n_folds * n_rows), len(runs)),
            "y_true": y_true,
            "y_score": np.round(rng.normal(size=size) + y_true, 1),
        }
    )


@pytest.fixture
def table():
    return predictions()


def test_values_are_means_over_the_folds(table):
    result = mean_over_folds(table, PAPER)
    assert list(result.columns) == COLUMNS
    pairs = list(zip(result["run"], result["metric"], strict=True))
    assert pairs == [(run, metric.key) for run in "abc" for metric in PAPER]
    result = result.set_index(["run", "metric"])
    for run in "abc":
        for metric in PAPER:
            values, published = [], []
            for fold in range(10):
                part = table[(table["run"] == run) & (table["fold"] == fold)]
                curve = ConfusionCurve.from_predictions(part["y_true"], part["y_score"])
                values.append(metric(curve))
                pi0 = metric.pi0.at(curve.prior) if isinstance(metric.pi0, TimesPrior) else 0.5
                gain = metric.score == "prg_auc" and metric.pi0 is not None
                published.append(prg_auc_as_published(curve, pi0) if gain else values[-1])
            assert result.loc[(run, metric.key), "value"] == pytest.approx(np.mean(values))
            found = result.loc[(run, metric.key), "value_as_published"]
            assert found == pytest.approx(np.mean(published), abs=1e-12)


def test_the_order_of_the_rows_does_not_matter(table):
    shuffled = table.sample(frac=1, random_state=0)
    expected = mean_over_folds(table, PAPER)
    pd.testing.assert_frame_equal(mean_over_folds(shuffled, PAPER), expected, check_exact=True)


def test_only_the_lowest_repeat_of_each_run_counts(table):
    later = predictions(repeat=1, seed=1)
    only_later = predictions(runs=["d"], repeat=2, seed=2)
    result = mean_over_folds(pd.concat([later, only_later, table]), PAPER)
    expected = pd.concat([mean_over_folds(each, PAPER) for each in (table, only_later)])
    pd.testing.assert_frame_equal(result, expected.reset_index(drop=True))


def test_below_a_folds_prior_the_published_gain_is_that_of_all_vertices():
    """Where a point has moved past a neighbour, vertices inside runs of negatives matter."""
    table = predictions(runs=["a"], n_rows=40)
    table["y_score"] -= 0.7 * table["y_true"]
    result = mean_over_folds(table, [Metric("prg_auc", 0.05)])
    by_hand = []
    for _, fold in table.groupby("fold"):
        curve = ConfusionCurve.from_predictions(fold["y_true"], fold["y_score"])
        scores = np.append(np.inf, np.unique(fold["y_score"])[::-1])
        matrices = curve.confusion_matrix(scores)
        full = ConfusionCurve(scores, matrices.tp, matrices.fp)
        assert len(full) > len(curve)
        by_hand.append((prg_auc_as_published(full, 0.05), prg_auc_as_published(curve, 0.05)))
    full, plain = np.mean(by_hand, axis=0)
    assert result["value_as_published"].item() == pytest.approx(full)
    assert full != plain


def test_a_fold_that_cannot_be_measured_is_named(table):
    table.loc[(table["run"] == "c") & (table["fold"] == 2), "y_score"] = np.inf
    with pytest.raises(ValueError, match="task 31, run c, fold 2: y_score must be finite"):
        mean_over_folds(table, PAPER)
    table.loc[(table["run"] == "b") & (table["fold"] == 7), "y_true"] = 0
    with pytest.raises(ValueError, match="task 31, run b, fold 7: y_true holds no positives"):
        mean_over_folds(table, PAPER)


@pytest.mark.parametrize("prior", [0.3, 0.005])
def test_imbalanced_tasks_have_the_metrics_of_both_panels(table, tmp_path, prior):
    write(table, tmp_path / "31.parquet")
    task = pd.DataFrame({"task": ["31"], "prior": [prior]})
    arguments = (
        [task],
        [tmp_path / "31.parquet"],
        PAPER,
        [Metric("roc_auc"), Metric("prg_auc", 0.4)],
    )
    table, _ = scores.run(*arguments, imbalanced_below=0.01, small_prior_below=0.05)
    measured = set(table["metric"])
    assert ("prg_auc@pi0=0.4" in measured) == (prior < 0.01)
    assert len(measured) == 10 + (prior < 0.01)


def test_tables_of_all_tasks_are_in_the_order_of_their_names(table, tmp_path):
    """A file has the predictions of one or several tasks, or of none if its task is not used."""
    together, unused = tmp_path / "block.parquet", tmp_path / "7.parquet"
    write(pd.concat([table, table.assign(task="30")]), together)
    write(no_predictions(), unused)
    lines = pd.DataFrame({"task": ["31", "30"], "prior": [0.02, 0.5]})
    other = pd.DataFrame({"task": ["7"], "prior": [0.005]})
    options = {"imbalanced_below": 0.01, "small_prior_below": 0.05}
    measured, tasks = scores.run([lines, other], [together, unused], PAPER, [], **options)
    of_31 = mean_over_folds(table, PAPER)
    pd.testing.assert_frame_equal(measured, pd.concat([of_31.assign(task="30"), of_31]))
    assert tasks.to_numpy().tolist() == [
        ["30", 0.5, True, False, False],
        ["31", 0.02, True, False, True],
        ["7", 0.005, True, True, True],
    ]
    nothing, _ = scores.run([other], [unused], PAPER, [], **options)
    assert list(nothing.columns) == COLUMNS
    assert nothing.empty
    with pytest.raises(ValueError, match="task 7 occurs in two files"):
        scores.run([other, other], [unused, unused], PAPER, [], **options)
