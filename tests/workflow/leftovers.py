"""What a run must not leave behind: temporary files and processes."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from pathlib import Path

# Hidden files that stay on purpose: locks, which are empty.
_LOCKS = {".lock", ".pace.lock"}


def temporary_files(*folders: Path) -> list[Path]:
    """Return hidden files and folders in the folders, at any depth, that are not locks."""
    return [
        path
        for folder in folders
        for path in folder.rglob("*")
        if path.name.startswith(".") and not (path.name in _LOCKS and path.stat().st_size == 0)
    ]


def processes_in(folder: Path) -> list[int]:
    """Return the ids of the processes whose working directory is the folder."""
    found = []
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                if os.readlink(process / "cwd") == str(folder.resolve()):
                    found.append(int(process.name))
            except OSError:  # the process has ended, or belongs to another user
                continue
    return found


def end_within(seconds: float, folder: Path, expected: Iterable[int] = ()) -> bool:
    """Whether all processes in the folder, but the expected ones, end within some seconds."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if not set(processes_in(folder)) - set(expected):
            return True
        time.sleep(0.05)
    return False
