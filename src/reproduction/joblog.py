"""The log file of one pipeline job."""

from __future__ import annotations

import logging
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from reproduction.records import PACKAGES, version_of

__all__ = ["logged"]


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
        packages = ("calibrated-metrics", *PACKAGES)
        versions = ", ".join(f"{name} {version_of(name)}" for name in packages)
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
