"""A lock: one run per folder of results. It is released when the process ends or is killed."""

from __future__ import annotations

import fcntl
from pathlib import Path
from typing import IO

_held: list[IO[str]] = []  # kept open, because closing a file releases its lock


def hold(folder: str | Path) -> None:
    """Lock the folder until this process ends.

    Raises
    ------
    SystemExit
        If another process holds the lock.
    """
    path = Path(folder) / ".lock"
    path.parent.mkdir(parents=True, exist_ok=True)
    file = open(path, "w")  # noqa: SIM115
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise SystemExit(
            f"another run is writing to {folder}; wait until it ends, or set another results_dir"
        ) from None
    _held.append(file)
