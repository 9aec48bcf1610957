"""One run per folder of results. The lock ends with the process, even by a kill."""

from __future__ import annotations

import fcntl
from pathlib import Path
from typing import IO

_held: list[IO[str]] = []  # a closed file is not locked


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
