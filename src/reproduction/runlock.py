"""One run at a time in a results folder."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

__all__ = ["hold"]


def hold(folder: str | Path) -> None:
    """Lock the folder until this process ends, however it ends; nothing is written to it.

    Raises
    ------
    RuntimeError
        If another process holds it.
    """
    Path(folder).mkdir(parents=True, exist_ok=True)
    # Never closed: the operating system frees the lock with the process, killed or not.
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise RuntimeError(
            f"another run is writing to {folder}; wait for it, or set another results_dir"
        ) from None
