"""The files of a results folder, read with errors that name the file."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

__all__ = ["Results"]


class Results:
    """A results folder and the tables in it that belong to a run.

    Parameters
    ----------
    folder : path
    tables : iterable of path
        CSV files in the folder.
    """

    def __init__(self, folder: str | Path, tables: Iterable[str | Path]):
        self.folder = Path(folder)
        self.tables = {path.stem: path for path in map(Path, tables)}

    def __contains__(self, table: str) -> bool:
        return table in self.tables

    def relative(self, path: str | Path) -> str:
        """Path as seen from the folder."""
        return Path(path).relative_to(self.folder).as_posix()

    def table(self, name: str, columns: Iterable[str]) -> pd.DataFrame:
        """Read columns of a table, each value as it is written.

        Raises
        ------
        ValueError
            The run has no such table, it is no CSV file, or it lacks columns.
        """
        if name not in self:
            raise ValueError(f"the report needs tables/{name}.csv, which is not among its tables")
        try:
            frame = pd.read_csv(self.tables[name], dtype=str, keep_default_na=False)
        except ValueError as error:  # EmptyDataError, ParserError and UnicodeDecodeError are
            raise ValueError(f"tables/{name}.csv cannot be read: {error}") from error
        columns = list(columns)
        missing = [column for column in columns if column not in frame]
        if missing:
            raise ValueError(f"tables/{name}.csv lacks the columns {missing}")
        return frame[columns]

    def check_present(self, paths: Iterable[Path]) -> None:
        """Raise FileNotFoundError that names each of the files that does not exist."""
        missing = [self.relative(path) for path in paths if not path.is_file()]
        if missing:
            raise FileNotFoundError(f"the results lack {', '.join(missing)}")
