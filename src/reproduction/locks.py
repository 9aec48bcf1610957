"""File locks that are released when the process that holds them ends."""

from __future__ import annotations

from pathlib import Path

from filelock import AcquireReturnProxy, FileLock, Timeout

__all__ = ["Timeout", "acquire"]


def acquire(path: Path, *, timeout: float = -1) -> AcquireReturnProxy:
    """Lock an empty file, created if missing, and return the lock, a context manager.

    The lock lasts until the ``with`` block ends, the returned object is no longer referenced, or
    the process ends, even by ``kill -9``. The file stays.

    Parameters
    ----------
    path : pathlib.Path
        Its folder is created if missing.
    timeout : float, default=-1
        Seconds to wait for another process, -1 for no limit.

    Raises
    ------
    Timeout
        If another process holds the lock for longer.
    RuntimeError
        If the file cannot be locked: the folder is not writable, or its file system has no locks.
    """
    # A soft lock (the existence of a file) would outlive a killed process.
    lock = FileLock(path, timeout=timeout, poll_interval=0.01, fallback_to_soft=False)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return lock.acquire()
    except Timeout:
        raise
    except OSError as error:
        raise RuntimeError(
            f"cannot lock {path}: {error}; choose a folder that is writable and on a file system "
            "with file locks"
        ) from error
