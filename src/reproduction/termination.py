"""How a job ends early: as after an error, so that it removes its temporary files."""

from __future__ import annotations

import ctypes
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["orderly"]

_PR_SET_PDEATHSIG = 1  # linux/prctl.h


@contextmanager
def orderly() -> Iterator[None]:
    """End the block with `SystemExit` on SIGTERM, and on Linux also if the parent process ends.

    A job whose run was killed could otherwise write to the results of the next run, which may
    have another configuration.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread receives signals
        return
    before = signal.signal(signal.SIGTERM, _end)
    _send_when_parent_ends(signal.SIGTERM)
    try:
        yield
    finally:
        _send_when_parent_ends(0)
        signal.signal(signal.SIGTERM, before)


def _end(number: int, frame: object) -> None:
    raise SystemExit(f"the job was ended by {signal.Signals(number).name}")


def _send_when_parent_ends(number: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, number)
