"""Commit, configuration and packages of the results, and the SHA-256 of each result.

SHA256SUMS is written by the last job of a run. A job that makes a file again removes its sum, so a
file that differs from its sum was damaged or edited.
"""

import fcntl
import platform
import subprocess  # nosec B404 # runs git with fixed arguments
import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from reproduction.core.io import sha256_of

SUMS = "SHA256SUMS"


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
    paths: Sequence[str], configuration: Mapping[str, Any], commit: str | None
) -> tuple[dict[str, Any], str]:
    """Content of provenance.json, and of SHA256SUMS, which `sha256sum -c` reads.

    Names are relative to the folder of results, so that it can be moved.
    """
    folder = Path(paths[0]).parents[1]
    hashes = {Path(path).relative_to(folder).as_posix(): sha256_of(path) for path in paths}
    content = {
        "commit": commit,
        "configuration": dict(configuration),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "packages": dict(sorted((each.name, each.version) for each in distributions())),
        "sha256": hashes,
    }
    return content, "".join(f"{digest}  {name}\n" for name, digest in hashes.items())


def forget(paths: Iterable[str]) -> None:
    """Remove the sums of some files, which their job makes again."""
    for path in map(Path, paths):
        folder = path.parent.parent
        if (folder / SUMS).is_file():
            with open(folder / SUMS, "r+", encoding="utf-8") as file:
                fcntl.flock(file, fcntl.LOCK_EX)  # several jobs run at the same time
                name = path.relative_to(folder).as_posix()
                kept = [line for line in file if line.rstrip("\n").partition("  ")[2] != name]
                file.seek(0)
                file.truncate()
                file.writelines(kept)


def set_aside_damaged(folder: str | Path) -> None:
    """Rename each file that differs from its sum, so that the run makes it again, and say so."""
    sums = Path(folder) / SUMS
    for line in sums.read_text(encoding="utf-8").splitlines() if sums.is_file() else []:
        digest, _, name = line.partition("  ")
        path = Path(folder) / name
        if path.is_file() and sha256_of(path) != digest:
            path.rename(f"{path}.damaged")
            print(
                f"{path} differs from {sums}, although no job wrote it since. It is now "
                f"{path.name}.damaged, and is made again.",
                file=sys.stderr,
            )
