"""Provenance of results: settings, versions, checksums, run times and memory."""

from __future__ import annotations

import csv
import platform
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import yaml

from reproduction.ranking import published as published_scores
from reproduction.fraud.fraud_data import FraudData
from reproduction.files import sha256_of
from reproduction.manifest import NAME, read_manifest
from reproduction.report.results import Results
from reproduction.settings import Config

__all__ = [
    "FileRecord",
    "Origin",
    "RuleUse",
    "as_yaml",
    "file_records",
    "input_records",
    "newest_change",
    "read_origin",
    "use_by_rule",
    "versions_of_jobs",
    "versions_of_report",
]

# Jobs that make no table or figure.
_LATER = ("provenance", "report", "claims_hold", "readme_figures", "verify", "ro_crate")
_VERSIONS = re.compile(r"INFO (Python .+)$")
_REPORT_PACKAGES = ("calibrated-metrics", "snakemake", "pandas", "Jinja2", "docutils")


@dataclass(frozen=True)
class FileRecord:
    """A result file or an input file."""

    name: str
    size: int | None
    sha256: str


@dataclass(frozen=True)
class RuleUse:
    """Run times in seconds of the jobs of one rule, and the largest memory of a job in MB."""

    name: str
    n_jobs: int
    total: float
    longest: float
    memory: float | None


@dataclass(frozen=True)
class Origin:
    """What ``provenance.json`` says of a run.

    Attributes
    ----------
    file : str
        Name of the file.
    version : str
    commit : str or None
        None if the source was not a git checkout.
    configuration : str
        SHA-256 of the settings.
    sha256 : mapping of str to str
        Checksums of files when they were made.
    """

    file: str
    version: str
    commit: str | None
    configuration: str
    sha256: Mapping[str, str]

    def changed(self, files: Iterable[FileRecord]) -> set[str]:
        """Return the names of files that have changed since they were made."""
        return {
            file.name for file in files if self.sha256.get(file.name) not in (None, file.sha256)
        }

    def unrecorded(self, files: Iterable[FileRecord]) -> set[str]:
        """Return the names of files without a record."""
        return {file.name for file in files if file.name not in self.sha256}


def read_origin(results: Results) -> Origin:
    """Read ``provenance.json``; errors as by `read_manifest`."""
    manifest = read_manifest(results.folder)
    return Origin(
        file=NAME,
        version=manifest["project"]["version"],
        commit=manifest["project"]["commit"],
        configuration=manifest["configuration"]["sha256"],
        sha256={name: sha for job in manifest["jobs"] for name, sha in job["outputs"].items()},
    )


# ------------------------------------------------------------------------------------ settings


def as_yaml(settings: Mapping[str, Any]) -> str:
    return yaml.safe_dump(
        settings, allow_unicode=True, default_flow_style=None, sort_keys=False, width=100
    )


# ------------------------------------------------------------------------- benchmarks and logs


def use_by_rule(folder: Path) -> list[RuleUse]:
    """Return run times and memory by rule from the benchmark files in a folder, longest first.

    Raises
    ------
    ValueError
        If a file is not a benchmark of Snakemake; the message names it.
    """
    rules: dict[str, list[tuple[float, float | None]]] = {}
    for path in sorted(folder.rglob("*.tsv")):
        rule = path.relative_to(folder).with_suffix("").parts[0]
        rules.setdefault(rule, []).append(_seconds_and_memory(path))
    uses = []
    for rule, jobs in rules.items():
        seconds = [each for each, _ in jobs]
        memory = max((each for _, each in jobs if each is not None), default=None)
        uses.append(RuleUse(rule, len(jobs), sum(seconds), max(seconds), memory))
    return sorted(uses, key=lambda use: (-use.total, use.name))


def _seconds_and_memory(path: Path) -> tuple[float, float | None]:
    """Return the run time and the peak memory, which is unknown for a very short job."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            (row,) = csv.DictReader(file, delimiter="\t")
        memory = row["max_rss"]
        return float(row["s"]), None if memory in ("NA", "-") else float(memory)
    except (KeyError, ValueError) as error:
        raise ValueError(f"benchmarks/{path.name} is not a benchmark: {error!r}") from error


def versions_of_jobs(folder: Path) -> list[tuple[str, int]]:
    """Return package versions and their numbers of jobs from the logs in a folder.

    The most frequent ones come first.
    """
    later = [folder / f"{name}.log" for name in _LATER]
    logs = (path for path in folder.rglob("*.log") if path not in later)
    versions = Counter(found for path in logs if (found := _versions(path)) is not None)
    return sorted(versions.items(), key=lambda item: (-item[1], item))


def _versions(log: Path) -> str | None:
    """Return the versions in the log of a job; None if the job did not end well."""
    lines = log.read_text(encoding="utf-8").splitlines() or [""]
    versions = _VERSIONS.search(lines[0])
    return versions[1] if versions and lines[-1].endswith("INFO done") else None


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
