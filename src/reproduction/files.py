"""Read and write files. Writing is atomic: a reader finds a complete file or none."""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq


@contextmanager
def atomic_path(path: str | os.PathLike) -> Iterator[Path]:
    """Yield a temporary path that is renamed to `path` when the block succeeds.

    The temporary file is in the same folder, is flushed to disk before it is renamed, and is
    removed if the block raises. A killed process can leave a hidden temporary file, but never
    a partial `path`. Missing parent folders are created.

    Parameters
    ----------
    path : path-like
        The file to write. An existing file is replaced.

    Yields
    ------
    pathlib.Path
        The path to write to. It ends with the name of `path`, so it has the same suffix.

    Raises
    ------
    FileNotFoundError
        If the block did not write the temporary file.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    # tempfile is not used, because its files are readable by their owner only.
    temporary = path.with_name(f".{uuid4().hex}.{path.name}")
    try:
        yield temporary
        with open(temporary, "r+b") as written:
            os.fsync(written.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def sha256_of(path: str | os.PathLike) -> str:
    """Return the SHA-256 of a file as 64 lower-case hexadecimal digits."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_json(path: str | os.PathLike, content: Mapping) -> None:
    """Write a mapping atomically as indented UTF-8 JSON; the order of the keys is kept.

    Raises
    ------
    ValueError
        If a value is NaN or infinite, which JSON does not support.
    """
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
    with atomic_path(path) as temporary:
        temporary.write_text(text + "\n", encoding="utf-8", newline="\n")


def write_csv(frame: pd.DataFrame, path: str | os.PathLike) -> None:
    """Write a table atomically as UTF-8 CSV; equal tables give equal bytes.

    The index is not written. A float is written as the shortest text that round-trips, a
    missing value as an empty field.
    """
    with atomic_path(path) as temporary:
        frame.to_csv(temporary, index=False, lineterminator="\n", encoding="utf-8")


def write_parquet(
    frame: pd.DataFrame, path: str | os.PathLike, provenance: str | None = None
) -> None:
    """Write a table atomically as parquet, without the index.

    The metadata of the file have the text `provenance` under this name, if it is given.
    """
    with atomic_path(path) as temporary:
        if provenance is None:
            frame.to_parquet(temporary, index=False)
        else:
            table = pa.Table.from_pandas(frame, preserve_index=False)
            metadata = {**table.schema.metadata, "provenance": provenance}
            pq.write_table(table.replace_schema_metadata(metadata), temporary)


def read_table(path: str | os.PathLike) -> pd.DataFrame:
    """Read a table that `write_csv` or `write_parquet` wrote.

    In a table of tasks, the names of tasks and runs stay text, even where all are numbers.
    """
    if Path(path).suffix == ".parquet":
        return pd.read_parquet(path)
    of_tasks = "task" in pd.read_csv(path, nrows=0)
    names = ("task", "run", "name", "dataset") if of_tasks else ()
    return pd.read_csv(path, dtype=dict.fromkeys(names, "str"))


def joined(tables: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Concatenate the parts of a table, which several jobs made."""
    return pd.concat(tables)
