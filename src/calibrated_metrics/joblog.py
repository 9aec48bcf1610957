"""The log file of one pipeline job."""

from __future__ import annotations

import logging
import platform
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

__all__ = ["logged"]


@contextmanager
def logged(path: str | Path) -> Iterator[logging.Logger]:
    """Log versions, warnings, errors and the run time of the block to a file."""
    logger = logging.getLogger("calibrated_metrics")
    handler = logging.FileHandler(path, mode="w", encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    listened = (logger, logging.getLogger("py.warnings"))
    logging.captureWarnings(True)
    for each in listened:
        each.addHandler(handler)
    logger.setLevel(logging.INFO)
    packages = ("calibrated-metrics", "numpy", "scipy", "pandas", "scikit-learn", "matplotlib")
    versions = ", ".join(f"{package} {version(package)}" for package in packages)
    logger.info("Python %s, %s", platform.python_version(), versions)
    start = time.monotonic()
    try:
        yield logger
        logger.info("done in %.1f s", time.monotonic() - start)
    except BaseException:
        logger.exception("failed after %.1f s", time.monotonic() - start)
        raise
    finally:
        logging.captureWarnings(False)
        for each in listened:
            each.removeHandler(handler)
        handler.close()
