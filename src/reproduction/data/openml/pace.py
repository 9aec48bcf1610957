"""One pace of requests for all processes of a machine."""

from __future__ import annotations

import fcntl
import struct
import time
from pathlib import Path
from time import sleep

__all__ = ["Pace"]

_SLOT = struct.Struct("d")
_LONGEST_QUEUE = 100  # slots; a first one further away is of a clock that was set back since


class Pace:
    """At most so many requests a second, however many processes ask.

    Parameters
    ----------
    path : path-like
        A small file that the processes share; it holds the time of the next free slot.
    per_second : float > 0
    """

    def __init__(self, path: str | Path, per_second: float):
        self._path = Path(path)
        self._interval = 1.0 / per_second
        self._path.parent.mkdir(parents=True, exist_ok=True)

    def wait(self) -> None:
        """Take the next free slot, and sleep until it comes."""
        now = time.time()
        with open(self._path, "a+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0)
            slot = max(now, self._next(file.read(), now))
            file.truncate(0)
            file.write(_SLOT.pack(slot + self._interval))
        if slot > now:
            sleep(slot - now)

    def _next(self, content: bytes, now: float) -> float:
        if len(content) != _SLOT.size:
            return now
        (slot,) = _SLOT.unpack(content)
        return slot if slot - now <= _LONGEST_QUEUE * self._interval else now
