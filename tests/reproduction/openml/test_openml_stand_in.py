import gzip
import importlib.util
import json
import os
import subprocess
import sys
import threading
from collections import deque
from dataclasses import replace
from xml.etree import ElementTree

import http_stand_in as faults
import numpy as np
import openml_stand_in
import pytest
import requests
from openml_stand_in import FAMILIES, Dataset, Dialect, Run, Task, World
from sklearn.metrics import roc_auc_score

NAMESPACE = {"oml": "http://openml.org/openml"}
PAGE_SIZE = 2


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1,localhost")


@pytest.fixture
def world():
    return World.synthetic(n_tasks=6, n_runs=6, n_rows=120, seed=1)


@pytest.fixture
def server(world):
    with openml_stand_in.openml_stand_in(world) as running:
        yield running


@pytest.fixture
def full_task(world):
    return world.tasks_of_kind("full")[0]


def get(server, path):
    return requests.get(server.url(path), timeout=10)


def call(server, path):
    return get(server, openml_stand_in.API + path)


def listed(server, path, tag):
    """The ids on the page of a listing; empty where the server reports no results."""
    response = call(server, path)
    if error_code(response) in (372, 482, 512):
        return []
    assert response.status_code == 200, response.text
    return [int(element.text) for element in parsed(response).iterfind(f".//oml:{tag}", NAMESPACE)]


def parsed(response):
    return ElementTree.fromstring(response.content)


def error_code(response):
    if response.status_code != 412:
        return None
    return int(parsed(response).find("oml:code", NAMESPACE).text)


def stated_aucs(response):
    """By fold, one AUC a label."""
    return [
        [float(x) for x in evaluation.find("oml:array_data", NAMESPACE).text[1:-1].split(",")]
        for evaluation in parsed(response).iterfind(".//oml:evaluation[@fold]", NAMESPACE)
    ]


# --- The unmodified client

OPENML = pytest.mark.skipif(
    importlib.util.find_spec("openml") is None, reason="the openml client is not installed"
)

WORKER = """
import json, sys

for line in sys.stdin:
    script, asked = json.loads(line)
    namespace = {"asked": asked}
    exec(script, namespace)
    print(json.dumps(namespace["answered"]), flush=True)
"""

CONFIGURE = """
import os
import openml

openml.config.set_root_cache_directory(asked["cache"])
openml.config.server = asked["url"]
openml.config.apikey = ""
openml.config.set_retry_policy("human", 1)

def code_of_error(call, *arguments, **options):
    try:
        call(*arguments, **options)
    except openml.exceptions.OpenMLServerException as error:
        return [type(error).__name__, error.code]
    except Exception as error:
        return [type(error).__name__, None]
"""

SELECT = """
answered = {}
datasets = openml.datasets.list_datasets(number_classes=2, output_format="dataframe")
answered["datasets"] = datasets.set_index("did").to_dict("index")
tasks = openml.tasks.list_tasks(
    task_type=openml.tasks.TaskType.SUPERVISED_CLASSIFICATION,
    number_classes=2,
    output_format="dataframe",
)
answered["tasks"] = tasks.set_index("tid").drop(columns="ttid").to_dict("index")
answered["runs"] = {}
for task_id in tasks["tid"].tolist():
    runs = openml.runs.list_runs(task=[task_id], size=200, output_format="dataframe")
    answered["runs"][task_id] = runs["run_id"].tolist() if len(runs) else []
paged = openml.runs.list_runs(
    task=[asked["full_task"]], batch_size=asked["page_size"], output_format="dataframe"
)
answered["paged"] = paged["run_id"].tolist()
"""

FETCH = """
answered = {"runs": {}}
for run_id in asked["runs"]:
    run = openml.runs.get_run(run_id)
    predictions = run.predictions
    answered["runs"][run_id] = {
        "task_id": run.task_id,
        "dataset_id": run.dataset_id,
        "setup_id": run.setup_id,
        "predictions_url": run.predictions_url,
        "columns": list(predictions.columns),
        "n_rows": len(predictions),
        "fold_aucs": list(run.fold_evaluations["area_under_roc_curve"][0].values()),
    }
did = asked["did"]
answered["description"] = openml.datasets.get_dataset(
    did, download_data=False, download_qualities=False, download_features_meta_data=False
).name
answered["y"] = {}
for skip_parquet in ["false", "true"]:
    os.environ["OPENML_SKIP_PARQUET"] = skip_parquet
    dataset = openml.datasets.get_dataset(
        did,
        download_data=True,
        download_qualities=True,
        download_features_meta_data=True,
        force_refresh_cache=True,
    )
    _, y, _, _ = dataset.get_data(target=dataset.default_target_attribute)
    answered["y"][skip_parquet] = y.astype(str).tolist()
answered["n_minority"] = dataset.qualities["MinorityClassSize"]
task = openml.tasks.get_task(asked["full_task"], download_splits=True)
answered["test_rows"] = [
    task.get_train_test_split_indices(fold=fold)[1].tolist() for fold in range(10)
]
"""

FAIL = """
from openml import datasets, runs, tasks

get_dataset = lambda did: datasets.get_dataset(did, download_data=False)
answered = {
    "unknown run": code_of_error(runs.get_run, 99),
    "unknown task": code_of_error(tasks.get_task, 99),
    "unknown dataset": code_of_error(get_dataset, 99),
    "unknown filter": code_of_error(tasks.list_tasks, estimation_procedure=1),
    "without predictions": code_of_error(runs.get_run, asked["without_predictions"]),
    "without description": code_of_error(runs.get_run, asked["without_description"]),
    "missing file": code_of_error(lambda: runs.get_run(asked["missing_file"]).predictions),
    "HTML": code_of_error(lambda: runs.get_run(asked["html"]).predictions),
    "cut in row": code_of_error(lambda: runs.get_run(asked["cut"]).predictions),
}
no_runs = runs.list_runs(task=[asked["no_runs"]], output_format="dataframe")
answered["no runs"] = list(no_runs.shape)
without_input = runs.get_run(asked["without_input_data"])
answered["looked up"] = without_input.dataset_id
openml.config.apikey = "0" * 32
answered["bad key"] = code_of_error(runs.get_run, asked["with_key"])
"""


@pytest.fixture(scope="module")
def worker(tmp_path_factory):
    """A process that has imported the client once, and runs one script after another."""
    home = tmp_path_factory.mktemp("home")
    environment = os.environ | {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / "config"),
        "OPENML_CACHE_DIR": str(home / "cache"),
    }
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", WORKER],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        yield process
        process.stdin.close()


@pytest.fixture
def ask_openml(server, worker, tmp_path):
    def ask(script, **asked):
        asked |= {"url": server.url_api, "cache": str(tmp_path)}
        worker.stdin.write(json.dumps([CONFIGURE + script, asked]) + "\n")
        worker.stdin.flush()
        timer = threading.Timer(120, worker.kill)
        timer.start()
        answer = worker.stdout.readline()
        timer.cancel()
        assert answer, "the script failed; its traceback is in the captured stderr"
        return json.loads(answer)

    return ask


@OPENML
def test_openml_selects_tasks_and_runs(server, world, full_task, ask_openml):
    answered = ask_openml(SELECT, full_task=full_task, page_size=PAGE_SIZE)
    for did, entry in answered["datasets"].items():
        assert (
            entry["MinorityClassSize"] == world.datasets[int(did)].qualities()["MinorityClassSize"]
        )
        assert entry["NumberOfClasses"] == 2
        assert entry["status"] == "active"

    kinds = {world.kinds[int(task_id)] for task_id in answered["tasks"]}
    assert kinds == {"full", "few runs", "no runs", "other procedure", "misreported classes"}
    for task_id, entry in answered["tasks"].items():
        task = world.tasks[int(task_id)]
        assert entry["did"] == task.did
        assert entry["estimation_procedure"] == task.procedure.name
        assert entry["target_feature"] == "class"
        expected = [run.run_id for run in world.runs_of(task.task_id)]
        assert answered["runs"][task_id] == sorted(expected)

    pages = [path for path in server.requests if f"/limit/{PAGE_SIZE}/" in path]
    assert pages == [
        f"/api/v1/xml/run/list/limit/{PAGE_SIZE}/offset/{offset}/task/{full_task}"
        for offset in (0, 2, 4, 6)
    ]
    assert answered["paged"] == answered["runs"][str(full_task)]


@OPENML
def test_openml_fetches_runs_and_data(server, world, full_task, ask_openml):
    for family, run in zip(openml_stand_in.COMMON_FAMILIES, world.runs_of(full_task), strict=True):
        world.change_run(run.run_id, family=family)
    runs = world.runs_of(full_task)
    did = world.tasks[full_task].did
    answered = ask_openml(FETCH, runs=[run.run_id for run in runs], did=did, full_task=full_task)

    dataset = world.datasets[did]
    truth = [dataset.labels[i] for i in dataset.y]
    for run in runs:
        entry = answered["runs"][str(run.run_id)]
        assert entry["task_id"] == full_task
        assert entry["dataset_id"] == did
        assert entry["setup_id"] == run.setup_id
        assert entry["predictions_url"] == server.url(world.predictions_path(run.run_id))
        assert entry["n_rows"] == dataset.n_rows
        assert {f"confidence.{label}" for label in dataset.labels} < set(entry["columns"])
        aucs = world.fold_aucs(run.run_id)
        np.testing.assert_allclose(entry["fold_aucs"], aucs[:, 1], rtol=0, atol=1e-6)
    assert answered["description"] == dataset.name
    assert answered["y"] == {"false": truth, "true": truth}
    assert answered["n_minority"] == min(dataset.class_sizes)
    for fold, rows in enumerate(answered["test_rows"]):
        np.testing.assert_array_equal(rows, np.flatnonzero(world.folds(full_task)[0] == fold))


@OPENML
def test_openml_reports_errors_as_documented(server, world, full_task, ask_openml):
    without_predictions, without_description, missing, html, cut, without_input, with_key, *_ = (
        world.runs
    )
    world.change_run(without_predictions, has_predictions=False)
    world.change_run(without_description, has_description=False)
    world.change_run(without_input, has_input_data=False)
    server.fault_paths[world.predictions_path(missing)] = openml_stand_in.missing_page()
    server.replace_predictions(html, openml_stand_in.HTML_PAGE)
    server.replace_predictions(cut, openml_stand_in.cut_in_row(world.predictions(cut)))
    answered = ask_openml(
        FAIL,
        no_runs=world.tasks_of_kind("no runs")[0],
        without_predictions=without_predictions,
        without_description=without_description,
        without_input_data=without_input,
        missing_file=missing,
        html=html,
        cut=cut,
        with_key=with_key,
    )
    assert answered == {
        "unknown run": ["OpenMLServerException", 236],
        "unknown task": ["OpenMLServerException", 151],
        "unknown dataset": ["OpenMLServerNoResult", 111],
        "unknown filter": ["OpenMLServerException", 480],
        "without predictions": ["ValueError", None],
        "without description": ["ValueError", None],
        "missing file": ["OpenMLServerError", None],
        "HTML": ["BadLayout", None],
        "cut in row": ["BadDataFormat", None],
        "no runs": [0, 0],
        "looked up": world.dataset_of(world.runs[without_input]).did,
        "bad key": ["OpenMLServerException", 103],
    }


# --- The world


def test_a_world_follows_from_its_seed(world, full_task):
    again = World.synthetic(n_tasks=6, n_runs=6, n_rows=120, seed=1)
    other = World.synthetic(n_tasks=6, n_runs=6, n_rows=120, seed=2)
    assert again == world
    run_id = world.runs_of(full_task)[0].run_id
    assert again.predictions(run_id) == world.predictions(run_id)
    assert not np.array_equal(other.folds(full_task), world.folds(full_task))


def test_a_world_has_what_selection_must_tell_apart():
    world = World.synthetic(n_tasks=24, n_runs=30, n_rows=200, spare_runs=3)
    full = world.tasks_of_kind("full")
    assert len(full) == 24
    assert {len(world.runs_of(task_id)) for task_id in full} == {33}
    assert len({world.tasks[task_id].did for task_id in full}) < 24
    priors = [
        min(d.class_sizes) / d.n_rows for d in (world.dataset_of(world.tasks[i]) for i in full)
    ]
    assert min(priors) < 0.01
    assert sum(prior < 0.05 for prior in priors) >= 4
    assert max(priors) == 0.5
    assert set(world.kinds.values()) == {
        "full",
        "few runs",
        "no runs",
        "other procedure",
        "several classes",
        "misreported classes",
        "no qualities",
        "deactivated",
    }
    assert {run.family for run in world.runs.values()} == set(openml_stand_in.COMMON_FAMILIES)


def test_folds_are_stratified_and_shared(world):
    for task_id in world.tasks_of_kind("full"):
        y = world.dataset_of(world.tasks[task_id]).y
        (folds,) = world.folds(task_id)
        for label in (0, 1):
            n_in_fold = np.bincount(folds[y == label], minlength=10)
            assert n_in_fold.min() > 0
            assert np.ptp(n_in_fold) <= 1
        for run in world.runs_of(task_id):
            table = world.table(run.run_id)
            np.testing.assert_array_equal(table.fold, folds[table.row_id])
            np.testing.assert_array_equal(table.truth, y[table.row_id])
            assert sorted(table.row_id) == list(range(len(y)))


def test_runs_of_a_task_differ_in_quality_and_some_are_the_same_model():
    world = World.synthetic(n_tasks=1, n_runs=20, n_rows=300)
    (task_id,) = world.tasks_of_kind("full")
    runs = world.runs_of(task_id)
    means = {run.run_id: world.fold_aucs(run.run_id)[:, 1].mean() for run in runs}
    assert min(means.values()) < 0.75
    assert max(means.values()) > 0.95
    of_setup = {}
    for run in runs:
        of_setup.setdefault(run.setup_id, []).append(world.predictions(run.run_id))
    assert len(of_setup) == 18
    for bodies in of_setup.values():
        assert len(set(bodies)) == 1


def small_world(run=None, dataset=None):
    dataset = dataset or Dataset(1, "small", ("a", "b", "c"), (40, 30, 20))
    run = run or Run(1, 1)
    return World({1: dataset}, {1: Task(1, 1)}, {1: run})


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("options", [{}, {"hard": True}, {"zero_rows": 30}], ids=str)
def test_stated_aucs_are_those_of_sklearn(family, options):
    world = small_world(Run(1, 1, family=family, **options))
    table = world.table(1)
    confidences = table.confidences.copy()
    without = confidences.sum(axis=1) == 0
    assert without.sum() == options.get("zero_rows", 0)
    confidences[without, table.predicted[without]] = 1
    with openml_stand_in.openml_stand_in(world) as server:
        stated = stated_aucs(call(server, "/run/1"))
    assert len(stated) == 10
    for fold, of_labels in enumerate(stated):
        inside = table.fold == fold
        expected = [
            roc_auc_score(table.truth[inside] == i, confidences[inside, i]) for i in range(3)
        ]
        np.testing.assert_allclose(of_labels, expected, rtol=0, atol=1e-6)


def test_a_stated_auc_can_be_wrong():
    world = small_world(Run(1, 1, auc_error=-0.01))
    with openml_stand_in.openml_stand_in(world) as server:
        stated = stated_aucs(call(server, "/run/1"))
    np.testing.assert_allclose(stated, world.fold_aucs(1) - 0.01, rtol=0, atol=1e-6)


def test_an_absent_label_has_no_auc():
    dataset = Dataset(1, "rare", class_sizes=(97, 3))
    with openml_stand_in.openml_stand_in(small_world(dataset=dataset)) as server:
        run = parsed(call(server, "/run/1"))
    evaluations = run.findall(".//oml:evaluation[@fold]", NAMESPACE)
    undefined = [e for e in evaluations if "\ufffd" in e.find("oml:array_data", NAMESPACE).text]
    assert len(undefined) == 7
    for evaluation in undefined:
        assert evaluation.find("oml:value", NAMESPACE) is None


def test_repeats_have_their_own_splits_and_predictions(world):
    (task_id,) = world.tasks_of_kind("other procedure")
    dataset = world.dataset_of(world.tasks[task_id])
    assert world.folds(task_id).shape == (5, dataset.n_rows)
    run_id = world.runs_of(task_id)[0].run_id
    table = world.table(run_id)
    assert len(table.row_id) == 5 * dataset.n_rows
    assert world.fold_aucs(run_id).shape == (10, 2)
    assert not np.array_equal(table.row_id[table.repeat == 0], table.row_id[table.repeat == 1])


def test_rows_without_a_label_are_not_tested():
    world = small_world(dataset=Dataset(1, "holes", class_sizes=(50, 30), n_unlabelled=20))
    dataset = world.datasets[1]
    assert dataset.qualities()["NumberOfInstances"] == 100
    np.testing.assert_array_equal(world.folds(1)[0] == -1, dataset.y == -1)
    assert len(world.table(1).row_id) == 80
    assert openml_stand_in.dataset_arff(dataset).count(b"?") == 20


# --- Files

AWKWARD_LABELS = ("it's", "'(-inf-0.5]'", "not fraud", "100%", "früh", 'a "b"', "c,d")


@pytest.fixture(scope="module")
def arff():
    return pytest.importorskip("arff", reason="liac-arff comes with the openml client")


@pytest.mark.parametrize("family", [family for family in FAMILIES if family != "blank_separated"])
@pytest.mark.parametrize(
    "changes",
    [{}, {"newline": "\r\n"}, {"final_newline": False}, {"labels_reversed": True}],
    ids=str,
)
def test_liac_reads_the_files_of_a_family(arff, family, changes):
    dialect = replace(FAMILIES[family], **changes)
    table = small_world(Run(1, 1, dialect=dialect)).table(1)
    read = arff.loads(table.arff(dialect).decode())
    names = [name for name, _ in read["attributes"]]
    columns = dict(zip(names, zip(*read["data"], strict=True), strict=True))
    row_id = columns["rowid" if family == "shark" else "row_id"]
    np.testing.assert_array_equal(np.array(row_id, dtype=int), table.row_id)
    np.testing.assert_array_equal(np.array(columns["fold"], dtype=int), table.fold)
    for i, label in enumerate(table.labels):
        np.testing.assert_array_equal(columns[f"confidence.{label}"], table.confidences[:, i])
    predicted, truth = np.array(table.labels)[[table.predicted, table.truth]]
    if family == "python_swapped":
        predicted, truth = truth, predicted
    assert columns["prediction"] == tuple(predicted)
    truth_column = {"shark": None, "mlr": "truth"}.get(family, "correct")
    assert truth_column is None or columns[truth_column] == tuple(truth)
    assert ("sample" in columns) == (family == "python_new")


@pytest.mark.parametrize("family", ["weka", "python_new", "mlr"])
def test_awkward_labels_keep_their_text(arff, family):
    dataset = Dataset(1, "awkward", AWKWARD_LABELS, (20,) * len(AWKWARD_LABELS))
    read = arff.loads(small_world(Run(1, 1, family=family), dataset).predictions(1).decode())
    types = dict(read["attributes"])
    assert tuple(types["prediction"]) == AWKWARD_LABELS
    assert {row[list(types).index("prediction")] for row in read["data"]} <= set(AWKWARD_LABELS)
    data = arff.loads(openml_stand_in.dataset_arff(dataset).decode())
    assert [row[-1] for row in data["data"]] == [AWKWARD_LABELS[i] for i in dataset.y]


@pytest.mark.parametrize(
    "changes", [{"separator": " "}, {"trailing_nul": True}, {"byte_order_mark": True}], ids=str
)
def test_liac_refuses_what_is_told_of_it(arff, changes):
    body = small_world(Run(1, 1, dialect=replace(FAMILIES["mlr"], **changes))).predictions(1)
    with pytest.raises(arff.ArffException):
        arff.loads(body.decode())


def test_a_dialect_of_its_own():
    dialect = Dialect(("row_id", "confidences"), confidence_type="{FALSE, TRUE}", decimals=1)
    table = openml_stand_in.with_confidence(small_world().table(1), np.nan)
    lines = table.arff(dialect).decode().splitlines()
    assert "@attribute confidence.a {FALSE, TRUE}" in lines
    assert f"{table.row_id[0]},?,?,?" in lines


# --- Damage


def n_data_rows(body):
    return len(body.decode().partition("@data\n")[2].splitlines())


def test_a_cut_body(arff):
    body = small_world().predictions(1)
    at_line_end, in_row = openml_stand_in.cut_at_line_end(body), openml_stand_in.cut_in_row(body)
    assert body.startswith(in_row)
    assert in_row.startswith(at_line_end)
    assert len(arff.loads(at_line_end.decode())["data"]) == n_data_rows(at_line_end) < 90
    with pytest.raises(arff.BadDataFormat):
        arff.loads(in_row.decode())


def test_damaged_tables():
    table = small_world().table(1)
    n = len(table.row_id)

    assert set(openml_stand_in.without_fold(table, 3).fold) == set(range(10)) - {3}

    twice = openml_stand_in.with_duplicate(table, row=5)
    assert len(twice.row_id) == n
    assert list(twice.row_id).count(table.row_id[5]) == 2

    foreign = openml_stand_in.with_foreign_split(table)
    assert (foreign.fold != table.fold).any()
    np.testing.assert_array_equal(np.bincount(foreign.fold), np.bincount(table.fold))

    zeroed = openml_stand_in.with_confidence(table, 0, row=4)
    assert not zeroed.confidences[4].any()
    np.testing.assert_array_equal(
        np.delete(zeroed.confidences, 4, 0), np.delete(table.confidences, 4, 0)
    )

    assert b"confidence" not in openml_stand_in.without_confidences(table).arff("weka")
    assert b"\n0 ? " in openml_stand_in.with_unknown_fold(table).arff("blank_separated")
    assert openml_stand_in.with_confidence(table, np.inf).arff("weka").count(b"inf") == 3


# --- Over HTTP


def test_answers_look_like_the_real_ones(server, world):
    run_id = next(iter(world.runs))
    xml = call(server, f"/run/{run_id}")
    assert xml.headers["Content-Type"] == "text/xml; charset=utf-8"
    file = get(server, world.predictions_path(run_id))
    assert file.headers["Content-Type"] == "text/plain"
    assert file.content == world.predictions(run_id)
    for response in (xml, file):
        assert response.headers["Content-Encoding"] == "gzip"
        assert "ETag" not in response.headers
    plain = requests.get(
        server.url(world.predictions_path(run_id)),
        headers={"Accept-Encoding": "identity"},
        timeout=10,
    )
    assert "Content-Encoding" not in plain.headers
    assert plain.content == file.content
    assert get(server, f"/api/v1/run/{run_id}").content == xml.content


def test_every_url_in_an_answer_is_the_servers_own(server, world, full_task):
    run_id = world.runs_of(full_task)[0].run_id
    did = world.tasks[full_task].did
    urls = []
    for path in (f"/run/{run_id}", f"/data/{did}", f"/task/{full_task}"):
        texts = [element.text or "" for element in parsed(call(server, path)).iter()]
        urls += [text for text in texts if text.startswith("http")]
    assert len(urls) == 6
    for url in urls:
        assert url.startswith(server.url("/"))
        assert requests.get(url, timeout=10).status_code == 200


def test_parquet_can_be_asked_for_without_a_body(server, world):
    did = next(iter(world.datasets))
    url = server.url(f"/datasets/0000/{did:04}/dataset_{did}.pq")
    with requests.Session() as session:
        head = session.head(url, timeout=10)
        full = session.get(url, timeout=10)
    assert server.n_connections == 1
    assert head.headers["ETag"] == full.headers["ETag"]
    assert int(head.headers["Content-Length"]) == len(full.content)


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/data/list/estimation_procedure/1", 370),
        ("/data/list/data_id/x", 371),
        ("/data/list/number_classes/two", 371),
        ("/data/list/number_classes/17", 372),
        ("/data/list/offset/5", 373),
        ("/data/99", 111),
        ("/data/features/99", 271),
        ("/data/qualities/99", 361),
        ("/task/list/estimation_procedure/1", 480),
        ("/task/list/task_id/x", 481),
        ("/task/list/type/2", 482),
        ("/task/list/offset/5", 483),
        ("/task/99", 151),
        ("/run/list", 510),
        ("/run/list/show_errors/true", 510),
        ("/run/list/task/a", 511),
        ("/run/list/task/99", 512),
        ("/run/list/tag/none", 512),
        ("/run/list/task/1000/sort/asc", 514),
        ("/run/list/task/1000/offset/5", 515),
        ("/run/list/task/1000/limit/10001", 516),
        ("/run/99", 236),
        ("/study/1", 100),
        ("/run/10000?api_key=unknown", 103),
    ],
)
def test_errors_have_their_codes(server, path, code):
    assert error_code(call(server, path)) == code


def test_a_dataset_without_qualities(server, world):
    (task_id,) = world.tasks_of_kind("no qualities")
    did = world.tasks[task_id].did
    assert error_code(call(server, f"/data/qualities/{did}")) == 362
    assert did in listed(server, "/data/list", "did")
    assert did not in listed(server, "/data/list/number_classes/2", "did")


@pytest.mark.parametrize(
    "path", ["/data/download/1/x.arff", "/datasets/0000/0001/dataset_1.pq", "/x"]
)
def test_missing_files_are_pages(server, path):
    response = get(server, path)
    assert response.status_code == 404
    assert response.headers["Content-Type"].startswith("text/html")
    with pytest.raises(ElementTree.ParseError):
        parsed(response)


def test_listings_can_be_filtered(server, world, full_task):
    (deactivated,) = world.tasks_of_kind("deactivated")
    did = world.tasks[deactivated].did
    assert did not in listed(server, "/data/list", "did")
    assert listed(server, "/data/list/status/deactivated", "did") == [did]
    assert len(listed(server, "/data/list/status/all", "did")) == len(world.datasets)
    assert listed(server, "/data/list/number_instances/1000..2000", "did") == [
        dataset.did for dataset in world.datasets.values() if dataset.n_rows >= 1000
    ]
    assert listed(server, "/task/list/type/1/data_id/100", "task_id") == [full_task]
    assert deactivated not in listed(server, "/task/list", "task_id")

    first, second = world.tasks_of_kind("full")[:2]
    runs = sorted(run.run_id for i in (first, second) for run in world.runs_of(i))
    assert listed(server, f"/run/list/task/{first},{second}", "run_id") == runs
    run = world.runs[runs[0]]
    path = f"/run/list/setup/{run.setup_id}/uploader/{run.uploader}/flow/{run.flow_id}"
    assert run.run_id in listed(server, path, "run_id")
    world.change_run(run.run_id, evaluation_error="Confidences missing")
    assert runs[0] not in listed(server, f"/run/list/task/{first},{second}", "run_id")
    with_errors = f"/run/list/task/{first},{second}/show_errors/true"
    assert listed(server, with_errors, "run_id") == runs


def page(server, full_task, limit, offset):
    path = f"/run/list/task/{full_task}/limit/{limit}/offset/{offset}"
    return listed(server, path, "run_id")


def test_pages_follow_each_other(server, world, full_task):
    runs = sorted(run.run_id for run in world.runs_of(full_task))
    assert page(server, full_task, 4, 0) == runs[:4]
    assert page(server, full_task, 4, 4) == runs[4:]
    assert page(server, full_task, 4, 8) == []
    server.page_limit = 3
    assert page(server, full_task, 4, 0) == runs[:3]


def test_listings_in_other_orders(server, world):
    runs = sorted(world.runs)

    def whole():
        return listed(server, "/run/list/limit/10000", "run_id")

    server.listing_order = "shuffled"
    first = whole()
    assert first != runs
    assert first == whole()
    server.listing_order = "each request"
    first, second = whole(), whole()
    assert first != second
    assert sorted(first) == sorted(second) == runs
    server.listing_order = "each page"
    first, second = (listed(server, "/run/list/limit/9/offset/9", "run_id") for _ in range(2))
    assert first != second
    assert sorted(first) == sorted(second) == runs[9:18]


def test_listings_with_duplicates(server, world, full_task):
    runs = sorted(run.run_id for run in world.runs_of(full_task))
    server.repeat_every = 2
    assert page(server, full_task, 2, 0) == runs[:2]
    assert page(server, full_task, 2, 2) == runs[1:3]
    assert page(server, full_task, 3, 0) == [runs[0], runs[1], runs[1]]


def test_faults_of_a_path(server, world):
    first, second = list(world.runs)[:2]
    path, other = world.predictions_path(first), world.predictions_path(second)
    server.fault_paths[path] = deque([faults.answer(503), openml_stand_in.api_error(107)])
    server.fault_paths[other] = openml_stand_in.served(openml_stand_in.DATABASE_DOWN)
    assert [get(server, path).status_code for _ in range(4)] == [503, 412, 200, 200]
    for _ in range(3):
        assert get(server, other).content == openml_stand_in.DATABASE_DOWN
    server.faults.append(openml_stand_in.half_gzip(world.predictions(first)))
    assert len(get(server, path).content) < len(world.predictions(first))
    assert get(server, path).content == world.predictions(first)
    assert server.requests == [path] * 4 + [other] * 3 + [path] * 2


def test_files_can_be_replaced(server, world):
    run_id = next(iter(world.runs))
    server.replace_predictions(run_id, b"")
    assert get(server, world.predictions_path(run_id)).content == b""
    server.pages["/api/v1/xml/run/1"] = b"<oml:run"
    assert call(server, "/run/1").content == b"<oml:run"


def test_its_own_mistakes_are_visible(server, world):
    run_id = next(iter(world.runs))
    world.change_run(run_id, family="unheard of")
    response = call(server, f"/run/{run_id}")
    assert response.status_code == 500
    assert "KeyError: 'unheard of'" in response.text


def test_as_a_program_it_serves_until_terminated():
    options = ["--tasks", "2", "--runs", "3", "--rows", "60"]
    with subprocess.Popen(
        [sys.executable, openml_stand_in.__file__, *options], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            base = process.stdout.readline().strip()
            world = World.synthetic(2, 3, 60)
            run_id = next(iter(world.runs))
            response = requests.get(base + world.predictions_path(run_id), timeout=10)
            assert response.content == world.predictions(run_id)
            stats = requests.get(base + openml_stand_in.STATS, timeout=10).json()
        finally:
            process.terminate()
        assert process.wait(timeout=10) == 0
    assert stats["requests"] == 1
    assert stats["bytes"] == len(gzip.compress(response.content, 1))
    assert stats["cpu_seconds"] > 0
