"""The folder for temporary files of a run, which a later run removes if this one is killed."""

from __future__ import annotations

import glob
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
    # Until the mark is locked it has the number of its process in its name, so that no other
    # process takes it for an old one.
    mark = folder / f"{_MARK}.{os.getpid()}"
    _held.append(locks.acquire(mark))
    os.rename(mark, folder / _MARK)
    tempfile.tempdir = str(folder)
    # Unlike that of pathlib, this glob passes over folders that vanish meanwhile.
    for name in glob.glob(f"snakemake*/{_MARK}*", root_dir=folder.parent):
        mark = folder.parent / name
        if _will_be_locked(mark):
            continue
        # Those of live processes are locked; those of other users may not be accessible.
        with suppress(locks.Timeout, RuntimeError), locks.acquire(mark, timeout=0):
            shutil.rmtree(mark.parent, ignore_errors=True)
    # A run that was killed before it claimed its folder leaves it empty. No run needs an empty one.
    for other in folder.parent.glob("snakemake????????"):
        if other != folder:
            with suppress(OSError):
                other.rmdir()


def _will_be_locked(mark: Path) -> bool:
    number = mark.suffix.removeprefix(".")
    if not number.isdigit():
        return False
    with suppress(PermissionError):  # a process of another user lives
        try:
            os.kill(int(number), 0)
        except ProcessLookupError:
            return False
    return True
