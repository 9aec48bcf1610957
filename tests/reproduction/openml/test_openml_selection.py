"""Which tasks and runs are selected, and what happens if a list cannot be had."""

from dataclasses import replace

import openml_faults
import pytest
import requests
from http_stand_in import answer
from openml_faults import ANSWERS
from openml_stand_in import API, api_error, document, run_entry, served
from openml_world import Run, World

from reproduction.openml import lists
from reproduction.openml.reasons import UnfinishedError

N_MODELS = 4
DATASETS = f"{API}/data/list/number_classes/2/limit/10000/offset/0"
TASKS = f"{API}/task/list/type/1/number_classes/2/limit/10000/offset/0"


def runs_path(task_id, limit=200):
    return f"{API}/run/list/limit/{limit}/offset/0/task/{task_id}"


@pytest.fixture
def world():
    return World.synthetic(n_tasks=6, n_runs=N_MODELS, n_rows=30)


@pytest.fixture
def full(world):
    return world.tasks_of_kind("full")


@pytest.fixture
def short(world):
    return world.tasks_of_kind("few runs", "no runs")


@pytest.fixture
def choose(jobs):
    """Select as a job does, with resources of its own."""
    jobs.n_models = N_MODELS

    def choose(folder="", **options):
        return replace(jobs, folder=jobs.folder / folder).select(**options)

    return choose


def ids(selection):
    return [task["task_id"] for task in selection["tasks"]]


def refused(selection):
    """Reason by task."""
    return {int(row["task"]): row["reason"] for row in selection["left_out"]}


# --- What is selected


def test_binary_tasks_with_the_procedure_and_enough_runs(world, choose, short):
    selection = choose()
    assert ids(selection) == world.tasks_of_kind("full", "misreported classes")
    assert refused(selection) == dict.fromkeys(short, "too_few_runs_listed")
    details = {row["detail"] for row in selection["left_out"]}
    assert details == {f"{n} of {N_MODELS} runs" for n in (2, 0)}


def test_a_task_is_described(world, choose):
    for task in choose()["tasks"]:
        dataset = world.datasets[world.tasks[task["task_id"]].did]
        sizes = sorted(dataset.class_sizes)
        described = {"dataset_id": dataset.did, "name": dataset.name, "target": dataset.target}
        described |= {"n_minority": sizes[0], "n_majority": sizes[1]}
        runs = sorted(run.run_id for run in world.runs_of(task["task_id"]))
        described |= {"n_instances": dataset.n_rows, "runs": tuple(runs)}
        assert task == {"task_id": task["task_id"]} | described


def test_datasets_are_the_binary_and_active_ones_without_an_empty_class(world, full, choose):
    did = world.tasks[full[0]].did
    world.change("datasets", did, misreported=(("MinorityClassSize", 0.0),))
    selection = choose()
    listed = [each for each in world.datasets.values() if each.status == "active"]
    binary = {each.name for each in listed if each.qualities()["NumberOfClasses"] == 2}
    names = {dataset["name"] for dataset in selection["datasets"]}
    assert names == binary - {world.datasets[did].name}
    assert full[0] not in ids(selection)


def test_runs_that_failed_are_left_out(world, full, choose, jobs):
    first, *others = world.runs_of(full[0])
    entries = [run_entry(first, error_message="crashed"), *map(run_entry, others)]
    jobs.openml.pages[runs_path(full[0])] = document("runs", "".join(entries))
    runs = {task["task_id"]: task["runs"] for task in choose(n_models=3)["tasks"]}
    assert runs[full[0]] == tuple(sorted(run.run_id for run in others))


def test_runs_beyond_the_limit_are_left_out(choose):
    assert {len(task["runs"]) for task in choose(n_models=2, runs_listed=3)["tasks"]} == {3, 2}


@pytest.mark.parametrize("max_tasks", [None, 3])
def test_a_skipped_task_has_a_reason_and_is_not_asked_about(jobs, choose, max_tasks):
    before = choose("before", max_tasks=max_tasks)
    skip = ids(before)[0]
    jobs.openml.requests.clear()
    after = choose("after", max_tasks=max_tasks, skip_tasks=[skip])
    assert jobs.asked(runs_path(skip)) == 0
    assert refused(after)[skip] == "skipped"
    assert set(ids(before)[1:]) <= set(ids(after))


@pytest.mark.parametrize("order", ["shuffled", "each page"])
def test_neither_order_nor_pages_matter(jobs, choose, monkeypatch, order):
    expected = choose("one page")
    monkeypatch.setattr(lists, "PAGE", 8)
    monkeypatch.setattr(lists, "OVERLAP", 2)
    jobs.openml.listing_order = order
    jobs.openml.repeat_every = 5
    assert choose("pages") == expected


def test_some_tasks_are_drawn_by_the_seed(jobs, choose):
    everything = choose("all")
    jobs.openml.requests.clear()
    some = choose("some", max_tasks=3)
    assert len(ids(some)) == 3
    assert set(ids(some)) < set(ids(everything))
    assert len({path for path in jobs.openml.requests if path.startswith(runs_path(1)[:-1])}) < 6
    assert len({tuple(ids(choose("some", max_tasks=3, seed=seed))) for seed in range(6)}) > 1
    assert ids(choose("all", max_tasks=100)) == ids(everything)


# --- Failures

FAILURES = {
    **{kind: ANSWERS[kind] for kind in ("404", "reset", "error 107", "error 512", "200 HTML")},
    "XHTML": served(b"<html><body>busy</body></html>"),
    "empty": served(b""),
    "other list": served(document("flows", "<oml:flow/>")),
    "cut off": served(b'<oml:data xmlns:oml="http://openml.org/openml"><oml:dataset>'),
    "empty list": served(document("data", "")),
    "runs of other tasks": served(document("runs", run_entry(Run(7, 7)))),
}


@pytest.mark.parametrize(
    ("place", "kind"),
    [*(("data", kind) for kind in FAILURES), ("task", "404"), ("estimationprocedure", "404")],
)
def test_without_the_lists_of_datasets_and_tasks_there_is_no_selection(jobs, choose, place, kind):
    jobs.openml.mode = openml_faults.at(f"{API}/{place}/list.*", FAILURES[kind])
    with pytest.raises(UnfinishedError, match="Run the same command again"):
        choose()
    jobs.openml.mode = None
    assert choose()["tasks"]


@pytest.mark.parametrize("kind", ["404", "error 512", "XHTML", "empty list", "runs of other tasks"])
def test_a_task_whose_list_cannot_be_had_is_refused_and_taken_back(jobs, choose, full, kind):
    expected = choose("before")
    lists_of_task = f"{API}/run/list/.*/task/{full[1]}(,.*)?"
    jobs.openml.mode = openml_faults.at(lists_of_task, FAILURES[kind])
    selection = choose("after")
    assert ids(selection) == [task for task in ids(expected) if task != full[1]]
    assert refused(selection)[full[1]] == "refused"
    asked = len(jobs.openml.requests)
    assert choose("after") == selection
    assert jobs.openml.requests[asked:].count(runs_path(full[0])) == 0  # it is kept
    jobs.openml.mode = None
    assert choose("after") == expected


def test_a_server_that_is_down_is_not_asked_about_each_task(jobs, choose):
    jobs.openml.world = World.synthetic(n_tasks=20, n_runs=N_MODELS, n_rows=30)
    jobs.openml.mode = openml_faults.at(openml_faults.RUN_LISTS, answer(404))
    with pytest.raises(UnfinishedError, match="lists of runs are refused or too short"):
        choose()
    assert len({path for path in jobs.openml.requests if "/run/list/" in path}) == 10


def test_many_short_lists_do_not_stop_the_selection(jobs, choose, world, full):
    """The first tasks may all have few runs."""
    for task_id in range(1, 15):
        world.tasks[task_id] = replace(world.tasks[full[0]], task_id=task_id)
    selection = choose()
    assert set(full) <= set(ids(selection))
    assert refused(selection).items() >= dict.fromkeys(range(1, 15), "too_few_runs_listed").items()


def test_a_short_list_is_confirmed_by_one_that_is_not(jobs, choose, short, full):
    jobs.openml.mode = lambda server, path: api_error(511) if "," in path else None
    selection = choose("unconfirmed")
    assert refused(selection) == dict.fromkeys(short, "refused")
    jobs.openml.mode = None
    assert refused(choose("unconfirmed")) == dict.fromkeys(short, "too_few_runs_listed")


def test_a_killed_selection_continues(jobs, choose, full, monkeypatch):
    expected = choose("before")
    get = requests.Session.get

    def interrupted(session, url, **options):
        if url.endswith(runs_path(full[3])):
            raise KeyboardInterrupt
        return get(session, url, **options)

    monkeypatch.setattr(requests.Session, "get", interrupted)
    with pytest.raises(KeyboardInterrupt):
        choose("after")
    monkeypatch.undo()
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    jobs.openml.requests.clear()
    assert choose("after") == expected
    assert not {DATASETS, TASKS, *map(runs_path, full[:3])} & set(jobs.openml.requests)
    jobs.openml.requests.clear()
    assert choose("after") == expected
    assert jobs.openml.requests == []


# --- A list with an entry that the package cannot read


def test_a_task_of_a_run_without_an_error_message_is_refused(jobs, world, full, choose):
    runs = world.runs_of(full[0])
    entries = [run_entry(replace(runs[0], run_id=9), error_message=None), *map(run_entry, runs)]
    jobs.openml.pages[runs_path(full[0])] = document("runs", "".join(entries))
    selection = choose()
    assert full[0] not in ids(selection)
    details = {int(row["task"]): row["detail"] for row in selection["left_out"]}
    assert details[full[0]].startswith("a list: KeyError")


@pytest.mark.parametrize(("place", "root"), [("data", "data"), ("task", "tasks")])
def test_a_list_of_odd_entries_stops_the_selection(jobs, choose, place, root):
    odd = served(document(root, "<oml:dataset/><oml:task/>"))
    jobs.openml.mode = openml_faults.at(f"{API}/{place}/list.*", odd)
    with pytest.raises(UnfinishedError, match="a list: "):
        choose()
