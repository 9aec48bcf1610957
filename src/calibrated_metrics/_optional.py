"""Imports of optional packages."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Say how to install a package of the extra `name` if the block cannot import it.

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
