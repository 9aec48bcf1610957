"""Read and write files. Writing is atomic: a reader finds a complete file or none."""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import pandas as pd


@contextmanager
def atomic_path(path: str | os.PathLike) -> Iterator[Path]:
    """Give a temporary path that becomes `path` when the block succeeds.

    The temporary file lies in the same folder, reaches the disk before it is renamed, and
    is removed when the block raises. A killed process can leave a hidden temporary file
    behind, never a partial `path`. Missing parent folders are created.

    Parameters
    ----------
    path : path-like
        Destination. An existing file is replaced.

    Yields
    ------
    pathlib.Path
        The path to write to. It ends with the name of `path`, so a writer that looks at the
        suffix sees the same one.

    Raises
    ------
    FileNotFoundError
        The block succeeded without writing the temporary file.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    # tempfile would create files that only their owner can read.
    temporary = path.with_name(f".{uuid4().hex}.{path.name}")
    try:
        yield temporary
        with open(temporary, "r+b") as written:
            os.fsync(written.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def sha256_of(path: str | os.PathLike) -> str:
    """Return the SHA-256 of a file's bytes, as 64 lower-case hexadecimal digits."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_json(path: str | os.PathLike, content: Mapping) -> None:
    """Write a mapping as indented UTF-8 JSON, atomically, keys in their given order.

    Raises
    ------
    ValueError
        A value is NaN or infinite, which JSON cannot represent.
    """
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
    with atomic_path(path) as temporary:
        temporary.write_text(text + "\n", encoding="utf-8", newline="\n")


def write_csv(frame: pd.DataFrame, path: str | os.PathLike) -> None:
    """Write a table as UTF-8 CSV, atomically; equal tables give equal bytes.

    The index is left out. A float is written with the fewest digits that give the same
    float back, a missing value as an empty field.
    """
    with atomic_path(path) as temporary:
        frame.to_csv(temporary, index=False, lineterminator="\n", encoding="utf-8")


def write_parquet(frame: pd.DataFrame, path: str | os.PathLike) -> None:
    """Write a table as parquet, atomically. The index is left out."""
    with atomic_path(path) as temporary:
        frame.to_parquet(temporary, index=False)


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
