"""Small disks in memory, for tests that need a full or read-only one."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


class Disk:
    """A file system of its own, mounted on a folder."""

    def __init__(self, folder: Path):
        self.folder = folder

    def change(self, options: str) -> None:
        """Change the options of the mount, such as ``ro``, ``rw`` or ``size=20k``."""
        _mount("-o", f"remount,{options}", str(self.folder)).check_returncode()


@contextmanager
def disk(folder: Path, options: str) -> Iterator[Disk]:
    """Mount a disk with these options on a folder, or skip the test where this is not allowed."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        tried = _mount("-t", "tmpfs", "-o", options, "tmpfs", str(folder))
    except FileNotFoundError as error:
        pytest.skip(f"a disk of its own needs `mount`: {error}")
    if tried.returncode:
        pytest.skip(f"mounting a disk is not allowed here: {tried.stderr.strip()}")
    try:
        yield Disk(folder)
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def _mount(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run(["mount", *arguments], capture_output=True, text=True, check=False)
