"""Read the ARFF files of OpenML: the predictions of a run and the target of a dataset.

About a dozen programs have written these files, with different quotes, escapes and orders of the
columns. Files whose commas all separate fields are parsed with pyarrow. The rows of other files
are split one by one, by the same rules.
"""

from __future__ import annotations

import functools
import operator
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from pyarrow import csv

from reproduction.openml.reasons import ExcludedError

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

_DATA_LINE = re.compile(rb"^[ \t]*@data[ \t]*(?:%[^\n]*)?$", re.IGNORECASE | re.MULTILINE)
# No pattern may take more time than in proportion to the length of a line, which a server chooses.
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

_SKIPPED_LINES = re.compile(rb"\n[ \t]*(?:%[^\n]*)?(?=\n)")
_QUOTED = re.compile(r"""(?:'(?:\\.|[^\\])*?'|"(?:\\.|[^\\])*?")""")
_BLANKS = re.compile(r"[ \t]*")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_NEWLINE = ord("\n")
_LARGEST_INDEX = 2**53  # float64 does not represent all integers above it


class _Separated(NamedTuple):
    """Patterns of fields that one kind of separator separates.

    A quote that is not followed by a separator is part of the text.
    """

    quoted: dict[str, re.Pattern]  # from after a quote on; its group ends with the closing quote
    plain: re.Pattern


_BY_COMMAS = _Separated(
    {q: re.compile(rf"((?:\\.|[^\\])*?{q})[ \t]*(?=,|\Z)") for q in "'\""}, re.compile(r"[^,]*")
)
_BY_BLANKS = _Separated(
    {q: re.compile(rf"((?:\\.|[^\\])*?{q})(?=[ \t]|\Z)") for q in "'\""}, re.compile(r"[^ \t]*")
)


class PredictionsError(ExcludedError, ValueError):
    """A file of predictions cannot be used.

    Attributes
    ----------
    reason : str
        The reason as a snake_case identifier.
    detail : str
        The message.
    """

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

    Parameters
    ----------
    path : path-like
        An ARFF file written by Weka, MOA, mlr, Shark or OpenML's Python client.

    Returns
    -------
    PredictionsFile

    Raises
    ------
    PredictionsError
        With one of the reasons

        - ``not_arff``: there is no @data line;
        - ``malformed_header``: an attribute is malformed, or a column occurs twice;
        - ``missing_column``: the column repeat, fold or row_id is missing;
        - ``no_confidences``: there are no confidences;
        - ``not_binary``: there are confidences of one label, or of more than two;
        - ``malformed_row``: a row and the header have different numbers of fields; the message
          has the line number;
        - ``no_rows``: there are no rows after the @data line;
        - ``learning_curve``: the column sample has several values;
        - ``bad_index``: a repeat, fold or row_id is not a non-negative integer;
        - ``bad_confidence``: a confidence is not a finite number.
    OSError
        If the file cannot be opened.
    """
    return read_predictions_bytes(Path(path).read_bytes(), str(path))


def read_predictions_bytes(content: bytes, source: str) -> PredictionsFile:
    """Read predictions from the bytes of a file; see `read_predictions`.

    Parameters
    ----------
    content : bytes
        The complete, uncompressed file.
    source : str
        The name of the file in error messages.

    Returns
    -------
    PredictionsFile

    Raises
    ------
    PredictionsError
        For the same reasons as `read_predictions`.
    """
    arff = _Arff.of_bytes(content, source)
    columns = _prediction_columns(arff)
    confidences = _confidence_columns(arff)
    texts = [columns[name] for name in ("sample", "prediction", "truth") if name in columns]
    numbers = [columns[name] for name in _INDICES] + list(confidences.values())
    values = _columns(arff, numbers=numbers, texts=texts)
    if "sample" in columns and len(set(values[columns["sample"]])) > 1:
        raise arff.error("learning_curve", "the column sample has several values")
    return PredictionsFile(
        **{name: _whole_numbers(values[columns[name]], name, arff) for name in _INDICES},
        prediction=values.get(columns.get("prediction")),
        truth=values.get(columns.get("truth")),
        confidence={
            label: _finite_numbers(values[column], label, arff)
            for label, column in confidences.items()
        },
        labels=tuple(confidences),
    )


def read_arff_column(path: str | os.PathLike, name: str) -> np.ndarray:
    """Read one nominal column of a dataset; its other columns are not parsed.

    Parameters
    ----------
    path : path-like
        An ARFF file with dense rows.
    name : str
        Name of the attribute. Quotes and blanks around it are ignored.

    Returns
    -------
    ndarray of shape (n_rows,), object
        Labels in the format of `label_text`, None if missing.

    Raises
    ------
    PredictionsError
        With the reason ``unreadable`` if the rows are sparse or there is not exactly one column
        of that name; with ``not_arff``, ``malformed_header``, ``malformed_row`` or ``no_rows`` as
        in `read_predictions`.
    OSError
        If the file cannot be opened.
    """
    arff = _Arff.of_bytes(Path(path).read_bytes(), str(path))
    columns = [
        column for column, other in enumerate(arff.names) if label_text(other) == label_text(name)
    ]
    if len(columns) != 1:
        raise arff.error("unreadable", f"{len(columns)} columns have the name {name!r}")
    if re.match(rb"\s*{", _without_skipped_lines(arff.data)):
        raise arff.error("unreadable", "the rows are sparse")
    return _columns(arff, numbers=[], texts=columns)[columns[0]]


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


class _Arff(NamedTuple):
    """An ARFF file split at its @data line.

    `data` is UTF-8 with line endings ``\\n``; `line` is the number of its first line in the file.
    """

    source: str
    names: list[str]
    data: bytes
    line: int

    @classmethod
    def of_bytes(cls, content: bytes, source: str) -> _Arff:
        content = _normalised(content)
        data_line = _DATA_LINE.search(content)
        if data_line is None:
            beginning = content[:60].decode("utf-8", errors="replace")
            raise PredictionsError(
                "not_arff", f"{source}: no @data line; the file begins with {beginning!r}"
            )
        header = content[: data_line.start()]
        return cls(
            source=source,
            names=_attribute_names(header.decode("utf-8"), source),
            data=content[data_line.end() + 1 :],
            line=header.count(b"\n") + 2,
        )

    def error(self, reason: str, message: str) -> PredictionsError:
        return PredictionsError(reason, f"{self.source}: {message}")


def _normalised(content: bytes) -> bytes:
    r"""Return the text as UTF-8 with line endings ``\n``, without byte-order mark and NUL bytes."""
    content = content.removeprefix(b"\xef\xbb\xbf").replace(b"\0", b"")
    if b"\r" in content:  # the search is much faster than the replacement
        content = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("latin-1").encode("utf-8")
    return content


def _attribute_names(header: str, source: str) -> list[str]:
    names = []
    for number, line in enumerate(header.split("\n"), 1):
        line = line.strip()
        if line[:10].lower() != "@attribute":
            continue
        name = _attribute_name(line)
        if name is None:
            raise PredictionsError(
                "malformed_header", f"{source}: line {number} is malformed: {line[:80]!r}"
            )
        names.append(name)
    return names


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


def _whole_numbers(values: np.ndarray, name: str, arff: _Arff) -> np.ndarray:
    is_whole = (values >= 0) & (values < _LARGEST_INDEX) & (values == np.floor(values))
    if not is_whole.all():
        raise arff.error(
            "bad_index", f"{name} is not a non-negative integer in row {_first_row(~is_whole)}"
        )
    return values.astype(np.int64)


def _finite_numbers(values: np.ndarray, label: str, arff: _Arff) -> np.ndarray:
    is_finite = np.isfinite(values)
    if not is_finite.all():
        raise arff.error(
            "bad_confidence",
            f"the confidence of {label!r} is not a finite number in row {_first_row(~is_finite)}",
        )
    return values


def _first_row(flags: np.ndarray) -> str:
    return f"{flags.argmax() + 1} of {len(flags)}"


def _columns(arff: _Arff, *, numbers: Sequence[int], texts: Sequence[int]) -> dict[int, np.ndarray]:
    """Read columns: numbers as float64 (NaN if not a number), texts as objects.

    The number of fields is checked in all rows.
    """
    columns = _read_at_once(arff, numbers, texts)
    return _read_row_by_row(arff, numbers, texts) if columns is None else columns


def _read_at_once(
    arff: _Arff, numbers: Sequence[int], texts: Sequence[int]
) -> dict[int, np.ndarray] | None:
    """Read the columns with pyarrow; None if they must be read row by row, which may fail."""
    rows = _without_skipped_lines(arff.data)
    if rows == b"\n" or not _quotes_enclose_fields(rows):
        return None
    types = dict.fromkeys(map(str, numbers), pa.float64())
    types |= dict.fromkeys(map(str, texts), pa.dictionary(pa.int32(), pa.string()))
    try:
        table = csv.read_csv(
            pa.BufferReader(rows),
            csv.ReadOptions(
                use_threads=False,  # two threads are not faster for files of the usual size
                block_size=len(rows),
                column_names=[str(column) for column in range(len(arff.names))],
            ),
            # _text removes the quotes, once for each distinct text.
            csv.ParseOptions(quote_char=False, double_quote=False, escape_char=False),
            csv.ConvertOptions(
                check_utf8=False,  # _normalised has checked it
                column_types=types,
                include_columns=list(types),
                null_values=[],
                strings_can_be_null=False,
            ),
        )
    except pa.ArrowInvalid:  # a wrong number of fields, or a value that is not a number
        return None
    columns = {column: table[str(column)].to_numpy().copy() for column in numbers}
    for column in texts:
        encoded = table[str(column)].combine_chunks()
        distinct = _object_array(map(_text, encoded.dictionary.to_pylist()))
        columns[column] = distinct[encoded.indices.to_numpy()]
    return columns


def _without_skipped_lines(data: bytes) -> bytes:
    """Return the rows, without comments and blank lines, after an initial line ending."""
    data = b"\n" + data.rstrip(b"\n") + b"\n"
    characters = np.frombuffer(data, np.uint8)
    first_of_line = characters[np.flatnonzero(characters[:-1] == _NEWLINE) + 1]
    if _are_any_of(b"% \t\n", first_of_line).any():
        return _SKIPPED_LINES.sub(b"", data)
    return data


def _quotes_enclose_fields(rows: bytes) -> bool:
    """Whether every field that begins with a quote ends with the same quote.

    Then no comma is inside quotes. The result is False if a blank could hide the first quote of a
    field, or an escape the last one.
    """
    if b"'" not in rows and b'"' not in rows:
        return True
    if b"\\" in rows:
        return False
    characters = np.frombuffer(rows, np.uint8)
    separators = np.flatnonzero(_are_any_of(b",\n", characters))
    # For an empty field, these are the separators around it.
    first = characters[separators[:-1] + 1]
    last = characters[separators[1:] - 1]
    if _are_any_of(b" \t", first).any():
        return False
    is_pair = (first == last) & (np.diff(separators) > 2)
    return bool((is_pair | ~_are_any_of(b"'\"", first)).all())


def _are_any_of(wanted: bytes, characters: np.ndarray) -> np.ndarray:
    return functools.reduce(operator.or_, [characters == one for one in wanted])


def _read_row_by_row(
    arff: _Arff, numbers: Sequence[int], texts: Sequence[int]
) -> dict[int, np.ndarray]:
    wanted = [*numbers, *texts]
    rows = [[fields[column] for column in wanted] for fields in _rows(arff)]
    if not rows:
        raise arff.error("no_rows", "there is no row after @data")
    columns = dict(zip(wanted, zip(*rows, strict=True), strict=True))
    return {
        column: np.array([_number(field) for field in fields])
        if column in numbers
        else _object_array(map(_text, fields))
        for column, fields in columns.items()
    }


def _rows(arff: _Arff) -> Iterator[list[str]]:
    """Yield the fields of each row, with their quotes."""
    for number, line in enumerate(arff.data.decode("utf-8").split("\n"), arff.line):
        line = line.strip(" \t")
        if not line or line.startswith("%"):
            continue
        fields = _fields(line, len(arff.names))
        if fields is None:
            raise arff.error(
                "malformed_row",
                f"line {number} does not have {len(arff.names)} fields as the header: "
                f"{line[:80]!r}",
            )
        yield fields


def _fields(line: str, n_fields: int) -> list[str] | None:
    """Split a row at commas or, if that does not give `n_fields` fields, at blanks."""
    for separated in (_BY_COMMAS, _BY_BLANKS):
        fields = _split(line, n_fields, separated)
        if len(fields) == n_fields and all(map(_is_complete, fields)):
            return fields
    return None


def _split(line: str, n_fields: int, separated: _Separated) -> list[str]:
    """Return the fields of a row, at most one more than `n_fields`."""
    fields = []
    position, never_closed = 0, set()
    while len(fields) <= n_fields:
        position = _BLANKS.match(line, position).end()
        quote = line[position : position + 1]
        closed = None
        if quote in separated.quoted and quote not in never_closed:
            closed = separated.quoted[quote].match(line, position + 1)
            if closed is None:
                never_closed.add(quote)  # none of the same quotes further on is closed either
        if closed is None:
            plain = separated.plain.match(line, position)
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


def _number(field: str) -> float:
    """Return the number in a field, NaN if it is not a number."""
    text = _text(field) or ""
    return float(text) if _NUMBER.fullmatch(text) else np.nan


def _object_array(values: Iterable) -> np.ndarray:
    return np.array(list(values), dtype=object)
