"""Messages for the user: warnings, progress, and what to install if a package is missing."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, requires
from typing import TypeVar

__all__ = ["extra", "warn_the_caller", "with_bar"]

_PACKAGE = __name__.partition(".")[0]
_Step = TypeVar("_Step")


def warn_the_caller(message: str, category: type[Warning]) -> None:
    """Warn at the line of the user's code that called this package.

    From Python 3.12 on, `skip_file_prefixes` of `warnings.warn` does this.
    """
    frame, n_inside = sys._getframe(), 0
    while frame.f_globals.get("__name__", "").partition(".")[0] == _PACKAGE and frame.f_back:
        frame, n_inside = frame.f_back, n_inside + 1
    warnings.warn(message, category, stacklevel=n_inside + 1)


def with_bar(steps: Iterable[_Step], title: str) -> Iterable[_Step]:
    """The steps, with a progress bar on a terminal after five seconds, if tqdm is installed."""
    try:
        from tqdm import tqdm
    except ModuleNotFoundError:
        return steps
    bar: Iterable[_Step] = tqdm(steps, title, delay=5, disable=None, leave=False)  # None: no file
    return bar


@contextmanager
def extra(name: str) -> Iterator[None]:
    """If the block cannot import a package, say how to install it with the extra `name`.

    The command lists the packages of the extra, so that it works however the library was installed:
    from a package index, a wheel or a copy of the repository.

    Raises
    ------
    ImportError
        The message names the package, the extra and the command that installs it.
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
