"""Limits on the total time of an operation that consists of several requests and waits."""

from __future__ import annotations

import time


class Deadline:
    """A point in time at which an operation must have ended.

    Parameters
    ----------
    seconds : float
        Time from now.
    """

    def __init__(self, seconds: float):
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    def remaining(self) -> float:
        """Return the seconds until the deadline, 0 if it has passed."""
        return max(0.0, self._end - time.monotonic())

    def within(self, seconds: float) -> Deadline:
        """Return the deadline of a part of the operation, which may take `seconds` at most."""
        return Deadline(min(seconds, self.remaining()))

    def sleep(self, seconds: float) -> bool:
        """Sleep and return True, or return False at once if the deadline would come first."""
        if seconds >= self.remaining():
            return False
        time.sleep(seconds)
        return True
