"""Ibis tables, and parquet files as Ibis tables of an embedded DuckDB."""

from __future__ import annotations

import glob
import os
import re
import tempfile
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from calibrated_metrics import _messages

__all__ = ["opened", "result_of"]

_MIB_PER_CORE = 256  # minimum for DuckDB's threads; it writes the rest to disk
_OF_FOLDER = re.compile(r"([^/\\]+)=[^/\\]*[/\\]")  # a column in a path, such as month=5/
_OTHERS = (
    "; for a CSV file, pass ibis.duckdb.connect().read_csv(path), for a file of DuckDB "
    "ibis.duckdb.connect(path).table(name), and for a file of Excel pandas.read_excel(path)"
)
_IN_USE = "another thread uses the DuckDB connection of this table: give each thread its own"


def opened(table: Any, argument: str, columns: Iterable[str]) -> AbstractContextManager[Any]:
    """The Ibis table; parquet files are read by a DuckDB connection that ends with the block.

    `columns` are the columns that will be used, which must have one type in all files.
    """
    if isinstance(table, str | os.PathLike):
        return _parquet(os.fspath(table), argument, set(columns))
    bases = type(table).__mro__
    if any(base.__name__ == "Table" and base.__module__.startswith("ibis.") for base in bases):
        return nullcontext(table)
    several = "; several files: a glob, or ibis.read_parquet([path, ...])"
    raise TypeError(
        f"{argument} must be an Ibis table, or the path of a parquet file, of a folder of such "
        f"files, or a glob, got {type(table).__module__}.{type(table).__qualname__}"
        f"{several if isinstance(table, list | tuple) else ''}"
    )


@contextmanager
def _parquet(path: str, argument: str, columns: set[str]) -> Iterator[Any]:
    """Rows of files in a DuckDB that uses a temporary folder if its memory is full."""
    with _messages.extra("tables"):
        import duckdb
        import ibis
    with tempfile.TemporaryDirectory(prefix="calibrated_metrics-") as spilled:
        connection = ibis.duckdb.connect(
            memory_limit=f"{max(1024, _MIB_PER_CORE * (os.cpu_count() or 1))}MiB",
            preserve_insertion_order=False,
            temp_directory=spilled,
        )
        try:
            files = _files(connection, path, argument)
            yield _rows(connection, files, argument, columns)
        except duckdb.Error as error:
            if "failed to offload" in str(error):
                folder = os.path.dirname(spilled)
                raise OSError(f"no space left in {folder}: set TMPDIR to a larger disk") from error
            if isinstance(error, duckdb.OutOfMemoryException):
                raise
            reason = str(error).partition("\n")[0]
            unreadable = f"{argument} must be readable parquet, got {path!r}{_OTHERS} ({reason})"
            raise ValueError(unreadable) from error
        finally:
            connection.disconnect()


def _files(connection: Any, path: str, argument: str) -> list[str]:
    if "://" in path:
        query = connection.con.execute("SELECT file FROM glob(?)", [path])
        found = sorted(file for (file,) in query.fetchall())
    else:
        pattern = glob.escape(path) if os.path.exists(path) else path
        if os.path.isdir(path):
            pattern = os.path.join(pattern, "**", "*.parquet")
        found = sorted(glob.glob(pattern, recursive=True))
    if not found:
        raise ValueError(f"{argument} names no parquet file: nothing found at {path!r}{_OTHERS}")
    # DuckDB takes each name as a glob. The address of one file may have a query, such as ?key=1.
    return found if "://" in path and found == [path] else [glob.escape(each) for each in found]


def _rows(connection: Any, files: list[str], argument: str, columns: set[str]) -> Any:
    """The rows of parquet files. DuckDB would convert each file to the types of the first one."""
    types: dict[str, tuple[Any, str]] = {}  # type of each column, and the first file with it
    for file in files:
        schema = connection.read_parquet(file, hive_partitioning=False).schema()
        for column in columns & set(schema):
            dtype, first = types.setdefault(column, (schema[column], file))
            if schema[column] != dtype:
                raise ValueError(
                    f"{argument} must hold files in which {column!r} has one type, got {dtype} in "
                    f"{first!r} and {schema[column]} in {file!r}"
                )
    # A folder such as month=5 becomes a column of its rows, but only if a column is in no file,
    # because DuckDB would replace the columns of the files.
    of_folders = not columns <= types.keys()
    if of_folders:
        names = {name.lower() for file in files for name in _OF_FOLDER.findall(file)}
        if both := [column for column in sorted(types) if column.lower() in names]:
            raise ValueError(
                f"{argument} must hold {both[0]!r} either in its files or in the names of their "
                f"folders, got both, in {types[both[0]][1]!r}"
            )
    rows = connection.read_parquet(files, hive_partitioning=of_folders)
    in_zone = {
        column: rows[column].cast(zone)
        for column, (dtype, first) in types.items()
        if dtype.is_timestamp() and (zone := _zone(first, column, dtype)) != dtype
    }
    return rows.mutate(**in_zone) if in_zone else rows


def _zone(file: str, column: str, dtype: Any) -> Any:
    """The type of a timestamp with the time zone that a local file names, which DuckDB replaces."""
    if dtype.timezone is None or "://" in file:
        return dtype
    from pyarrow import parquet

    (name,) = glob.glob(file)
    stored = parquet.read_schema(name).field(column).type
    return dtype.copy(timezone=getattr(stored, "tz", None) or dtype.timezone)


def result_of(query: Any) -> Any:
    """The result of a query as an Arrow table. An interrupt by the user ends a DuckDB query.

    DuckDB notices an interrupt late. Therefore the query runs in another thread, and this thread
    receives the interrupt.
    """
    engine = query.get_backend()
    if engine.name != "duckdb":
        try:
            return query.to_pyarrow()
        except Exception as error:  # each engine has classes of its own
            what = f"{type(error).__name__}: {error}"
            raise RuntimeError(f"the table could not be read by {engine.name}: {what}") from error
    with ThreadPoolExecutor(1) as pool:
        result = pool.submit(query.to_pyarrow)
        try:
            return result.result()
        except KeyboardInterrupt:
            while not result.done():  # DuckDB ignores interrupts between parts
                engine.con.interrupt()
                time.sleep(0.1)
            raise
        except Exception as error:
            if type(error).__name__ == "ResourceInUseException":
                raise RuntimeError(_IN_USE) from error
            raise
