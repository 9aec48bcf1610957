"""One build of the documentation for all tests that use it."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from workers import once

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Site:
    """A finished build: its folder."""

    folder: Path

    @property
    def pages(self) -> list[str]:
        """Addresses of all pages, relative to the folder."""
        paths = (path.relative_to(self.folder) for path in self.folder.rglob("*.html"))
        return sorted(str(path) for path in paths if path.parts[0] != "_static")


@pytest.fixture(scope="session")
def build_command() -> str:
    """The command that builds the documentation, as the page for developers states it."""
    return "sphinx-build -n -W --keep-going -j auto docs build/docs"


@pytest.fixture(scope="session")
def site(build_command, shared_folder) -> Site:
    """The documentation, built once for all workers, since a build also writes to `docs`."""
    _program, *options, source, _folder = build_command.split()

    def build(folder: Path) -> None:
        built = subprocess.run(
            [sys.executable, "-m", "sphinx", "--quiet", *options, source, str(folder)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        printed = built.stdout + built.stderr
        assert (built.returncode, printed) == (0, ""), printed[-3000:]

    return Site(once(shared_folder / "site", build))
