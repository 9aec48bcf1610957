"""The file ``provenance.json``: how all tables and figures of a run were made."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from reproduction.claims.catalogue import statements_hash
from reproduction.provenance import plugins_hash
from reproduction.records import Record, Records, summary, without_folders
from reproduction.settings import Config

__all__ = ["NAME", "identity", "manifest", "read_manifest"]

NAME = "provenance.json"
_PROJECT = Path(__file__).parents[2]
_FOLDERS = {"results_dir", "resources_dir"}


def identity(config: Config) -> dict[str, Any]:
    """Return what identifies a configuration: its settings without folders, with their hash.

    ``plugins`` and ``statements`` are hashes of the plug-ins and of the statements of the claims,
    which are in a table of the results.
    """
    settings = without_folders(config.model_dump(mode="json", exclude=_FOLDERS))
    text = json.dumps(settings, sort_keys=True)
    return {
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
        "plugins": plugins_hash(config.metrics.plugins),
        "statements": statements_hash(),
        "settings": settings,
    }


def manifest(
    results: str | Path,
    paths: Iterable[str | Path],
    configuration: Mapping[str, Any],
    version: str,
) -> dict[str, Any]:
    """Return how files, and the intermediate files behind them, were made.

    Parameters
    ----------
    results : path
        Folder of results.
    paths : iterable of path
        The tables and figures of the run.
    configuration : mapping
        The `identity` of the configuration.
    version : str
        Version of the project.

    Returns
    -------
    dict
        ``project``: name, version, and the commit of the source, None if the source is not a git
        checkout. ``configuration``. ``environments``: versions of packages. ``jobs``: for each
        record its function, modules and code; hash of the configuration and seed, with those of
        the jobs behind it; SHA-256 of inputs, sources and outputs, as in `Record`; and the index of
        the environment. ``unrecorded``: files without a record.
    """
    folder = Path(results)
    records = Records(folder)
    names = [Path(path).relative_to(folder).as_posix() for path in paths]
    made, unrecorded = records.behind(names)
    environments = list({str(record.versions): record.versions for record in made}.values())
    return {
        "project": {
            "name": "calibrated-metrics",
            "version": version,
            "commit": _commit(),
        },
        "configuration": dict(configuration),
        "environments": environments,
        "jobs": [_job(record, records, environments) for record in made],
        "unrecorded": unrecorded,
    }


def _job(record: Record, records: Records, environments: list[dict[str, str]]) -> dict[str, Any]:
    identified = summary(record, records)
    return {
        "outputs": record.outputs,
        "function": record.function,
        "modules": record.modules,
        "code": record.code,
        "configuration": identified["configuration"],
        "seed": identified["seed"],
        "inputs": record.inputs,
        "sources": record.sources,
        "environment": environments.index(record.versions),
    }


def read_manifest(results: str | Path) -> dict[str, Any]:
    """Read ``provenance.json`` in a folder of results.

    Raises
    ------
    FileNotFoundError
        If there is none.
    ValueError
        If it is damaged.
    """
    path = Path(results) / NAME
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise FileNotFoundError(f"{path} does not exist; a complete run writes it") from None
    except ValueError as error:
        raise ValueError(f"{path} is damaged: {error}") from error
    parts = {"project", "configuration", "environments", "jobs", "unrecorded"}
    if not (isinstance(content, dict) and parts <= content.keys()):
        raise ValueError(f"{path} is damaged: it must have the parts {sorted(parts)}")
    return content


def _commit() -> str | None:
    """Return the commit of the source, with ``-dirty`` if it has changed since."""
    git = shutil.which("git")
    if git is None or not (_PROJECT / ".git").exists():
        return None
    describe = ("describe", "--always", "--dirty", "--abbrev=40", "--exclude=*")
    command = [git, "--no-optional-locks", "-C", str(_PROJECT), *describe]
    described = subprocess.run(command, capture_output=True, text=True, check=False)
    return described.stdout.strip() or None
