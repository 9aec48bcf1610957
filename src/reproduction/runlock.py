"""Lock of a results folder, so that only one run at a time writes to it."""

from __future__ import annotations

import os
from pathlib import Path

from reproduction import locks

__all__ = ["check", "hold"]

# The folders, each with its lock, which would be released without a reference, and the state of
# the file of the lock.
_held: list[tuple[Path, object, os.stat_result]] = []


def hold(folder: str | Path) -> None:
    """Lock the folder until this process ends, with an empty hidden file ``.lock`` in it.

    Raises
    ------
    RuntimeError
        If another process holds the lock, or the folder cannot be locked.
    """
    path = Path(folder) / ".lock"
    try:
        lock = locks.acquire(path, timeout=0)
    except locks.Timeout:
        raise RuntimeError(
            f"another run is writing to {folder}; wait until it ends, or set another results_dir"
        ) from None
    _held.append((Path(folder), lock, path.stat()))


def check() -> None:
    """Raise RuntimeError if a folder that this process holds was removed in the meantime."""
    for folder, _, before in _held:
        try:
            same = os.path.samestat((folder / ".lock").stat(), before)
        except FileNotFoundError:
            same = False
        if not same:
            raise RuntimeError(
                f"{folder} was removed or replaced during the run, so its files are not complete; "
                "run the same command again"
            )
