"""Read the ARFF files of OpenML: the predictions of a run, the target of a dataset.

A dozen programs have written these files, and no two families agree on quotes, on escapes or on
the order of the columns. Rows that commas alone divide go through pyarrow; the others are divided
one by one, by the same rules.
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

__all__ = [
    "PredictionsError",
    "PredictionsFile",
    "label_text",
    "read_arff_column",
    "read_predictions",
    "read_predictions_bytes",
]

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
_ATTRIBUTE = re.compile(
    r"""@attribute[ \t]+
    (?:
        (?P<quote>['"]) (?P<quoted>(?:\\.|[^\\])*?) (?P=quote) [ \t]*
        | (?P<bare>[^\s'"].*?) (?:[ \t]+|(?={))
    )
    # Told exactly, because a bare name may hold blanks: it ends where the type begins.
    (?: {.*} | numeric | real | integer | string | relational | date(?:[ \t]+['"].*)? )
    [ \t]* (?:[\[{%].*)?
    """,
    re.IGNORECASE | re.VERBOSE,
)
_ESCAPE = re.compile(r"""\\(?:u([0-9a-fA-F]{4})|([0-7]{3})|([\\'"%ntr]))""")
_CONTROL = {"n": "\n", "t": "\t", "r": "\r"}

_SKIPPED_LINES = re.compile(rb"\n[ \t]*(?:%[^\n]*)?(?=\n)")
_PAIR = r"""(?:'(?:\\.|[^\\])*?'|"(?:\\.|[^\\])*?")"""
_QUOTED = re.compile(_PAIR)
# A quote that no separator follows is taken for a part of the text.
_AFTER_COMMA = re.compile(r",[ \t]*(" + _PAIR + r"(?=[ \t]*(?:,|\Z))|[^,]*?)[ \t]*(?=,|\Z)")
_AFTER_BLANK = re.compile(r"[ \t]+(" + _PAIR + r"(?=[ \t]|\Z)|[^ \t]+)")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_NEWLINE = ord("\n")
_LARGEST_INDEX = 2**53  # above it, float64 skips whole numbers


class PredictionsError(ValueError):
    """A file cannot be used.

    Attributes
    ----------
    reason : str
        Why, in one snake_case word that programs can count.
    """

    def __init__(self, reason: str, message: str):
        super().__init__(reason, message)  # both, so that the error can be pickled
        self.reason = reason

    def __str__(self) -> str:
        return self.args[1]


@dataclass(frozen=True, eq=False)
class PredictionsFile:
    """What a model of two classes predicted, row by row, in the order of the file.

    Labels are in the form of `label_text`.

    Attributes
    ----------
    repeat, fold, row_id : ndarray of shape (n_rows,), int64
        At least 0.
    prediction, truth : ndarray of shape (n_rows,), object, or None
        Strings, None where the file says "missing"; None instead of the array where the file has
        no such column. Neither is compared with `labels`. Some writers exchanged the two.
    confidence : dict of str to ndarray of shape (n_rows,), float64
        By label, in file order; finite, not necessarily in [0, 1].
    labels : tuple of two str
        The labels that have a confidence, in file order: an order without meaning.
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

    Columns are found by their names, whatever their order and declared type. Byte-order marks,
    NUL bytes, any line ends, comments, blank lines, either quote, escapes, blanks instead of
    commas between the fields of a row, and Latin-1 where the file is not UTF-8, are understood.

    Parameters
    ----------
    path : path-like
        An ARFF file as Weka, MOA, mlr, Shark or OpenML's Python client write it.

    Returns
    -------
    PredictionsFile

    Raises
    ------
    PredictionsError
        With the reason

        - ``not_arff``: there is no @data line;
        - ``malformed_header``: an attribute cannot be read, or a column is there twice;
        - ``missing_column``: repeat, fold or row_id is not there;
        - ``no_confidences``, ``not_binary``: there are no confidences, or not those of two labels;
        - ``malformed_row``: a row has not as many fields as the header; its line is named;
        - ``no_rows``: nothing follows the @data line;
        - ``learning_curve``: there are several values of sample;
        - ``bad_index``: a repeat, fold or row_id is not a whole number, at least 0;
        - ``bad_confidence``: a confidence is not a finite number.
    OSError
        The file cannot be opened.
    """
    return read_predictions_bytes(Path(path).read_bytes(), str(path))


def read_predictions_bytes(content: bytes, source: str) -> PredictionsFile:
    """Read predictions from the bytes of a file; see `read_predictions`.

    Parameters
    ----------
    content : bytes
        The whole file, without any compression.
    source : str
        What error messages call the file.

    Returns
    -------
    PredictionsFile

    Raises
    ------
    PredictionsError
        As `read_predictions` does.
    """
    arff = _Arff.of_bytes(content, source)
    columns = _prediction_columns(arff)
    confidences = _confidence_columns(arff)
    texts = [columns[name] for name in ("sample", "prediction", "truth") if name in columns]
    numbers = [columns[name] for name in _INDICES] + list(confidences.values())
    values = _columns(arff, numbers=numbers, texts=texts)
    if "sample" in columns and len(set(values[columns["sample"]])) > 1:
        raise arff.error("learning_curve", "there are several values of sample")
    return PredictionsFile(
        **{name: _whole(values[columns[name]], name, arff) for name in _INDICES},
        prediction=values.get(columns.get("prediction")),
        truth=values.get(columns.get("truth")),
        confidence={
            label: _finite(values[column], label, arff) for label, column in confidences.items()
        },
        labels=tuple(confidences),
    )


def read_arff_column(path: str | os.PathLike, name: str) -> np.ndarray:
    """Read one nominal column of a dataset, whatever its other columns hold.

    Parameters
    ----------
    path : path-like
        An ARFF file with dense rows.
    name : str
        The attribute; quotes and blanks around its name do not matter.

    Returns
    -------
    ndarray of shape (n_rows,), object
        Labels in the form of `label_text`, None where one is missing.

    Raises
    ------
    PredictionsError
        With the reason ``unreadable`` where the rows are sparse or there is not one column of
        that name; ``not_arff``, ``malformed_header``, ``malformed_row`` or ``no_rows`` as
        `read_predictions` does.
    OSError
        The file cannot be opened.
    """
    arff = _Arff.of_bytes(Path(path).read_bytes(), str(path))
    columns = [
        column for column, other in enumerate(arff.names) if label_text(other) == label_text(name)
    ]
    if len(columns) != 1:
        raise arff.error("unreadable", f"{len(columns)} columns are called {name!r}")
    if re.match(rb"\s*{", _without_skipped_lines(arff.data)):
        raise arff.error("unreadable", "its rows are sparse")
    return _columns(arff, numbers=[], texts=columns)[columns[0]]


def label_text(text: str) -> str:
    """Return a label without the blanks and pairs of quotes around it.

    Weka calls the bins of a number ``'(-inf-0.5]'``, quotes included, and other programs leave
    them out: labels of different files are equal if they are so in this form.

    Examples
    --------
    >>> label_text(" '(-inf-0.5]' ")
    '(-inf-0.5]'
    >>> label_text("it's")
    "it's"
    """
    text = text.strip()
    while len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        text = text[1:-1].strip()
    return text


class _Arff(NamedTuple):
    """A file divided at its @data line.

    `data` is UTF-8 with line ends ``\\n``, and `line` the number of its first line in the file.
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
                "not_arff", f"{source}: no @data line; it begins with {beginning!r}"
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
    r"""Return the text as UTF-8 with line ends ``\n``, without byte-order mark and NUL bytes."""
    content = content.removeprefix(b"\xef\xbb\xbf").replace(b"\0", b"")
    if b"\r" in content:  # far faster to find than to replace
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
        match = _ATTRIBUTE.fullmatch(line)
        if match is None:
            raise PredictionsError(
                "malformed_header", f"{source}: line {number} is not an attribute: {line[:80]!r}"
            )
        bare = match["bare"]
        # OpenML's Python client writes names without escapes, in no quotes if it can.
        names.append((_unescaped(match["quoted"]) if bare is None else bare).strip())
    return names


def _unescaped(text: str) -> str:
    """Undo the escapes of Weka and liac-arff; a backslash before anything else stays."""

    def character(match: re.Match) -> str:
        unicode, octal, one = match.groups()
        if one is not None:
            return _CONTROL.get(one, one)
        return chr(int(unicode, 16)) if octal is None else chr(int(octal, 8))

    return _ESCAPE.sub(character, text)


def _prediction_columns(arff: _Arff) -> dict[str, int]:
    """Return the column of each field that the file has, the confidences aside."""
    if len(set(arff.names)) < len(arff.names):
        raise arff.error("malformed_header", "two attributes have the same name")
    found = {}
    for field, accepted in _COLUMNS.items():
        columns = [column for column, name in enumerate(arff.names) if name.lower() in accepted]
        if len(columns) > 1:
            raise arff.error("malformed_header", f"{len(columns)} columns could be the {field}")
        if columns:
            found[field] = columns[0]
        elif field in _INDICES:
            raise arff.error("missing_column", f"there is no column {' or '.join(accepted)}")
    return found


def _confidence_columns(arff: _Arff) -> dict[str, int]:
    """Return the column of each label's confidence."""
    named = [
        (label_text(name[len(_CONFIDENCE) :]), column)
        for column, name in enumerate(arff.names)
        if name.lower().startswith(_CONFIDENCE)
    ]
    found = dict(named)
    if len(found) < len(named):
        raise arff.error("malformed_header", "a label has two columns of confidences")
    if not found:
        raise arff.error("no_confidences", "there is no column of confidences")
    if len(found) != 2:
        raise arff.error("not_binary", f"there are confidences of {len(found)} labels")
    return found


def _whole(values: np.ndarray, name: str, arff: _Arff) -> np.ndarray:
    is_whole = (values >= 0) & (values < _LARGEST_INDEX) & (values == np.floor(values))
    if not is_whole.all():
        raise arff.error(
            "bad_index", f"{name} is not a whole number, at least 0, in row {_first(~is_whole)}"
        )
    return values.astype(np.int64)


def _finite(values: np.ndarray, label: str, arff: _Arff) -> np.ndarray:
    is_finite = np.isfinite(values)
    if not is_finite.all():
        raise arff.error(
            "bad_confidence",
            f"the confidence of {label!r} is not a finite number in row {_first(~is_finite)}",
        )
    return values


def _first(flags: np.ndarray) -> str:
    return f"{flags.argmax() + 1} of {len(flags)}"


def _columns(arff: _Arff, *, numbers: Sequence[int], texts: Sequence[int]) -> dict[int, np.ndarray]:
    """Read some columns: numbers as float64, NaN where there is none; texts as objects.

    All rows are checked for the right number of fields.
    """
    columns = _read_at_once(arff, numbers, texts)
    return _read_row_by_row(arff, numbers, texts) if columns is None else columns


def _read_at_once(
    arff: _Arff, numbers: Sequence[int], texts: Sequence[int]
) -> dict[int, np.ndarray] | None:
    """Read the columns fast; None where it takes the row by row reader, perhaps to fail."""
    rows = _without_skipped_lines(arff.data)
    if rows == b"\n" or not _quotes_enclose_fields(rows):
        return None
    types = dict.fromkeys(map(str, numbers), pa.float64())
    types |= dict.fromkeys(map(str, texts), pa.dictionary(pa.int32(), pa.string()))
    try:
        table = csv.read_csv(
            pa.BufferReader(rows),
            csv.ReadOptions(
                use_threads=False,  # two are no faster on files of the usual size
                block_size=len(rows),
                column_names=[str(column) for column in range(len(arff.names))],
            ),
            # Quotes are left to _text, which sees each distinct text once.
            csv.ParseOptions(quote_char=False, double_quote=False, escape_char=False),
            csv.ConvertOptions(
                check_utf8=False,  # _normalised did
                column_types=types,
                include_columns=list(types),
                null_values=[],
                strings_can_be_null=False,
            ),
        )
    except pa.ArrowInvalid:  # a wrong number of fields, or something else than a number
        return None
    columns = {column: table[str(column)].to_numpy().copy() for column in numbers}
    for column in texts:
        encoded = table[str(column)].combine_chunks()
        distinct = _objects(map(_text, encoded.dictionary.to_pylist()))
        columns[column] = distinct[encoded.indices.to_numpy()]
    return columns


def _without_skipped_lines(data: bytes) -> bytes:
    """Return a line end, then the rows, each with its own, without comments and blank lines."""
    data = b"\n" + data.rstrip(b"\n") + b"\n"
    characters = np.frombuffer(data, np.uint8)
    first_of_line = characters[np.flatnonzero(characters[:-1] == _NEWLINE) + 1]
    if _are_any_of(b"% \t\n", first_of_line).any():
        return _SKIPPED_LINES.sub(b"", data)
    return data


def _quotes_enclose_fields(rows: bytes) -> bool:
    """Whether every field that begins with a quote ends with it too.

    Then no comma lies within quotes. Where a blank could hide the first quote of a field, or an
    escape the last one, the answer is no.
    """
    if b"'" not in rows and b'"' not in rows:
        return True
    if b"\\" in rows:
        return False
    characters = np.frombuffer(rows, np.uint8)
    separators = np.flatnonzero(_are_any_of(b",\n", characters))
    # Of an empty field these are the separators around it.
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
        else _objects(map(_text, fields))
        for column, fields in columns.items()
    }


def _rows(arff: _Arff) -> Iterator[list[str]]:
    """Yield the fields of each row, in their quotes."""
    for number, line in enumerate(arff.data.decode("utf-8").split("\n"), arff.line):
        line = line.strip(" \t")
        if not line or line.startswith("%"):
            continue
        fields = _fields(line, len(arff.names))
        if fields is None:
            raise arff.error(
                "malformed_row",
                f"line {number} has not the {len(arff.names)} fields of the header: {line[:80]!r}",
            )
        yield fields


def _fields(line: str, n_fields: int) -> list[str] | None:
    """Divide a row at its commas or, if that fails, at its blanks."""
    for divided, line_after_separator in ((_AFTER_COMMA, f",{line}"), (_AFTER_BLANK, f" {line}")):
        fields = divided.findall(line_after_separator)
        if len(fields) == n_fields and all(map(_is_complete, fields)):
            return fields
    return None


def _is_complete(field: str) -> bool:
    """Whether a field is in a pair of quotes, or is no part of one that is."""
    return (field[:1] not in ("'", '"') and "," not in field) or _is_quoted(field)


def _is_quoted(field: str) -> bool:
    return _QUOTED.fullmatch(field) is not None


def _text(field: str) -> str | None:
    """Return the label that a field holds, None where it is missing."""
    field = field.strip(" \t")
    if field in ("", "?"):
        return None
    return label_text(_unescaped(field[1:-1]) if _is_quoted(field) else field)


def _number(field: str) -> float:
    """Return the number that a field holds, NaN where it holds none."""
    text = _text(field) or ""
    return float(text) if _NUMBER.fullmatch(text) else np.nan


def _objects(values: Iterable) -> np.ndarray:
    return np.array(list(values), dtype=object)
