"""The log file of one pipeline job."""

from __future__ import annotations

import logging
import platform
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

__all__ = ["logged"]

_PACKAGES = ("calibrated-metrics", "numpy", "scipy", "pandas", "scikit-learn", "matplotlib")


@contextmanager
def logged(path: str | Path) -> Iterator[logging.Logger]:
    """Log versions, warnings, errors and the run time of the block to a file."""
    logger = logging.getLogger("reproduction")
    listened = (logger, logging.getLogger("py.warnings"))
    handler = logging.FileHandler(path, mode="w", encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    start = time.monotonic()
    propagates = logger.propagate
    try:
        logging.captureWarnings(True)
        logger.propagate = False  # the console shows the progress of the run, not of each job
        for each in listened:
            each.addHandler(handler)
        logger.setLevel(logging.INFO)
        logger.info("Python %s, %s", platform.python_version(), ", ".join(map(_named, _PACKAGES)))
        yield logger
        logger.info("done in %.1f s", time.monotonic() - start)
    except BaseException:
        logger.exception("failed after %.1f s", time.monotonic() - start)
        raise
    finally:
        logger.propagate = propagates
        logging.captureWarnings(False)
        for each in listened:
            each.removeHandler(handler)
        handler.close()


def _named(package: str) -> str:
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:  # on the path without being installed
        return f"{package}, version unknown"
