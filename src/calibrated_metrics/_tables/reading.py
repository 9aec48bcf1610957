"""Ibis tables, and parquet files as Ibis tables of an embedded DuckDB."""

from __future__ import annotations

import glob
import os
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any

from calibrated_metrics import _optional

__all__ = ["is_table", "opened", "result_of", "without_statistics"]


def is_table(table: Any) -> bool:
    """Whether it is an Ibis table or a path. Ibis is not imported."""
    if isinstance(table, str | os.PathLike):
        return True
    bases = type(table).__mro__
    return any(base.__name__ == "Table" and base.__module__.startswith("ibis.") for base in bases)


@contextmanager
def opened(table: Any, argument: str, columns: Iterable[Any]) -> Iterator[Any]:
    """The Ibis table; parquet files are read by a DuckDB connection that ends with the block.

    `columns` are the columns that will be used, which must have one type in all files.
    """
    if not is_table(table):
        raise TypeError(
            f"{argument} must be an Ibis table, or the path of a parquet file, of a folder of "
            f"such files, or a glob, got {type(table).__module__}.{type(table).__qualname__}"
        )
    if isinstance(table, str | os.PathLike):
        with _parquet(table, argument, set(columns)) as of_files:
            yield of_files
    else:
        yield table


@contextmanager
def _parquet(path: str | os.PathLike[str], argument: str, columns: set[Any]) -> Iterator[Any]:
    with _optional.extra("tables"):
        import duckdb
        import ibis
    files = _files(path, argument)
    _remove_leftovers()
    with tempfile.TemporaryDirectory(prefix=_SPILLED) as spilled:
        connection = ibis.duckdb.connect(
            memory_limit=f"{max(1024, _MIB_PER_CORE * (os.cpu_count() or 1))}MiB",
            preserve_insertion_order=False,
            temp_directory=spilled,
        )
        try:
            types = _types(connection, files)
            for column in columns & types.keys():
                _refuse_different_types(argument, column, types[column])
            # A folder such as month=5 gives its value to all rows in it: only if no file has this
            # column, because DuckDB would replace it.
            from_folders = not columns <= types.keys()
            yield connection.read_parquet(files, hive_partitioning=from_folders)
        except duckdb.OutOfMemoryException as error:
            if "offload" not in str(error):
                raise
            raise OSError(
                f"no space left in {os.path.dirname(spilled)} for the temporary files of this "
                "query; set TMPDIR to a larger disk"
            ) from error
        except duckdb.Error as error:
            raise ValueError(
                f"{argument} must be readable parquet, got {os.fspath(path)!r}: {error}"
            ) from error
        finally:
            connection.disconnect()


def _types(connection: Any, files: list[str]) -> dict[str, dict[str, str]]:
    """Type of each column in the files, with the first file that has it: {column: {type: file}}."""
    found: dict[str, dict[str, str]] = {}
    for file in files:
        for column, dtype in (
            connection.read_parquet(file, hive_partitioning=False).schema().items()
        ):
            found.setdefault(column, {}).setdefault(str(dtype), file)
    return found


def _refuse_different_types(argument: str, column: str, types: Mapping[str, str]) -> None:
    """DuckDB would convert each file to the types of the first one."""
    if len(types) > 1:
        (first, file), (second, other) = list(types.items())[:2]
        raise ValueError(
            f"{argument} must hold files in which {column!r} has one type, got {first} in "
            f"{file!r} and {second} in {other!r}"
        )


_SPILLED = "calibrated_metrics-"
_DAY = 86_400  # seconds


def _remove_leftovers() -> None:
    """Remove temporary files of queries that were killed, which DuckDB and Python leave."""
    for folder in glob.glob(os.path.join(tempfile.gettempdir(), f"{_SPILLED}*")):
        with suppress(OSError):
            if time.time() - os.stat(folder).st_mtime > _DAY:
                shutil.rmtree(folder)


def result_of(query: Any) -> Any:
    """The result of a query as a table of Arrow. An interrupt by the user ends a query of DuckDB.

    DuckDB itself notices an interrupt late. So the query runs in a thread, and the interrupt
    reaches this one.
    """
    engine = query.get_backend()
    if engine.name != "duckdb":
        return query.to_pyarrow()
    with ThreadPoolExecutor(1) as pool:
        result = pool.submit(query.to_pyarrow)
        try:
            return result.result()
        except KeyboardInterrupt:
            engine.con.interrupt()
            raise


_MIB_PER_CORE = 256  # what DuckDB's threads need to work; it writes the rest to disk


def _files(path: str | os.PathLike[str], argument: str) -> list[str]:
    pattern = os.fspath(path)
    if os.path.isdir(pattern):
        pattern = os.path.join(glob.escape(pattern), "**", "*.parquet")
    elif os.path.exists(pattern):
        pattern = glob.escape(pattern)
    if "://" in pattern:
        return [pattern]
    found = sorted(glob.glob(pattern, recursive=True))
    if not found:
        raise ValueError(
            f"{argument} must name at least one parquet file, got {os.fspath(path)!r}, which "
            "names none"
        )
    return [glob.escape(each) for each in found]  # DuckDB takes each name as a glob


_STATISTICS = "statistics_propagation"


@contextmanager
def without_statistics(table: Any) -> Iterator[None]:
    """Keep the DuckDB of a table from using statistics of columns in the block.

    Those of parquet files leave out NaN. DuckDB would take from them that a column holds none, and
    replace comparisons and tests for NaN by their results (duckdb/duckdb, issue 25521).
    """
    engine = table.get_backend()
    if engine.name != "duckdb":
        yield
        return
    (before,) = engine.raw_sql("SELECT current_setting('disabled_optimizers')").fetchone()
    disabled = ",".join(filter(None, [before, _STATISTICS]))
    engine.raw_sql(f"SET disabled_optimizers = '{disabled}'")
    try:
        yield
    finally:
        engine.raw_sql(f"SET disabled_optimizers = '{before}'")
