"""The folder for temporary files of a run, which a later run removes if this one is killed."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from reproduction import locks

__all__ = ["claim"]

_MARK = ".calibrated-metrics"

_held = []  # a lock without a reference would be released


def claim(folder: str | Path) -> None:
    """Use a folder for all temporary files of this process and its jobs, and lock it.

    Folders beside it that killed processes had claimed are removed.

    Parameters
    ----------
    folder : path
        A folder that nothing else uses, and that its owner removes at the end. A hidden empty file
        in it is the lock.
    """
    folder = Path(folder)
    # The mark appears only when it is locked, so that no other process takes it for an old one.
    _held.append(locks.acquire(folder / "unnamed"))
    os.rename(folder / "unnamed", folder / _MARK)
    tempfile.tempdir = str(folder)
    for mark in folder.parent.glob(f"*/{_MARK}"):
        # Those of live processes are locked; those of other users may not be accessible.
        with suppress(locks.Timeout, RuntimeError), locks.acquire(mark, timeout=0):
            shutil.rmtree(mark.parent, ignore_errors=True)
