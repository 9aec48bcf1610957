"""Imports of optional packages."""

from collections.abc import Iterator
from contextlib import contextmanager


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
