"""Warnings that point at the code of the user."""

from __future__ import annotations

import sys
import warnings

__all__ = ["warn_the_caller"]

_PACKAGE = __name__.partition(".")[0]


def warn_the_caller(message: str, category: type[Warning]) -> None:
    """Warn at the line that called this package, however deep the cause lies.

    From Python 3.12 on, `skip_file_prefixes` of `warnings.warn` does this.
    """
    frame, n_inside = sys._getframe(), 0
    while frame.f_globals.get("__name__", "").partition(".")[0] == _PACKAGE and frame.f_back:
        frame, n_inside = frame.f_back, n_inside + 1
    warnings.warn(message, category, stacklevel=n_inside + 1)
