"""Read the ARFF files of OpenML.

About a dozen programs have written these files, with different quotes and escapes. A reader accepts
byte-order marks, NUL bytes, all line endings, comments, blank lines, blanks instead of commas
between fields, and Latin-1 where the text is not UTF-8.
"""

from __future__ import annotations

import codecs
import io
import os
import re
import string
from collections.abc import Iterator
from typing import BinaryIO

import numpy as np

from reproduction.openml.reasons import ExcludedError, RefusedError

# No pattern may take more time than in proportion to the length of a line, which a server chooses.
_DATA_LINE = re.compile(r"@data[ \t]*(?:%.*)?", re.IGNORECASE)
# The types are listed because a name may contain blanks and quotes: it ends where the type begins.
# OpenML's Python client does not escape names, and quotes them only if necessary.
_ATTRIBUTE = re.compile(
    r"""@attribute[ \t]+
    (?: '(?P<single>(?:\\.|[^\\]){0,1000}?)'[ \t]*
      | "(?P<double>(?:\\.|[^\\]){0,1000}?)"[ \t]*
      | (?P<bare>[^'" \t].{0,1000}?)(?:[ \t]+|(?={)) )
    (?: (?:numeric|real|integer|string|relational|date(?:[ \t]+['"].*)?)[ \t]*
      | {.*}[ \t]* )
    (?:[\[{%].*)?""",
    re.IGNORECASE | re.VERBOSE,
)
_ESCAPE = re.compile(r"""\\([\\'"%ntr])""")
_CONTROL = {"n": "\n", "t": "\t", "r": "\r"}

# A field and the separator behind it. A quote that is not followed by a separator is text.
_QUOTED = r"""(['"])(?:\\.|[^\\])*?\2"""
_FIELD = {
    ",": re.compile(rf"""[ \t]*+({_QUOTED}(?=[ \t]*,)|(?!['"])[^,]*)[ \t]*,"""),
    " ": re.compile(rf"""({_QUOTED}(?=[ \t])|(?!['"])[^ \t,]+)[ \t]+"""),
}
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def _as_latin_1(error: UnicodeError) -> tuple[str, int]:
    return error.object[error.start : error.end].decode("latin-1"), error.end


codecs.register_error("as_latin_1", _as_latin_1)


class Arff:
    """An ARFF file whose header was read."""

    def __init__(self, file: BinaryIO, source: str):
        self.source = source  # its name in errors
        self.names: list[str] = []  # of the columns
        self._lines = _lines(file)
        beginning = ""
        for number, line in self._lines:
            self.data_line = number
            beginning += line[: 60 - len(beginning)]
            if _DATA_LINE.fullmatch(line):
                return
            if line[:10].lower() == "@attribute":
                attribute = _ATTRIBUTE.fullmatch(line)
                if attribute is None:
                    problem = f"line {number} is malformed: {line[:80]!r}"
                    raise self.error("malformed_header", problem)
                quoted = attribute["single"] or attribute["double"] or ""
                self.names.append((attribute["bare"] or _unescaped(quoted)).strip())
        raise RefusedError(f"{source}: no @data line; the file begins with {beginning!r}")

    def error(self, reason: str, message: str) -> ExcludedError:
        return ExcludedError(reason, f"{self.source}: {message}")

    def columns(self, wanted: list[int]) -> list[list[str]]:
        """Return the fields of some columns, with their quotes."""
        found: list[list[str]] = [[] for _ in wanted]
        for number, line in self._lines:
            if not line or line.startswith("%"):
                continue
            if line.startswith("{"):
                raise self.error("sparse", f"the rows are sparse: line {number} is {line[:80]!r}")
            fields = _fields(line, len(self.names))
            if fields is None:
                problem = f"line {number} does not have {len(self.names)} fields as the header"
                raise self.error("malformed_row", f"{problem}: {line[:80]!r}")
            for values, column in zip(found, wanted, strict=True):
                values.append(fields[column])
        if not wanted or not found[0]:
            raise self.error("no_rows", "there is no row after @data")
        return found


def read_arff_column(path: str | os.PathLike, name: str) -> np.ndarray:
    """Read one nominal column of a dataset with dense rows, as text, None where it is missing.

    Quotes and blanks around the name are ignored.
    """
    with open(path, "rb") as file:
        arff = Arff(file, str(path))
        matches = [label_text(other) == label_text(name) for other in arff.names]
        if sum(matches) != 1:
            raise arff.error("unreadable", f"{sum(matches)} columns have the name {name!r}")
        return texts(*arff.columns([matches.index(True)]))


def label_text(text: str) -> str:
    """Return a label without surrounding blanks and quotes.

    Weka's labels of numeric bins include quotes, as in ``'(-inf-0.5]'``; other programs drop them.
    """
    return text.strip(f"{string.whitespace}'\"")


def texts(fields: list[str]) -> np.ndarray:
    """Return the labels in fields, None where one is missing."""
    meanings = {field: _text(field) for field in set(fields)}
    return np.array([meanings[field] for field in fields], dtype=object)


def numbers(fields: list[str]) -> np.ndarray:
    """Return the numbers in fields, NaN for any other text."""
    meanings = {field: _number(_text(field) or "") for field in set(fields)}
    return np.array([meanings[field] for field in fields])


def _text(field: str) -> str | None:
    field = field.strip(" \t")
    if field in ("", "?"):
        return None
    return label_text(_unescaped(field[1:-1]) if field[0] in "'\"" else field)


def _number(text: str) -> float:
    return float(text) if _NUMBER.fullmatch(text) else np.nan


def _unescaped(text: str) -> str:
    """Decode the escapes of Weka and liac-arff; other backslashes are kept."""
    return _ESCAPE.sub(lambda match: _CONTROL.get(match[1], match[1]), text)


def _lines(file: BinaryIO) -> Iterator[tuple[int, str]]:
    """Yield the numbered lines without surrounding blanks and NUL bytes."""
    for number, line in enumerate(io.TextIOWrapper(file, "utf-8-sig", "as_latin_1"), 1):
        yield number, line.replace("\0", "").strip(" \t\n")


def _fields(line: str, n_fields: int) -> list[str] | None:
    """Split a row at commas or, if that does not give `n_fields` fields, at blanks."""
    if "'" not in line and '"' not in line:
        fields = line.split(",")
        if len(fields) == n_fields:
            return fields
    for separator in _FIELD:
        fields = _split(line + separator, _FIELD[separator], n_fields)
        if len(fields) == n_fields:
            return fields
    return None


def _split(line: str, pattern: re.Pattern, n_fields: int) -> list[str]:
    """Return the fields of a row, at most one more than `n_fields`; none if it is malformed."""
    fields: list[str] = []
    position = 0
    while position < len(line) and len(fields) <= n_fields:
        field = pattern.match(line, position)
        if field is None:
            return []
        fields.append(field[1])
        position = field.end()
    return fields
