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

from reproduction.openml.reasons import ExcludedError, UnfinishedError
from reproduction.openml.run_predictions import RunPredictions, codes
from reproduction.openml.truth import reference_of


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
    "private": {DESCRIPTION: api_error(112)},
    "odd": {DESCRIPTION: served(document("data_set_description", "<oml:id>1</oml:id>"))},
    "of another": {DESCRIPTION: served(description_xml(Dataset(7, "x"), lambda path: path))},
    "404": {ARFF: answer(404)},
    "503": {ARFF: answer(503)},
    "HTML": {ARFF: served(HTML_PAGE, "text/html")},
    "another MD5": {
        ARFF: served(b"@relation x\n@attribute class {no,yes}\n@data\n" + b"no\n" * 50)
    },
    "elsewhere": {ARFF: faults.redirect("http://localhost:9/dataset.arff")},
}


@pytest.mark.parametrize("kind", WITHOUT_DATASET)
def test_from_the_runs_until_the_dataset_can_be_had(jobs, world, kind):
    jobs.openml.fault_paths = WITHOUT_DATASET[kind]
    fetched = jobs.fetch()
    assert fetched.truth_source == "consensus"
    assert fetched.refused == {"1.dataset.arff"}
    assert_true_labels(fetched, world)
    pd.testing.assert_frame_equal(jobs.fetch().predictions, fetched.predictions)
    jobs.openml.fault_paths = {}
    assert jobs.fetch().truth_source == "dataset"


def test_a_dataset_that_is_refused_once_is_the_truth(jobs):
    jobs.openml.fault_paths[DESCRIPTION] = deque([api_error(111)])
    fetched = jobs.fetch()
    assert (fetched.truth_source, fetched.refused) == ("dataset", set())


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
    fetched = jobs.fetch()
    assert fetched.truth_source == "dataset"
    assert_true_labels(fetched, world)


@pytest.mark.parametrize("has_dataset", [True, False])
@pytest.mark.parametrize("n_with", [0, 2, 8])
def test_rows_without_a_label_may_have_a_prediction(jobs, world, n_with, has_dataset):
    change_world(world, n_unlabelled=6)
    unlabelled = {"repeat": 0, "fold": 3, "row_id": np.flatnonzero(world.datasets[DATASET].y < 0)}
    unlabelled = pd.DataFrame({**unlabelled, "truth": -1, "predicted": 0, 0: 0.5, 1: 0.5})
    for run_id in sorted(world.runs, key=lambda run: run % 4)[:n_with]:
        rows = pd.concat([world.table(run_id), unlabelled])
        jobs.openml.pages[predictions_path(run_id)] = written(rows, ("no", "yes"))
    if not has_dataset:
        jobs.openml.fault_paths[DESCRIPTION] = api_error(111)
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


def test_labels_of_the_dataset_that_are_not_those_of_the_runs(jobs, world):
    replace_dataset(jobs, ["good", "bad"] * 25)
    fetched = jobs.fetch()
    assert fetched.truth_source == "consensus"
    assert_true_labels(fetched, world)


def test_runs_that_do_not_agree_on_folds(jobs, world):
    for run_id in [*world.runs][::2]:
        rows = world.table(run_id)
        rows = rows.assign(fold=np.random.default_rng(0).permutation(rows["fold"]))
        jobs.openml.pages[predictions_path(run_id)] = written(rows, ("no", "yes"))
    jobs.n_models = 8
    fetched = jobs.fetch()
    assert fetched.outcome == "no_consensus"
    assert len(fetched.refused) == 8  # their files may be those of others
    jobs.openml.pages.clear()
    assert jobs.fetch().outcome == "used"


@pytest.mark.parametrize("labels", [("no", "yes"), ("yes", "no")])
@pytest.mark.parametrize(
    ("sizes", "positive"), [((30, 20), "yes"), ((20, 30), "no"), ((25, 25), "yes")]
)
def test_the_minority_is_positive_or_the_label_that_sorts_last(
    jobs, world, sizes, positive, labels
):
    sizes = sizes if labels[0] == "no" else sizes[::-1]
    change_world(world, labels=labels, class_sizes=sizes)
    y = np.array(labels)[world.datasets[DATASET].y]
    for run_id, rows in jobs.fetch().predictions.groupby("run"):
        np.testing.assert_array_equal(rows["y_true"], y == positive)
        table = world.table(int(run_id)).sort_values("row_id")
        np.testing.assert_array_equal(rows["y_score"], table[labels.index(positive)])


@pytest.mark.parametrize("labels", [("0.0", "1.00"), ("'0'", "1")])
@pytest.mark.parametrize("has_dataset", [True, False])
def test_runs_may_write_labels_differently(jobs, world, labels, has_dataset):
    change_world(world, labels=("0", "1"))
    jobs.openml.fault_paths = {} if has_dataset else {DESCRIPTION: api_error(111)}
    jobs.n_models = 8
    expected = jobs.fetch().predictions
    run_id = int(expected["run"].iloc[0])
    jobs.openml.pages[predictions_path(run_id)] = written(world.table(run_id), labels)
    jobs.folder = jobs.folder / "other"
    pd.testing.assert_frame_equal(jobs.fetch().predictions, expected)


@pytest.mark.parametrize(
    ("labels", "texts", "expected"),
    [
        (("false", "true"), ["TRUE", "False", None, "?"], [1, 0, -1, -1]),
        (("1.0", "2.0"), ["1", "2.00", "1.0", "nan"], [0, 1, 0, -1]),
        (("A", "a"), ["A", "a", "AA", "b"], [0, 1, -1, -1]),
    ],
)
def test_codes(labels, texts, expected):
    """Labels that differ only in case or as numbers are told apart."""
    assert codes(texts, labels).tolist() == expected


# --- The consensus of runs

N_ROWS = 40
TRUTH = np.arange(N_ROWS, dtype=np.int8) % 2


def a_run(seed: int, *, n_wrong: int = 6, swapped: bool = False, **changes) -> RunPredictions:
    wrong = np.random.default_rng(seed).permutation(N_ROWS)[:n_wrong]
    predicted = TRUTH.copy()
    predicted[wrong] = 1 - predicted[wrong]
    truth, prediction = (predicted, TRUTH) if swapped else (TRUTH, predicted)
    confidence = changes.pop("confidence", np.eye(2)[predicted])
    labels = changes.pop("labels", ("a", "b"))
    columns = {"fold": np.arange(N_ROWS) % 10, 0: confidence[:, 0], 1: confidence[:, 1]}
    columns |= {"prediction": prediction, "truth": truth} | changes
    rows = {name: column for name, column in columns.items() if column is not None}
    return RunPredictions(repeat=0, labels=labels, rows=pd.DataFrame(rows))


def check(reference, run, aucs=None):
    evaluations = {"area_under_roc_curve": {0: aucs}} if aucs else None
    described = SimpleNamespace(fold_evaluations=evaluations, flow_id=1, setup_id=2)
    return reference.check(run, described)


@pytest.mark.parametrize("n_swapped", range(6))
def test_swapped_columns_do_not_hide_the_truth(n_swapped):
    runs = [a_run(seed, swapped=seed < n_swapped) for seed in range(5)]
    reference = reference_of(runs, None)
    assert reference.source == "consensus"
    np.testing.assert_array_equal(reference.rows["truth"], TRUTH)
    repaired = [check(reference, run).outcome == "repaired" for run in runs]
    assert repaired == [seed < n_swapped for seed in range(5)]


@pytest.mark.parametrize("n_swapped", [0, 1, 2])
@pytest.mark.parametrize("label", [0, 1])
def test_equal_predictions_do_not_pass_for_the_truth(n_swapped, label):
    """Five runs that always predict one label agree on that as much as on the truth."""
    always = np.full(N_ROWS, label, dtype=np.int8)
    runs = [a_run(seed, prediction=always) for seed in range(5)]
    runs[:n_swapped] = [a_run(0, truth=always, prediction=TRUTH)] * n_swapped
    np.testing.assert_array_equal(reference_of(runs, None).rows["truth"], TRUTH)


@pytest.mark.parametrize(
    "runs",
    [
        [a_run(seed, truth=None) for seed in range(4)],
        [a_run(0)],
        [a_run(seed, truth=np.roll(TRUTH, seed // 2), prediction=None) for seed in range(4)],
        [a_run(seed, fold=np.roll(np.arange(N_ROWS) % 10, seed)) for seed in range(4)],
    ],
)
def test_no_consensus(runs):
    with pytest.raises(ExcludedError, match="no_consensus"):
        reference_of(runs, None)


def test_the_dataset_outvotes_the_runs():
    target = pd.Series(np.array(["B", "A"], dtype=object)[TRUTH])
    reference = reference_of([a_run(seed) for seed in range(3)], target)
    assert reference.source == "dataset"
    np.testing.assert_array_equal(reference.rows["truth"], 1 - TRUTH)
    with pytest.raises(ExcludedError, match="truth_differs"):
        check(reference, a_run(0))


def test_labels_of_most_runs_count_and_runs_without_truth_do_not_vote():
    runs = [a_run(0, truth=None), a_run(1, truth=None), a_run(2), a_run(3)]
    runs += [a_run(4, labels=("c", "d"))]
    reference = reference_of(runs, None)
    assert reference.labels == ("a", "b")
    np.testing.assert_array_equal(reference.rows["truth"], TRUTH)
    assert check(reference, runs[0]).outcome == "used"
    with pytest.raises(ExcludedError, match="foreign_labels"):
        check(reference, runs[4])


def test_the_server_s_auc_is_the_mean_of_both_classes_by_their_sizes():
    confidence = np.random.default_rng(0).random((N_ROWS, 2))
    fold = np.arange(N_ROWS) // 4
    fold[TRUTH == 1] = (fold[TRUTH == 1] + 1) % 10  # the classes are not balanced in the folds
    fold[0] = 1
    runs = [a_run(seed, fold=fold, confidence=confidence) for seed in range(3)]
    reference = reference_of(runs, None)
    of_folds = [(np.eye(2)[TRUTH[fold == i]], confidence[fold == i]) for i in range(10)]
    aucs = {i: float(roc_auc_score(*rows, average="weighted")) for i, rows in enumerate(of_folds)}
    assert check(reference, runs[0], aucs).auc_check == "checked"
    with pytest.raises(ExcludedError, match="auc_differs"):
        check(reference, runs[0], aucs | {3: aucs[3] + 2e-5})
