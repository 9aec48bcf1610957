"""A limit on the rate of requests, shared by all processes that use a folder."""

from __future__ import annotations

import fcntl
import struct
import time
from pathlib import Path
from time import sleep

_SLOT = struct.Struct("d")
_LONGEST_QUEUE = 100  # slots; a next slot further away was written before the clock was set back


class Pace:
    """Limit the rate of requests of all processes together.

    Parameters
    ----------
    path : path-like
        A small file that the processes share. It holds the time of the next free slot; the hidden
        file ``.<name>.lock`` beside it locks it.
    per_second : float > 0
        Largest number of requests per second.
    """

    def __init__(self, path: str | Path, per_second: float):
        self._path = Path(path)
        self._interval = 1.0 / per_second

    def wait(self) -> None:
        """Reserve the next free slot and sleep until it comes.

        Raises
        ------
        OSError
            If the file cannot be locked or written.
        """
        now = time.time()
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with open(self._path.with_name(f".{self._path.name}.lock"), "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # until the file is closed, even by a kill
            slot = max(now, self._next_slot(now))
            self._path.write_bytes(_SLOT.pack(slot + self._interval))
        if slot > now:
            sleep(slot - now)

    def _next_slot(self, now: float) -> float:
        content = self._path.read_bytes() if self._path.exists() else b""
        if len(content) != _SLOT.size:
            return now
        (slot,) = _SLOT.unpack(content)
        return slot if slot - now <= _LONGEST_QUEUE * self._interval else now
