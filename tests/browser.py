"""A headless browser for tests that open pages."""

import shutil
from pathlib import Path

import pytest

_NAMES = ("chromium", "chromium-browser", "chromium-headless-shell", "google-chrome")
_PROGRAM = next(filter(None, map(shutil.which, _NAMES)), None)

needs_browser = pytest.mark.skipif(
    _PROGRAM is None, reason=f"needs a browser on the PATH, one of {', '.join(_NAMES)}"
)


def command(folder: Path, *arguments: str) -> list[str]:
    """The command that starts the browser, with its profile in a folder and a console on stderr."""
    return [
        _PROGRAM,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        f"--user-data-dir={folder / 'profile'}",
        "--enable-logging=stderr",
        *arguments,
    ]
