"""Read ARFF files with liac-arff, the reader of the package `openml`."""

from __future__ import annotations

import codecs
import re
import string
from collections.abc import Callable, Iterator
from pathlib import Path

import arff
import numpy as np

from reproduction.openml.reasons import ExcludedError, RefusedError

_ESCAPE = re.compile(r"\\(.)")


def _as_latin_1(error: UnicodeError) -> tuple[str, int]:
    return error.object[error.start : error.end].decode("latin-1"), error.end


codecs.register_error("as_latin_1", _as_latin_1)


def read_columns(path: Path, field_of: Callable[[str], str | None]) -> dict[str, np.ndarray]:
    """Return the columns to whose names `field_of` gives a field: numbers, or text, or None."""
    line, has_header = "", False

    def lines() -> Iterator[str]:
        nonlocal line
        with open(path, encoding="utf-8-sig", errors="as_latin_1") as file:
            for line in file:
                yield line.replace("\0", "")  # the R package mlr writes some

    try:
        content = arff.load(lines(), return_type=arff.DENSE_GEN)
        has_header = True
        # liac-arff leaves escapes in the names of columns.
        names = [_ESCAPE.sub(r"\1", name).rstrip("\\ ") for name, _ in content["attributes"]]
        fields = {i: field for i, name in enumerate(names) if (field := field_of(name))}
        rows = [[row[column] for column in fields] for row in content["data"]]
    except OSError:
        raise
    except Exception as error:  # liac-arff raises many types, of which some cannot be printed
        problem = f"{type(error).__name__} at {line[:80]!r}"
        if has_header or not isinstance(error, arff.BadLayout):
            raise ExcludedError("malformed", problem) from error
        raise RefusedError(f"not an ARFF file: {problem}") from error
    if len(set(fields.values())) < len(fields):
        raise ExcludedError("malformed", f"two columns are one of {[*fields.values()]}")
    if not rows:
        raise ExcludedError("no_rows", "there is no row after @data")
    columns = (np.array(values, dtype=object) for values in zip(*rows, strict=True))
    return dict(zip(fields.values(), columns, strict=True))


def read_target(path: Path, name: str) -> np.ndarray:
    """Return a column of a dataset as text, None where it is missing."""
    wanted = label_text(name)
    columns = read_columns(path, lambda other: name if label_text(other) == wanted else None)
    if not columns:
        raise ExcludedError("missing_column", f"no column has the name {name!r}")
    return texts(columns[name])


def texts(values: np.ndarray) -> np.ndarray:
    """Return labels as text, None where one is missing."""
    return np.array([None if v is None else label_text(str(v)) for v in values], dtype=object)


def label_text(text: str) -> str:
    """Return a label without surrounding blanks and quotes.

    Weka's labels of numeric bins include quotes, as in ``'(-inf-0.5]'``; other programs drop them.
    """
    return text.strip(f"{string.whitespace}'\"")
