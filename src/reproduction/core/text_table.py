"""A user's file as a table: parquet, or text whose encoding and separator are found or stated.

Nothing is guessed: without the settings `encoding` and `sep`, a text file is read only if one
reading is possible. All cells of a text file are read as text.
"""

import codecs
import csv
import gzip
import io
from collections.abc import Collection, Iterator
from typing import Any
from zipfile import ZipFile

import pandas as pd

_SEPARATORS = (",", ";", "\t", "|", " ")
_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_CURE = "quotation marks must enclose whole fields, and be doubled within them"


def parse(
    content: bytes, columns: Collection[str], sep: str | None, encoding: str | None
) -> tuple[pd.DataFrame, str | None]:
    """The table of a file and, of a text file, its separator; a ValueError has the reason.

    The separator is the only one with which the header has most of `columns`; blanks are tried
    last. Each row must have as many fields as the header, and quotation marks enclose whole fields.
    Without any of `columns`, no row is read. A byte-order mark overrides `encoding`.
    """
    content = _unpacked(content)
    if content.startswith(b"PAR1"):
        return pd.read_parquet(io.BytesIO(content)), None
    text = _decoded(content, encoding)
    sep, names = _header(text, columns, sep)
    if set(columns).isdisjoint(names):
        return pd.DataFrame(columns=names), sep
    _check_rows(text, sep)
    table = pd.read_csv(
        io.StringIO(text), sep=sep, dtype=str, skipinitialspace=True, na_values="NaT"
    )
    table.columns = table.columns.str.strip()
    return table, sep


def _unpacked(content: bytes) -> bytes:
    if content.startswith(b"\x1f\x8b"):
        return gzip.decompress(content)
    if not content.startswith(b"PK"):
        return content
    with ZipFile(io.BytesIO(content)) as archive:
        # Names of folders end with a slash; macOS also adds hidden files.
        names = [each for each in archive.namelist() if not each.endswith("/")]
        names = [each for each in names if "/." not in f"/{each}"]
        if len(names) != 1:
            raise ValueError(f"must contain one file, got {names[:10]}; save a workbook as CSV")
        return archive.read(names[0])


def _decoded(content: bytes, encoding: str | None) -> str:
    marked = (name for mark, name in _MARKS.items() if content.startswith(mark))
    encoding = next(marked, encoding or "utf-8")
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        byte, where = content[error.start], _place(content[: error.start].count(b"\n") - 1)
        raise ValueError(
            f"byte {byte:#04x} in {where} is not {encoding}; set own_files.encoding, such as cp1252"
        ) from error
    if "\0" in text:
        raise ValueError("contains NUL characters; set own_files.encoding, such as utf-16-le")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _place(row: int) -> str:
    return "the header" if row < 0 else f"row {row}"


def _rows(text: str, sep: str, **options: Any) -> Iterator[list[str]]:
    """Fields of the header and of each row, without blank lines."""
    lines = io.StringIO(text, newline="")
    return filter(None, csv.reader(lines, delimiter=sep, skipinitialspace=True, **options))


def _header(text: str, columns: Collection[str], sep: str | None) -> tuple[str, list[str]]:
    """The separator and the names that it gives."""
    headers = {
        each: [name.strip() for name in next(_rows(text[:1_000_000], each), [])]
        for each in ([sep] if sep else _SEPARATORS)
    }
    n_found = {each: len(set(columns).intersection(names)) for each, names in headers.items()}
    chosen = max(n_found, key=n_found.__getitem__)
    possible = [each for each in n_found if each != " " and n_found[each] == n_found[chosen]]
    if len({tuple(headers[each]) for each in possible}) > 1 and n_found[chosen]:
        raise ValueError(f"can be read with each of the separators {possible}; set own_files.sep")
    names = [name for name in headers[chosen] if name]
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"has several columns named {repeated}")
    return chosen, headers[chosen]


def _check_rows(text: str, sep: str) -> None:
    """Each row must have one field per name of the header.

    A field that begins with a quotation mark ends at the next one, maybe rows later.
    """
    row, n_names = -2, 0  # the header is row -1
    try:
        for row, fields in enumerate(_rows(text, sep, strict=True), -1):
            n_names = n_names or len(fields)
            if len(fields) != n_names:
                raise ValueError(
                    f"row {row} has {len(fields)} fields, the header has {n_names}: {fields[:8]}; "
                    "quote separators in texts, name each column, or set own_files.sep"
                )
    except csv.Error as error:
        raise ValueError(f"{_place(row + 1)}: {error}; {_CURE}") from error
    if row + 1 < text.rstrip("\n").count("\n"):  # there are blank lines, or texts of several lines
        widths = [len(fields) for fields in _rows(text, sep, quoting=csv.QUOTE_NONE)]
        if len(widths) > row + 2 and set(widths) == {n_names}:
            raise ValueError(f"has {row + 1} or {len(widths) - 1} rows; {_CURE}")
