"""Read the ARFF files of OpenML: the predictions of a run and the target of a dataset.

About a dozen programs have written these files, with different quotes, escapes and orders of the
columns. Therefore columns are found by name, and each row is split by the same rules.
"""

from __future__ import annotations

import codecs
import io
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np

from reproduction.openml.reasons import ExcludedError, RefusedError

_COLUMNS = {
    "repeat": ("repeat", "repeat_nr"),
    "fold": ("fold", "fold_nr"),
    "row_id": ("row_id", "rowid"),
    "sample": ("sample", "sample_nr"),
    "prediction": ("prediction",),
    "truth": ("correct", "truth"),
}
_INDICES = ("repeat", "fold", "row_id")
_CONFIDENCE = "confidence."

# No pattern may take more time than in proportion to the length of a line, which a server chooses.
_DATA_LINE = re.compile(r"@data[ \t]*(?:%.*)?", re.IGNORECASE | re.DOTALL)
_ATTRIBUTE = re.compile(r"@attribute[ \t]+", re.IGNORECASE)
# The types are listed because a name may contain blanks and quotes: it ends where the type begins.
_TYPE = re.compile(
    r"""(?:numeric|real|integer|string|relational|date(?:[ \t]+['"].*)?)[ \t]*(?:[\[{%].*)?""",
    re.IGNORECASE,
)
_END_OF_NOMINAL_TYPE = re.compile(r"}[ \t]*(?=\Z|[\[{%])")
_AFTER_QUOTED_NAME = {quote: re.compile(rf"\\.|{quote}[ \t]*") for quote in "'\""}
_AFTER_BARE_NAME = re.compile(r"[ \t]+|(?={)")
_ESCAPE = re.compile(r"""\\(?:u([0-9a-fA-F]{4})|([0-7]{3})|([\\'"%ntr]))""")
_CONTROL = {"n": "\n", "t": "\t", "r": "\r"}

_QUOTE_OR_ESCAPE = re.compile(r"""['"\\]""")
_QUOTED = re.compile(r"""(?:'(?:\\.|[^\\])*?'|"(?:\\.|[^\\])*?")""")
_BLANKS = re.compile(r"[ \t]*")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_LARGEST_INDEX = 2**53  # float64 does not represent all integers above it


class PredictionsError(ExcludedError, ValueError):
    """A file cannot be used."""

    def __str__(self) -> str:
        return self.detail


@dataclass(frozen=True, eq=False)
class PredictionsFile:
    """Predictions of a binary classifier, in the order of the rows of the file.

    Labels are in the format of `label_text`.

    Attributes
    ----------
    repeat, fold, row_id : ndarray of shape (n_rows,), int64
        At least 0.
    prediction, truth : ndarray of shape (n_rows,), object, or None
        Strings, or None for a missing value. The attribute is None if the file does not have the
        column. The values are not compared with `labels`. Some programs swapped the two columns.
    confidence : dict of str to ndarray of shape (n_rows,), float64
        Confidences by label, in the order of the file. They are finite, but may be outside [0, 1].
    labels : tuple of two str
        The labels that have confidences, in the order of the file. The order has no meaning.
    """

    repeat: np.ndarray
    fold: np.ndarray
    row_id: np.ndarray
    prediction: np.ndarray | None
    truth: np.ndarray | None
    confidence: dict[str, np.ndarray]
    labels: tuple[str, ...]


def read_predictions(path: str | os.PathLike) -> PredictionsFile:
    """Read the predictions of an OpenML run on a task with two classes.

    Columns are identified by name; their order and declared type do not matter. The reader accepts
    byte-order marks, NUL bytes, all line endings, comments, blank lines, single and double quotes,
    escapes, blanks instead of commas between fields, and Latin-1 if the file is not UTF-8.
    """
    with open(path, "rb") as file:
        return read_predictions_file(file, str(path))


def read_predictions_file(file: BinaryIO, source: str) -> PredictionsFile:
    """Read predictions from an open file, which is called `source` in errors."""
    arff = _Arff(file, source)
    columns = _prediction_columns(arff)
    confidences = _confidence_columns(arff)
    values = arff.columns(sorted({*columns.values(), *confidences.values()}))
    if "sample" in columns and len(set(map(_text, values[columns["sample"]]))) > 1:
        raise arff.error("learning_curve", "the column sample has several values")

    def texts(name: str) -> np.ndarray | None:
        return _texts(values[columns[name]]) if name in columns else None

    return PredictionsFile(
        **{name: _whole_numbers(values[columns[name]], name, arff) for name in _INDICES},
        prediction=texts("prediction"),
        truth=texts("truth"),
        confidence={
            label: _finite_numbers(values[column], label, arff)
            for label, column in confidences.items()
        },
        labels=tuple(confidences),
    )


def read_arff_column(path: str | os.PathLike, name: str) -> np.ndarray:
    """Read one nominal column of a dataset with dense rows, as text, None where it is missing.

    Quotes and blanks around the name are ignored.
    """
    with open(path, "rb") as file:
        arff = _Arff(file, str(path))
        matches = [label_text(other) == label_text(name) for other in arff.names]
        if sum(matches) != 1:
            raise arff.error("unreadable", f"{sum(matches)} columns have the name {name!r}")
        column = matches.index(True)
        return _texts(arff.columns([column], may_be_sparse=False)[column])


def header_of(path: str | os.PathLike) -> tuple[list[str], int]:
    """Return the names of the columns, and the number of the @data line."""
    with open(path, "rb") as file:
        arff = _Arff(file, str(path))
        return arff.names, arff.data_line


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


class _Arff:
    """An ARFF file whose header was read, with the names of its columns."""

    def __init__(self, file: BinaryIO, source: str):
        self.source = source
        self.names: list[str] = []
        self.data_line = 0
        self._lines = _lines(file)
        beginning = ""
        for number, line in self._lines:
            beginning += line[: 60 - len(beginning)]
            if _DATA_LINE.fullmatch(line):
                self.data_line = number
                return
            if line[:10].lower() == "@attribute":
                name = _attribute_name(line)
                if name is None:
                    raise self.error(
                        "malformed_header", f"line {number} is malformed: {line[:80]!r}"
                    )
                self.names.append(name)
        raise RefusedError(f"{source}: no @data line; the file begins with {beginning!r}")

    def error(self, reason: str, message: str) -> PredictionsError:
        return PredictionsError(reason, f"{self.source}: {message}")

    def columns(self, wanted: list[int], *, may_be_sparse: bool = True) -> dict[int, list[str]]:
        """Return the fields of some columns, with their quotes."""
        found: list[list[str]] = [[] for _ in wanted]
        for number, line in self._lines:
            if not line or line.startswith("%"):
                continue
            if not may_be_sparse and line.startswith("{"):
                raise self.error("unreadable", "the rows are sparse")
            fields = _fields(line, len(self.names))
            if fields is None:
                raise self.error(
                    "malformed_row",
                    f"line {number} does not have {len(self.names)} fields as the header: "
                    f"{line[:80]!r}",
                )
            for place, column in enumerate(wanted):
                found[place].append(fields[column])
        if not wanted or not found[0]:
            raise self.error("no_rows", "there is no row after @data")
        return dict(zip(wanted, found, strict=True))


def _lines(file: BinaryIO) -> Iterator[tuple[int, str]]:
    """Yield the numbered lines without surrounding blanks and NUL bytes."""
    encoding = "utf-8-sig" if _is_utf_8(file) else "latin-1"
    file.seek(0)
    for number, line in enumerate(io.TextIOWrapper(file, encoding), 1):
        yield number, line.replace("\0", "").strip(" \t\n")


def _is_utf_8(file: BinaryIO) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        while block := file.read(1 << 20):
            decoder.decode(block)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


# --------------------------------------------------------------------------------------- header


def _attribute_name(line: str) -> str | None:
    """Return the name of an attribute, None if the line is malformed."""
    keyword = _ATTRIBUTE.match(line)
    if keyword is None or keyword.end() == len(line):
        return None
    start = keyword.end()
    ends = [match.start() for match in _END_OF_NOMINAL_TYPE.finditer(line)]
    last_brace = ends[-1] if ends else -1

    def is_type(at: int) -> bool:
        is_nominal = line.startswith("{", at) and at < last_brace
        return is_nominal or _TYPE.fullmatch(line, at) is not None

    if line[start] in _AFTER_QUOTED_NAME:
        for match in _AFTER_QUOTED_NAME[line[start]].finditer(line, start + 1):
            if match[0][0] != "\\" and is_type(match.end()):
                return _unescaped(line[start + 1 : match.start()]).strip()
        return None
    # OpenML's Python client does not escape names, and quotes them only if necessary.
    for match in _AFTER_BARE_NAME.finditer(line, start + 1):
        if is_type(match.end()):
            return line[start : match.start()].strip()
    return None


def _unescaped(text: str) -> str:
    """Decode the escapes of Weka and liac-arff; other backslashes are kept."""

    def character(match: re.Match) -> str:
        unicode, octal, one = match.groups()
        if one is not None:
            return _CONTROL.get(one, one)
        return chr(int(unicode, 16)) if octal is None else chr(int(octal, 8))

    return _ESCAPE.sub(character, text)


def _prediction_columns(arff: _Arff) -> dict[str, int]:
    """Return the index of the column of each field in the file, without the confidences."""
    if len(set(arff.names)) < len(arff.names):
        raise arff.error("malformed_header", "two attributes have the same name")
    found = {}
    for field, accepted in _COLUMNS.items():
        columns = [column for column, name in enumerate(arff.names) if name.lower() in accepted]
        if len(columns) > 1:
            raise arff.error("malformed_header", f"{len(columns)} columns match the field {field}")
        if columns:
            found[field] = columns[0]
        elif field in _INDICES:
            raise arff.error("missing_column", f"there is no column {' or '.join(accepted)}")
    return found


def _confidence_columns(arff: _Arff) -> dict[str, int]:
    """Return the index of the confidence column of each label."""
    named = [
        (label_text(name[len(_CONFIDENCE) :]), column)
        for column, name in enumerate(arff.names)
        if name.lower().startswith(_CONFIDENCE)
    ]
    found = dict(named)
    if len(found) < len(named):
        raise arff.error("malformed_header", "a label has two confidence columns")
    if not found:
        raise arff.error("no_confidences", "there is no confidence column")
    if len(found) != 2:
        raise arff.error("not_binary", f"there are confidences of {len(found)} labels")
    return found


# ----------------------------------------------------------------------------------------- rows


def _fields(line: str, n_fields: int) -> list[str] | None:
    """Split a row at commas or, if that does not give `n_fields` fields, at blanks."""
    if not _QUOTE_OR_ESCAPE.search(line):
        fields = line.split(",")
        if len(fields) == 1 < n_fields:
            fields = line.split()
        return fields if len(fields) == n_fields else None
    for separator in (",", " \t"):
        fields = _split(line, n_fields, separator)
        if len(fields) == n_fields and all(map(_is_complete, fields)):
            return fields
    return None


# Fields that one kind of separator separates. A quote that is not followed by a separator is part
# of the text; the group of a quoted field, from after its quote on, ends with the closing quote.
_PLAIN = {separator: re.compile(rf"[^{separator}]*") for separator in (",", " \t")}
_QUOTED_BEFORE = {
    (separator, quote): re.compile(rf"((?:\\.|[^\\])*?{quote}){blanks}(?=[{separator}]|\Z)")
    for separator, blanks in ((",", r"[ \t]*"), (" \t", ""))
    for quote in "'\""
}


def _split(line: str, n_fields: int, separator: str) -> list[str]:
    """Return the fields of a row, at most one more than `n_fields`."""
    fields: list[str] = []
    position, never_closed = 0, set()
    while len(fields) <= n_fields:
        position = _BLANKS.match(line, position).end()
        quote = line[position : position + 1]
        closed = None
        if quote in ("'", '"') and quote not in never_closed:
            closed = _QUOTED_BEFORE[separator, quote].match(line, position + 1)
            if closed is None:
                never_closed.add(quote)  # none of the same quotes further on is closed either
        if closed is None:
            plain = _PLAIN[separator].match(line, position)
            fields.append(plain[0].rstrip(" \t"))
            position = plain.end()
        else:
            fields.append(line[position : closed.end(1)])
            position = closed.end()
        if position >= len(line):
            break
        position += 1
    return fields


def _is_complete(field: str) -> bool:
    """Whether a field is a quoted text, or has no leading quote and no comma."""
    return (field[:1] not in ("'", '"') and "," not in field) or _is_quoted(field)


def _is_quoted(field: str) -> bool:
    return _QUOTED.fullmatch(field) is not None


def _text(field: str) -> str | None:
    """Return the label in a field, None if it is missing."""
    field = field.strip(" \t")
    if field in ("", "?"):
        return None
    return label_text(_unescaped(field[1:-1]) if _is_quoted(field) else field)


def _texts(fields: list[str]) -> np.ndarray:
    meanings = {field: _text(field) for field in set(fields)}
    return np.array([meanings[field] for field in fields], dtype=object)


def _numbers(fields: list[str]) -> np.ndarray:
    """Return the numbers in fields, NaN for any other text."""
    meanings = {field: _number(field) for field in set(fields)}
    return np.array([meanings[field] for field in fields])


def _number(field: str) -> float:
    text = _text(field) or ""
    return float(text) if _NUMBER.fullmatch(text) else np.nan


def _whole_numbers(fields: list[str], name: str, arff: _Arff) -> np.ndarray:
    values = _numbers(fields)
    is_whole = (values >= 0) & (values < _LARGEST_INDEX) & (values == np.floor(values))
    if not is_whole.all():
        raise arff.error(
            "bad_index", f"{name} is not a non-negative integer in row {_first_row(~is_whole)}"
        )
    return values.astype(np.int64)


def _finite_numbers(fields: list[str], label: str, arff: _Arff) -> np.ndarray:
    values = _numbers(fields)
    is_finite = np.isfinite(values)
    if not is_finite.all():
        raise arff.error(
            "bad_confidence",
            f"the confidence of {label!r} is not a finite number in row {_first_row(~is_finite)}",
        )
    return values


def _first_row(flags: np.ndarray) -> str:
    return f"{flags.argmax() + 1} of {len(flags)}"
