"""Provenance of results: settings, versions, checksums and run times."""

from __future__ import annotations

import platform
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path, PurePath
from typing import Any

import yaml

from reproduction.data import published_scores
from reproduction.data.fraud import FraudData
from reproduction.files import sha256_of
from reproduction.report.results import Results
from reproduction.settings import Config

__all__ = [
    "FileRecord",
    "RuleTime",
    "as_yaml",
    "file_records",
    "input_records",
    "newest_change",
    "read_logs",
    "run_times",
    "versions_of_jobs",
    "versions_of_report",
    "without_folders",
]

_OWN_LOG = "report.log"  # the log of the report itself, which is not complete yet
_FINISHED = re.compile(r"INFO done in (\d+\.\d) s$")
_VERSIONS = re.compile(r"INFO (Python .+)$")
_REPORT_PACKAGES = ("calibrated-metrics", "snakemake", "pandas", "Jinja2", "docutils")


@dataclass(frozen=True)
class FileRecord:
    """A result file or an input file."""

    name: str
    size: int | None
    sha256: str


@dataclass(frozen=True)
class RuleTime:
    """Run times in seconds of the jobs of one rule."""

    name: str
    n_jobs: int
    total: float
    longest: float


@dataclass(frozen=True)
class JobLog:
    """Rule, versions and run time of a finished job, from its log."""

    rule: str
    versions: str
    seconds: float


# ------------------------------------------------------------------------------------ settings


def without_folders(settings: Any) -> Any:
    """Return the settings with absolute paths cut to their last part.

    Folder names depend on who ran the pipeline.
    """
    if isinstance(settings, Mapping):
        return {key: without_folders(value) for key, value in settings.items()}
    if isinstance(settings, list):
        return [without_folders(value) for value in settings]
    if isinstance(settings, str) and PurePath(settings).is_absolute():
        return f"…/{PurePath(settings).name}"
    return settings


def as_yaml(settings: Mapping[str, Any]) -> str:
    return yaml.safe_dump(
        settings, allow_unicode=True, default_flow_style=None, sort_keys=False, width=100
    )


# ---------------------------------------------------------------------------------------- logs


def read_logs(folder: Path) -> list[JobLog]:
    """Read the logs of the finished jobs, in order of path."""
    logs = sorted(path for path in folder.rglob("*.log") if path != folder / _OWN_LOG)
    return [log for path in logs if (log := _read_log(path, folder)) is not None]


def _read_log(path: Path, folder: Path) -> JobLog | None:
    lines = path.read_text(encoding="utf-8").splitlines() or [""]
    versions, finished = _VERSIONS.search(lines[0]), _FINISHED.search(lines[-1])
    if not (versions and finished):
        return None
    relative = path.relative_to(folder)
    rule = relative.stem if relative.parent == Path(".") else relative.parent.as_posix()
    return JobLog(rule, versions[1], float(finished[1]))


def run_times(logs: Iterable[JobLog]) -> list[RuleTime]:
    """Return the run times by rule, the longest first."""
    seconds: dict[str, list[float]] = {}
    for log in logs:
        seconds.setdefault(log.rule, []).append(log.seconds)
    times = [RuleTime(rule, len(each), sum(each), max(each)) for rule, each in seconds.items()]
    return sorted(times, key=lambda time: (-time.total, time.name))


def versions_of_jobs(logs: Iterable[JobLog]) -> list[tuple[str, int]]:
    """Return the package versions of the jobs and their numbers of jobs, most frequent first."""
    return sorted(Counter(log.versions for log in logs).items(), key=lambda item: (-item[1], item))


def versions_of_report() -> str:
    """Return the package versions of the report, and the operating system and processor."""
    packages = ", ".join(f"{name} {version(name)}" for name in _REPORT_PACKAGES)
    machine = f"{platform.system()} on {platform.machine()}"
    return f"Python {platform.python_version()}, {packages}; {machine}"


# --------------------------------------------------------------------------------------- files


def file_records(results: Results, paths: Iterable[Path]) -> list[FileRecord]:
    return [
        FileRecord(results.relative(path), path.stat().st_size, sha256_of(path)) for path in paths
    ]


def newest_change(paths: Iterable[Path]) -> datetime:
    """Return the time of the latest change of any of the files, to the minute, in UTC."""
    newest = max(path.stat().st_mtime for path in paths)
    return datetime.fromtimestamp(newest, UTC).replace(second=0, microsecond=0)


def input_records(results: Results, config: Config, fraud: FraudData) -> list[FileRecord]:
    """Return the files that the run did not create."""
    return [*_fraud_record(fraud), *_ranking_records(results, config)]


def _fraud_record(fraud: FraudData) -> Iterator[FileRecord]:
    if fraud.sha256 is not None:
        yield FileRecord(f"fraud data: {fraud.name}", None, fraud.sha256)


def _ranking_records(results: Results, config: Config) -> Iterator[FileRecord]:
    ranking = config.ranking
    if ranking.source == "openml":
        path = results.folder / "intermediate" / "ranking" / "openml" / "selection.json"
        yield FileRecord("frozen selection of tasks and runs", path.stat().st_size, sha256_of(path))
    elif ranking.source == "published":
        for panel, expected in published_scores.SHA256.items():
            path = getattr(ranking.published, panel)
            # A downloaded file always has the published checksum.
            sha256 = expected if path is None else sha256_of(path)
            yield FileRecord(f"stored scores of the authors: {panel} tasks", None, sha256)
