"""Read the files of a results folder; error messages name the file."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

__all__ = ["Results"]


class Results:
    """A results folder and the tables of a run.

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
        """Return a path relative to the folder."""
        return Path(path).relative_to(self.folder).as_posix()

    def table(self, name: str, columns: Iterable[str]) -> pd.DataFrame:
        """Read columns of a table; values are the texts in the file.

        Raises
        ------
        ValueError
            If the run does not have the table, it is not a CSV file, or it lacks columns.
        """
        if name not in self:
            raise ValueError(f"the report needs tables/{name}.csv, which is not among its tables")
        try:
            frame = pd.read_csv(self.tables[name], dtype=str, keep_default_na=False)
        except ValueError as error:  # includes EmptyDataError, ParserError, UnicodeDecodeError
            raise ValueError(f"tables/{name}.csv is not readable: {error}") from error
        columns = list(columns)
        missing = [column for column in columns if column not in frame]
        if missing:
            raise ValueError(f"tables/{name}.csv lacks the columns {missing}")
        return frame[columns]

    def check_present(self, paths: Iterable[Path]) -> None:
        """Raise FileNotFoundError if any of the files does not exist; the message names them."""
        missing = [self.relative(path) for path in paths if not path.is_file()]
        if missing:
            raise FileNotFoundError(f"the results lack {', '.join(missing)}")
