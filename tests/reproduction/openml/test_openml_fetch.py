"""Which runs of a task are used: those that agree with the others, the dataset and the server."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections import deque
from dataclasses import asdict, replace

import numpy as np
import openml_stand_in as stand_in
import pandas as pd
import pytest
from http_stand_in import answer
from openml_client import DATASET, N_MODELS, TASK, Jobs, run_path, selected, small_world
from openml_faults import ANSWERS
from openml_stand_in import predictions_path, served
from openml_world import FAMILIES, cut_at_line_end, cut_in_row, written

from reproduction.openml.again import MOST_IN_A_ROW
from reproduction.openml.fetch import sampled_order
from reproduction.openml.reasons import UnfinishedError

ORDER = sampled_order(selected(small_world()), seed=0)
RUN = ORDER[1]
SPARE = ORDER[N_MODELS]  # replaces a run that cannot be used
PATH = predictions_path(RUN)
LABELS = ("no", "yes")


@pytest.fixture(scope="module")
def predictions(tmp_path_factory):
    """What is fetched when nothing goes wrong."""
    with pytest.MonkeyPatch.context() as patch, stand_in.openml_stand_in(small_world()) as openml:
        patch.setenv("no_proxy", "127.0.0.1,localhost")
        return Jobs(openml, tmp_path_factory.mktemp("resources")).fetch().predictions


def assert_same(fetched, predictions):
    pd.testing.assert_frame_equal(fetched.predictions, predictions)


def assert_run_is_replaced(fetched, reason):
    """RUN is the only one that is not used, for this reason, and the next one of the draw is."""
    assert fetched.runs("refused" if reason == "refused" else "excluded") == {RUN: reason}
    is_final = reason in ("no_confidences", "not_binary")
    assert fetched.refused == (set() if is_final else {f"{RUN}.predictions.arff"})
    assert [*fetched.runs("used")] == [ORDER[0], ORDER[2], SPARE]
    used = [str(run) for run in (ORDER[0], ORDER[2], SPARE)]
    assert fetched.predictions["run"].unique().tolist() == used


# --- Nothing goes wrong


def test_predictions_are_those_of_the_first_models_of_the_draw(world, jobs, predictions):
    fetched = jobs.fetch()
    assert_same(fetched, predictions)
    assert [*fetched.runs("used")] == ORDER[:N_MODELS]
    for run_id, rows in fetched.predictions.groupby("run"):
        table = world.table(int(run_id)).sort_values("row_id")
        np.testing.assert_array_equal(rows["row_id"], np.arange(50))
        np.testing.assert_array_equal(rows["fold"], table["fold"])
        np.testing.assert_array_equal(rows["y_score"], table[1])
        np.testing.assert_array_equal(rows["y_true"], world.datasets[DATASET].y)
    task = {"task": str(TASK), "name": "small", "dataset": str(DATASET)}
    task |= {"n_pos": 20, "n_neg": 30, "prior": 0.4, "n_models": N_MODELS, "outcome": "used"}
    assert fetched.task.to_dict("records") == [task]


def test_of_several_repeats_the_first_is_used(world, jobs):
    world.change("tasks", TASK, procedure=3)
    fetched = jobs.fetch()
    assert fetched.outcome == "used"
    assert (fetched.predictions["repeat"] == 0).all()
    table = world.table(RUN)
    folds = table[table["repeat"] == 0].sort_values("row_id")["fold"].tolist()
    assert all(found == folds for found in fetched.predictions.groupby("run")["fold"].agg(list))


def test_the_draw_depends_on_the_seed_the_task_and_its_runs_only():
    task = selected(small_world(n_runs=40))
    order = sampled_order(task, seed=0)
    assert sorted(order) == list(task.runs)
    assert sampled_order(replace(task, runs=task.runs[::-1], name="x", n_instances=7), 0) == order
    assert sampled_order(task, seed=1) != order
    assert sampled_order(replace(task, task_id=TASK + 1), seed=0) != order


# --- What the server refuses

OF_FILES = ("302 elsewhere", "404", "200 HTML", "reset", "half a gzip", "short body")
XHTML = served(b"<html><body>busy</body></html>", "text/html")
REFUSALS = [
    *((predictions_path, ANSWERS[kind]) for kind in OF_FILES),
    *((run_path, refusal) for refusal in (ANSWERS["error 236"], ANSWERS["short body"], XHTML)),
]


@pytest.fixture
def order(jobs):
    """The draw in a world of more runs."""
    jobs.openml.world = small_world(n_runs=20)
    return sampled_order(selected(jobs.openml.world), seed=0)


def undisturbed(jobs):
    return replace(jobs, folder=jobs.folder / "undisturbed").fetch().predictions


def test_runs_that_are_refused_are_replaced_and_taken_back(jobs, order):
    """Each in another way."""
    expected = undisturbed(jobs)
    runs = order[1 : 1 + len(REFUSALS)]
    paths = [path(run) for run, (path, _) in zip(runs, REFUSALS, strict=True)]
    refusals = (refusal for _, refusal in REFUSALS)
    jobs.openml.fault_paths = dict(zip(paths, refusals, strict=True))
    for _ in range(2):
        jobs.openml.requests.clear()
        fetched = jobs.fetch()
        assert fetched.runs("refused") == dict.fromkeys(runs, "refused")
        assert fetched.refused == {f"{run}.predictions.arff" for run in runs}
        assert [*fetched.runs("used")] == [order[0], *order[1 + len(runs) :][:2]]
    for path in paths:
        assert 0 < jobs.asked(path) <= 10  # twice, by the retry policy of the package
    assert set(jobs.openml.requests) <= {*map(run_path, runs), *paths}
    jobs.openml.fault_paths.clear()
    assert_same(jobs.fetch(), expected)


def missing(runs):
    return {predictions_path(run): answer(404) for run in runs}


def test_an_outage_of_all_files_excludes_nothing(jobs, world):
    """As when the server's storage was gone for days, and it called every file missing."""
    for run_id in range(201, 216):
        world.runs[run_id] = replace(world.runs[101], run_id=run_id, setup_id=run_id)
    jobs.openml.fault_paths = missing(world.runs)
    jobs.n_models = 12
    for _ in range(2):
        message = r"task 10: 0 of 12 models; the server refuses 10 .*404.* same command again"
        with pytest.raises(UnfinishedError, match=message):
            jobs.fetch()
    asked = {path for path in jobs.openml.requests if path.endswith("predictions")}
    assert len(asked) == MOST_IN_A_ROW
    jobs.openml.fault_paths.clear()
    assert jobs.fetch().outcome == "used"


def test_an_outage_does_not_undo_what_was_fetched(jobs):
    jobs.openml.fault_paths = missing(ORDER[:5])
    fetched = jobs.fetch()
    jobs.openml.mode = lambda server, path: answer(503)
    again = jobs.fetch()
    assert_same(again, fetched.predictions)
    assert again.refused == fetched.refused
    assert len(fetched.refused) == 5
    jobs.n_models = 4
    with pytest.raises(UnfinishedError, match=r"3 of 4 models.*\.skip_tasks: \[10\]"):
        jobs.fetch()


def test_too_few_runs_because_of_their_files(jobs, world):
    for run_id in ORDER[2:5]:
        table = world.table(run_id).drop(columns=[0, 1])
        jobs.openml.pages[predictions_path(run_id)] = written(table, LABELS)
    jobs.n_models = 6
    fetched = jobs.fetch()
    assert fetched.predictions.empty
    assert fetched.outcome == "too_few_usable_runs"
    assert fetched.task["n_models"].item() == 0
    row = [str(TASK), "", "excluded", "too_few_usable_runs", "5 of 6"]
    assert fetched.status.iloc[0, :5].tolist() == row
    assert fetched.runs("excluded") == dict.fromkeys(ORDER[2:5], "no_confidences")


# --- Descriptions of runs


def describe(jobs, pattern: str, new: str) -> None:
    """Change the description of RUN."""
    xml = stand_in.run_xml(jobs.openml.world, jobs.openml.world.runs[RUN], jobs.openml.url).decode()
    changed = re.sub(pattern, new, xml)
    assert changed != xml
    jobs.openml.pages[run_path(RUN)] = changed.encode()


UNSUPPORTED = {
    "two datasets": ("(<oml:dataset>.*</oml:dataset>)", r"\1\1"),
    "no setup": ("<oml:setup_id>.*?</oml:setup_id>", ""),
    "value ?": ("<oml:value>.*?<", "<oml:value>?<"),
}


@pytest.mark.parametrize("kind", UNSUPPORTED)
def test_a_run_that_the_package_does_not_support_is_replaced(jobs, kind):
    describe(jobs, *UNSUPPORTED[kind])
    assert_run_is_replaced(jobs.fetch(), "unsupported")
    assert jobs.asked(run_path(RUN)) == 2
    assert jobs.fetch().refused == set()  # asked for once more, not for ever
    assert jobs.asked(run_path(RUN)) == 4


def test_a_task_of_unsupported_runs_does_not_stop_the_others(jobs, world):
    """All early runs of OpenML may have two datasets."""
    xml = ("(<oml:dataset>.*</oml:dataset>)", r"\1\1")
    for run_id in ORDER[1:]:
        body = stand_in.run_xml(world, world.runs[run_id], jobs.openml.url).decode()
        jobs.openml.pages[run_path(run_id)] = re.sub(*xml, body).encode()
    fetched = jobs.fetch()
    assert fetched.outcome == "too_few_usable_runs"
    assert fetched.runs("excluded") == dict.fromkeys(ORDER[1:], "unsupported")


@pytest.mark.parametrize("field", ["run", "task"])
def test_the_description_of_another_run_excludes_its_run(jobs, predictions, field):
    describe(jobs, f"<oml:{field}_id>.*?<", f"<oml:{field}_id>7<")
    assert_run_is_replaced(jobs.fetch(), "foreign_description")
    jobs.openml.pages.clear()
    assert_same(jobs.fetch(), predictions)


# --- Contents of predictions


def shuffled_folds(rows):
    return rows.assign(fold=np.random.default_rng(0).permutation(rows["fold"]))


def unclassified(rows):
    """As Weka writes a row to which no rule applies."""
    rows = rows.copy()
    rows.loc[rows["row_id"] == 7, [0, 1]] = 0
    return rows


REJECTED = {
    "cut at a line end": ("other_rows", lambda rows: cut_at_line_end(written(rows, LABELS))),
    "cut in a row": ("malformed", lambda rows: cut_in_row(written(rows, LABELS))),
    "duplicate row": ("other_rows", lambda rows: rows.iloc[np.arange(50) % 49]),
    "row ids from 1": ("other_rows", lambda rows: rows.assign(row_id=rows["row_id"] + 1)),
    "no fold 9": ("missing_fold", lambda rows: rows.assign(fold=rows["fold"].clip(upper=8))),
    "foreign split": ("foreign_split", shuffled_folds),
    "other labels": ("foreign_labels", lambda rows: written(rows, ("a", "b"))),
    "other truth": ("truth_differs", lambda rows: rows.assign(truth=1 - rows["truth"])),
    "no confidences": ("no_confidences", lambda rows: rows.drop(columns=[0, 1])),
    "unclassified": ("no_confidences", unclassified),
}


def test_files_are_rejected(jobs, order):
    expected = undisturbed(jobs)
    jobs.openml.requests.clear()
    reasons = {run: reason for run, (reason, _) in zip(order[1:], REJECTED.values(), strict=False)}
    for run, (_, damage) in zip(reasons, REJECTED.values(), strict=True):
        damaged = damage(jobs.openml.world.table(run))
        body = damaged if isinstance(damaged, bytes) else written(damaged, LABELS)
        jobs.openml.pages[predictions_path(run)] = body
    doubtful = {run for run, reason in reasons.items() if reason != "no_confidences"}
    for attempt in (1, 2):
        fetched = jobs.fetch()
        assert fetched.runs("excluded") == reasons
        assert fetched.refused == {f"{run}.predictions.arff" for run in doubtful}
        assert [*fetched.runs("used")] == [order[0], *order[1 + len(reasons) :][:2]]
        for run, reason in reasons.items():
            by_content = reason in ("foreign_split", "truth_differs")
            often = attempt if by_content else 2 * attempt
            assert jobs.asked(predictions_path(run)) == (often if run in doubtful else 1), reason
    jobs.openml.pages.clear()
    assert_same(jobs.fetch(), expected)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_file_of_each_program_is_used(jobs, world, monkeypatch, predictions, family):
    monkeypatch.setitem(FAMILIES, "this", replace(FAMILIES[family], decimals=6))
    world.change("runs", RUN, family="this")
    fetched = jobs.fetch()
    assert_same(fetched, predictions)
    detail = fetched.status.set_index("run").loc[str(RUN), "detail"]
    assert ("swapped" in detail) == (family == "python_swapped")


@pytest.mark.parametrize(("error", "is_used"), [(2e-5, False), (-2e-5, False), (4e-6, True)])
def test_the_auc_of_the_server_tells_whether_a_file_is_right(jobs, world, error, is_used):
    world.change("runs", RUN, auc_error=error)
    if is_used:
        assert RUN in jobs.fetch().runs("used")
    else:
        assert_run_is_replaced(jobs.fetch(), "auc_differs")


@pytest.mark.parametrize(
    ("pattern", "new", "detail"),
    [
        ("^", " ", ""),
        ("<oml:evaluation.*</oml:evaluation>", "", "0 of 10 folds"),
        ("<oml:array_data>.*?</oml:array_data>", "", ""),
        ("<oml:value>.*?</oml:value>", "", "0 of 10 folds"),
        ("<oml:value>.*?<", "<oml:value>NaN<", "0 of 10 folds"),
        (' fold="[0-6]"', "", "3 of 10 folds"),
    ],
)
def test_the_status_says_whether_the_auc_was_checked(jobs, predictions, pattern, new, detail):
    describe(jobs, pattern, new)
    fetched = jobs.fetch()
    assert_same(fetched, predictions)
    found = fetched.status.set_index("run").loc[str(RUN), "detail"]
    assert found == (detail and f"the server states the AUC of {detail}")


def test_a_fold_of_one_class_excludes_the_task(jobs, world):
    world.change("datasets", DATASET, class_sizes=(45, 5))
    fetched = jobs.fetch()
    assert fetched.outcome == "one_class_fold"
    assert fetched.predictions.empty


# --- Damage on disk, and kills


def other_digits(body):
    return body.replace(b"1", b"2")


def rounded(body):
    """Which only the SHA-256 of a file tells: its AUC is still that of the server."""
    return re.sub(rb"(\.\d{5})\d", rb"\g<1>0", body)


DAMAGES = [
    *((".arff", damage) for damage in (b"", bytes(500), other_digits, rounded)),
    *(("description.xml", damage) for damage in (b"<oml:run>", b"\xff", other_digits)),
    *((".sha256", damage) for damage in (b"", b"\xff")),
]


@pytest.mark.parametrize(("name", "damage"), DAMAGES)
def test_what_is_damaged_on_disk_is_requested_again(jobs, predictions, name, damage):
    jobs.fetch()
    assert jobs.kept(name)
    for path in jobs.folder.rglob(f"*{name}"):
        body = path.read_bytes()
        path.write_bytes(damage(body) if callable(damage) else damage)
    for _ in range(2):
        assert_same(jobs.fetch(), predictions)
    assert jobs.fetch().refused == set()


FETCH = """
import json, sys
from reproduction.openml import fetch

fetch.run(**json.loads(sys.argv[1]))
"""


def test_a_killed_job_continues(jobs, world, predictions, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    body = world.predictions(RUN)
    half_is_sent = threading.Event()

    def send_half(handler):
        answer(200, body[: len(body) // 2], Content_Length=str(len(body)))(handler)
        handler.wfile.flush()
        half_is_sent.set()
        handler.server.stopping.wait(20)

    jobs.openml.fault_paths[PATH] = deque([send_half])
    arguments = {"task": asdict(selected(world)), **jobs.options(TASK)}
    command = [sys.executable, "-c", FETCH, json.dumps(arguments)]
    with subprocess.Popen(command) as process:
        assert half_is_sent.wait(30)
        os.kill(process.pid, signal.SIGKILL)
    assert f"{RUN}.predictions.arff" not in jobs.kept(".arff")
    asked = len(jobs.openml.requests)
    assert_same(jobs.fetch(), predictions)
    rest = [run_path(ORDER[2]), predictions_path(ORDER[2])]
    assert jobs.openml.requests[asked:] == [PATH, *rest]
