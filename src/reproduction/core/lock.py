"""Checks of the folders of a run: the working directory is writable, and the results are locked.

The lock allows one run per folder of results. It is released when the process ends or is killed.
"""

import fcntl
import os
from pathlib import Path
from typing import IO

_held: list[IO[str]] = []  # kept open, because closing a file releases its lock


def require_writable(snakefile: str | Path) -> None:
    """Raise ``SystemExit`` if Snakemake cannot write its folder to the working directory."""
    folder = Path.cwd()
    if not os.access(folder, os.W_OK):
        raise SystemExit(
            f"the working directory {folder} is read-only: run the command with -s {snakefile} "
            "-d FOLDER, where FOLDER is writable"
        )


def hold(folder: str | Path) -> None:
    """Lock the folder until this process ends; an error if another process has locked it."""
    path = Path(folder) / ".lock"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = open(path, "w")  # noqa: SIM115
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise SystemExit(
            f"another run is writing to {folder}; wait until it ends, or set another results_dir"
        ) from None
    except OSError as error:
        raise SystemExit(
            f"cannot write to {folder}: {error.strerror}; set results_dir to a writable folder"
        ) from None
    _held.append(file)
