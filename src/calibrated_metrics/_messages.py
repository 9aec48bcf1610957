"""Messages for the user: warnings, and what to install if an optional package is missing."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, requires

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

    The command names the packages of the extra, so that it works wherever the library came from: a
    package index, a wheel or a copy of the repository.

    Raises
    ------
    ImportError
        Naming the package, the extra and the command that installs it.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise ImportError(
            f"the package {error.name} is not installed; install the extra {name!r}: "
            f"{_install_command(name)}",
            name=error.name,
        ) from error


def _install_command(name: str) -> str:
    """The pip command for the packages of an extra, from the metadata of the installed library."""
    try:
        lines = requires("calibrated-metrics") or []
    except PackageNotFoundError:  # imported from a folder
        lines = []
    parts = [line.partition(";") for line in lines]
    of_extra = [
        package.strip()
        for package, _, condition in parts
        if re.search(rf"""extra == ['"]{name}['"]""", condition)
    ]
    if not of_extra:
        return f'pip install ".[{name}]" in a copy of the repository'
    return " ".join(["pip install", *(f'"{package}"' for package in of_extra)])
