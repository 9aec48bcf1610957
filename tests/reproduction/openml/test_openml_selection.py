import json
import os
from collections import deque
from dataclasses import asdict, replace
from xml.etree import ElementTree

import http_stand_in as faults
import openml_faults
import openml_stand_in as stand_in
import pytest
import requests
from openml_stand_in import API, HTML_PAGE, XML, World, api_error, served

from reproduction.core.io import write
from reproduction.openml import lists as lists_module
from reproduction.openml.documents import listed_runs
from reproduction.openml.reasons import UnfinishedError
from reproduction.openml.selection import Selection, frozen, select

N_MODELS = 4
DATASETS = f"{API}/data/list/number_classes/2/limit/10000/offset/0"
TASKS = f"{API}/task/list/type/1/number_classes/2/limit/10000/offset/0"
PROCEDURES = f"{API}/estimationprocedure/list"


def runs_path(task_id, limit=200):
    return f"{API}/run/list/limit/{limit}/offset/0/task/{task_id}"


@pytest.fixture
def world():
    return World.synthetic(n_tasks=6, n_runs=N_MODELS, n_rows=30)


@pytest.fixture
def choose(client):
    """Select with a new client."""

    def choose(folder="", **options):
        defaults = {"n_models": N_MODELS, "runs_listed": 200, "max_tasks": None, "seed": 0}
        client.resources = client.resources / folder
        return select(client.server, **defaults | options)

    return choose


def change_page(client, path, old, new, n_times=-1):
    body = requests.get(client.openml.url(path), timeout=5).text
    assert old in body
    client.openml.pages[path] = body.replace(old, new, n_times).encode()


def ids(selection):
    return [task.task_id for task in selection.tasks]


def content(selection):
    """What it says, whenever it was listed."""
    return replace(selection, date="")


# --- What is selected


def test_binary_tasks_with_the_procedure_and_enough_runs(world, choose):
    selection = choose()
    usable = world.tasks_of_kind("full") + world.tasks_of_kind("misreported classes")
    assert ids(selection) == sorted(usable)
    short = world.tasks_of_kind("few runs") + world.tasks_of_kind("no runs")
    assert refused(selection) == {
        task: ("too_few_runs_listed", f"{n} of {N_MODELS} runs")
        for task, n in zip(sorted(short), [2, 0], strict=True)
    }


def test_a_task_is_described(world, client, choose):
    selection = choose()
    for task in selection.tasks:
        dataset = world.datasets[task.dataset_id]
        assert world.tasks[task.task_id].did == task.dataset_id
        assert (task.name, task.target) == (dataset.name, dataset.target)
        assert (task.n_minority, task.n_majority) == tuple(sorted(dataset.class_sizes)[:2])
        assert task.n_instances == dataset.n_rows
        assert task.runs == tuple(sorted(run.run_id for run in world.runs_of(task.task_id)))
        assert selection.task(str(task.task_id)) is task
    assert selection.server == client.openml.url_api


def test_datasets_are_the_binary_and_active_ones(world, choose):
    selection = choose()
    expected = {
        did
        for did, dataset in world.datasets.items()
        if dataset.status == "active"
        and dataset.has_qualities
        and dataset.qualities()["NumberOfClasses"] == 2
    }
    assert {dataset["dataset_id"] for dataset in selection.datasets} == expected
    assert all(0 < d["n_minority"] <= d["n_majority"] for d in selection.datasets)


def test_an_empty_class_is_none(world, choose):
    task = world.tasks_of_kind("full")[0]
    did = world.tasks[task].did
    world.change_dataset(did, misreported=(("MinorityClassSize", 0.0),))
    selection = choose()
    assert task not in ids(selection)
    assert did not in {dataset["dataset_id"] for dataset in selection.datasets}


def refused(selection):
    """Reason and detail by task."""
    return {entry["task_id"]: (entry["reason"], entry["detail"]) for entry in selection.refused}


def test_runs_that_failed_are_left_out(world, client, choose):
    hidden = world.tasks_of_kind("full")[0]
    world.change_run(world.runs_of(hidden)[0].run_id, evaluation_error="no evaluation")
    assert refused(choose())[hidden] == ("too_few_runs_listed", "3 of 4 runs")


def test_an_error_message_of_a_run_is_seen():
    entries = [
        f"<oml:run>{stand_in._tags(run_id=run, task_id=2, error_message=error)}</oml:run>"
        for run, error in ((5, ""), (6, "crashed"))
    ]
    root = ElementTree.fromstring(stand_in._document("runs", "".join(entries)))
    assert listed_runs(root) == {2: {5}}


def test_excluded_runs_are_left_out(world, choose):
    task, other = world.tasks_of_kind("full")[:2]
    runs = [run.run_id for run in world.runs_of(task)]
    fewer = choose(n_models=3, excluded_runs=frozenset(runs[:1]))
    assert fewer.task(task).runs == tuple(sorted(runs[1:]))
    assert len(fewer.task(other).runs) == N_MODELS
    none = choose(n_models=4, excluded_runs=frozenset(runs[:1]))
    assert task not in ids(none)


def test_a_part_of_the_runs_is_listed(world, choose):
    selection = choose(n_models=2, runs_listed=3)
    assert {len(task.runs) for task in selection.tasks} == {3, 2}


# --- The order of listings


@pytest.mark.parametrize("order", ["shuffled", "each request", "each page"])
def test_the_order_of_listings_does_not_matter(client, choose, order):
    expected = choose("sorted")
    client.openml.listing_order = order
    client.openml.repeat_every = 2
    assert content(choose(order)) == content(expected)


@pytest.mark.parametrize("order", ["sorted", "each page"])
def test_pages_follow_each_other(client, choose, order, monkeypatch):
    expected = choose("one page")
    client.openml.listing_order = order
    client.openml.repeat_every = 3  # the last of a page is the first of the next
    monkeypatch.setattr(lists_module, "PAGE", 3)
    assert content(choose("pages")) == content(expected)


def test_some_tasks_are_drawn_by_the_seed(client, choose):
    everything = choose("all")
    client.openml.requests.clear()
    some = choose("some", max_tasks=3)
    assert len(some.tasks) == 3
    assert set(some.tasks) < set(everything.tasks)
    asked = [path for path in client.openml.requests if "/run/list/" in path]
    assert len(asked) == 3 + len(some.refused)
    client.openml.listing_order = "shuffled"
    client.openml.repeat_every = 3
    assert content(choose("again", max_tasks=3)) == content(some)
    draws = {tuple(ids(choose("again", max_tasks=3, seed=seed))) for seed in range(6)}
    assert len(draws) > 1


def test_fewer_tasks_than_asked_for(choose):
    assert choose(max_tasks=100).tasks == choose().tasks


@pytest.mark.parametrize("what", ["tasks", "datasets", "runs"])
def test_an_empty_selection_is_never_kept(world, client, choose, what):
    emptied = replace(world, **{what: {}})
    client.openml.world = replace(emptied, tasks={}) if what == "datasets" else emptied
    with pytest.raises(UnfinishedError, match=r"No results|too few runs for each task"):
        choose()
    client.openml.world = world
    assert choose().tasks


def test_an_item_that_moves_to_the_page_before_is_not_lost(world, client, choose, monkeypatch):
    """Two tasks are deleted after the first page was sent."""
    monkeypatch.setattr(lists_module, "PAGE", 8)
    expected = choose("before")
    first, second = sorted(world.tasks)[:2]
    page = f"{API}/task/list/type/1/number_classes/2/limit/8/offset/0"

    def delete(server, path):
        if path == page:
            return None
        if path.startswith(f"{API}/task/list"):
            server.world.tasks = {t: task for t, task in tasks.items() if t not in (first, second)}
        return None

    tasks = dict(world.tasks)
    client.openml.mode = delete
    found = choose("after")
    assert set(ids(found)) >= set(ids(expected)) - {first, second}


# --- Failures

FAILURES = {
    "500": faults.answer(500),
    "404": faults.answer(404),
    "302": faults.redirect("http://localhost:9/"),
    "reset": faults.reset,
    "slow": faults.silent,
    "short length": faults.short_body(b"<oml:data"),
    "database": api_error(107),
    "no results": api_error(512),
    "HTML": served(HTML_PAGE),
    "empty": served(b""),
    "other list": served(stand_in._document("flows", "<oml:flow/>"), XML),
    "unknown encoding": served(b'<?xml version="1.0" encoding="klingon"?><oml:data/>', XML),
    "cut off": served(b'<oml:data xmlns:oml="http://openml.org/openml"><oml:dataset>'),
    "empty list": served(b'<oml:data xmlns:oml="http://openml.org/openml"/>'),
}
RETRIED = ("500", "reset", "slow")


@pytest.mark.parametrize("kind", FAILURES)
def test_failures_that_pass_are_survived(world, client, choose, kind):
    expected = choose("before")
    failing = [DATASETS, TASKS, PROCEDURES, runs_path(world.tasks_of_kind("full")[0])]
    n = 5 if kind in RETRIED else 2
    for path in failing:
        client.openml.fault_paths[path] = deque([FAILURES[kind]] * n)
    client.openml.requests.clear()
    assert content(choose("after")) == content(expected)
    # A list of runs is first asked for together with another one.
    assert [client.asked(path) for path in failing[:3]] == [n + 1] * 3


@pytest.mark.parametrize("path", [DATASETS, TASKS, PROCEDURES])
def test_failures_for_ever_end_the_run(world, client, waits, choose, path):
    client.openml.fault_paths[path] = faults.answer(404)
    with pytest.raises(UnfinishedError, match=r"404 Not Found. Run the same command") as raised:
        choose()
    assert path in str(raised.value)
    assert [seconds for seconds in waits if seconds >= 20] == [20, 40]
    done = {each for each in client.openml.requests if client.asked(each) == 1}
    client.openml.fault_paths.clear()
    client.openml.requests.clear()
    selection = choose()
    assert done.isdisjoint(client.openml.requests)
    assert content(choose("anew")) == content(selection)


def test_a_server_that_is_down_is_not_asked_about_each_task(client, choose):
    client.openml.world = World.synthetic(n_tasks=20, n_runs=N_MODELS, n_rows=30)
    client.openml.mode = openml_faults.at(openml_faults.RUN_LISTS, faults.answer(404))
    with pytest.raises(UnfinishedError, match=r"refuses the lists of runs of the tasks \[1000, "):
        choose()
    assert len([path for path in client.openml.requests if "/run/list/" in path]) == 30


def test_a_list_that_ignores_the_offset_ends(client, choose):
    client.openml.mode = openml_faults.ignoring_offset
    with pytest.raises(UnfinishedError, match=r"its pages of .* repeat each other"):
        choose()
    assert len(client.openml.requests) == 3
    assert client.kept("api") == set()


def test_an_endless_list_ends(client, choose):
    client.openml.mode = openml_faults.endless_list
    with pytest.raises(UnfinishedError, match=r"its pages of .* repeat each other"):
        choose()


def test_a_list_of_the_runs_of_other_tasks_is_refused(client, choose):
    client.openml.mode = openml_faults.ignoring_the_task
    with pytest.raises(UnfinishedError, match="runs of other tasks"):
        choose()


def test_an_empty_list_is_confirmed_by_one_that_is_not(world, client, choose):
    selection = choose()
    (empty,) = world.tasks_of_kind("no runs")
    assert refused(selection)[empty][0] == "too_few_runs_listed"  # the query works
    joint = [path for path in client.openml.requests if f"/{empty}," in path]
    assert len(joint) == 1


def test_an_empty_list_that_is_not_confirmed_is_asked_for_again(world, client, choose):
    """As by a server that does not know lists of several tasks."""

    def single(server, path):
        return api_error(511) if "," in path else None

    client.openml.mode = single
    selection = choose()
    short = sorted(world.tasks_of_kind("few runs") + world.tasks_of_kind("no runs"))
    unsure = [task for task, (reason, _) in refused(selection).items() if reason == "refused"]
    assert unsure == short
    client.openml.requests.clear()
    before = frozenset(map(str, unsure))
    again = choose(refused_before=before)
    assert again == selection
    assert client.openml.requests[:2] == list(map(runs_path, unsure))
    assert len(client.openml.requests) == 4  # each together with another one, too
    client.openml.mode = None
    settled = choose(refused_before=before)
    assert {reason for reason, _ in refused(settled).values()} == {"too_few_runs_listed"}
    client.openml.mode = lambda server, path: faults.answer(503)
    assert choose(refused_before=before).tasks == selection.tasks


# --- Odd entries


def with_entry(client, path, entry):
    body = requests.get(client.openml.url(path), timeout=5).text
    head, _, tail = body.partition(">")
    client.openml.pages[path] = f"{head}>{entry}{tail}".encode()


@pytest.mark.parametrize(
    ("path", "entry"),
    [
        (PROCEDURES, "<oml:estimationprocedure><oml:id>9</oml:id></oml:estimationprocedure>"),
        (PROCEDURES, "<oml:estimationprocedure><oml:name>x</oml:name></oml:estimationprocedure>"),
        (
            TASKS,
            "<oml:task><oml:task_id>1</oml:task_id><oml:quality>5</oml:quality></oml:task>",
        ),
        (TASKS, "<oml:task/>"),
        (
            DATASETS,
            "<oml:dataset><oml:did>1</oml:did><oml:quality name='a'>5</oml:quality></oml:dataset>",
        ),
        (DATASETS, "<oml:dataset><oml:did>x</oml:did></oml:dataset>"),
        ("runs", "<oml:run><oml:run_id>../1</oml:run_id></oml:run>"),
        ("runs", "<oml:run/>"),
    ],
)
def test_an_odd_entry_does_not_affect_the_others(world, client, choose, path, entry):
    expected = choose("before")
    path = runs_path(world.tasks_of_kind("full")[0]) if path == "runs" else path
    with_entry(client, path, entry)
    assert content(choose("after")) == content(expected)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("<oml:error_message></oml:error_message>", ""),
        ("<oml:uploader>1<", "<oml:uploader>somebody<"),
        ("<oml:task_type_id>1<", "<oml:task_type_id>99<"),
        ("<oml:flow_id>20<", "<oml:flow_id><"),
    ],
)
def test_a_run_with_odd_fields_is_listed(world, client, choose, old, new):
    expected = choose("before")
    change_page(client, runs_path(world.tasks_of_kind("full")[0]), old, new)
    assert content(choose("after")) == content(expected)


@pytest.mark.parametrize("value", ["1e999", "many", "", "-5"])
def test_a_dataset_without_sizes_is_left_out(world, client, choose, value):
    first = min(did for did, dataset in world.datasets.items() if dataset.status == "active")
    size = f'MajorityClassSize">{world.datasets[first].qualities()["MajorityClassSize"]}<'
    change_page(client, DATASETS, size, f'MajorityClassSize">{value}<', 1)
    assert first not in {dataset["dataset_id"] for dataset in choose().datasets}


@pytest.mark.parametrize("name", ["=1+1", "@SUM(1)", "-1+cmd", "+1"])
def test_names_are_no_formulas_of_spreadsheets(client, choose, name):
    change_page(
        client, DATASETS, "<oml:name>synthetic-100</oml:name>", f"<oml:name>{name}</oml:name>"
    )
    assert {f"'{name}"} <= {dataset["name"] for dataset in choose().datasets}


def test_the_cost_is_printed_before_anything_is_fetched(choose, capsys):
    n_tasks = len(choose().tasks)
    lists, files = capsys.readouterr().out.splitlines()
    assert lists.startswith(
        "OpenML: 9 candidate tasks, whose runs are listed: about 9 requests, at"
    )
    assert files.startswith(f"OpenML: {n_tasks} tasks with 4 runs each, about 2 MB: about ")
    assert f"{n_tasks * 10} requests, at least 0 minutes at 1e+09 per second" in files


# --- Skipped tasks


@pytest.mark.parametrize("max_tasks", [None, 3])
def test_a_skipped_task_has_a_reason_and_is_not_asked_about(world, client, choose, max_tasks):
    before = choose("before", max_tasks=max_tasks)
    skip = before.tasks[0].task_id
    client.openml.fault_paths[runs_path(skip)] = faults.answer(404)
    client.openml.requests.clear()
    after = choose("after", max_tasks=max_tasks, skip_tasks=frozenset([skip]))
    assert client.asked(runs_path(skip)) == 0
    assert refused(after)[skip] == ("skipped", "ranking.openml.skip_tasks")
    assert set(before.tasks[1:]) <= set(after.tasks)
    assert skip not in ids(after)


def test_a_dataset_without_a_name_is_none(client, choose):
    change_page(client, DATASETS, "<oml:name>synthetic-100</oml:name>", "")
    assert 100 not in {dataset["dataset_id"] for dataset in choose().datasets}


@pytest.mark.parametrize("name", ["estimation_procedure", "target_feature"])
def test_tasks_without_an_input_are_no_candidates(client, choose, name):
    choose("before")
    for path in {path for path in client.openml.requests if "/task/list/" in path}:
        change_page(client, path, f'"{name}"', '"other"')
    with pytest.raises(UnfinishedError, match="no candidate task"):
        choose("after")


# --- Frozen


def store(selection, folder):
    write(asdict(selection), folder / "selection.json")
    return folder / "selection.json"


def test_a_finished_selection_asks_for_nothing(world, client, choose):
    first = choose()
    client.openml.requests.clear()
    client.openml.listing_order = "shuffled"
    task = world.tasks_of_kind("full")[0]
    world.runs[1] = replace(world.runs_of(task)[0], run_id=1)
    assert choose() == first
    short = world.tasks_of_kind("few runs") + world.tasks_of_kind("no runs")
    assert set(client.openml.requests) == set(map(runs_path, short))


def test_its_date_is_that_of_the_listing(client, choose):
    choose()
    kept = client.server.folder / "api" / "estimationprocedure" / "list.xml"
    os.utime(kept, (0, 1577923200))  # 2020-01-02
    assert choose().date == "2020-01-02"


def test_a_selection_can_be_frozen(client, choose, tmp_path):
    selection = choose()
    store(selection, tmp_path)
    assert Selection.read(tmp_path / "selection.json") == selection


def read_frozen(client, path, excluded_runs=(), skip_tasks=()):
    out = {"excluded_runs": frozenset(excluded_runs), "skip_tasks": frozenset(skip_tasks)}
    return frozen(path, url=client.openml.url_api, **out)


def test_a_frozen_selection_asks_for_nothing(client, choose, tmp_path):
    selection = choose()
    store(selection, tmp_path)
    client.openml.requests.clear()
    task = selection.tasks[0]
    out = task.runs[1]
    used = read_frozen(client, tmp_path / "selection.json", excluded_runs=[out])
    assert client.openml.requests == []
    assert used.tasks[1:] == selection.tasks[1:]
    assert used.tasks[0].runs == tuple(run for run in task.runs if run != out)


def test_a_task_of_a_frozen_selection_can_be_skipped(client, choose, tmp_path):
    selection = choose()
    store(selection, tmp_path)
    skip = selection.tasks[1].task_id

    def read(skip_tasks):
        return read_frozen(client, tmp_path / "selection.json", skip_tasks=skip_tasks)

    used = read([skip, selection.refused[0]["task_id"]])
    assert used.tasks == (selection.tasks[0], *selection.tasks[2:])
    assert refused(used) == refused(selection) | {skip: ("skipped", "ranking.openml.skip_tasks")}


def test_a_frozen_selection_of_another_server_is_refused(client, choose, tmp_path):
    store(replace(choose(), server="http://localhost/api/v1/xml"), tmp_path)
    with pytest.raises(ValueError, match=r"selection\.json is a selection from http://localhost/"):
        read_frozen(client, tmp_path / "selection.json")


BAD = {
    "not JSON": lambda content: "tasks:",
    "a list": lambda content: [content],
    "no tasks": lambda content: {k: v for k, v in content.items() if k != "tasks"},
    "tasks of numbers": lambda content: content | {"tasks": [1, 2]},
    "a task without runs": lambda content: (
        content | {"tasks": [{k: v for k, v in content["tasks"][0].items() if k != "runs"}]}
    ),
    "an unknown field": lambda content: content | {"tasks": [content["tasks"][0] | {"x": 1}]},
    "a fraction": lambda content: content | {"tasks": [content["tasks"][0] | {"task_id": 1.5}]},
    "names of runs": lambda content: content | {"tasks": [content["tasks"][0] | {"runs": ["x"]}]},
}


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_frozen_selection_is_named(choose, tmp_path, kind):
    path = store(choose(), tmp_path)
    bad = BAD[kind](json.loads(path.read_text()))
    path.write_text(bad if isinstance(bad, str) else json.dumps(bad))
    with pytest.raises(ValueError, match=r"selection\.json: not a frozen selection: "):
        Selection.read(path)
