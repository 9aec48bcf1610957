"""Messages for the user: warnings, and what to install if an optional package is missing."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["extra", "warn_the_caller"]

_PACKAGE = __name__.partition(".")[0]


def warn_the_caller(message: str, category: type[Warning]) -> None:
    """Warn at the line that called this package, however deep the cause lies.

    From Python 3.12 on, `skip_file_prefixes` of `warnings.warn` does this.
    """
    frame, n_inside = sys._getframe(), 0
    while frame.f_globals.get("__name__", "").partition(".")[0] == _PACKAGE and frame.f_back:
        frame, n_inside = frame.f_back, n_inside + 1
    warnings.warn(message, category, stacklevel=n_inside + 1)


@contextmanager
def extra(name: str) -> Iterator[None]:
    """If the block cannot import a package, say how to install it with the extra `name`.

    Raises
    ------
    ImportError
        Naming the package and the command that installs it.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise ImportError(
            f'the package {error.name} is not installed: pip install "calibrated-metrics[{name}]"',
            name=error.name,
        ) from error
