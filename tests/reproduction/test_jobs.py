"""One job: what a function is called with, and what becomes of its result."""

import json
from dataclasses import asdict, dataclass

import pandas as pd
import pytest

from calibrated_metrics.confusion import ConfusionCurve
from reproduction import jobs
from reproduction.fraud.fraud_data import FraudData
from reproduction.files import joined, write_csv, write_json, write_parquet
from reproduction.core.metrics import Metric
from reproduction.settings import Config, Heuristic

FRAUDS = FraudData("file", "some file", False, 9, 2, "a model", None)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def call(folder, monkeypatch):
    """Run a job that calls the given function."""

    def run(function, inputs=None, outputs=("out.csv",), **params):
        monkeypatch.setattr(jobs, "import_module", lambda name: {"a.module": module}[name])
        module = type("module", (), {"function": staticmethod(function)})
        params = {"function": "a.module.function", "code": "0123", **params}
        jobs.run(inputs or {}, outputs, params, log="job.log", resources="downloads")

    return run


def test_a_table_arrives_as_it_was_written(call):
    table = pd.DataFrame({"metric": ["a"], "run": [7], "value": [0.1]})
    write_csv(table, "in.csv")
    write_parquet(table, "in.parquet")

    call(lambda one, two: one.merge(two), {"one": "in.csv", "two": "in.parquet"})

    assert pd.read_csv("out.csv").equals(table)


def test_names_of_tasks_and_runs_stay_text(call):
    write_csv(pd.DataFrame({"task": ["31"], "run": ["007"], "value": [0.1]}), "in.csv")

    call(lambda table: table, {"table": "in.csv"}, ["out.parquet"])

    assert pd.read_parquet("out.parquet").iloc[0].tolist() == ["31", "007", 0.1]


def test_a_list_of_files_arrives_as_a_list(call):
    for name in ("a.csv", "b.csv"):
        write_csv(pd.DataFrame({"name": [name]}), name)

    call(joined, {"tables": ["a.csv", "b.csv"]})

    assert pd.read_csv("out.csv")["name"].tolist() == ["a.csv", "b.csv"]


def test_annotations_say_what_files_become(call):
    write_parquet(pd.DataFrame({"y_true": [1, 0, 0], "y_score": [0.9, 0.2, 0.1]}), "scored.parquet")
    write_json("data.json", FRAUDS.as_dict())

    def function(curve: ConfusionCurve, data: FraudData, path: "str | jobs.Path"):
        return pd.DataFrame({"prior": [curve.prior], "title": [data.title], "path": [path]})

    call(function, {"curve": "scored.parquet", "data": "data.json", "path": "not there"})

    (row,) = pd.read_csv("out.csv").to_dict("records")
    assert row == {"prior": 1 / 3, "title": "some file", "path": "not there"}


def test_parameters_become_settings_and_metrics(call):
    found = {}

    def function(settings: Heuristic, metrics, by_name, seed):
        found.update(settings=settings, metrics=metrics, by_name=by_name, seed=seed)
        return pd.DataFrame()

    described = Config().metrics_of("pi_sweep")
    settings = Heuristic(n_runs=7)
    call(
        function,
        settings=settings.model_dump(),
        metrics={**described, "code": "the plug-ins'"},
        by_name={"one": described},
        seed=3,
    )

    assert found["settings"] == settings
    assert found["metrics"][0] == Metric("average_precision")
    assert found["by_name"] == {"one": found["metrics"]}
    assert found["seed"] == 3


def test_the_folder_of_downloads_is_given_to_functions_that_ask(call):
    call(lambda: pd.DataFrame({"a": [1]}))

    def asks(resources: str):
        return pd.DataFrame({"folder": [resources]})

    call(asks)

    assert pd.read_csv("out.csv")["folder"].item() == "downloads"


def test_several_results_go_to_several_files(call):
    table = pd.DataFrame({"a": [1]})

    call(lambda: (table, FRAUDS), outputs=["a.csv", "b.json"])

    assert pd.read_csv("a.csv").equals(table)
    with open("b.json", encoding="utf-8") as file:
        assert json.load(file) == asdict(FRAUDS)


def test_as_many_results_as_files(call, folder):
    with pytest.raises(ValueError, match="argument 2 is longer"):
        call(lambda: [pd.DataFrame({"a": [1]})], outputs=["a.csv", "b.csv"])


def test_an_error_is_in_the_log(call, folder):
    with pytest.raises(ZeroDivisionError):
        call(lambda: 1 / 0)

    assert "ZeroDivisionError" in (folder / "job.log").read_text(encoding="utf-8")


def test_a_result_may_be_saved_in_another_way(folder):
    @dataclass
    class Saved:
        calls: list

    saved = Saved([])
    params = {"function": "builtins.dict", "code": "", "a": 1}
    jobs.run({}, ["x.png"], params, log="job.log", save=lambda *call: saved.calls.append(call))

    assert saved.calls == [({"a": 1}, ["x.png"])]
