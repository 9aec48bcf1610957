"""Limits on files from elsewhere, so that a small file cannot fill the memory.

A file that is compressed, or that refers to its own parts, can be a thousand times as large in
memory as on disk. The limits are far above the files that the pipeline reads.
"""

from __future__ import annotations

import os
import re
from typing import BinaryIO
from xml.etree import ElementTree  # nosec B405 # parsed with `_NoEntities`
from xml.etree.ElementTree import Element  # nosec B405

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from reproduction.openml.download import ContentError

LARGEST_DOCUMENT = 100e6  # bytes of XML; the longest list of a server has about 11 MB
LARGEST_TABLE = 2e9  # bytes of a table in memory; the published fraud data have 71 MB
_INDEX = re.compile(r"__index_level_\d+__")  # where pandas stores an index
_BYTES_AT_ONCE = 10_000_000


def read_xml(path: str | os.PathLike) -> Element:
    """Return the root of an XML document.

    Raises
    ------
    ContentError
        If it is not an XML document, or declares a document type. Only such a declaration can
        define entities, which can expand to any size or name other files.
    """
    try:
        parser = ElementTree.XMLParser(target=_NoEntities())  # nosec B314 # see `_NoEntities`
        return ElementTree.parse(path, parser).getroot()  # nosec B314
    except (ElementTree.ParseError, LookupError, ValueError) as error:  # LookupError: encoding
        raise ContentError(f"not an XML document: {error}") from error


class _NoEntities(ElementTree.TreeBuilder):
    def doctype(self, name: str, pubid: str | None, system: str | None) -> None:
        raise ValueError(f"the document type {name!r} is declared, and could define entities")


def read_parquet(path: str | os.PathLike | BinaryIO, columns: list[str] | None = None):
    """Read a parquet file, which must not be larger than `LARGEST_TABLE` in memory.

    Parameters
    ----------
    path : path-like or binary file
    columns : list of str, optional
        Columns to read; by default all. They must hold numbers, times or text.

    Returns
    -------
    pandas.DataFrame

    Raises
    ------
    ValueError
        If the file is damaged, is not a parquet file, is too large, lacks a column, or has a column
        of another type, such as lists.
    """
    try:
        with pq.ParquetFile(path) as file:
            schema = file.schema_arrow
            wanted = columns or [name for name in schema.names if not _INDEX.fullmatch(name)]
            if missing := sorted(set(wanted) - set(schema.names)):
                raise ValueError(f"there is no column {missing[0]!r}")
            text = [name for name in wanted if _is_text(schema, name)]
        # A text of a megabyte may occur in each row, so texts are counted before they are repeated.
        with pq.ParquetFile(path, read_dictionary=text) as file:
            return _within_limit(file, wanted).to_pandas(ignore_metadata=True)
    except (pa.ArrowException, OSError, OverflowError) as error:
        raise ValueError(f"not a readable parquet file: {error}") from error


def _is_text(schema: pa.Schema, name: str) -> bool:
    """Whether a column holds text. Its values have a bounded size otherwise, or it is refused."""
    if schema.names.count(name) > 1:
        raise ValueError(f"the column {name!r} occurs twice")
    kind = schema.field(name).type
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return True
    if not (pa.types.is_primitive(kind) or pa.types.is_decimal(kind) or pa.types.is_null(kind)):
        raise ValueError(f"the column {name!r} must hold numbers, times or text, but has {kind}")
    return False


def _within_limit(file: pq.ParquetFile, columns: list[str]) -> pa.Table:
    bytes_of_a_row = 8 * max(len(columns), 1)
    _refuse_above_limit(file.metadata.num_rows * bytes_of_a_row)
    batches, n_bytes = [], 0
    n_rows = max(_BYTES_AT_ONCE // bytes_of_a_row, 1)
    for batch in file.iter_batches(n_rows, columns=columns, use_threads=False):
        n_bytes += sum(map(_size, batch.columns))
        _refuse_above_limit(n_bytes)
        batches.append(batch)
    table = pa.Table.from_batches(batches) if batches else file.schema_arrow.empty_table()
    return table.select(columns).cast(
        pa.schema(
            (name, kind.value_type if pa.types.is_dictionary(kind) else kind)
            for name, kind in ((name, table.schema.field(name).type) for name in columns)
        )
    )


def _size(column: pa.Array) -> int:
    """Bytes of the values of a column, with repetitions."""
    if not pa.types.is_dictionary(column.type):
        return column.nbytes
    if not pa.types.is_string(column.type.value_type):
        return 8 * len(column)
    lengths = pc.binary_length(column.dictionary)
    return 4 * len(column) + (pc.sum(lengths.take(column.indices).cast(pa.int64())).as_py() or 0)


def _refuse_above_limit(n_bytes: int) -> None:
    if n_bytes > LARGEST_TABLE:
        raise ValueError(f"larger than {LARGEST_TABLE / 1e6:,.0f} MB in memory")
