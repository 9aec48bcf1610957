"""Read datasets of an OpenML server: the target of a task, or all columns.

The order of the rows in a dataset's ARFF file defines the numbers of rows in predictions. The
server's parquet copies are not used: they have no checksum, and may differ from the ARFF file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

import pandas as pd

from reproduction.openml.arff import Arff, read_arff_column
from reproduction.openml.documents import dataset_description
from reproduction.openml.reasons import ExcludedError, RefusedError
from reproduction.openml.server import Server

_Result = TypeVar("_Result")


def target(server: Server, dataset_id: int, name: str, n_rows: int) -> pd.Series:
    """Return a column of a dataset as text by row number, None where it is missing."""

    def read(path: Path) -> pd.Series:
        column = read_arff_column(path, name)
        if len(column) < n_rows:
            raise ExcludedError("incomplete", f"{len(column)} rows of {n_rows}")
        return pd.Series(column, dtype=object)

    return _read(server, dataset_id, read)


def frame(server: Server, dataset_id: int) -> pd.DataFrame:
    """Return all columns of a dataset with dense rows, as its ARFF file has them."""

    def read(path: Path) -> pd.DataFrame:
        with open(path, "rb") as file:
            arff = Arff(file, str(path))
        options = {"na_values": "?", "comment": "%", "quotechar": "'", "index_col": False}
        try:
            return pd.read_csv(path, skiprows=arff.data_line, names=arff.names, **options)
        except ValueError as error:
            raise ExcludedError("unreadable", str(error)) from error

    return _read(server, dataset_id, read)


def forget(server: Server, dataset_id: int) -> None:
    """Remove the files of a dataset, so that they are requested again."""
    server.forget_document(f"data/{dataset_id}")
    server.forget(f"datasets/{dataset_id}.arff")


def _read(server: Server, dataset_id: int, read: Callable[[Path], _Result]) -> _Result:
    """Return what `read` makes of the file that the description is about, as its MD5 tells."""
    description = partial(dataset_description, dataset_id=dataset_id)
    url, md5 = server.document(f"data/{dataset_id}", description)

    def checked(path: Path) -> _Result:
        with open(path, "rb") as file:
            found = hashlib.file_digest(file, partial(hashlib.md5, usedforsecurity=False))
        if md5 and found.hexdigest() != md5.lower():
            problem = f"its MD5 is {found.hexdigest()}, the server's description says {md5:.40}"
            raise RefusedError(problem)
        return read(path)

    try:
        return server.file(url, f"datasets/{dataset_id}.arff", checked)
    except ExcludedError as error:
        if not error.is_final:
            forget(server, dataset_id)
        raise
