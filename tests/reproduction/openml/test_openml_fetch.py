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
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import http_stand_in as faults
import numpy as np
import openml_stand_in as stand_in
import pandas as pd
import pytest
import requests
from openml_client import (
    DATASET,
    N_MODELS,
    PATIENCE,
    TASK,
    Client,
    outcome_of,
    run_path,
    runs_of,
    selected,
    small_world,
)
from openml_stand_in import DATABASE_DOWN, FAMILIES, HTML_PAGE, XML, Run, Task, api_error, served

from reproduction.openml import fetch, server
from reproduction.openml.fetch import UnfinishedError, sampled_order
from reproduction.openml.reasons import REASONS
from reproduction.openml.server import PAUSE, OutageError

ORDER = sampled_order(selected(small_world()), seed=0)
RUN = ORDER[1]
"""Drawn second: by then there is a file that shows that the server is well."""
SPARE = ORDER[N_MODELS]
"""Takes the place of a run that cannot be used."""
LONGEST_ROUND = 2 + 4 + 8 + PAUSE
"""Seconds between the attempts of one download, and before the next."""


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


def close(handler) -> None:
    """Close the connection instead of an answer."""
    handler.close_connection = True


def failures(body: bytes) -> dict[str, faults.Answer]:
    """Answers that say nothing about what was asked for."""
    return {
        "500": faults.answer(500, b"oops"),
        "502": faults.answer(502),
        "503": faults.answer(503),
        "504": faults.answer(504),
        "503 with HTML": served(b"<html><body/></html>", "text/html", status=503),
        "500 with an XML error": served(b"<oml:error/>", XML, status=500),
        "reset": faults.reset,
        "close": close,
        "short length": faults.short_body(body),
        "broken chunk": faults.broken_chunk(body),
        "slow": faults.silent,
        "truncated gzip": stand_in.half_gzip(body),
        "200 HTML": served(HTML_PAGE, "text/html"),
        "200 well-formed HTML": served(b"<html><body/></html>", "text/html"),
        "200 text of the database": served(DATABASE_DOWN),
        "200 empty": served(b""),
    }


FAILURES = list(failures(b""))


def assert_nothing_is_excluded(client):
    assert '"excluded"' not in client.ledger()


def assert_same(fetched, predictions):
    pd.testing.assert_frame_equal(fetched.predictions, predictions)


def assert_run_is_replaced(fetched, reason):
    """RUN is the only one that is not used, for this reason, and the next one of the draw is."""
    assert runs_of(fetched, "excluded") == {RUN: reason}
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


def test_a_finished_fetch_asks_for_nothing(client, world, table):
    client.openml.replace_predictions(RUN, stand_in.without_confidences(table).arff("weka"))
    client.openml.fault_paths[world.predictions_path(ORDER[2])] = faults.answer(404)
    first = client.fetch()
    assert runs_of(first, "excluded") == {RUN: "no_confidences", ORDER[2]: "missing"}
    client.openml.requests.clear()
    again = client.fetch()
    assert client.openml.requests == []
    pd.testing.assert_frame_equal(again.predictions, first.predictions)
    pd.testing.assert_frame_equal(again.status, first.status)
    pd.testing.assert_frame_equal(again.task, first.task)


# --- Failures that pass, and those that stay


@pytest.mark.parametrize("kind", FAILURES)
@pytest.mark.parametrize("of", ["predictions", "description"])
def test_a_failure_that_comes_twice_is_survived(client, world, path, predictions, kind, of):
    path = path if of == "predictions" else run_path(RUN)
    failure = failures(world.predictions(RUN))[kind]
    client.openml.fault_paths[path] = deque([failure, failure])
    assert_same(client.fetch(), predictions)
    assert client.asked(path) == 3


@pytest.mark.parametrize("kind", FAILURES)
def test_a_failure_of_one_file_for_ever_postpones_it(client, world, path, predictions, kind):
    client.openml.fault_paths[path] = failures(world.predictions(RUN))[kind]
    with pytest.raises(UnfinishedError, match=rf"1 of 3 files .* runs \[{RUN}\]; .*excluded_runs"):
        client.fetch()
    assert client.kept("predictions") == {f"{ORDER[0]}.arff", f"{ORDER[2]}.arff"}
    assert_nothing_is_excluded(client)
    client.openml.fault_paths.clear()
    client.openml.requests.clear()
    assert_same(client.fetch(), predictions)
    assert client.openml.requests == [path]


def test_a_postponed_file_gets_further_chances(
    client, clock, world, path, predictions, monkeypatch
):
    monkeypatch.setattr(fetch, "ROUNDS", 3)
    client.openml.fault_paths[path] = deque([faults.answer(503)] * 2 * server.ATTEMPTS)
    assert_same(client.fetch(), predictions)
    assert clock.waits.count(fetch.ROUND_PAUSE) == 2
    assert client.asked(path) == 2 * server.ATTEMPTS + 1
    assert client.asked(world.predictions_path(ORDER[0])) == 1


def test_a_failure_of_one_description_for_ever_postpones_its_run(client, predictions):
    client.openml.fault_paths[run_path(RUN)] = faults.answer(503)
    with pytest.raises(UnfinishedError, match=rf"runs \[{RUN}\]"):
        client.fetch()
    assert_nothing_is_excluded(client)
    client.openml.fault_paths.clear()
    assert_same(client.fetch(), predictions)


def test_a_busy_database_is_asked_again(client, path, predictions):
    client.openml.fault_paths[run_path(RUN)] = deque([api_error(107)] * 3)
    assert_same(client.fetch(), predictions)
    assert client.asked(run_path(RUN)) == 4


@pytest.mark.parametrize("code", [105, 107])
def test_an_error_of_the_server_itself_says_nothing_about_a_run(client, predictions, code):
    client.openml.fault_paths[run_path(RUN)] = served(
        stand_in._document("error", stand_in._tags(code=code, message="busy")), XML, status=412
    )
    with pytest.raises(UnfinishedError, match=str(code)):
        client.fetch()
    client.openml.fault_paths.clear()
    assert_same(client.fetch(), predictions)


# --- The server is down


class Everything(dict):
    """One answer for every path."""

    def __init__(self, answer):
        self.answer = answer

    def get(self, path, default=None):
        return self.answer


def refuse_connections(*_, **__):
    raise ConnectionRefusedError(111, "Connection refused")


@pytest.fixture
def outage(openml):
    """Take the server down, for the time of a block."""

    @contextmanager
    def down(kind):
        with pytest.MonkeyPatch.context() as patch:
            if kind == "refused":
                patch.setattr("urllib3.util.connection.create_connection", refuse_connections)
            else:
                patch.setattr(openml, "fault_paths", Everything(failures(b"")[kind]))
            yield

    return down


@pytest.mark.parametrize("when", ["at the start", "later"])
@pytest.mark.parametrize("kind", ["refused", "503", "reset", "200 text of the database"])
def test_a_total_outage_ends_within_patience(client, clock, predictions, outage, kind, when):
    if when == "later":
        client.fetch(n_models=2)
    started = clock.now
    many = selected(small_world(n_runs=60))
    with outage(kind), pytest.raises(OutageError, match="Run the same command again later"):
        client.fetch(many, n_models=60)
    assert started + PATIENCE - PAUSE <= clock.now <= started + PATIENCE + LONGEST_ROUND
    assert_nothing_is_excluded(client)
    client.openml.requests.clear()
    assert_same(client.fetch(), predictions)
    assert len(client.openml.requests) == (2 if when == "later" else 2 + 2 * N_MODELS)


def test_a_stalled_server_is_an_outage(client, predictions, outage):
    client.seconds_per_file = LONGEST_ROUND
    with outage("slow"), pytest.raises(OutageError, match="Run the same command again later"):
        client.fetch()
    assert_same(client.fetch(), predictions)


def test_a_wait_that_the_server_asks_for_is_kept(client, clock, path, predictions):
    client.openml.fault_paths[path] = deque([faults.answer(429, Retry_After="123")])
    assert_same(client.fetch(), predictions)
    assert clock.waits == [123]


def test_a_server_that_asks_to_wait_for_hours_is_left_alone(client, path, predictions):
    client.openml.fault_paths[path] = faults.answer(429, Retry_After="7200")
    with pytest.raises(OutageError, match="asks to wait 7200 s"):
        client.fetch()
    assert client.openml.requests[-1] == path
    assert client.asked(path) == 1
    assert_nothing_is_excluded(client)
    client.openml.fault_paths.clear()
    assert_same(client.fetch(), predictions)


# --- Files that are not there


@pytest.mark.parametrize("status", [404, 403, 410])
def test_a_missing_file_makes_place_for_the_next_run(client, path, status):
    client.openml.fault_paths[path] = faults.answer(status)
    for _ in range(2):
        assert_run_is_replaced(client.fetch(), "missing")
        assert client.asked(path) == 1


def missing(client, runs):
    return {client.openml.world.predictions_path(run): faults.answer(404) for run in runs}


@pytest.mark.parametrize("status", [404, 403])
def test_an_outage_of_all_files_excludes_nothing(client, predictions, status):
    """As when the server's storage was gone for days, and it called every file missing."""
    client.openml.fault_paths = dict.fromkeys(client.files, faults.answer(status))
    for _ in range(2):
        with pytest.raises(OutageError, match=r"dataset 1 cannot be .* Nothing is excluded"):
            client.fetch()
        assert_nothing_is_excluded(client)
    client.openml.fault_paths = {}
    assert_same(client.fetch(), predictions)


def test_an_outage_of_all_files_in_the_middle_excludes_nothing(client, predictions):
    client.fetch(n_models=2)
    client.openml.fault_paths = dict.fromkeys(client.files, faults.answer(404))
    for _ in range(2):
        with pytest.raises(OutageError, match="5 runs in a row"):
            client.fetch()
        assert_nothing_is_excluded(client)
    client.openml.fault_paths = {}
    assert_same(client.fetch(), predictions)


def test_files_that_were_kept_do_not_show_that_the_storage_is_well(client, world, predictions):
    client.openml.fault_paths[world.predictions_path(ORDER[0])] = faults.answer(503)
    with pytest.raises(UnfinishedError):
        client.fetch()
    client.openml.fault_paths = dict.fromkeys(client.files, faults.answer(404))
    with pytest.raises(OutageError, match="5 runs in a row"):
        client.fetch()
    assert_nothing_is_excluded(client)
    client.openml.fault_paths = {}
    assert_same(client.fetch(), predictions)


def test_an_outage_near_the_end_of_the_draw_excludes_nothing(client):
    """Fewer files are left than make an outage."""
    client.fetch(n_models=6)
    client.openml.fault_paths = dict.fromkeys(client.files, faults.answer(404))
    with pytest.raises(OutageError, match="2 runs in a row"):
        client.fetch(n_models=8)
    assert_nothing_is_excluded(client)
    client.openml.fault_paths = {}
    assert outcome_of(client.fetch(n_models=8)) == "used"


def test_many_missing_files_are_no_outage_while_others_are_there(client, world):
    client.openml.fault_paths = missing(client, ORDER[1:7])
    fetched = client.fetch(n_models=2)
    assert runs_of(fetched, "excluded") == dict.fromkeys(ORDER[1:7], "missing")
    assert [*runs_of(fetched, "used")] == [ORDER[0], ORDER[7]]


def test_files_of_other_tasks_show_that_the_storage_is_well(client, world):
    client.fetch()
    world.tasks[20] = Task(20, DATASET)
    for run_id in range(201, 209):
        world.runs[run_id] = Run(run_id, 20, strength=run_id % 7)
    client.openml.fault_paths = missing(client, range(201, 209))
    assert outcome_of(client.fetch(selected(world, 20))) == "too_few_usable_runs"


def test_too_few_runs_can_be_used(client, world):
    client.openml.fault_paths = missing(client, ORDER[2:5])
    fetched = client.fetch(n_models=6)
    assert fetched.predictions.empty
    assert outcome_of(fetched) == "too_few_usable_runs"
    assert fetched.task[["n_pos", "n_neg", "n_models"]].to_numpy().tolist() == [[20, 30, 0]]
    assert fetched.status.iloc[0, :5].tolist() == [
        str(TASK),
        "",
        "excluded",
        "too_few_usable_runs",
        "5 of 6",
    ]
    assert runs_of(fetched, "excluded") == dict.fromkeys(ORDER[2:5], "missing")


@pytest.mark.parametrize("status", [404, 403, 302])
def test_the_api_says_with_a_document_what_is_not_there(client, predictions, status):
    """Any other refusal is the server's trouble, such as a firewall's."""
    answer = faults.answer(status, Location="http://localhost:9/login")
    client.openml.fault_paths = dict.fromkeys(map(run_path, ORDER), answer)
    with pytest.raises(UnfinishedError):
        client.fetch()
    assert_nothing_is_excluded(client)
    client.openml.fault_paths = {}
    assert_same(client.fetch(), predictions)


# --- Descriptions of runs


@pytest.mark.parametrize("has_input_data", [True, False])
def test_a_run_without_predictions_is_replaced(client, world, has_input_data):
    world.change_run(RUN, has_input_data=has_input_data, has_predictions=False)
    for _ in range(2):
        assert_run_is_replaced(client.fetch(), "no_predictions")
        assert client.asked(run_path(RUN)) == 2


@pytest.mark.parametrize("lacking", ["has_evaluations", "has_input_data", "has_description"])
def test_a_run_with_predictions_is_used(client, world, predictions, lacking):
    world.change_run(RUN, **{lacking: False})
    assert_same(client.fetch(), predictions)


@pytest.mark.parametrize("code", [236, 112])
def test_an_unknown_run_is_replaced(client, code):
    client.openml.fault_paths[run_path(RUN)] = api_error(code)
    for _ in range(2):
        assert_run_is_replaced(client.fetch(), "unknown")
        assert client.asked(run_path(RUN)) == 1


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
        "unreadable_description",
        lambda xml: re.sub("<oml:url>.*?</oml:url>", "", xml),
    ),
    "two addresses": (
        "unreadable_description",
        lambda xml: re.sub(
            "(<oml:file><oml:did>-1</oml:did>.*?predictions.arff)(</oml:url></oml:file>)",
            r"\1\2\1.x\2",
            xml,
        ),
    ),
    "another document": (
        "unreadable_description",
        lambda xml: xml.replace("oml:run ", "oml:task ").replace("</oml:run>", "</oml:task>"),
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
    assert client.asked(run_path(RUN)) == 1 + 2


FOREIGN = {
    "another host": "http://localhost:{port}/data",
    "another scheme": "ftp://127.0.0.1:{port}/data",
    "no host": "/data",
    "nonsense": "http://[",
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_an_address_on_a_foreign_host_is_refused(client, world, path, kind):
    port = client.openml.server_port
    client.openml.pages[run_path(RUN)] = described(
        client,
        lambda xml: xml.replace(f"http://127.0.0.1:{port}{path}", FOREIGN[kind].format(port=port)),
    )
    client.openml.requests.clear()
    assert_run_is_replaced(client.fetch(), "foreign_host")
    assert len(client.openml.requests) == 2 + 2 * N_MODELS + 1


def test_a_redirect_within_the_host_is_followed(client, path, predictions):
    client.openml.pages["/moved"] = client.openml.world.predictions(RUN)
    client.openml.fault_paths[path] = faults.redirect("/moved")
    assert_same(client.fetch(), predictions)
    assert client.asked("/moved") == 1


def test_a_redirect_to_a_foreign_host_is_refused(client, path):
    client.openml.pages["/moved"] = client.openml.world.predictions(RUN)
    there = f"http://localhost:{client.openml.server_port}/moved"
    client.openml.fault_paths[path] = faults.redirect(there)
    for _ in range(2):
        assert_run_is_replaced(client.fetch(), "foreign_host")
        assert client.asked(path) == 1
    assert client.asked("/moved") == 0


def test_a_description_that_was_cut_off_is_never_kept(client, predictions):
    whole = described(client, lambda xml: xml + " ")
    client.openml.fault_paths[run_path(RUN)] = served(whole[: len(whole) // 2], XML)
    with pytest.raises(UnfinishedError):
        client.fetch()
    assert client.kept("api/run") == {f"{ORDER[0]}.xml", f"{ORDER[2]}.xml"}
    client.openml.fault_paths.clear()
    assert_same(client.fetch(), predictions)


# --- Contents of predictions


def test_a_file_cut_at_a_line_end_is_asked_for_again(client, world, path, predictions):
    cut = stand_in.cut_at_line_end(world.predictions(RUN))
    client.openml.fault_paths[path] = deque([served(cut)])
    assert_same(client.fetch(), predictions)
    assert client.asked(path) == 2


def test_files_cut_at_several_places_are_the_servers_failure(client, world, path):
    body = world.predictions(RUN)
    cut = [served(stand_in.cut_at_line_end(body, share)) for share in (0.5, 0.6, 0.7, 0.8)]
    client.openml.fault_paths[path] = deque(cut)
    with pytest.raises(UnfinishedError):
        client.fetch()
    assert_nothing_is_excluded(client)


def labelled(table, fold):
    return replace(table, fold=fold)


REFUSED = {
    "cut at a line end": ("incomplete", lambda t: stand_in.cut_at_line_end(t.arff("weka"))),
    "cut in a row": ("malformed_row", lambda t: stand_in.cut_in_row(t.arff("weka"))),
    "no rows": ("no_rows", lambda t: t.rows(t.fold < 0).arff("weka")),
    "too many rows": ("too_many_rows", lambda t: t.rows(np.arange(51) % 50).arff("weka")),
    "duplicate row": ("duplicate_rows", lambda t: stand_in.with_duplicate(t).arff("weka")),
    "rows of a fold missing": ("incomplete", lambda t: stand_in.without_fold(t).arff("weka")),
    "a fold missing": (
        "missing_fold",
        lambda t: replace(t, fold=np.minimum(t.fold, 8)).arff("weka"),
    ),
    "unknown fold": ("bad_index", lambda t: stand_in.with_unknown_fold(t).arff("weka")),
    "foreign split": ("foreign_split", lambda t: stand_in.with_foreign_split(t).arff("weka")),
    "unknown confidence": (
        "bad_confidence",
        lambda t: stand_in.with_confidence(t, np.nan).arff("weka"),
    ),
    "NaN confidence": (
        "bad_confidence",
        lambda t: stand_in.with_confidence(t, np.nan).arff("weka").replace(b"?", b"NaN"),
    ),
    "infinite confidence": (
        "bad_confidence",
        lambda t: stand_in.with_confidence(t, np.inf).arff("weka"),
    ),
    "no confidences": (
        "no_confidences",
        lambda t: stand_in.without_confidences(t).arff("weka"),
    ),
    "other labels": ("foreign_labels", lambda t: replace(t, labels=("a", "b")).arff("weka")),
    "other truth": ("truth_differs", lambda t: replace(t, truth=1 - t.truth).arff("weka")),
    "no fold": ("missing_column", lambda t: t.arff("weka").replace(b" fold ", b" wrinkle ")),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_a_file_is_refused(client, table, path, kind):
    reason, damaged = REFUSED[kind]
    client.openml.replace_predictions(RUN, damaged(table))
    for _ in range(2):
        assert_run_is_replaced(client.fetch(), reason)
    assert client.asked(path) <= 2


DIALECTS = {
    **FAMILIES,
    "NUL at the end": replace(FAMILIES["mlr"], trailing_nul=True),
    "CRLF": replace(FAMILIES["weka"], newline="\r\n"),
    "byte-order mark": replace(FAMILIES["weka"], byte_order_mark=True),
    "no line end": replace(FAMILIES["weka"], final_newline=False),
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
        (lambda xml: re.sub("<oml:array_data>.*?</oml:array_data>", "", xml), "not checked"),
        (lambda xml: re.sub("(<oml:array_data>).*?<", r"\1[0.9;x<", xml), "not checked"),
        (lambda xml: re.sub(' fold="[0-6]"', ' fold="x"', xml), "partly checked"),
    ],
    ids=["all folds", "none", "values only", "broken", "three folds"],
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
@pytest.mark.parametrize("folder", ["predictions", "targets", "api/run", "api/data"])
def test_a_file_that_is_damaged_on_disk_is_fetched_again(client, predictions, kind, folder):
    """Also what has the right form but not the checksum."""
    client.fetch()
    for path in list((client.server.folder / folder).glob("[!.]*")):
        if folder == "api/run" and kind == "a changed digit":
            path.write_bytes(path.read_bytes().replace(b"run_id>", b"run_id>9", 1))
        else:
            path.write_bytes(DAMAGE[kind](path.read_bytes()))
    for _ in range(2):
        assert_same(client.fetch(), predictions)
        assert_nothing_is_excluded(client)
    assert set(client.fetch().status["outcome"]) == {"used"}


# --- Other processes

FETCH = """
import json, sys
from reproduction.openml.fetch import fetch_task
from reproduction.openml.selection import SelectedTask
from reproduction.openml.server import Server

url, resources, task = sys.argv[1:]
server = Server(url, resources, requests_per_second=10_000)
fetched = fetch_task(SelectedTask.of_dict(json.loads(task)), server, n_models=3, seed=0)
fetched.predictions.to_parquet(sys.stdout.buffer)
"""


def start_fetch(client):
    task = json.dumps(selected(client.openml.world).as_dict())
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


def test_every_reason_has_a_meaning():
    """Those that the code names as literals."""
    folder = Path(fetch.__file__).parent
    named = set()
    for path in folder.glob("*.py"):
        named |= set(
            re.findall(r'(?:Error|error)\(\s*"([a-z_]+)",', path.read_text(encoding="utf-8"))
        )
    assert len(named) > 20
    assert named <= set(REASONS)


def test_the_draw_depends_on_the_seed_the_task_and_its_runs_only():
    task = selected(small_world(n_runs=40))
    order = sampled_order(task, seed=0)
    assert sorted(order) == list(task.runs)
    others = {"name": "x", "target": "y", "dataset_id": 9, "n_minority": 1, "n_instances": 7}
    assert sampled_order(replace(task, runs=task.runs[::-1], **others), seed=0) == order
    assert sampled_order(task, seed=1) != order
    assert sampled_order(replace(task, task_id=TASK + 1), seed=0) != order
    assert sorted(sampled_order(replace(task, runs=task.runs[1:]), seed=0)) == list(task.runs[1:])
