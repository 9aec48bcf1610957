"""One run at a time in a results folder."""

from __future__ import annotations

import fcntl
from pathlib import Path

__all__ = ["hold"]

_held = []  # open files; the operating system frees their locks when the process ends or is killed


def hold(folder: str | Path) -> None:
    """Hold the folder's lock until this process ends, however it ends.

    Raises
    ------
    RuntimeError
        If another process holds it.
    """
    path = Path(folder) / ".lock"
    path.parent.mkdir(parents=True, exist_ok=True)
    file = open(path, "w")  # noqa: SIM115 (kept open on purpose)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        raise RuntimeError(
            f"another run is writing to {folder}; wait for it, or set another results_dir"
        ) from None
    _held.append(file)
