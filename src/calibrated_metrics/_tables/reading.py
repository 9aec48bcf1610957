"""Ibis tables, and parquet files as Ibis tables of an embedded DuckDB."""

from __future__ import annotations

import glob
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from calibrated_metrics import _optional

__all__ = ["is_table", "opened", "without_statistics"]


def is_table(table: Any) -> bool:
    """Whether it is an Ibis table or a path. Ibis is not imported."""
    if isinstance(table, str | os.PathLike):
        return True
    bases = type(table).__mro__
    return any(base.__name__ == "Table" and base.__module__.startswith("ibis.") for base in bases)


@contextmanager
def opened(table: Any, argument: str) -> Iterator[Any]:
    """The Ibis table; parquet files are read by a DuckDB connection that ends with the block."""
    if not is_table(table):
        raise TypeError(
            f"{argument} must be an Ibis table, or the path of a parquet file, of a folder of "
            f"such files, or a glob, got {type(table).__module__}.{type(table).__qualname__}"
        )
    if isinstance(table, str | os.PathLike):
        with _parquet(table, argument) as of_files:
            yield of_files
    else:
        yield table


@contextmanager
def _parquet(path: str | os.PathLike[str], argument: str) -> Iterator[Any]:
    with _optional.extra("tables"):
        import duckdb
        import ibis
    files = _files(path, argument)
    with tempfile.TemporaryDirectory(prefix="calibrated_metrics-") as spilled:
        connection = ibis.duckdb.connect(
            memory_limit=f"{max(1024, _MIB_PER_CORE * (os.cpu_count() or 1))}MiB",
            preserve_insertion_order=False,
            temp_directory=spilled,
        )
        try:
            yield connection.read_parquet(files)
        except duckdb.OutOfMemoryException:
            raise
        except duckdb.Error as error:
            raise ValueError(
                f"{argument} must be readable parquet, got {os.fspath(path)!r}: {error}"
            ) from error
        finally:
            connection.disconnect()


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
