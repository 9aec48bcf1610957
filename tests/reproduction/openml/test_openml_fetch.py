import io
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from dataclasses import asdict, replace

import http_stand_in as faults
import numpy as np
import openml_stand_in as stand_in
import pandas as pd
import pytest
import requests
from openml_client import (
    DATASET,
    N_MODELS,
    TASK,
    Client,
    outcome_of,
    run_path,
    runs_of,
    selected,
    small_world,
)
from openml_stand_in import FAMILIES, HTML_PAGE, api_error, served

from reproduction.openml.fetch import MOST_IN_A_ROW, sampled_order
from reproduction.openml.reasons import UnfinishedError

ORDER = sampled_order(selected(small_world()), seed=0)
RUN = ORDER[1]
SPARE = ORDER[N_MODELS]
"""Takes the place of a run that cannot be used."""
TWO_PAUSES = [20, 40]


@pytest.fixture(scope="module")
def predictions(tmp_path_factory):
    """What is fetched when nothing goes wrong."""
    with pytest.MonkeyPatch.context() as patch, stand_in.openml_stand_in(small_world()) as openml:
        patch.setenv("no_proxy", "127.0.0.1,localhost")
        return Client(openml, tmp_path_factory.mktemp("resources")).fetch().predictions


@pytest.fixture
def path(world):
    """Of the predictions of RUN."""
    return world.predictions_path(RUN)


@pytest.fixture
def table(world):
    return world.table(RUN)


FINAL = {"no_confidences", "not_binary"}


def assert_same(fetched, predictions):
    pd.testing.assert_frame_equal(fetched.predictions, predictions)


def assert_run_is_replaced(fetched, reason):
    """RUN is the only one that is not used, for this reason, and the next one of the draw is."""
    outcome = "refused" if reason == "refused" else "excluded"
    assert runs_of(fetched, outcome) == {RUN: reason}
    assert fetched.refused == (set() if reason in FINAL else {str(RUN)})
    assert list(runs_of(fetched, "used")) == [ORDER[0], ORDER[2], SPARE]
    assert fetched.predictions["run"].unique().tolist() == [
        str(run) for run in (ORDER[0], ORDER[2], SPARE)
    ]


# --- Nothing goes wrong


def test_predictions_are_those_of_the_first_models_of_the_draw(world, client, predictions):
    fetched = client.fetch()
    assert_same(fetched, predictions)
    assert [*runs_of(fetched, "used")] == ORDER[:N_MODELS]
    dataset = world.datasets[DATASET]
    for run_id, rows in fetched.predictions.groupby("run"):
        table = world.table(int(run_id))
        order = np.argsort(table.row_id)
        np.testing.assert_array_equal(rows["row_id"], np.arange(dataset.n_rows))
        np.testing.assert_array_equal(rows["fold"], table.fold[order])
        np.testing.assert_array_equal(rows["y_score"], table.confidences[order, 1])
        np.testing.assert_array_equal(rows["y_true"], dataset.y)
    assert fetched.task.to_dict("records") == [
        {
            "task": str(TASK),
            "name": "small",
            "dataset": str(DATASET),
            "n_pos": 20,
            "n_neg": 30,
            "prior": 0.4,
            "n_models": N_MODELS,
            "outcome": "used",
        }
    ]


@pytest.mark.parametrize("estimation_procedure", [1, 3])
def test_of_several_repeats_the_first_is_used(world, client, estimation_procedure):
    world.change_task(TASK, estimation_procedure=estimation_procedure)
    fetched = client.fetch()
    assert outcome_of(fetched) == "used"
    assert (fetched.predictions["repeat"] == 0).all()
    folds = fetched.predictions.groupby("run")["fold"].agg(list)
    assert all(found == world.folds(TASK)[0].tolist() for found in folds)


def test_a_finished_fetch_asks_for_nothing(client, table):
    client.openml.replace_predictions(RUN, stand_in.without_confidences(table).arff("weka"))
    first = client.fetch()
    assert_run_is_replaced(first, "no_confidences")
    client.openml.requests.clear()
    again = client.fetch()
    assert client.openml.requests == []
    pd.testing.assert_frame_equal(again.predictions, first.predictions)
    pd.testing.assert_frame_equal(again.status, first.status)
    pd.testing.assert_frame_equal(again.task, first.task)


# --- What the server refuses

REFUSALS = {
    "404": faults.answer(404),
    "403": faults.answer(403),
    "503": faults.answer(503),
    "reset": faults.reset,
    "short length": faults.short_body(b"@data"),
    "truncated gzip": stand_in.half_gzip(b"@data\n" * 100),
    "HTML": served(HTML_PAGE, "text/html"),
    "empty": served(b""),
    "elsewhere": faults.redirect("http://localhost:9/"),
    "database": api_error(107),
    "not found": api_error(236),
}


@pytest.fixture(params=["description", "predictions"])
def refused_path(request, path):
    return path if request.param == "predictions" else run_path(RUN)


@pytest.mark.parametrize("kind", REFUSALS)
def test_a_refusal_that_passes_is_survived(client, waits, refused_path, predictions, kind):
    """Each of four retries in a request, and two requests."""
    n = 8 if kind in ("503", "reset") else 2
    client.openml.fault_paths[refused_path] = deque([REFUSALS[kind]] * n)
    fetched = client.fetch()
    assert_same(fetched, predictions)
    assert not fetched.refused
    assert [seconds for seconds in waits if seconds >= 20] == TWO_PAUSES
    assert client.asked(refused_path) == n + 1


@pytest.mark.parametrize("kind", REFUSALS)
def test_a_run_that_is_still_refused_is_replaced_and_taken_back(
    client, waits, refused_path, predictions, kind
):
    client.openml.fault_paths[refused_path] = REFUSALS[kind]
    fetched = client.fetch()
    assert_run_is_replaced(fetched, "refused")
    client.openml.requests.clear()
    waits.clear()
    again = client.fetch()
    assert_run_is_replaced(again, "refused")
    pd.testing.assert_frame_equal(again.status, fetched.status)
    assert client.asked(refused_path) <= 4  # one request with its retries
    assert set(client.openml.requests) <= {run_path(RUN), refused_path}
    assert all(seconds < 20 for seconds in waits)
    client.openml.fault_paths.clear()
    assert_same(client.fetch(), predictions)


def missing(client, runs):
    return {client.openml.world.predictions_path(run): faults.answer(404) for run in runs}


def test_an_outage_of_all_files_excludes_nothing(client, predictions):
    """As when the server's storage was gone for days, and it called every file missing."""
    client.openml.fault_paths = dict.fromkeys(client.files, faults.answer(404))
    for _ in range(2):
        message = r"task 10: 0 of 3 models; the server refuses 8 .*404.*skip_tasks: \[10\]"
        with pytest.raises(UnfinishedError, match=message):
            client.fetch()
    client.openml.fault_paths = {}
    assert_same(client.fetch(), predictions)


def test_an_outage_is_noticed_after_some_runs(client, world):
    world.runs |= {
        run_id: replace(world.runs[101], run_id=run_id, setup_id=run_id)
        for run_id in range(201, 260)
    }
    client.openml.fault_paths = missing(client, world.runs)
    with pytest.raises(UnfinishedError, match="0 of 30 models; the server refuses 10 runs"):
        client.fetch(n_models=30)
    asked = [path for path in client.openml.requests if path.endswith("predictions.arff")]
    assert len(asked) == 3 * MOST_IN_A_ROW
    client.openml.fault_paths.clear()
    assert outcome_of(client.fetch(n_models=30)) == "used"


def test_an_outage_does_not_undo_what_was_fetched(client):
    """Also if nothing answers, a finished task stays finished."""
    client.openml.fault_paths = missing(client, ORDER[:5])
    fetched = client.fetch()
    client.openml.mode = lambda server, path: faults.answer(503)
    again = client.fetch()
    assert_same(again, fetched.predictions)
    assert again.refused == fetched.refused == set(map(str, ORDER[:5]))


def test_too_few_runs_because_of_the_server(client):
    client.openml.fault_paths = missing(client, ORDER[2:5])
    with pytest.raises(UnfinishedError, match="5 of 6 models; the server refuses 3 runs"):
        client.fetch(n_models=6)
    client.openml.fault_paths.clear()
    assert outcome_of(client.fetch(n_models=6)) == "used"


def test_too_few_runs_because_of_their_files(client, world):
    for run_id in ORDER[2:5]:
        table = stand_in.without_confidences(world.table(run_id))
        client.openml.replace_predictions(run_id, table.arff("weka"))
    fetched = client.fetch(n_models=6)
    assert fetched.predictions.empty
    assert outcome_of(fetched) == "too_few_usable_runs"
    assert fetched.task[["n_pos", "n_neg", "n_models"]].to_numpy().tolist() == [[20, 30, 0]]
    row = [str(TASK), "", "excluded", "too_few_usable_runs", "5 of 6"]
    assert fetched.status.iloc[0, :5].tolist() == row
    assert runs_of(fetched, "excluded") == dict.fromkeys(ORDER[2:5], "no_confidences")


# --- Descriptions of runs


@pytest.mark.parametrize("has_input_data", [True, False])
def test_a_run_without_predictions_is_replaced(client, world, has_input_data):
    world.change_run(RUN, has_input_data=has_input_data, has_predictions=False)
    for _ in range(2):
        assert_run_is_replaced(client.fetch(), "no_predictions")
    assert client.asked(run_path(RUN)) == 3 + 1


@pytest.mark.parametrize("lacking", ["has_evaluations", "has_input_data", "has_description"])
def test_a_run_with_predictions_is_used(client, world, predictions, lacking):
    world.change_run(RUN, **{lacking: False})
    assert_same(client.fetch(), predictions)


def described(client, change) -> bytes:
    """The description of RUN, changed."""
    body = requests.get(client.openml.url(run_path(RUN)), timeout=5).text
    changed = change(body)
    assert changed != body
    return changed.encode()


SUFFICIENT = {
    "no setup": lambda xml: re.sub("<oml:setup_id>.*?</oml:setup_id>", "", xml),
    "value ?": lambda xml: re.sub("<oml:value>.*?<", "<oml:value>?<", xml),
    "no value": lambda xml: re.sub("<oml:value>.*?</oml:array_data>", "", xml),
    "two datasets": lambda xml: re.sub("(<oml:dataset>.*</oml:dataset>)", r"\1\1", xml),
    "no numbers": lambda xml: re.sub("<oml:uploader>.*?<", "<oml:uploader>x<", xml),
}


@pytest.mark.parametrize("kind", SUFFICIENT)
def test_an_odd_description_is_read(client, predictions, kind):
    client.openml.pages[run_path(RUN)] = described(client, SUFFICIENT[kind])
    assert_same(client.fetch(), predictions)


WRONG = {
    "no address": (
        "no_predictions",
        lambda xml: re.sub("<oml:url>.*?</oml:url>", "", xml),
    ),
    "two addresses": (
        "no_predictions",
        lambda xml: re.sub(
            "(<oml:file><oml:did>-1</oml:did>.*?predictions.arff)(</oml:url></oml:file>)",
            r"\1\2\1.x\2",
            xml,
        ),
    ),
    "another document": (
        "foreign_description",
        lambda xml: (
            xml.replace("oml:run_id", "oml:x")
            .replace("oml:run ", "oml:task ")
            .replace("</oml:run>", "</oml:task>")
        ),
    ),
    "another run": (
        "foreign_description",
        lambda xml: xml.replace(f"<oml:run_id>{RUN}<", f"<oml:run_id>{SPARE}<"),
    ),
    "another task": (
        "foreign_description",
        lambda xml: xml.replace(f"<oml:task_id>{TASK}<", f"<oml:task_id>{TASK + 1}<"),
    ),
    "no run": (
        "foreign_description",
        lambda xml: xml.replace(f"<oml:run_id>{RUN}<", "<oml:run_id><"),
    ),
}


@pytest.mark.parametrize("kind", WRONG)
def test_a_wrong_description_excludes_its_run_only(client, kind):
    reason, change = WRONG[kind]
    client.openml.pages[run_path(RUN)] = described(client, change)
    for _ in range(2):
        assert_run_is_replaced(client.fetch(), reason)
    assert client.asked(run_path(RUN)) == 1 + 3 + 1


def test_an_address_on_a_foreign_host_is_refused(client, path):
    client.openml.pages[run_path(RUN)] = described(
        client, lambda xml: xml.replace(client.openml.url(path), "http://localhost:9/data")
    )
    client.openml.requests.clear()
    assert_run_is_replaced(client.fetch(), "refused")
    assert client.asked(path) == 0


# --- Contents of predictions


def test_a_file_cut_at_a_line_end_is_asked_for_again(client, world, path, predictions):
    cut = stand_in.cut_at_line_end(world.predictions(RUN))
    client.openml.fault_paths[path] = deque([served(cut)])
    assert_same(client.fetch(), predictions)
    assert client.asked(path) == 2


REFUSED = {
    "cut at a line end": ("incomplete", lambda t: stand_in.cut_at_line_end(t.arff("weka"))),
    "cut in a row": ("malformed_row", lambda t: stand_in.cut_in_row(t.arff("weka"))),
    "too many rows": ("too_many_rows", lambda t: t.rows(np.arange(51) % 50).arff("weka")),
    "duplicate row": ("duplicate_rows", lambda t: stand_in.with_duplicate(t).arff("weka")),
    "a fold missing": (
        "missing_fold",
        lambda t: replace(t, fold=np.minimum(t.fold, 8)).arff("weka"),
    ),
    "foreign split": ("foreign_split", lambda t: stand_in.with_foreign_split(t).arff("weka")),
    "no confidences": (
        "no_confidences",
        lambda t: stand_in.without_confidences(t).arff("weka"),
    ),
    "other labels": ("foreign_labels", lambda t: replace(t, labels=("a", "b")).arff("weka")),
    "other truth": ("truth_differs", lambda t: replace(t, truth=1 - t.truth).arff("weka")),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_a_file_is_refused(client, table, path, kind):
    reason, damaged = REFUSED[kind]
    client.openml.replace_predictions(RUN, damaged(table))
    for _ in range(2):
        assert_run_is_replaced(client.fetch(), reason)
    assert client.asked(path) == (1 if reason in FINAL else 3 + 1)


DIALECTS = {
    **FAMILIES,
    "labels reversed": replace(FAMILIES["weka"], labels_reversed=True),
}


@pytest.mark.parametrize("name", DIALECTS)
def test_a_file_is_accepted(client, world, table, predictions, name):
    world.change_run(RUN, dialect=replace(DIALECTS[name], decimals=6))
    fetched = client.fetch()
    assert_same(fetched, predictions)
    assert runs_of(fetched, "repaired") == ({RUN: ""} if name == "python_swapped" else {})
    assert len(runs_of(fetched, "used")) == (2 if name == "python_swapped" else 3)


def scores(fetched, run_id):
    return fetched.predictions.set_index("run").loc[str(run_id), "y_score"].to_numpy()


@pytest.mark.parametrize("family", ["weka", "python_swapped", "shark"])
def test_a_row_without_confidence_counts_for_what_it_predicts(client, world, family):
    world.change_run(RUN, zero_rows=9, family=family)
    table = world.table(RUN)
    found = dict(zip(table.row_id, table.predicted, strict=True))
    fetched = client.fetch()
    assert set(runs_of(fetched, "used")) | set(runs_of(fetched, "repaired")) == set(ORDER[:3])
    for row in table.row_id[:9]:
        assert scores(fetched, RUN)[row] == found[row]


@pytest.mark.parametrize(("error", "is_used"), [(2e-5, False), (-2e-5, False), (4e-6, True)])
def test_the_auc_of_the_server_tells_whether_a_file_is_right(client, world, error, is_used):
    world.change_run(RUN, auc_error=error)
    fetched = client.fetch()
    if is_used:
        assert RUN in runs_of(fetched, "used")
    else:
        assert_run_is_replaced(fetched, "auc_differs")


def test_an_undefined_auc_does_not_hide_a_wrong_one(client, world):
    world.change_run(RUN, auc_error=0.1)
    client.openml.pages[run_path(RUN)] = described(
        client,
        lambda xml: re.sub(r'(fold="0">.*?array_data>)[^<]*', r"\1[NaN,NaN]", xml),
    )
    assert_run_is_replaced(client.fetch(), "auc_differs")


def test_aucs_without_a_place_are_passed_over(client, predictions):
    client.openml.pages[run_path(RUN)] = described(
        client, lambda xml: re.sub(r'repeat="\d" fold', "fold", xml)
    )
    assert_same(client.fetch(), predictions)


def test_a_fold_of_one_class_excludes_the_task(client, world):
    world.change_dataset(DATASET, class_sizes=(45, 5))
    fetched = client.fetch()
    assert outcome_of(fetched) == "one_class_fold"
    assert fetched.predictions.empty


@pytest.mark.parametrize(
    ("change", "check"),
    [
        (lambda xml: xml, "checked"),
        (lambda xml: re.sub("<oml:evaluation.*</oml:evaluation>", "", xml), "not checked"),
        (lambda xml: re.sub("<oml:array_data>.*?</oml:array_data>", "", xml), "checked"),
        (lambda xml: re.sub(r"(<oml:array_data>\[).*?,", "\\1\ufffd,", xml), "checked"),
        (lambda xml: re.sub("<oml:value>.*?</oml:array_data>", "", xml), "not checked"),
        (lambda xml: re.sub(' fold="[0-6]"', ' fold="x"', xml), "partly checked"),
    ],
    ids=["all folds", "none", "values only", "one class", "broken", "three folds"],
)
def test_the_status_says_whether_the_auc_was_checked(client, change, check):
    client.openml.pages[run_path(RUN)] = described(client, lambda xml: change(xml) + " ")
    status = client.fetch().status.set_index("run")
    assert status.loc[str(RUN), "auc_check"] == check
    detail = {"checked": "", "partly checked": "3 of 10 folds", "not checked": "0 of 10 folds"}
    assert status.loc[str(RUN), "detail"].endswith(detail[check])
    assert status.loc[str(ORDER[0]), "auc_check"] == "checked"


# --- Files that are damaged on disk

DAMAGE = {
    "empty": lambda body: b"",
    "half": lambda body: body[: len(body) // 2],
    "a changed digit": lambda body: body.replace(b"1", b"2", 1),
    "zeros": lambda body: bytes(len(body)),
}


@pytest.mark.parametrize("kind", DAMAGE)
@pytest.mark.parametrize("folder", ["predictions", "datasets", "api/run", "api/data"])
def test_a_file_that_is_damaged_on_disk_is_fetched_again(client, predictions, kind, folder):
    """Also what has the right form but not the checksum."""
    client.fetch()
    for path in list((client.server.folder / folder).glob("[!.]*")):
        path.write_bytes(DAMAGE[kind](path.read_bytes()))
    for _ in range(2):
        assert_same(client.fetch(), predictions)
    assert set(client.fetch().status["outcome"]) == {"used"}


# --- Other processes

FETCH = """
import json, sys
from reproduction.openml.fetch import fetch_task
from reproduction.openml.selection import SelectedTask
from reproduction.openml.server import Server

url, resources, task = sys.argv[1:]
server = Server(url, resources, requests_per_second=10_000)
fetched = fetch_task(SelectedTask(**json.loads(task)), server, n_models=3, seed=0)
fetched.predictions.to_parquet(sys.stdout.buffer)
"""


def start_fetch(client):
    task = json.dumps(asdict(selected(client.openml.world)))
    arguments = [client.openml.url_api, str(client.resources), task]
    return subprocess.Popen([sys.executable, "-c", FETCH, *arguments], stdout=subprocess.PIPE)


def test_a_killed_fetch_resumes(client, world, path, predictions):
    body = world.predictions(RUN)
    half_is_sent = threading.Event()

    def send_half(handler):
        stand_in.answer(200, body[: len(body) // 2], Content_Length=str(len(body)))(handler)
        handler.wfile.flush()
        half_is_sent.set()
        handler.server.stopping.wait(20)

    client.openml.fault_paths[path] = deque([send_half])
    with start_fetch(client) as process:
        assert half_is_sent.wait(30)
        wait_for_a_partial_file(client.server.folder / "predictions")
        os.kill(process.pid, signal.SIGKILL)
    assert client.kept("predictions") == {f"{ORDER[0]}.arff"}
    asked = len(client.openml.requests)
    with start_fetch(client) as process:
        answer = process.stdout.read()
    pd.testing.assert_frame_equal(pd.read_parquet(io.BytesIO(answer)), predictions)
    assert client.openml.requests[asked:] == [
        path,
        run_path(ORDER[2]),
        world.predictions_path(ORDER[2]),
    ]
    # Finished: a third process asks for nothing.
    asked = len(client.openml.requests)
    assert_same(client.fetch(), predictions)
    assert client.openml.requests[asked:] == []


def wait_for_a_partial_file(folder):
    deadline = time.monotonic() + 10
    while not any(file.name.startswith(".") for file in folder.iterdir()):
        assert time.monotonic() < deadline
        time.sleep(0.01)


# --- The draw


def test_the_draw_depends_on_the_seed_the_task_and_its_runs_only():
    task = selected(small_world(n_runs=40))
    order = sampled_order(task, seed=0)
    assert sorted(order) == list(task.runs)
    others = {"name": "x", "target": "y", "dataset_id": 9, "n_minority": 1, "n_instances": 7}
    assert sampled_order(replace(task, runs=task.runs[::-1], **others), seed=0) == order
    assert sampled_order(task, seed=1) != order
    assert sampled_order(replace(task, task_id=TASK + 1), seed=0) != order
    assert sorted(sampled_order(replace(task, runs=task.runs[1:]), seed=0)) == list(task.runs[1:])
