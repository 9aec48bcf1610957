"""One job: its inputs and parameters become arguments, its result a file, its error one line."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

from reproduction.core import io, job

FUNCTIONS = """
import warnings
import pandas as pd


def joined(table, tables, path, metrics, factor):
    warnings.warn("a warning of the job")
    value = table["x"].sum() + sum(each["x"].sum() for each in tables)
    return pd.DataFrame({"x": [factor * value], "path": [path], "metric": [metrics[0].key]})


def two():
    return {"a": 1}, "text"


def fails():
    raise ValueError("n_runs must be positive, got 0")
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    (tmp_path / "functions_of_jobs.py").write_text(FUNCTIONS)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(job, "_end_with_the_run", lambda: None)  # its thread would not end here
    monkeypatch.delitem(sys.modules, "functions_of_jobs", raising=False)

    def run_job(name, inputs, outputs, **params):
        params = {"function": f"functions_of_jobs.{name}", "code": "a hash", **params}
        outputs = [str(tmp_path / output) for output in outputs]
        job.run(inputs, outputs, params, str(tmp_path / "logs" / "job.log"))
        return outputs

    return run_job


def test_inputs_and_parameters_become_arguments(run, tmp_path):
    for name, x in (("a", 1), ("b", 2), ("c", 3)):
        io.write(pd.DataFrame({"x": [x]}), tmp_path / f"{name}.csv")
    a, b, c = (str(tmp_path / f"{name}.csv") for name in "abc")
    inputs = {"table": a, "tables": [b, c], "path": "any/path"}
    metrics = {"plugins": [], "metrics": [{"score": "roc_auc", "pi0": 0.5}], "code": ""}
    [output] = run("joined", inputs, ["out.csv"], factor=10, metrics=metrics)
    found = io.read_table(output).loc[0].to_list()
    assert found == [60, "any/path", "roc_auc@pi0=0.5"]
    log = (tmp_path / "logs" / "job.log").read_text()
    assert "a warning of the job" in log
    assert "numpy" in log


def test_several_results_go_to_several_files(run):
    first, second = run("two", {}, ["a.json", "SUMS"])
    assert json.loads(Path(first).read_text()) == {"a": 1}
    assert Path(second).read_text() == "text"


def test_an_error_is_one_line_and_its_traceback_is_in_the_log(run, tmp_path):
    with pytest.raises(SystemExit, match="ValueError: n_runs must be positive, got 0"):
        run("fails", {}, ["out.csv"])
    assert "Traceback" in (tmp_path / "logs" / "job.log").read_text()
    assert not (tmp_path / "out.csv").exists()


def test_a_job_ends_with_its_run(tmp_path):
    """A killed run cannot tell its job to end."""
    code = "from reproduction.core import job; job._end_with_the_run(); input()"
    start = (
        "import subprocess, sys; print(subprocess.Popen([sys.executable, '-c', sys.argv[1]],"
        " stdin=subprocess.PIPE).pid, flush=True); input()"
    )
    run = subprocess.Popen(
        [sys.executable, "-c", start, code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    pid = int(run.stdout.readline())
    run.send_signal(signal.SIGKILL)
    run.wait()
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and _lives(pid):
        os.sched_yield()
    assert not _lives(pid)


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
