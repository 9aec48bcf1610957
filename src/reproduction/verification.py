"""Compare results, their inputs, the code, the settings and the packages with the records."""

from __future__ import annotations

import reprlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path, PurePath
from typing import Any

from reproduction.files import sha256_of
from reproduction.manifest import NAME, identity, read_manifest
from reproduction.provenance import code_hash
from reproduction.records import DOWNLOADS, versions, without_folders
from reproduction.settings import Config

__all__ = ["Verification", "verify"]

_RESULTS = ("tables/", "figures/")
_NOT_COVERED = f"{NAME} does not cover the report, notebooks, logs and benchmarks"


@dataclass
class Verification:
    """What matches the provenance of the results, what differs, and what could not be checked.

    Attributes
    ----------
    matches : Counter
        Number of checks that agree, by what was checked.
    differs, not_checked : list of str
        A sentence for each finding.
    """

    matches: Counter = field(default_factory=Counter)
    differs: list[str] = field(default_factory=list)
    not_checked: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        counts = ", ".join(f"{n} {what}" for what, n in self.matches.items())
        lines = [f"matches      {counts}"]
        lines += [f"not checked  {finding}" for finding in self.not_checked]
        lines += [f"differs      {finding}" for finding in self.differs]
        return "\n".join(lines)


def verify(config: Config) -> Verification:
    """Compare the results of a configuration with their ``provenance.json``. Nothing is changed.

    Parameters
    ----------
    config : Config
        The results are in its `results_dir`, downloads in its `resources_dir`.

    Raises
    ------
    FileNotFoundError, ValueError
        If there is no ``provenance.json``, or it is damaged.
    """
    manifest = read_manifest(config.results_dir)
    found = Verification()
    _check_configuration(manifest["configuration"], config, found)
    _check_code(manifest["jobs"], found)
    _check_versions(manifest, found)
    _check_files(manifest["jobs"], config, found)
    found.not_checked += [f"{name} has no record" for name in manifest["unrecorded"]]
    found.not_checked.append(_NOT_COVERED)
    return found


# ---------------------------------------------------------------- configuration, code, packages


def _check_configuration(recorded: Mapping[str, Any], config: Config, found: Verification) -> None:
    current = identity(config)
    before, now = dict(_settings(recorded["settings"])), dict(_settings(current["settings"]))
    for name in sorted(before.keys() | now.keys()):
        was, is_now = before.get(name), now.get(name)
        if was != is_now:
            change = f"{name} was {reprlib.repr(was)} and is {reprlib.repr(is_now)}"
            found.differs.append(f"configuration: {change}")
        found.matches["settings"] += was == is_now
    for name, what in (("plugins", "the plug-ins"), ("statements", "the statements of the claims")):
        if recorded[name] != current[name]:
            found.differs.append(f"code: {what} have changed")


def _settings(nested: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the dotted names and the values of settings."""
    for name, value in nested.items():
        if isinstance(value, Mapping):
            yield from _settings(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _check_code(jobs: Sequence[Mapping[str, Any]], found: Verification) -> None:
    codes: dict[tuple, list[str]] = {}
    for job in jobs:
        key = (job["function"], tuple(job["modules"]), job["code"])
        codes.setdefault(key, []).append(_stem(job["outputs"]))
    for (function, modules, recorded), names in codes.items():
        try:
            changed = code_hash(*modules) != recorded
        except ValueError as error:
            found.differs.append(f"code: {error}, which made {_some(names)}")
            continue
        if changed:
            found.differs.append(f"code: {function} has changed since it made {_some(names)}")
        found.matches["functions"] += not changed


def _check_versions(manifest: Mapping[str, Any], found: Verification) -> None:
    installed = versions()
    for index, recorded in enumerate(manifest["environments"]):
        names = [_stem(job["outputs"]) for job in manifest["jobs"] if job["environment"] == index]
        for package in sorted(recorded.keys() | installed.keys()):
            before, now = recorded.get(package), installed.get(package)
            if before != now:
                found.differs.append(
                    f"version: {package} was {before} for {_some(names)}, is {now}"
                )
            found.matches["versions"] += before == now


# ---------------------------------------------------------------------------------------- files


def _check_files(jobs: Sequence[Mapping[str, Any]], config: Config, found: Verification) -> None:
    results = Path(config.results_dir)

    @cache
    def current(path: Path) -> str | None:
        return sha256_of(path) if path.is_file() else None

    absent = set()
    for job in jobs:
        made = _stem(job["outputs"])
        for name, recorded in job["outputs"].items():
            sha256 = current(results / name)
            is_result = name.startswith(_RESULTS)
            if sha256 is None and is_result:
                found.differs.append(f"{name} is missing")
            elif sha256 is None:
                absent.add(name)
            elif sha256 != recorded:
                found.differs.append(f"{name} has changed since it was made")
            else:
                found.matches["tables and figures" if is_result else "intermediate files"] += 1
        for name, recorded in job["inputs"].items():
            if current(results / name) not in (None, recorded):
                found.differs.append(f"{made} was made from another {name}")
        _check_sources(job["sources"], made, config, current, found)
    if absent:
        found.not_checked.append(f"{_some(sorted(absent))}: not in {config.results_dir}")


def _check_sources(
    sources: Mapping[str, str],
    made: str,
    config: Config,
    current: Callable[[Path], str | None],
    found: Verification,
) -> None:
    """Compare the files that the run did not make: configured files and downloads."""
    for name, recorded in sources.items():
        shas = {current(path) for path in _paths_of_source(name, config)} - {None}
        if recorded in shas:
            found.matches["sources"] += 1
        elif shas:
            found.differs.append(f"{made} was made from another {name}")
        else:
            found.not_checked.append(f"{name}, from which {made} was made: not found")


def _paths_of_source(name: str, config: Config) -> Iterator[Path]:
    """Yield the paths at which a source may be: below `resources_dir`, or as configured."""
    if name.startswith(f"{DOWNLOADS}/"):
        yield Path(config.resources_dir) / name.removeprefix(f"{DOWNLOADS}/")
    else:
        for text in _texts(config.model_dump(mode="json")):
            if without_folders(text) == name:
                yield Path(text)


def _texts(settings: Any) -> Iterator[str]:
    """Yield the texts in settings."""
    if isinstance(settings, Mapping):
        settings = list(settings.values())
    if isinstance(settings, list):
        for each in settings:
            yield from _texts(each)
    elif isinstance(settings, str):
        yield settings


# ---------------------------------------------------------------------------------------- words


def _stem(outputs: Mapping[str, str]) -> str:
    """Return the name of files that differ in their suffix only, such as a figure's."""
    paths = [PurePath(name) for name in outputs]
    if len(paths) == 1:
        return str(paths[0])
    suffixes = ",".join(path.suffix.removeprefix(".") for path in paths)
    return f"{paths[0].with_suffix('')}.{{{suffixes}}}"


def _some(names: Sequence[str]) -> str:
    """Return the first name and the number of the others."""
    if len(names) == 1:
        return names[0]
    others = "1 other" if len(names) == 2 else f"{len(names) - 1} others"
    return f"{names[0]} and {others}"
