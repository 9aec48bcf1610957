"""Commit, configuration and packages of the results, and the SHA-256 of each result.

SHA256SUMS is written by the last job of a run. A job that makes a file again replaces its sum, so a
file that differs from its sum was damaged or edited.
"""

import fcntl
import platform
import subprocess  # nosec B404 # runs git with fixed arguments
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from reproduction.core.io import sha256_of

SUMS = "SHA256SUMS"
_IN_WORK = "0" * 64  # instead of the sum of a file that its job makes again


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


def being_made(paths: Iterable[str]) -> None:
    """Mark files in SHA256SUMS whose job starts, so that they are not compared if it is killed."""
    _set_sums(paths, lambda path: _IN_WORK)


def made(paths: Iterable[str]) -> None:
    """Set the sums of files whose job has ended."""
    _set_sums(paths, sha256_of)


def _set_sums(paths: Iterable[str], sum_of: Callable[[Path], str]) -> None:
    """Replace the sums of the files that have one."""
    for path in map(Path, paths):
        folder = path.parent.parent
        if (folder / SUMS).is_file():
            with open(folder / SUMS, "r+", encoding="utf-8") as file:
                fcntl.flock(file, fcntl.LOCK_EX)  # several jobs run at the same time
                name = path.relative_to(folder).as_posix()
                lines = [
                    f"{sum_of(path)}  {name}\n" if line[66:] == f"{name}\n" else line
                    for line in file
                ]
                file.seek(0)
                file.writelines(lines)  # as long as before


def set_aside_damaged(folder: str | Path) -> None:
    """Rename each file that differs from its sum, so that the run makes it again, and say so."""
    sums = Path(folder) / SUMS
    for line in sums.read_text(encoding="utf-8").splitlines() if sums.is_file() else []:
        digest, _, name = line.partition("  ")
        path = Path(folder) / name
        if digest != _IN_WORK and path.is_file() and sha256_of(path) != digest:
            path.rename(f"{path}.damaged")
            print(
                f"{path} differs from {sums}, although no job wrote it since. It is now "
                f"{path.name}.damaged, and is made again.",
                file=sys.stderr,
            )
