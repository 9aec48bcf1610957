"""Limits on one case: CPU time, and memory of the process."""

import resource
import signal
from contextlib import contextmanager
from pathlib import Path

_STATUS = Path("/proc/self/status")
_CLEAR_REFS = Path("/proc/self/clear_refs")
counts_memory = _CLEAR_REFS.exists()


class TooSlowError(BaseException):
    """A case took more CPU time than it may. No reader catches it."""


@contextmanager
def cpu_limit(seconds: float):
    """Raise `TooSlowError` in the block after this CPU time of the process.

    CPU time instead of wall time: other processes of the machine do not matter.
    """

    def stop(signum, frame):
        raise TooSlowError(f"more than {seconds} s of CPU time")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@contextmanager
def address_space(more_bytes: float):
    """Make an allocation fail that would make the process larger by more than this."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = _kilobytes("VmSize") * 1024 + int(more_bytes) if counts_memory else soft
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


class PeakMemory:
    """Growth of the process at its largest since the block began, in bytes; 0 if unknown."""

    def __enter__(self):
        self.growth = 0
        if counts_memory:
            _CLEAR_REFS.write_text("5")  # resets VmHWM
            self._before = _kilobytes("VmRSS")
        return self

    def __exit__(self, *_):
        if counts_memory:
            self.growth = 1024 * (_kilobytes("VmHWM") - self._before)


def _kilobytes(name: str) -> int:
    for line in _STATUS.read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1])
    raise LookupError(name)
