"""The true labels of a task: from its dataset, or from the consensus of its runs."""

import hashlib
from collections import deque
from types import SimpleNamespace

import http_stand_in as faults
import numpy as np
import pandas as pd
import pytest
from http_stand_in import answer
from openml_client import ARFF, DATASET, DESCRIPTION, selected, small_world
from openml_stand_in import (
    HTML_PAGE,
    api_error,
    description_xml,
    document,
    predictions_path,
    served,
)
from openml_world import Dataset, written
from sklearn.metrics import roc_auc_score

from reproduction.openml.checks import check
from reproduction.openml.reasons import ExcludedError, UnfinishedError
from reproduction.openml.truth import Target


def change_world(world, **dataset):
    """Another dataset under the same task and runs."""
    world.datasets = small_world(**dataset).datasets


def assert_true_labels(fetched, world):
    """Of each row with a label, and of no other."""
    dataset = world.datasets[DATASET]
    minority = int(np.argmin(dataset.class_sizes))
    assert fetched.outcome == "used"
    for _, rows in fetched.predictions.groupby("run"):
        np.testing.assert_array_equal(rows["row_id"], np.flatnonzero(dataset.y >= 0))
        np.testing.assert_array_equal(rows["y_true"], dataset.y[dataset.y >= 0] == minority)


def replace_dataset(jobs, column, **changes):
    """Another file, with its MD5."""
    rows = "".join(f"{label}\n" for label in column)
    arff = f"@relation x\n@attribute class string\n@data\n{rows}".encode()
    dataset, link = jobs.openml.world.datasets[DATASET], jobs.openml.url
    changes = {"md5_checksum": hashlib.md5(arff).hexdigest()} | changes
    jobs.openml.pages |= {DESCRIPTION: description_xml(dataset, link, **changes), ARFF: arff}


# --- Where the true labels come from


WITHOUT_DATASET = {
    "unknown": {DESCRIPTION: api_error(111)},
    "odd": {DESCRIPTION: served(document("data_set_description", "<oml:id>1</oml:id>"))},
    "of another": {DESCRIPTION: served(description_xml(Dataset(7, "x"), lambda path: path))},
    "404": {ARFF: answer(404)},
    "HTML": {ARFF: served(HTML_PAGE, "text/html")},
    "another MD5": {
        ARFF: served(b"@relation x\n@attribute class {no,yes}\n@data\n" + b"no\n" * 50)
    },
    "elsewhere": {ARFF: faults.redirect("http://localhost:9/dataset.arff")},
}


@pytest.mark.parametrize("kind", WITHOUT_DATASET)
def test_without_its_dataset_a_task_is_not_finished(jobs, world, kind):
    jobs.openml.fault_paths = WITHOUT_DATASET[kind]
    message = r"task 10: the true labels: .*run the same command again.*\.skip_tasks: \[10\]"
    with pytest.raises(UnfinishedError, match=message):
        jobs.fetch()
    jobs.openml.fault_paths = {}
    assert_true_labels(jobs.fetch(), world)


def test_a_dataset_that_is_refused_once_is_asked_for_again(jobs, world):
    jobs.openml.fault_paths[DESCRIPTION] = deque([api_error(111)])
    assert_true_labels(jobs.fetch(), world)


def test_permuted_rows_are_not_the_truth_for_ever(jobs, world):
    labels = np.array(["no", "yes"])[world.datasets[DATASET].y]
    replace_dataset(jobs, np.roll(labels, 7))
    with pytest.raises(UnfinishedError, match=r"0 of 3 models.*truth_differs"):
        jobs.fetch()
    jobs.openml.pages.clear()
    assert_true_labels(jobs.fetch(), world)


@pytest.mark.parametrize(
    ("labels", "column"),
    [
        (("FALSE", "TRUE"), lambda y: [bool(x) for x in y]),
        (("0", "1"), lambda y: [float(x) for x in y]),
        (("0", "1"), lambda y: [int(x) for x in y]),
        (("'(-inf-0.5]'", "'(0.5-inf)'"), lambda y: [["(-inf-0.5]", "(0.5-inf)"][x] for x in y]),
        (("a", "A"), lambda y: ["aA"[x] for x in y]),
    ],
)
def test_labels_may_be_written_differently(jobs, world, labels, column):
    change_world(world, labels=labels)
    replace_dataset(jobs, column(world.datasets[DATASET].y))
    assert_true_labels(jobs.fetch(), world)


@pytest.mark.parametrize("n_with", [0, 2, 8])
def test_rows_without_a_label_may_have_a_prediction(jobs, world, n_with):
    change_world(world, n_unlabelled=6)
    unlabelled = {"repeat": 0, "fold": 3, "row_id": np.flatnonzero(world.datasets[DATASET].y < 0)}
    unlabelled = pd.DataFrame({**unlabelled, "truth": -1, "predicted": 0, 0: 0.5, 1: 0.5})
    for run_id in sorted(world.runs, key=lambda run: run % 4)[:n_with]:
        rows = pd.concat([world.table(run_id), unlabelled])
        jobs.openml.pages[predictions_path(run_id)] = written(rows, ("no", "yes"))
    jobs.n_models = 8
    fetched = jobs.fetch()
    assert_true_labels(fetched, world)
    assert fetched.predictions["run"].nunique() == 8


@pytest.mark.parametrize(
    "dataset",
    [{"labels": ("a", "b", "c"), "class_sizes": (20, 20, 10)}, {"class_sizes": (50, 0)}],
)
def test_a_target_that_is_not_binary_needs_no_runs(jobs, world, dataset):
    change_world(world, **dataset)
    fetched = jobs.fetch(selected(world, n_minority=1))
    assert fetched.outcome == "not_binary"
    assert fetched.predictions.empty
    assert jobs.openml.requests == [DESCRIPTION, ARFF]


def test_labels_of_the_dataset_that_are_not_those_of_the_runs(jobs):
    replace_dataset(jobs, ["good", "bad"] * 25)
    with pytest.raises(UnfinishedError, match=r"0 of 3 models.*foreign_labels.*\('bad', 'good'\)"):
        jobs.fetch()


def test_runs_that_do_not_agree_on_folds(jobs, world):
    for run_id in [*world.runs][::3]:
        rows = world.table(run_id)
        rows = rows.assign(fold=np.random.default_rng(0).permutation(rows["fold"]))
        jobs.openml.pages[predictions_path(run_id)] = written(rows, ("no", "yes"))
    jobs.n_models = 8
    fetched = jobs.fetch()
    assert fetched.outcome == "too_few_usable_runs"
    assert [*fetched.runs("excluded").values()] == ["foreign_split"] * 3
    assert len(fetched.refused) == 3  # their files may be those of others
    jobs.openml.pages.clear()
    assert jobs.fetch().outcome == "used"


@pytest.mark.parametrize(
    ("labels", "sizes", "positive"),
    [
        (("no", "yes"), (30, 20), "yes"),
        (("yes", "no"), (30, 20), "no"),
        (("no", "yes"), (25, 25), "yes"),
        (("yes", "no"), (25, 25), "yes"),
    ],
)
def test_the_minority_is_positive_or_the_label_that_sorts_last(
    jobs, world, labels, sizes, positive
):
    change_world(world, labels=labels, class_sizes=sizes)
    y = np.array(labels)[world.datasets[DATASET].y]
    for run_id, rows in jobs.fetch().predictions.groupby("run"):
        np.testing.assert_array_equal(rows["y_true"], y == positive)
        table = world.table(int(run_id)).sort_values("row_id")
        np.testing.assert_array_equal(rows["y_score"], table[labels.index(positive)])


@pytest.mark.parametrize("labels", [("0.0", "1.00"), ("'0'", "1")])
def test_runs_may_write_labels_differently(jobs, world, labels):
    change_world(world, labels=("0", "1"))
    expected = jobs.fetch().predictions
    run_id = int(expected["run"].iloc[0])
    jobs.openml.pages[predictions_path(run_id)] = written(world.table(run_id), labels)
    jobs.folder = jobs.folder / "other"
    pd.testing.assert_frame_equal(jobs.fetch().predictions, expected)


# --- The AUC that the server states


def test_the_server_s_auc_is_the_mean_of_both_classes_by_their_sizes():
    rng = np.random.default_rng(0)
    truth = pd.Series(np.arange(40) % 2, dtype=np.int8)
    target = Target(("a", "b"), truth, pd.Index([]))
    confidence = rng.random((40, 2))
    fold = np.arange(40) // 4
    fold[truth == 1] = (fold[truth == 1] + 1) % 10  # the classes are not balanced in the folds
    fold[0] = 1
    run = pd.DataFrame({"repeat": 0, "fold": fold, 0: confidence[:, 0], 1: confidence[:, 1]})
    run = run.rename_axis("row_id")
    of_folds = [(np.eye(2)[truth[fold == i]], confidence[fold == i]) for i in range(10)]
    aucs = {i: float(roc_auc_score(*rows, average="weighted")) for i, rows in enumerate(of_folds)}

    def checked(stated):
        evaluations = {"area_under_roc_curve": {0: stated}}
        return check(run, run["fold"], target, SimpleNamespace(fold_evaluations=evaluations))

    assert checked(aucs)[1] == ""
    with pytest.raises(ExcludedError, match="auc_differs"):
        checked(aucs | {3: aucs[3] + 2e-5})


# --- The labels that the file says are predicted


@pytest.mark.parametrize("states_auc", [True, False])
def test_confidences_of_the_other_label_are_excluded(states_auc):
    rng = np.random.default_rng(0)
    truth = pd.Series(np.arange(40) % 2, dtype=np.int8)
    target = Target(("a", "b"), truth, pd.Index([]))
    of_b = np.where(np.arange(40) < 4, 0.5, rng.random(40))
    fold = np.arange(40) // 4
    run = pd.DataFrame({"repeat": 0, "fold": fold, 0: of_b, 1: 1 - of_b}).rename_axis("row_id")
    predicted = (of_b > 0.5).astype(np.int8)
    stated = {"area_under_roc_curve": {0: {0: 0.1}}} if states_auc else {}
    described = SimpleNamespace(fold_evaluations=stated)

    def checked(**columns):
        return check(run.assign(**columns), run["fold"], target, described)

    for columns in (
        {"prediction": predicted},
        {"prediction": predicted, "truth": truth},
        {"prediction": truth, "truth": predicted},  # as some programs write
    ):
        with pytest.raises(ExcludedError, match=r"prediction_differs: .*, in 36 rows"):
            checked(**columns)
    if not states_auc:
        predicted[-1] = 1 - predicted[-1]  # a threshold other than 0.5 may do this
        assert "0 of 10 folds" in checked(prediction=predicted)[1]
        assert "0 of 10 folds" in checked(prediction=np.full(40, -1))[1]
        assert "0 of 10 folds" in checked()[1]
