"""The log file of one pipeline job."""

from __future__ import annotations

import logging
import platform
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from reproduction.files import UnusableFileError, written
from reproduction.records import PACKAGES, version_of
from reproduction.termination import orderly

__all__ = ["logged"]


@contextmanager
def logged(path: str | Path) -> Iterator[logging.Logger]:
    """Log the versions, warnings and errors of the block to a file.

    Raises
    ------
    SystemExit
        If the block raised `UnusableFileError`, or the log cannot be written. Its message says
        what to do, which a traceback would hide.
    """
    try:
        with orderly(), _logged(path) as logger:
            yield logger
    except UnusableFileError as error:
        raise SystemExit(str(error)) from error


@contextmanager
def _logged(path: str | Path) -> Iterator[logging.Logger]:
    logger = logging.getLogger("reproduction")
    listened = (logger, logging.getLogger("py.warnings"))
    with written(path):
        handler = _LogFile(path, mode="w", encoding="utf-8")
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
    except UnusableFileError as error:
        logger.error("%s", error)
        raise
    except BaseException:
        logger.exception("failed")
        raise
    finally:
        logger.propagate = propagates
        logging.captureWarnings(False)
        for each in listened:
            each.removeHandler(handler)
        handler.close()


class _LogFile(logging.FileHandler):
    """A log file that loses lines while the disk is full, instead of printing tracebacks."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802, logging's name
        if not isinstance(sys.exception(), OSError):
            super().handleError(record)

    def close(self) -> None:
        with suppress(OSError):
            super().close()
