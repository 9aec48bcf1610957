import hashlib
import re
from collections import deque
from dataclasses import replace

import http_stand_in as faults
import numpy as np
import openml_stand_in as stand_in
import pandas as pd
import pytest
import requests
from openml_client import (
    ARFF,
    DATASET,
    DESCRIPTION,
    FIRST_RUN,
    TASK,
    outcome_of,
    selected,
    small_world,
    truth_source,
)
from openml_stand_in import HTML_PAGE, api_error, served

from reproduction.openml.documents import RunDescription
from reproduction.openml.reasons import ExcludedError, UnfinishedError
from reproduction.openml.run_predictions import RunPredictions, codes
from reproduction.openml.truth import reference_of

ALL_RUNS = range(FIRST_RUN, FIRST_RUN + 8)


def change_world(world, **dataset):
    """Another dataset under the same task and runs."""
    world.datasets = small_world(**dataset).datasets


def assert_true_labels(fetched, world):
    """Of every row with a label, and of no other."""
    dataset = world.datasets[DATASET]
    minority = int(np.argmin(dataset.class_sizes))
    assert outcome_of(fetched) == "used"
    for _, rows in fetched.predictions.groupby("run"):
        np.testing.assert_array_equal(rows["row_id"], np.flatnonzero(dataset.y >= 0))
        np.testing.assert_array_equal(rows["y_true"], dataset.y[dataset.y >= 0] == minority)


def change_description(client, old: str, new: str) -> None:
    body = requests.get(client.openml.url(DESCRIPTION), timeout=5).text
    assert old in body
    client.openml.pages[DESCRIPTION] = body.replace(old, new).encode()


# --- Where the true labels come from


def test_from_arff(client, world):
    fetched = client.fetch()
    assert truth_source(fetched) == "dataset"
    assert_true_labels(fetched, world)
    assert client.asked(ARFF) == 1


WITHOUT_ARFF = {
    "404": faults.answer(404),
    "503": faults.answer(503),
    "HTML": served(HTML_PAGE, "text/html"),
    "another MD5": served(b"@relation x\n@attribute class {no,yes}\n@data\n" + b"no\n" * 50),
    "redirect": faults.redirect("http://localhost:9/dataset.arff"),
}


@pytest.mark.parametrize("kind", WITHOUT_ARFF)
def test_the_truth_is_that_of_the_dataset_as_soon_as_its_file_can_be_had(client, world, kind):
    client.openml.fault_paths[ARFF] = WITHOUT_ARFF[kind]
    fetched = client.fetch()
    assert truth_source(fetched) == "consensus"
    assert fetched.refused == {"dataset"}
    client.openml.fault_paths.clear()
    assert truth_source(client.fetch()) == "dataset"


def replace_dataset(client, column):
    """Another file, with its MD5."""
    rows = "".join(f"{label}\n" for label in column)
    arff = f"@relation x\n@attribute class string\n@data\n{rows}".encode()
    change_description(client, md5_of_description(client), hashlib.md5(arff).hexdigest())
    client.openml.pages[ARFF] = arff


def md5_of_description(client):
    text = requests.get(client.openml.url(DESCRIPTION), timeout=5).text
    return re.search("<oml:md5_checksum>(.*)</oml:md5_checksum>", text)[1]


def test_a_file_with_sparse_rows_is_requested_once(client, world):
    replace_dataset(client, ["{0 yes}"] * 50)
    fetched = client.fetch()
    assert truth_source(fetched) == "consensus"
    assert fetched.refused == set()
    assert client.asked(ARFF) == 1
    assert_true_labels(client.fetch(), world)
    assert client.asked(ARFF) == 1


def test_an_arff_file_without_md5_is_believed(client, world):
    change_description(client, md5_of_description(client), "")
    assert truth_source(client.fetch()) == "dataset"


def test_permuted_rows_are_not_the_truth_for_ever(client, world):
    labels = np.array(["no", "yes"])[world.datasets[DATASET].y]
    replace_dataset(client, np.roll(labels, 7))
    with pytest.raises(UnfinishedError, match="0 of 3 models"):
        client.fetch()
    client.openml.pages.clear()
    assert_true_labels(client.fetch(), world)


@pytest.mark.parametrize(
    ("labels", "column"),
    [
        (("FALSE", "TRUE"), lambda y: [bool(x) for x in y]),
        (("0", "1"), lambda y: [float(x) for x in y]),
        (("0", "1"), lambda y: [int(x) for x in y]),
        (("'(-inf-0.5]'", "'(0.5-inf)'"), lambda y: [["(-inf-0.5]", "(0.5-inf)"][x] for x in y]),
    ],
    ids=["bool", "float", "int", "bins"],
)
def test_labels_may_be_written_differently(client, world, labels, column):
    change_world(world, labels=labels)
    y = world.datasets[DATASET].y
    replace_dataset(client, column(y))
    fetched = client.fetch()
    assert truth_source(fetched) == "dataset"
    assert_true_labels(fetched, world)


def with_unlabelled_rows(table, n_unlabelled, unlabelled):
    """As of programs that predict every row."""

    def longer(values, more):
        return np.concatenate([values, more])

    return replace(
        table,
        repeat=longer(table.repeat, np.zeros(n_unlabelled, int)),
        fold=longer(table.fold, np.arange(n_unlabelled) % 10),
        row_id=longer(table.row_id, unlabelled),
        truth=longer(table.truth, np.full(n_unlabelled, -1)),
        predicted=longer(table.predicted, np.zeros(n_unlabelled, int)),
        confidences=np.vstack([table.confidences, np.full((n_unlabelled, 2), 0.5)]),
    )


@pytest.mark.parametrize(
    ("n_with", "has_dataset"),
    [(0, True), (2, True), (4, True), (8, True), (0, False), (2, False), (8, False)],
)
def test_rows_without_a_label_may_have_a_prediction(client, world, n_with, has_dataset):
    change_world(world, n_unlabelled=6)
    unlabelled = np.flatnonzero(world.datasets[DATASET].y < 0)
    for run_id in sorted(world.runs, key=lambda run: run % 4)[:n_with]:
        table = with_unlabelled_rows(world.table(run_id), 6, unlabelled)
        client.openml.replace_predictions(run_id, table.arff("weka"))
    if not has_dataset:
        client.openml.fault_paths[DESCRIPTION] = api_error(111)
    fetched = client.fetch(n_models=8)
    assert_true_labels(fetched, world)
    assert fetched.predictions["run"].nunique() == 8


def test_a_target_of_three_labels_needs_no_runs(client, world):
    change_world(world, labels=("a", "b", "c"), class_sizes=(20, 20, 10))
    fetched = client.fetch()
    assert outcome_of(fetched) == "not_binary"
    assert fetched.predictions.empty
    assert client.openml.requests == [DESCRIPTION, ARFF]


def test_a_target_of_one_label_needs_no_runs(client, world):
    change_world(world, class_sizes=(50, 0))
    assert outcome_of(client.fetch(replace(selected(world), n_minority=1))) == "not_binary"
    assert client.openml.requests == [DESCRIPTION, ARFF]


WITHOUT_DATASET = {
    "unknown": {DESCRIPTION: api_error(111)},
    "private": {DESCRIPTION: api_error(112)},
    "odd": {DESCRIPTION: served(stand_in._document("data_set_description", "<oml:id>1</oml:id>"))},
    "no files": {ARFF: faults.answer(404)},
    "busy": {ARFF: faults.answer(503)},
}


@pytest.mark.parametrize("kind", WITHOUT_DATASET)
def test_from_the_runs_where_the_dataset_cannot_be_had(client, world, kind):
    client.openml.fault_paths = WITHOUT_DATASET[kind]
    fetched = client.fetch()
    assert truth_source(fetched) == "consensus"
    assert_true_labels(fetched, world)
    client.openml.requests.clear()
    pd.testing.assert_frame_equal(client.fetch().predictions, fetched.predictions)
    assert len(client.openml.requests) <= 1 + 2 * 4  # asked once more
    client.openml.fault_paths = {}
    assert truth_source(client.fetch()) == "dataset"


@pytest.mark.parametrize("n_refusals", [1, 2])
def test_a_dataset_that_comes_late_is_the_truth(client, waits, n_refusals):
    client.openml.fault_paths[DESCRIPTION] = deque([api_error(111)] * n_refusals)
    fetched = client.fetch()
    assert (truth_source(fetched), fetched.refused) == ("dataset", frozenset())
    assert [each for each in waits if each >= 20] == [20, 40][:n_refusals]


def test_labels_of_the_dataset_that_are_not_those_of_the_runs(client, world):
    replace_dataset(client, ["good", "bad"] * 25)
    fetched = client.fetch()
    assert truth_source(fetched) == "consensus"
    assert_true_labels(fetched, world)


def test_the_target_of_a_task_is_not_that_of_another(client, world):
    """Two tasks on one dataset."""
    world.tasks[20] = replace(world.tasks[TASK], task_id=20)
    for run_id in range(201, 209):
        world.runs[run_id] = replace(world.runs[FIRST_RUN], run_id=run_id, task_id=20)
    y = world.datasets[DATASET].y
    labels = np.array(["no", "yes"])
    rows = "".join(f"{labels[each]},{labels[1 - each]}\n" for each in y)
    arff = f"@attribute class string\n@attribute other string\n@data\n{rows}".encode()
    change_description(client, md5_of_description(client), hashlib.md5(arff).hexdigest())
    client.openml.pages[ARFF] = arff
    assert_true_labels(client.fetch(), world)
    with pytest.raises(UnfinishedError, match="8 that cannot be used; the last: truth_differs"):
        client.fetch(replace(selected(world, 20), target="other"))


def test_labels_that_differ_in_case_only_are_two(client, world):
    change_world(world, labels=("a", "A"))
    fetched = client.fetch()
    assert truth_source(fetched) == "dataset"
    assert_true_labels(fetched, world)


def test_runs_that_do_not_agree_on_folds(client, world):
    for run_id in ALL_RUNS[::2]:
        table = stand_in.with_foreign_split(world.table(run_id))
        client.openml.replace_predictions(run_id, table.arff("weka"))
    fetched = client.fetch(n_models=8)
    assert outcome_of(fetched) == "no_consensus"
    assert fetched.refused == set(map(str, ALL_RUNS))  # their files may be those of others
    client.openml.pages.clear()
    assert outcome_of(client.fetch(n_models=8)) == "used"


@pytest.mark.parametrize(
    ("sizes", "positive"),
    [((30, 20), "yes"), ((20, 30), "no"), ((25, 25), "yes")],
)
def test_the_minority_is_positive_or_the_label_that_sorts_last(client, world, sizes, positive):
    change_world(world, class_sizes=sizes)
    for labels in (("no", "yes"), ("yes", "no")):
        change_world(world, labels=labels, class_sizes=sizes if labels[0] == "no" else sizes[::-1])
        client.resources = client.resources / labels[0]
        fetched = client.fetch()
        y = np.array(labels)[world.datasets[DATASET].y]
        for run_id, rows in fetched.predictions.groupby("run"):
            np.testing.assert_array_equal(rows["y_true"], y == positive)
            table = world.table(int(run_id))
            scores = table.confidences[np.argsort(table.row_id), labels.index(positive)]
            np.testing.assert_array_equal(rows["y_score"], scores)


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


def check(reference, run, auc):
    return reference.check(run, RunDescription("", "", auc))


def test_the_runs_share_the_truth():
    reference = reference_of([a_run(seed) for seed in range(3)], None)
    assert reference.source == "consensus"
    np.testing.assert_array_equal(reference.rows["truth"], TRUTH)
    np.testing.assert_array_equal(reference.rows["fold"], np.arange(N_ROWS) % 10)


@pytest.mark.parametrize("n_swapped", range(6))
def test_swapped_columns_do_not_hide_the_truth(n_swapped):
    runs = [a_run(seed, swapped=seed < n_swapped) for seed in range(5)]
    reference = reference_of(runs, None)
    np.testing.assert_array_equal(reference.rows["truth"], TRUTH)
    repaired = [check(reference, run, {}).repaired for run in runs]
    assert repaired == [seed < n_swapped for seed in range(5)]


@pytest.mark.parametrize("swapped", [True, False])
def test_a_perfect_classifier_needs_no_repair(swapped):
    runs = [a_run(0, n_wrong=0, swapped=swapped), a_run(1), a_run(2)]
    reference = reference_of(runs, None)
    np.testing.assert_array_equal(reference.rows["truth"], TRUTH)
    assert not any(check(reference, run, {}).repaired for run in runs)


@pytest.mark.parametrize("n_swapped", [0, 1, 2])
@pytest.mark.parametrize("label", [0, 1])
def test_equal_predictions_do_not_pass_for_the_truth(n_swapped, label):
    """Five runs that always predict one label agree on that as much as on the truth."""
    always = np.full(N_ROWS, label, dtype=np.int8)
    runs = [a_run(seed, prediction=always) for seed in range(5)]
    runs[:n_swapped] = [a_run(0, truth=always, prediction=TRUTH)] * n_swapped
    np.testing.assert_array_equal(reference_of(runs, None).rows["truth"], TRUTH)


def test_runs_without_truth_do_not_vote():
    runs = [a_run(0, truth=None), a_run(1, truth=None), a_run(2), a_run(3)]
    reference = reference_of(runs, None)
    np.testing.assert_array_equal(reference.rows["truth"], TRUTH)
    assert not check(reference, runs[0], {}).repaired


@pytest.mark.parametrize(
    "runs",
    [
        [a_run(seed, truth=None) for seed in range(4)],
        [a_run(0)],
        [a_run(seed, truth=np.roll(TRUTH, seed // 2), prediction=None) for seed in range(4)],
        [a_run(seed, fold=np.roll(np.arange(N_ROWS) % 10, seed)) for seed in range(4)],
    ],
    ids=["without truth", "a single run", "half of them another", "four splits"],
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
        check(reference, a_run(0), {})


def test_labels_of_most_runs_count():
    runs = [a_run(0), a_run(1), a_run(2, labels=("c", "d"))]
    reference = reference_of(runs, None)
    assert reference.labels == ("a", "b")
    with pytest.raises(ExcludedError, match="foreign_labels"):
        check(reference, runs[2], {})


@pytest.mark.parametrize("labels", [("0.0", "1.00"), ("'0'", "1")])
def test_runs_may_write_labels_differently(client, world, labels):
    change_world(world, labels=("0", "1"))
    for without in ({}, {DESCRIPTION: api_error(111)}):
        client.openml.fault_paths = without
        expected = client.fetch(n_models=8).predictions
        run_id = int(expected["run"].iloc[0])
        other = replace(world.table(run_id), labels=labels).arff("weka")
        client.openml.replace_predictions(run_id, other)
        client.resources = client.resources / "other"
        pd.testing.assert_frame_equal(client.fetch(n_models=8).predictions, expected)


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


def fold_aucs(run, labels=(0, 1)):
    """As the server computes them."""
    from sklearn.metrics import roc_auc_score

    return {
        fold: [
            roc_auc_score(
                TRUTH[run.rows["fold"] == fold] == c, run.rows.loc[run.rows["fold"] == fold, c]
            )
            for c in labels
        ]
        for fold in range(10)
    }


SPLIT = np.arange(N_ROWS) // 4


@pytest.mark.parametrize("labels", [(0, 1), (1, 0)])
def test_the_server_may_order_the_labels_as_it_likes(labels):
    confidence = np.random.default_rng(0).random((N_ROWS, 2))
    runs = [a_run(seed, fold=SPLIT, confidence=confidence) for seed in range(3)]
    reference = reference_of(runs, None)
    aucs = fold_aucs(runs[0], labels)
    assert not check(reference, runs[0], aucs).repaired
    wrong = aucs | {3: [aucs[3][0], aucs[3][1] + 2e-5]}
    with pytest.raises(ExcludedError, match="auc_differs"):
        check(reference, runs[0], wrong)
