"""Commit, configuration, packages and machine of the results, and the SHA-256 of each result."""

import platform
import subprocess  # nosec B404 # runs git with fixed arguments
from collections.abc import Mapping, Sequence
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_info

from reproduction.core.io import sha256_of


def commit() -> str | None:
    """Commit of the project, with `-dirty` after local changes; None outside a clone."""
    try:
        _git("ls-files", "--error-unmatch", Path(__file__).name)
        return _git("describe", "--always", "--dirty", "--abbrev=40")
    except (OSError, subprocess.CalledProcessError):
        return None


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(Path(__file__).parent), *arguments]
    found = subprocess.run(command, capture_output=True, text=True, check=True)  # nosec B603
    return found.stdout.strip()


def describe(
    paths: Sequence[str],
    figures: Mapping[str, Sequence[str]],
    configuration: Mapping[str, Any],
    commit: str | None,
) -> tuple[dict[str, Any], str]:
    """Content of provenance.json, and of SHA256SUMS, which `sha256sum -c` reads.

    `figures` names the tables that each figure draws. Names are relative to the folder of results,
    so that it can be moved.
    """
    folder = Path(paths[0]).parents[1]
    hashes = {Path(path).relative_to(folder).as_posix(): sha256_of(path) for path in paths}
    drawn = {
        name: [Path(table).relative_to(folder).as_posix() for table in tables]
        for name, tables in figures.items()
    }
    content = {
        "commit": commit,
        "configuration": dict(configuration),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "instructions": _instructions(),
        "packages": dict(sorted((each.name, each.version) for each in distributions())),
        "figures": drawn,
        "sha256": hashes,
    }
    return content, "".join(f"{digest}  {name}\n" for name, digest in hashes.items())


def _instructions() -> list[str]:
    """Vector instructions of NumPy and OpenBLAS. The last digits of a result depend on them."""
    of_numpy = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    of_openblas = {each["architecture"] for each in threadpool_info() if "architecture" in each}
    return [*of_numpy, *sorted(of_openblas)]
