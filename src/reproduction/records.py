"""How a file of the results was made: the record that its job writes.

The record of a file ``<results>/<path>`` is in ``<results>/provenance/<path>.json``, without the
suffix of the file. Figures and parquet files also hold a summary of it as metadata. Nothing in it
depends on the time or the machine, so equal jobs write equal records.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path, PurePath
from typing import Any

from reproduction.files import sha256_of, write_json

__all__ = [
    "DOWNLOADS",
    "NO_SETTING",
    "PACKAGES",
    "Job",
    "Record",
    "Records",
    "recorded",
    "summary",
    "uses",
    "version_of",
    "versions",
    "without_folders",
]

PACKAGES = ("numpy", "scipy", "pandas", "scikit-learn", "matplotlib")
DOWNLOADS = "resources_dir"  # stands for this folder in the names of files
NO_SETTING = ("function", "modules", "code")  # params that are no arguments of a job

_job: ContextVar[Job | None] = ContextVar("job", default=None)


@dataclass(frozen=True)
class Record:
    """How files of the results were made.

    Attributes
    ----------
    function : str
        The function that the job called, or the name of its rule.
    modules, code : list of str and str
        Modules of the job, and the `provenance.code_hash` of them.
    settings : mapping
        Arguments of the job: its part of the configuration.
    inputs : mapping of str to str
        SHA-256 of the files that the job read, by their paths in the folder of results.
    sources : mapping of str to str
        SHA-256 of files that the run did not make: those of the configuration, by their names
        there, and downloads, by their paths below ``resources_dir/``.
    versions : mapping of str to str
        Versions of Python and of `PACKAGES`.
    outputs : mapping of str to str
        SHA-256 of the files, by their paths in the folder of results.
    """

    function: str
    modules: list[str]
    code: str
    settings: dict[str, Any]
    inputs: dict[str, str]
    sources: dict[str, str]
    versions: dict[str, str]
    outputs: dict[str, str] = field(default_factory=dict)


class Records:
    """The records in a folder of results, each read once.

    Parameters
    ----------
    results : path
    """

    def __init__(self, results: str | Path):
        self._results = Path(results)
        self._read: dict[Path, Record | None] = {}

    def path(self, name: str) -> Path:
        """Return the path of the record of a file, whose name is its path in the results."""
        return self._results / "provenance" / PurePath(name).with_suffix(".json")

    def of(self, name: str) -> Record | None:
        """Return the record of a file; None if it has none.

        Raises
        ------
        ValueError
            If the record is damaged.
        """
        path = self.path(name)
        if path not in self._read:
            try:
                self._read[path] = Record(**json.loads(path.read_text(encoding="utf-8")))
            except FileNotFoundError:
                self._read[path] = None
            except (TypeError, ValueError) as error:
                raise ValueError(
                    f"{path}, the record of {name}, is damaged: {error}; delete {name}, so that "
                    "both are made again"
                ) from error
        return self._read[path]

    def behind(self, names: Iterable[str]) -> tuple[list[Record], list[str]]:
        """Return the records of files and of all files behind them, and files without a record.

        Both are sorted by name.
        """
        found: dict[Path, Record] = {}
        missing: set[str] = set()
        waiting = list(names)
        while waiting:
            name = waiting.pop()
            record = self.of(name)
            if record is None:
                missing.add(name)
            elif self.path(name) not in found:
                found[self.path(name)] = record
                waiting.extend(record.inputs)
        return [found[path] for path in sorted(found)], sorted(missing)


# --------------------------------------------------------------------------------- within a job


@contextmanager
def recorded(job: Any) -> Iterator[Job]:
    """Record the job of the block, and write the records of its outputs when the block succeeds.

    Parameters
    ----------
    job : the object ``snakemake`` of a script
        Its params have ``modules`` and ``code``, and may have ``function``.

    Yields
    ------
    object with the method `metadata`
        It returns the text for the metadata of an output.
    """
    current = Job(job)
    token = _job.set(current)
    try:
        yield current
        current.write()
    finally:
        _job.reset(token)


def uses(path: str | Path) -> None:
    """Record that the current job uses a downloaded file. Without a recorded job, do nothing."""
    job = _job.get()
    if job is not None:
        job.add_download(Path(path))


class Job:
    """A job that runs, and the record of it."""

    def __init__(self, job: Any):
        params = dict(job.params.items())
        self._results = Path(job.config["results_dir"])
        self._downloads = Path(job.config["resources_dir"])
        self._outputs = [Path(path) for path in job.output]
        inputs, sources = {}, {}
        for path in map(Path, job.input):
            if path.is_relative_to(self._results):
                inputs[path.relative_to(self._results).as_posix()] = sha256_of(path)
            else:
                sources[without_folders(str(path))] = sha256_of(path)
        self._record = Record(
            function=params.get("function", job.rule),
            modules=list(params["modules"]),
            code=params["code"],
            settings=_plain({k: v for k, v in params.items() if k not in NO_SETTING}),
            inputs=inputs,
            sources=sources,
            versions=versions(),
        )

    def add_download(self, path: Path) -> None:
        name = f"{DOWNLOADS}/{path.relative_to(self._downloads).as_posix()}"
        self._record.sources[name] = sha256_of(path)

    def metadata(self) -> str:
        """Return what the outputs say of themselves, as ASCII JSON."""
        return json.dumps(summary(self._record, Records(self._results)), sort_keys=True)

    def write(self) -> None:
        """Write the record of the outputs; those with the same stem have one file."""
        records = Records(self._results)
        groups: dict[Path, dict[str, str]] = defaultdict(dict)
        for output in self._outputs:
            name = output.relative_to(self._results).as_posix()
            groups[records.path(name)][name] = sha256_of(output)
        sources = dict(sorted(self._record.sources.items()))  # in no order of use
        for path, outputs in groups.items():
            write_json(path, {**asdict(self._record), "sources": sources, "outputs": outputs})


def _plain(value: Any) -> Any:
    """Return arguments of a job as values that JSON has."""
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple | range):
        return [_plain(each) for each in value]
    return without_folders(value)


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


# ------------------------------------------------------------------------------------- versions


@cache
def versions() -> dict[str, str]:
    """Return the versions of Python and of `PACKAGES`."""
    return {"Python": platform.python_version(), **{name: version_of(name) for name in PACKAGES}}


def version_of(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:  # importable, but not installed
        return "unknown"


# -------------------------------------------------------------------------------------- summary


def summary(record: Record, records: Records) -> dict[str, Any]:
    """Return what identifies a file: configuration, code, seed, inputs and versions.

    Configuration, code and seed are those of the job and of all jobs behind it, so they identify a
    file that is not accompanied by others. The hash of the configuration does not depend on how
    runs were divided into jobs. If a file behind it has no record, it is in ``unrecorded``.
    """
    upstream, unrecorded = records.behind(record.inputs)
    made = [record, *upstream]
    seeds = sorted({each.settings["seed"] for each in made if "seed" in each.settings})
    return {
        "configuration": _configuration_hash(made),
        "code": sorted({f"{each.function}@{each.code}" for each in made}),
        "seed": seeds[0] if len(seeds) == 1 else seeds or None,
        "inputs": record.inputs,
        "sources": record.sources,
        "versions": record.versions,
        **({"unrecorded": unrecorded} if unrecorded else {}),
    }


def _configuration_hash(records: Iterable[Record]) -> str:
    runs = defaultdict(set)
    for record in records:
        settings = {**record.settings}
        runs_of_block = settings.pop("runs", ())
        runs[json.dumps([record.function, settings], sort_keys=True)].update(runs_of_block)
    text = json.dumps(sorted((job, sorted(numbers)) for job, numbers in runs.items()))
    return hashlib.sha256(text.encode()).hexdigest()
