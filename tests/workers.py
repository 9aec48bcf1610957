"""What the workers of one pytest run share."""

from __future__ import annotations

import fcntl
from collections.abc import Callable
from pathlib import Path


def once(folder: Path, make: Callable[[Path], object]) -> Path:
    """The folder, filled by the first worker that needs it while the others wait.

    If that fails, all tests that need the folder fail at once, without another attempt.
    """
    state = folder.with_suffix(".state")
    with open(folder.with_suffix(".lock"), "wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not state.exists():
            state.write_text("failed", encoding="utf-8")
            make(folder)
            state.write_text("made", encoding="utf-8")
    assert state.read_text(encoding="utf-8") == "made", f"making {folder} failed in another test"
    return folder
