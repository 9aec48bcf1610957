"""Limits on files from elsewhere, so that a small file cannot fill the memory.

A file that is compressed, or that refers to its own parts, can be a thousand times as large in
memory as on disk. The limits are far above the files that the pipeline reads.
"""

from __future__ import annotations

import os
from xml.etree import ElementTree  # nosec B405: parsed with `_NoEntities`
from xml.etree.ElementTree import Element  # nosec B405

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from reproduction.data.download import ContentError

__all__ = ["LARGEST_DOCUMENT", "LARGEST_TABLE", "read_parquet", "read_xml"]

LARGEST_DOCUMENT = 100e6  # bytes of XML; the longest list of a server has about 11 MB
LARGEST_TABLE = 2e9  # bytes of a table in memory; the published fraud data have 71 MB
_ROWS_AT_ONCE = 4096


def read_xml(path: str | os.PathLike) -> Element:
    """Return the root of an XML document.

    Raises
    ------
    ContentError
        If it is not an XML document, or declares a document type. Only such a declaration can
        define entities, which can expand to any size or name other files.
    """
    try:
        parser = ElementTree.XMLParser(target=_NoEntities())  # nosec B314: see `_NoEntities`
        return ElementTree.parse(path, parser).getroot()  # nosec B314
    except (ElementTree.ParseError, LookupError, ValueError) as error:  # LookupError: encoding
        raise ContentError(f"not an XML document: {error}") from error


class _NoEntities(ElementTree.TreeBuilder):
    def doctype(self, name: str, pubid: str | None, system: str | None) -> None:
        raise ValueError(f"the document type {name!r} is declared, and could define entities")


def read_parquet(path: str | os.PathLike, columns: list[str] | None = None) -> pd.DataFrame:
    """Read a parquet file, which must not be larger than `LARGEST_TABLE` in memory.

    Parameters
    ----------
    path : path-like
    columns : list of str, optional
        Columns to read; by default all. Columns of text become categorical.

    Raises
    ------
    ValueError
        If the file is damaged, is not a parquet file, is too large, or lacks a column.
    """
    try:
        with pq.ParquetFile(path) as file:
            text = [
                field.name
                for field in file.schema_arrow
                if pa.types.is_string(field.type) or pa.types.is_large_string(field.type)
            ]
            missing = sorted(set(columns or ()) - set(file.schema_arrow.names))
            if missing:
                raise ValueError(f"lacks the columns {missing}")
        # Repeated texts stay together: a text of a megabyte may occur in each row.
        with pq.ParquetFile(path, read_dictionary=text) as file:
            return _within_limit(file, columns).to_pandas()
    except (pa.ArrowException, OSError, OverflowError) as error:
        raise ValueError(f"not a readable parquet file: {error}") from error


def _within_limit(file: pq.ParquetFile, columns: list[str] | None) -> pa.Table:
    n_columns = len(columns or file.schema_arrow.names)
    if file.metadata.num_rows * n_columns * 8 > LARGEST_TABLE:
        raise ValueError(
            f"{file.metadata.num_rows} rows of {n_columns} columns are larger than "
            f"{LARGEST_TABLE / 1e6:,.0f} MB"
        )
    batches, n_bytes = [], 0
    for batch in file.iter_batches(_ROWS_AT_ONCE, columns=columns, use_threads=False):
        n_bytes += batch.nbytes
        if n_bytes > LARGEST_TABLE:
            raise ValueError(f"larger than {LARGEST_TABLE / 1e6:,.0f} MB in memory")
        batches.append(batch)
    return pa.Table.from_batches(batches) if batches else file.schema_arrow.empty_table()
