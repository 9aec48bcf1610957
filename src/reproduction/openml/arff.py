"""Read the ARFF files of OpenML.

About a dozen programs have written these files, with different quotes and escapes. A reader accepts
byte-order marks, NUL bytes, all line endings, comments, blank lines, blanks instead of commas
between fields, and Latin-1 if the file is not UTF-8.
"""

from __future__ import annotations

import codecs
import io
import os
import re
from collections.abc import Iterator
from typing import BinaryIO

import numpy as np

from reproduction.openml.reasons import ExcludedError, RefusedError

# No pattern may take more time than in proportion to the length of a line, which a server chooses.
_DATA_LINE = re.compile(r"@data[ \t]*(?:%.*)?", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"@attribute[ \t]+", re.IGNORECASE)
# The types are listed because a name may contain blanks and quotes: it ends where the type begins.
_TYPE = re.compile(
    r"""(?:numeric|real|integer|string|relational|date(?:[ \t]+['"].*)?)[ \t]*(?:[\[{%].*)?""",
    re.IGNORECASE,
)
_UP_TO_END_OF_LABELS = re.compile(r".*}(?=[ \t]*(?:\Z|[\[{%]))")
_ENDS_OF_NAME = {
    "'": re.compile(r"\\.|'[ \t]*"),
    '"': re.compile(r'\\.|"[ \t]*'),
    # OpenML's Python client does not escape names, and quotes them only if necessary.
    "": re.compile(r"[ \t]+|(?={)"),
}
_ESCAPE = re.compile(r"""\\(?:u([0-9a-fA-F]{4})|([0-7]{3})|([\\'"%ntr]))""")
_CONTROL = {"n": "\n", "t": "\t", "r": "\r"}

# A field and the separator behind it. A quote that is not followed by a separator is text.
_QUOTED = r"""(['"])(?:\\.|[^\\])*?\2"""
_FIELD = {
    ",": re.compile(rf"""[ \t]*+({_QUOTED}(?=[ \t]*,)|(?!['"])[^,]*)[ \t]*,"""),
    " ": re.compile(rf"""({_QUOTED}(?=[ \t])|(?!['"])[^ \t,]+)[ \t]+"""),
}
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


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
                name = _attribute_name(line)
                if name is None:
                    problem = f"line {number} is malformed: {line[:80]!r}"
                    raise self.error("malformed_header", problem)
                self.names.append(name)
        raise RefusedError(f"{source}: no @data line; the file begins with {beginning!r}")

    def error(self, reason: str, message: str) -> ExcludedError:
        return ExcludedError(reason, f"{self.source}: {message}")

    def columns(self, wanted: list[int], *, may_be_sparse: bool = True) -> list[list[str]]:
        """Return the fields of some columns, with their quotes."""
        found: list[list[str]] = [[] for _ in wanted]
        for number, line in self._lines:
            if not line or line.startswith("%"):
                continue
            if not may_be_sparse and line.startswith("{"):
                raise self.error("sparse", "the rows are sparse")
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
        return texts(*arff.columns([matches.index(True)], may_be_sparse=False))


def label_text(text: str) -> str:
    """Return a label without surrounding blanks and pairs of quotes.

    Weka's labels of numeric bins include quotes, as in ``'(-inf-0.5]'``; other programs drop them.
    Labels of different files are equal if they are equal in this format.

    Examples
    --------
    >>> label_text(" '(-inf-0.5]' ")
    '(-inf-0.5]'
    >>> label_text("it's")
    "it's"
    """
    start, end = 0, len(text)
    while True:
        while start < end and text[start].isspace():
            start += 1
        while start < end and text[end - 1].isspace():
            end -= 1
        if end - start < 2 or text[start] != text[end - 1] or text[start] not in "'\"":
            return text[start:end]
        start, end = start + 1, end - 1


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


def _lines(file: BinaryIO) -> Iterator[tuple[int, str]]:
    """Yield the numbered lines without surrounding blanks and NUL bytes."""
    encoding = "utf-8-sig" if _is_utf_8(file) else "latin-1"
    file.seek(0)
    for number, line in enumerate(io.TextIOWrapper(file, encoding), 1):
        yield number, line.replace("\0", "").strip(" \t\n")


def _is_utf_8(file: BinaryIO) -> bool:
    blocks = iter(lambda: file.read(1 << 20), b"")
    try:
        return all(True for _ in codecs.iterdecode(blocks, "utf-8"))
    except UnicodeDecodeError:
        return False


def _attribute_name(line: str) -> str | None:
    """Return the name of an attribute, None if the line is malformed."""
    keyword = _ATTRIBUTE.match(line)
    if keyword is None or keyword.end() == len(line):
        return None
    start = keyword.end()
    quote = line[start] if line[start] in "'\"" else ""
    labels = _UP_TO_END_OF_LABELS.match(line)
    end_of_labels = labels.end() if labels else 0
    for end in _ENDS_OF_NAME[quote].finditer(line, start + 1):
        is_nominal = line.startswith("{", end.end()) and end.end() < end_of_labels
        if not end[0].startswith("\\") and (is_nominal or _TYPE.fullmatch(line, end.end())):
            name = line[start : end.start()]
            return (_unescaped(name[1:]) if quote else name).strip()
    return None


def _unescaped(text: str) -> str:
    """Decode the escapes of Weka and liac-arff; other backslashes are kept."""

    def character(match: re.Match) -> str:
        unicode, octal, one = match.groups()
        if one is not None:
            return _CONTROL.get(one, one)
        return chr(int(unicode, 16)) if octal is None else chr(int(octal, 8))

    return _ESCAPE.sub(character, text)


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
