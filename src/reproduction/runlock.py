"""Lock of a results folder, so that only one run at a time writes to it."""

from __future__ import annotations

from pathlib import Path

from reproduction import locks

__all__ = ["hold"]

_held = []  # a lock without a reference would be released


def hold(folder: str | Path) -> None:
    """Lock the folder until this process ends, with an empty hidden file ``.lock`` in it.

    Raises
    ------
    RuntimeError
        If another process holds the lock, or the folder cannot be locked.
    """
    try:
        _held.append(locks.acquire(Path(folder) / ".lock", timeout=0))
    except locks.Timeout:
        raise RuntimeError(
            f"another run is writing to {folder}; wait until it ends, or set another results_dir"
        ) from None
