"""Read ARFF files with liac-arff, the reader of the package `openml`."""

import re
import string
from collections.abc import Callable
from pathlib import Path

import arff
import numpy as np

from reproduction.openml.reasons import ExcludedError, RefusedError

_ESCAPE = re.compile(r"\\(.)")


def read_columns(path: Path, field_of: Callable[[str], str | None]) -> dict[str, np.ndarray]:
    """Return the columns to whose names `field_of` gives a field: numbers, or text, or None."""
    lines = _lines(path)
    if not any(line.lstrip().lower().startswith("@attribute") for line in lines):
        raise RefusedError(f"not an ARFF file: it begins with {lines[0][:80]!r}")
    rest = iter(lines)
    try:
        content = arff.load(rest, return_type=arff.DENSE_GEN)
        fields = [field_of(_unescaped(name)) for name, _ in content["attributes"]]
        places = [place for place, field in enumerate(fields) if field]
        rows = [[row[place] for place in places] for row in content["data"]]
    except Exception as error:  # liac-arff raises many types; some of them cannot be printed
        number = len(lines) - len([*rest])
        problem = f"{type(error).__name__} in line {number}: {lines[number - 1][:80]!r}"
        raise ExcludedError("malformed", problem) from error
    names = [field for field in fields if field]
    if len(set(names)) < len(names):
        raise ExcludedError("malformed", f"two columns are one of {names}")
    if not rows:
        raise ExcludedError("no_rows", "there is no row after @data")
    values = [np.array(column, dtype=object) for column in zip(*rows, strict=True)]
    return dict(zip(names, values, strict=True))


def _lines(path: Path) -> list[str]:
    content = path.read_bytes().replace(b"\0", b"")  # the R package mlr writes some
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    return text.split("\n")


def _unescaped(name: str) -> str:
    """Return the name of a column without escapes, which liac-arff leaves in it."""
    return _ESCAPE.sub(r"\1", name).rstrip("\\ ")


def read_target(path: Path, name: str) -> np.ndarray:
    """Return a column of a dataset as text, None where it is missing."""
    wanted = label_text(name)
    columns = read_columns(path, lambda other: name if label_text(other) == wanted else None)
    if not columns:
        raise ExcludedError("missing_column", f"no column has the name {name!r}")
    return texts(columns[name])


def texts(values: np.ndarray) -> np.ndarray:
    """Return labels as text, None where one is missing."""
    found = [None if value is None else label_text(str(value)) for value in values]
    return np.array(found, dtype=object)


def label_text(text: str) -> str:
    """Return a label without surrounding blanks and quotes.

    Weka's labels of numeric bins include quotes, as in ``'(-inf-0.5]'``; other programs drop them.
    """
    return text.strip(f"{string.whitespace}'\"")
