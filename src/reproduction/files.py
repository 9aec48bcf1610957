"""Read and write files. Writing is atomic: a reader finds a complete file or none."""

import errno
import hashlib
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from reproduction import locks

_TEMPORARY = re.compile(r"\.[0-9a-f]{32}\..+")
# Other errors of the operating system, such as those of a connection, are not about a file.
_REFUSED_WRITES = frozenset(
    (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO)
)


class UnusableFileError(OSError):
    """A file is damaged, or the file system does not let it be written; the message names it."""


@contextmanager
def written(path: str | os.PathLike) -> Iterator[None]:
    """Raise `UnusableFileError` if the block cannot write because of the file system.

    Parameters
    ----------
    path : path-like
        The file that the block writes.
    """
    try:
        yield
    except UnusableFileError:
        raise
    except Exception as error:
        reason = _refused_write(error)
        if reason is None:
            raise
        raise UnusableFileError(_cannot_write(path, reason)) from error


def _cannot_write(path: str | os.PathLike, reason: str) -> str:
    return f"cannot write {path}: {reason}; fix this and run the same command again"


def name_cut_run_times(folder: str | Path, logs: Iterable[str | Path]) -> None:
    """Print which run times Snakemake had no space to write: its own message does not name them.

    Parameters
    ----------
    folder : path
        Snakemake's benchmarks, as TSV files.
    logs : iterable of path
        The logs of the run.
    """
    texts = [Path(log).read_text(encoding="utf-8", errors="replace") for log in logs]
    if any(f"[Errno {errno.ENOSPC}]" in text for text in texts):
        for path in sorted(Path(folder).rglob("*.tsv")):
            if not path.read_bytes().endswith(b"\n"):
                print(_cannot_write(path, os.strerror(errno.ENOSPC)), file=sys.stderr)


def _refused_write(error: BaseException | None) -> str | None:
    """Return why the file system refused to write, if that is the cause of the error.

    Matplotlib fails again when it closes a file on a full disk, with an error of its own.
    """
    while error is not None:
        if isinstance(error, OSError) and error.errno in _REFUSED_WRITES:
            return os.strerror(error.errno)
        error = error.__cause__ or error.__context__
    return None


@contextmanager
def undamaged(path: str | os.PathLike) -> Iterator[None]:
    """Raise `UnusableFileError` if the block cannot read a file that a job has written.

    Parameters
    ----------
    path : path-like
        The file that the block reads.
    """
    try:
        yield
    except FileNotFoundError:
        raise
    except (ValueError, OSError) as error:
        raise UnusableFileError(
            f"{path} is damaged ({error}); delete it, and the same command makes it again"
        ) from error


@contextmanager
def atomic_path(path: str | os.PathLike) -> Iterator[Path]:
    """Yield a temporary path that is renamed to `path` when the block succeeds.

    The temporary file is in the same folder, is flushed to disk before it is renamed, and is
    removed if the block raises. A killed process can leave a hidden temporary file, which
    `remove_leftovers` removes, but never a partial `path`. Missing parent folders are created.

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
    UnusableFileError
        If the disk is full, or the file system or a permission prevents writing.
    """
    path = Path(path)
    # tempfile is not used, because its files are readable by their owner only.
    temporary = path.with_name(f".{uuid4().hex}.{path.name}")
    with written(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            temporary.touch()
            # The lock, which a kill releases, shows `remove_leftovers` that this file is in use.
            with locks.acquire(temporary):
                os.utime(temporary, (0, 0))  # 1970, until the block opens the file to write it
                yield temporary
                if not temporary.stat().st_mtime_ns:
                    raise FileNotFoundError(f"nothing was written for {path}")
                with open(temporary, "r+b") as file:
                    os.fsync(file.fileno())
                os.replace(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)


def remove_leftovers(folder: str | os.PathLike) -> None:
    """Remove the temporary files of `atomic_path` whose processes were killed.

    Parameters
    ----------
    folder : path-like
        Searched at any depth. It may be missing, and other processes may be writing to it.
    """
    for path in Path(folder).rglob(".*"):
        if _TEMPORARY.fullmatch(path.name) and path.is_file():
            # Files in use stay, and so does everything in a folder that is read-only.
            with suppress(locks.Timeout, RuntimeError), locks.acquire(path, timeout=0):
                path.unlink(missing_ok=True)


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

    Raises
    ------
    UnusableFileError
        If the file is damaged; see `read_csv`.
    """
    if Path(path).suffix == ".parquet":
        with undamaged(path):
            return pd.read_parquet(path)
    of_tasks = "task" in read_csv(path, nrows=0)
    names = ("task", "run", "name", "dataset") if of_tasks else ()
    return read_csv(path, dtype=dict.fromkeys(names, "str"))


def read_csv(path: str | os.PathLike, **options) -> pd.DataFrame:
    """Read a table that `write_csv` wrote, with options of `pandas.read_csv`.

    Raises
    ------
    UnusableFileError
        If the file is damaged. The loss of whole rows at the end is not recognised.
    """
    with undamaged(path), open(path, "rb") as file:
        if file.seek(0, os.SEEK_END):
            file.seek(-1, os.SEEK_END)
        if file.read() != b"\n":
            raise ValueError("it does not end with a line break")
        file.seek(0)
        return pd.read_csv(file, **options)


def joined(tables: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Concatenate the parts of a table, which several jobs made."""
    return pd.concat(tables)
