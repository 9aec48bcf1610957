"""A copy of the project, and runs of Snakemake in it."""

from __future__ import annotations

import functools
import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import yaml

ROOT = Path(__file__).parents[2]
PARTS = (
    *("Snakefile", "config", "environment.yml", "notebooks", "profiles", "pyproject.toml", "src"),
    "workflow",
)
SMOKE = "config/smoke.yaml"
TIMEOUT = 600  # seconds; the longest run takes about 40 on two quiet cores

TINY = {
    "pi_sweep": {"n_samples": 2000, "n_runs": 2, "runs_per_job": 1, "priors": [0.1, 0.5]},
    "kl_sweep": {"n_samples": 2000, "n_runs": 2, "runs_per_job": 2, "mu0": [0.5, 1.5]},
    "heuristic": {"n_runs": 5, "n_priors": 3},
    "fraud_prior_sweep": {"n_runs": 2, "runs_per_job": 2, "n_priors": 3},
    "monitoring": {
        "n_customers": 300,
        "n_terminals": 600,
        "radius": 15.0,
        "n_periods": 5,
        "n_bootstrap": 5,
    },
    "label_free": {"n_samples": 100, "n_thresholds": 11, "sizes": [50, 100], "n_runs": 3},
    "ranking": {
        "n_models": 4,
        "n_bootstrap": 10,
        "local": {"tasks": ["iris_setosa", "wine_2", "frauds_village_midweek"]},
    },
    "figures": {"png_dpi": 50},
    "fraud": {
        "simulator": {
            "n_customers": 100,
            "n_terminals": 200,
            "radius": 20.0,
            "n_days": 35,
            "train_start_day": 7,
            "train_weeks": 1,
            "delay_weeks": 1,
            "test_weeks": 2,
        }
    },
}


def openml_settings(server, *, n_models: int, **openml) -> dict:
    """Settings that rank the models of a stand-in for an OpenML server."""
    options = {"server": server.url_api, "requests_per_second": 10_000.0, "connections": 2}
    return {
        "ranking": {
            "source": "openml",
            "n_models": n_models,
            "openml": {"runs_listed": 30, **options, **openml},
        }
    }


@dataclass(frozen=True)
class Outcome:
    """How a run of Snakemake ended."""

    code: int
    output: str

    @property
    def jobs(self) -> Counter:
        """Number of jobs started (or listed, by a dry run) of each rule but the targets."""
        started = Counter(re.findall(r"^ *(?:local)?rule (\w+):$", self.output, re.MULTILINE))
        for target in ("all", "reproduction", "tables", "figures", "notebooks"):
            del started[target]
        return started

    @property
    def logs(self) -> list[str]:
        """Log files of the jobs, as the rules name them."""
        return re.findall(r"^ +log: (\S+)", self.output, re.MULTILINE)

    @property
    def nothing_to_do(self) -> bool:
        return self.code == 0 and "Nothing to be done" in self.output and not self.jobs

    def succeeded(self) -> Outcome:
        assert self.code == 0, "\n".join(self.output.splitlines()[-60:])
        return self


class Project:
    """A copy of the project in a folder of its own, and Snakemake in it."""

    def __init__(self, folder: Path, overlay: str = "tiny.yaml"):
        self.folder = folder
        self.overlay = overlay

    @property
    def results(self) -> str:
        """Folder of the results, relative to the project."""
        return "results/smoke" if self.overlay == SMOKE else "results"

    @classmethod
    def fresh(cls, folder: Path) -> Project:
        folder.mkdir(parents=True)
        for part in map(ROOT.joinpath, PARTS):
            if part.is_dir():
                ignored = shutil.ignore_patterns("*.egg-info")
                shutil.copytree(part, folder / part.name, ignore=ignored)
            else:
                shutil.copy2(part, folder)
        project = cls(folder)
        project.write_settings("tiny.yaml", TINY)
        return project

    def copy(self, folder: Path, overlay: str | None = None) -> Project:
        return Project(Path(shutil.copytree(self.folder, folder)), overlay or self.overlay)

    def write_settings(self, name: str, settings: dict) -> str:
        (self.folder / name).write_text(yaml.safe_dump(settings), encoding="utf-8")
        return name

    def _command(self, *arguments: str, settings=None, overlays=None, cores=2) -> list[str]:
        """Arguments of Snakemake; `settings` is the last overlay."""
        overlays = [self.overlay] if overlays is None else list(overlays)
        if settings:
            overlays.append(self.write_settings("settings.yaml", settings))
        command = [*arguments, "--cores", str(cores)]
        return [*command, "--configfile", *overlays] if overlays else command

    def start(
        self, *arguments: str, environment=None, forks_jobs: bool = False, **options
    ) -> Process:
        """Start Snakemake as the leader of a process group; for options see `_command`.

        environment: variables that this run has in addition. forks_jobs: whether jobs are forks of
        a process that has imported the packages they need, not new processes as those of a user;
        a cluster cannot fork.
        """
        return _starter().start(
            arguments=self._command(*arguments, **options),
            folder=str(self.folder),
            output=str(self._output),
            environment=environment or {},
            forks_jobs=forks_jobs,
        )

    def run(
        self, *arguments: str, timeout: float = TIMEOUT, forks_jobs: bool = True, **options
    ) -> Outcome:
        """Run Snakemake to its end; see `start`."""
        process = self.start(*arguments, forks_jobs=forks_jobs, **options)
        try:
            process.wait(timeout)
        except BaseException as error:  # no process outlives an interrupted test either
            self.kill(process)
            error.add_note(self._output.read_text(encoding="utf-8"))
            raise
        return self.outcome(process.returncode)

    def run_within(self, prefix: Sequence[str], *arguments: str) -> Outcome:
        """Run Snakemake to its end as a user would, by a command that runs another one."""
        command = [*prefix, sys.executable, "-m", "snakemake", *self._command(*arguments)]
        with open(self._output, "wb") as output:
            ended = subprocess.run(
                command,
                cwd=self.folder,
                env=_environment(),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                timeout=TIMEOUT,
                check=False,
            )
        return self.outcome(ended.returncode)

    @staticmethod
    def kill(process: Process) -> None:
        """Kill Snakemake and its jobs at once, as a power failure would."""
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def outcome(self, code: int) -> Outcome:
        """The last run's outcome, its exit code being known."""
        return Outcome(code, self._output.read_text(encoding="utf-8"))

    def would_run(self, *arguments: str, **options) -> Counter:
        """Jobs that a run would start."""
        return self.run(*arguments, "--dry-run", **options).succeeded().jobs

    def files(self, pattern: str = "results/**/*") -> dict[str, Path]:
        """Files that hold results, by their path in the project.

        Logs, benchmarks, hidden files, and the report, which shows run times, are left out.
        """
        return {
            str(path.relative_to(self.folder)): path
            for path in sorted(self.folder.glob(pattern))
            if path.is_file()
            and path.suffix not in (".log", ".tsv")
            and path.name != "report.html"
            and not path.name.startswith(".")
        }

    def contents(self, pattern: str = "results/**/*") -> dict[str, bytes]:
        return {name: path.read_bytes() for name, path in self.files(pattern).items()}

    def times(self, pattern: str = "results/**/*") -> dict[str, int]:
        """When each file of results was last changed."""
        return {name: path.stat().st_mtime_ns for name, path in self.files(pattern).items()}

    @property
    def _output(self) -> Path:
        return self.folder / "snakemake_output.txt"


def _environment() -> dict[str, str]:
    """The environment without what the person who runs the tests has set for Snakemake.

    Modules of the project are compiled once, when the tests are collected, not in each job.
    """
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("SNAKEMAKE") and name != "PYTHONDONTWRITEBYTECODE"
    }


class Process:
    """A run of Snakemake that `_Starter` has started."""

    def __init__(self, pid: int, ended: IO[bytes]):
        self.pid = pid
        self.returncode: int | None = None
        self._ended = ended

    def poll(self) -> int | None:
        """Exit code, None while the process runs."""
        return self._returncode_within(0)

    def wait(self, timeout: float | None = None) -> int:
        """Wait until the process ends, and return its exit code."""
        code = self._returncode_within(timeout)
        if code is None:
            raise TimeoutError(f"Snakemake runs for more than {timeout} s")
        return code

    def _returncode_within(self, seconds: float | None) -> int | None:
        if self.returncode is None and select.select([self._ended], [], [], seconds)[0]:
            self.returncode = int(self._ended.readline())
        return self.returncode


class _Starter:
    """The process of starter.py, which forks for each run of Snakemake, one at a time."""

    def __init__(self):
        self._process = subprocess.Popen(
            [sys.executable, str(ROOT / "tests" / "workflow" / "starter.py")],
            env=_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,  # whatever has not been read is in the pipe, where `select` finds it
        )

    def start(self, **request) -> Process:
        """Start Snakemake; for the request see `_run` in starter.py."""
        self._process.stdin.write(f"{json.dumps(request)}\n".encode())
        return Process(int(self._process.stdout.readline()), self._process.stdout)

    def stop(self) -> None:
        with self._process:  # closes both pipes, at which the process ends
            pass


@functools.cache
def _starter() -> _Starter:
    return _Starter()


def stop_starter() -> None:
    """End the process that starts Snakemake, if there is one."""
    if _starter.cache_info().currsize:
        _starter().stop()
        _starter.cache_clear()
