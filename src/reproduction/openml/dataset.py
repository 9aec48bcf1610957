"""Read datasets of an OpenML server: the target of a task, or all columns.

The order of the rows in a dataset's ARFF file defines the numbers of rows in predictions, and its
MD5 is known. Its parquet file is a copy without a checksum, which is used only where the ARFF file
cannot be.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from reproduction.openml.arff import Arff, read_arff_column
from reproduction.openml.documents import DatasetDescription, dataset_description
from reproduction.openml.reasons import ExcludedError, RefusedError
from reproduction.openml.server import Server

_LONGEST_LABEL = 10_000  # characters
_MOST_ROWS = 50_000_000


def target(server: Server, dataset_id: int, name: str, n_rows: int) -> pd.Series:
    """Return a column of a dataset as text by row number, None where it is missing.

    The column is kept, the file is not.
    """
    kept_as = _name_of_target(dataset_id, name)
    kept = server.kept(kept_as)
    if kept is None:
        description = _description(server, dataset_id)
        column, url = _column(server, description, name, n_rows)
        kept = {"target": column}
        server.keep(kept_as, kept, url)
    return pd.Series(kept["target"], dtype=object)


def forget_target(server: Server, dataset_id: int, name: str) -> None:
    """Remove what `target` has kept, so that it is requested again."""
    server.forget(_name_of_target(dataset_id, name))


def _name_of_target(dataset_id: int, name: str) -> str:
    return f"targets/{dataset_id}.{hashlib.sha256(name.encode()).hexdigest()[:8]}.json"


def _description(server: Server, dataset_id: int) -> DatasetDescription:
    read = partial(dataset_description, dataset_id=dataset_id)
    return server.document(f"data/{dataset_id}", read)


def _column(
    server: Server, description: DatasetDescription, name: str, n_rows: int
) -> tuple[list[str | None], str]:
    """Return a column, and the address of the file that it is from."""

    def checked(read: Callable[[Path], list[str | None]], path: Path) -> list[str | None]:
        column = read(path)
        if len(column) < n_rows:
            raise ExcludedError("incomplete", f"{len(column)} rows of {n_rows}")
        return column

    def of_arff(path: Path) -> list[str | None]:
        _check_md5(path, description.md5)
        return list(read_arff_column(path, name))

    failures = []
    for url, read in (
        (description.arff_url, of_arff),
        (description.parquet_url, partial(parquet_column, name=name)),
    ):
        try:
            return server.temporary_file(url, partial(checked, read)), url
        except ExcludedError as error:
            failures.append(str(error))
    raise RefusedError("; ".join(failures))


def _check_md5(path: Path, expected: str) -> None:
    """Raise `RefusedError` for another file than the one that the description is about."""
    with open(path, "rb") as file:
        found = hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()
    if expected and found != expected.lower():
        raise RefusedError(f"its MD5 is {found}, the server's description says {expected:.40}")


def parquet_column(path: Path, name: str) -> list[str | None]:
    """Read a column of numbers, times or text. Each distinct text is in memory once."""
    try:
        with pq.ParquetFile(path, read_dictionary=[name]) as file:
            if (n_rows := file.metadata.num_rows) > _MOST_ROWS:
                raise ExcludedError("unreadable", f"{n_rows} rows; the limit is {_MOST_ROWS}")
            column = file.read([name], use_threads=False).column(name).combine_chunks()
    except KeyError as error:
        raise ExcludedError("unreadable", f"no column of values is called {name!r}") from error
    except (pa.ArrowException, OSError, OverflowError) as error:
        raise RefusedError(f"not a readable parquet file: {error}") from error
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    kind = column.type.value_type
    if not (pa.types.is_primitive(kind) or pa.types.is_string(kind)):
        raise ExcludedError("unreadable", f"the column {name!r} has values of the type {kind}")
    values = [_label(value) for value in column.dictionary.to_pandas()]
    return [None if code is None else values[code] for code in column.indices.to_pylist()]


def _label(value: object) -> str | None:
    text = None if pd.isna(value) else str(value)
    if text is not None and len(text) > _LONGEST_LABEL:
        raise ExcludedError("unreadable", f"a label has {len(text)} characters")
    return text


def frame(server: Server, dataset_id: int) -> pd.DataFrame:
    """Return all columns of a dataset with dense rows, as its ARFF file has them."""
    description = _description(server, dataset_id)

    def read(path: Path) -> pd.DataFrame:
        _check_md5(path, description.md5)
        with open(path, "rb") as file:
            arff = Arff(file, str(path))
        try:
            return pd.read_csv(
                path,
                skiprows=arff.data_line,
                header=None,
                names=arff.names,
                index_col=False,
                na_values="?",
                comment="%",
                quotechar="'",
                escapechar="\\",
                skipinitialspace=True,
            )
        except ValueError as error:
            raise ExcludedError("unreadable", str(error)) from error

    return server.temporary_file(description.arff_url, read)
