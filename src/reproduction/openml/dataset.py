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
    """Return a column of a dataset as text by row number, None where it is missing."""
    description = _description(server, dataset_id)

    def of_arff(path: Path) -> list[str | None]:
        _check_md5(path, description.md5)
        return list(read_arff_column(path, name))

    def checked(read: Callable[[Path], list[str | None]], path: Path) -> pd.Series:
        column = read(path)
        if len(column) < n_rows:
            raise ExcludedError("incomplete", f"{len(column)} rows of {n_rows}")
        return pd.Series(column, dtype=object)

    failures = []
    for url, kind, read in (
        (description.arff_url, "arff", of_arff),
        (description.parquet_url, "pq", partial(parquet_column, name=name)),
    ):
        try:
            return server.file(url, _name(dataset_id, kind), partial(checked, read))
        except ExcludedError as error:
            failures.append(str(error))
    raise RefusedError("; ".join(failures))


def forget(server: Server, dataset_id: int) -> None:
    """Remove the files of a dataset, so that they are requested again."""
    server.forget_document(_address(dataset_id))
    for kind in ("arff", "pq"):
        server.forget(_name(dataset_id, kind))


def _name(dataset_id: int, kind: str) -> str:
    return f"datasets/{dataset_id}.{kind}"


def _address(dataset_id: int) -> str:
    return f"data/{dataset_id}"


def _description(server: Server, dataset_id: int) -> DatasetDescription:
    read = partial(dataset_description, dataset_id=dataset_id)
    return server.document(_address(dataset_id), read)


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

    return server.file(description.arff_url, _name(dataset_id, "arff"), read)
