"""Only one run at a time writes to a results folder."""

from __future__ import annotations

from pathlib import Path

from reproduction import locks

__all__ = ["hold"]

_held = []  # a lock without a reference would be released


def hold(folder: str | Path) -> None:
    """Lock the folder until this process ends, by an empty hidden file ``.lock`` in it.

    Raises
    ------
    RuntimeError
        If another process holds the lock, or the folder cannot be locked.
    """
    try:
        _held.append(locks.acquire(Path(folder) / ".lock", timeout=0))
    except locks.Timeout:
        raise RuntimeError(
            f"another run is writing to {folder}; wait for it, or set another results_dir"
        ) from None
