"""The official Python client, unmodified, reads the same from the stand-in as our client does.

So the stand-in answers as that client expects of a server, and our lists, labels and predictions
are those of a program that others wrote. The experiments do not use it: one odd entry makes it
refuse a whole list, and its downloads have no time limit.
"""

import json
import subprocess
import sys
from functools import partial

import numpy as np
import pytest
from openml_stand_in import API, World

from reproduction.openml import dataset
from reproduction.openml.documents import listed_runs, run_description
from reproduction.openml.lists import Lists
from reproduction.openml.run_predictions import read_predictions_file
from reproduction.openml.server import Server

pytest.importorskip("openml")

ASK = """
import json, sys
import openml

address, cache, task, dataset, target, runs = json.loads(sys.argv[1])
openml.config.set_root_cache_directory(cache)
openml.config.server = address
frame = {"output_format": "dataframe"}
kind = openml.tasks.TaskType.SUPERVISED_CLASSIFICATION
tasks = openml.tasks.list_tasks(task_type=kind, number_classes=2, **frame)
tasks = tasks[tasks["estimation_procedure"] == "10-fold Crossvalidation"]
listed = openml.runs.list_runs(task=[task], size=1000, **frame)
labels = openml.datasets.get_dataset(dataset, download_data=True).get_data()[0][target]
predictions = [openml.runs.get_run(run).predictions for run in runs]
print(json.dumps({
    "datasets": dict(zip(tasks["tid"].astype(str), tasks["did"].tolist())),
    "runs": sorted(listed["run_id"].tolist()),
    "labels": labels.astype(str).tolist(),
    "predictions": [rows.filter(regex="row_id|fold|^conf").to_dict("list") for rows in predictions],
}))
"""


@pytest.fixture
def world():
    return World.synthetic(n_tasks=4, n_runs=4, n_rows=120, seed=1)


@pytest.fixture
def task(world):
    return world.tasks_of_kind("full")[0]


@pytest.fixture
def theirs(openml, world, task, tmp_path):
    """What the official client reads, in a process of its own."""
    of_task = world.dataset_of(world.tasks[task])
    runs = [run.run_id for run in world.runs_of(task)]
    question = [openml.url(API), str(tmp_path), task, of_task.did, of_task.target, runs]
    ended = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", ASK, json.dumps(question)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ended.returncode == 0, ended.stderr[-3000:]
    return json.loads(ended.stdout.splitlines()[-1])


def test_both_clients_read_the_same(openml, world, task, theirs, tmp_path):
    server = Server(openml.url_api, tmp_path / "ours", requests_per_second=1e9)
    lists = Lists(server)
    candidates = lists.candidates(lists.binary_datasets())
    ours = {str(number): each["dataset_id"] for number, each in candidates.items()}
    assert ours.items() <= theirs["datasets"].items()
    assert str(task) in ours

    address = f"run/list/limit/1000/offset/0/task/{task}"
    assert sorted(server.document(address, listed_runs)[task]) == theirs["runs"]

    of_task = world.dataset_of(world.tasks[task])
    labels = dataset.target(server, of_task.did, of_task.target, of_task.n_rows)
    assert labels.tolist() == theirs["labels"]

    for run, expected in zip(world.runs_of(task), theirs["predictions"], strict=True):
        read = partial(run_description, run_id=run.run_id, task_id=task)
        url = server.document(f"run/{run.run_id}", read).predictions_url
        found = server.file(url, f"{run.run_id}.arff", read_predictions)
        assert found.keys() >= {"row_id", "fold"}
        for name, values in expected.items():
            np.testing.assert_array_equal(found[name], values)


def read_predictions(path):
    with open(path, "rb") as file:
        return read_predictions_file(file, str(path))
