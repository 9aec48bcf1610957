"""The log file of one pipeline job."""

from __future__ import annotations

import logging
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

__all__ = ["logged"]

_PACKAGES = ("calibrated-metrics", "numpy", "scipy", "pandas", "scikit-learn", "matplotlib")


@contextmanager
def logged(path: str | Path) -> Iterator[logging.Logger]:
    """Log the versions, warnings and errors of the block to a file."""
    logger = logging.getLogger("reproduction")
    listened = (logger, logging.getLogger("py.warnings"))
    handler = logging.FileHandler(path, mode="w", encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    propagates = logger.propagate
    try:
        logging.captureWarnings(True)
        logger.propagate = False  # the console shows only the progress of the whole run
        for each in listened:
            each.addHandler(handler)
        logger.setLevel(logging.INFO)
        versions = ", ".join(map(_name_and_version, _PACKAGES))
        logger.info("Python %s, %s", platform.python_version(), versions)
        yield logger
        logger.info("done")
    except BaseException:
        logger.exception("failed")
        raise
    finally:
        logger.propagate = propagates
        logging.captureWarnings(False)
        for each in listened:
            each.removeHandler(handler)
        handler.close()


def _name_and_version(package: str) -> str:
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:  # importable, but not installed
        return f"{package}, version unknown"
