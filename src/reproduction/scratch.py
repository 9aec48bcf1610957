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
    """Use Snakemake's temporary folder for all temporary files of a run and its jobs.

    Folders beside it that killed runs have left are removed.

    Parameters
    ----------
    folder : path
        Snakemake removes it at the end. A hidden empty file in it is locked as long as the run
        lasts.
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
    # A run that was killed before it claimed its folder leaves it empty. No run needs an empty one.
    for other in folder.parent.glob("snakemake????????"):
        if other != folder:
            with suppress(OSError):
                other.rmdir()
