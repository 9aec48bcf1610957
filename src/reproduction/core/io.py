"""Read and write the files of the pipeline: atomically, and with equal bytes for equal tables."""

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd

# Columns in which numbers are names, so they stay text.
_NAMES = ("task", "run", "name", "dataset")


@contextmanager
def atomic(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path, which replaces `path` if the block succeeds.

    The temporary name is fixed and hidden, so the next run replaces the file of a killed run.
    """
    path = Path(path)
    temporary = path.with_name(f".part.{path.name}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield temporary
        with open(temporary, "rb") as file:
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        raise OSError(
            f"cannot write {path}: {error.strerror or error}; fix this and run the same command "
            "again"
        ) from error
    finally:
        temporary.unlink(missing_ok=True)


def read_table(path: str | Path) -> pd.DataFrame:
    """Read a table written by `write`. Names of tasks and runs stay text."""
    try:
        if Path(path).suffix == ".parquet":
            return pd.read_parquet(path)
        of_tasks = "task" in pd.read_csv(path, nrows=0)
        return pd.read_csv(path, dtype=dict.fromkeys(_NAMES, "str") if of_tasks else None)
    except FileNotFoundError:
        raise
    except (ValueError, OSError) as error:
        raise ValueError(f"{path} is damaged ({error}); delete it and run again") from error


def write(result: Any, path: str | Path) -> None:
    """Write a table, JSON, text or a figure, depending on the suffix of the path."""
    with atomic(path) as temporary:
        _WRITERS[Path(path).suffix](result, temporary)


def sha256_of(path: str | Path) -> str:
    """SHA-256 of a file as 64 lower-case hexadecimal digits."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _csv(table: pd.DataFrame, path: Path) -> None:
    texts = table.select_dtypes(["object", "string", "category"]).map(_without_formula)
    table.assign(**texts).to_csv(path, index=False, lineterminator="\n", encoding="utf-8")


def _without_formula(cell: Any) -> Any:
    """A cell that no spreadsheet takes for a formula: names of tasks, models and periods may be."""
    if not isinstance(cell, str):
        return cell
    cell = re.sub(r"\r\n?", "\n", cell)  # only a line feed gets quotation marks
    return re.sub(r"^(?=\s*[=@]|[+-](?![\d.e+-]+$))", "'", cell)


def _parquet(table: pd.DataFrame, path: Path) -> None:
    table.to_parquet(path, index=False)


def _json(content: Mapping[str, Any], path: Path) -> None:
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
    _text(text + "\n", path)


def _text(content: str, path: Path) -> None:
    path.write_text(content, encoding="utf-8", newline="\n")


def _drawing(**undated: None) -> Callable[[Any, Path], None]:
    """Writer for a figure format, without a date in the file."""

    def save(figure: Any, path: Path) -> None:
        from reproduction.core.look import styled  # imports matplotlib, which most jobs do not need

        with styled():
            figure.savefig(path, dpi=200, metadata=undated)
        figure.set_layout_engine("none")  # the layout is done: all files share it

    return save


_WRITERS: dict[str, Callable[[Any, Path], None]] = {
    ".csv": _csv,
    ".parquet": _parquet,
    ".json": _json,
    ".html": _text,
    ".md": _text,
    "": _text,
    ".pdf": _drawing(CreationDate=None),
    ".png": _drawing(),
    ".svg": _drawing(Date=None),
}
