"""Read a user's file: CSV, zip or parquet.

A ValueError names the file, the column, the row and the value that is not allowed.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd


def read_file(path: str) -> pd.DataFrame:
    reader = pd.read_parquet if Path(path).suffix.lower() == ".parquet" else pd.read_csv
    try:
        return reader(path)
    except Exception as error:  # the readers raise errors of many types
        raise ValueError(f"{path} is not a readable CSV, zip or parquet file: {error}") from error


def require(table: pd.DataFrame, columns: Sequence[str], path: str, setting: str = "") -> None:
    """Refuse a table that lacks one of the columns; `setting` is the one that names them."""
    if missing := [name for name in columns if name not in table]:
        named = f", which the setting {setting} names" if setting else ""
        raise ValueError(
            f"{path}: needs the columns {missing}{named}; it has {list(table.columns)[:20]}"
        )


def read_scores(
    path: str, *, label: str, score: str, period: str | None = None, unit: str | None = None
) -> pd.DataFrame:
    """Read the columns `y_true` (0 or 1), `y_score` and, if its name is given, `period`.

    With `unit`, D, W or M, the periods are dates, and become days, weeks or months.
    """
    table = read_file(path)
    require(table, [name for name in (label, score, period) if name], path, "`columns`")
    scored = {
        "y_true": labels(table[label], f"{path}: {label}"),
        "y_score": finite(table[score], f"{path}: {score}"),
    }
    if period is not None:
        _check(table[period], table[period].notna(), f"{path}: {period} must not be missing")
        scored["period"] = _periods(table[period], f"{path}: {period}", unit)
    return pd.DataFrame(scored)


def finite(column: pd.Series, name: str, cure: str = "") -> np.ndarray:
    """A column as float64; `cure` ends the message of an error."""
    numbers = pd.to_numeric(column, errors="coerce").to_numpy("float64", na_value=np.nan)
    _check(column, np.isfinite(numbers), f"{name} must be a finite number", cure)
    return numbers


def labels(column: pd.Series, name: str) -> np.ndarray:
    """Labels as int8. OpenML's file and some converters store them as '0' and '1'."""
    text = column.astype(str).str.strip("'\" ").replace({"False": "0", "True": "1"})
    numbers = pd.to_numeric(text, errors="coerce").to_numpy(dtype="float64", na_value=np.nan)
    _check(column, np.isin(numbers, (0, 1)), f"{name} must be 0 or 1")
    check_classes(name, numbers)
    return numbers.astype("int8")


def check_classes(part: str, labels: np.ndarray | pd.Series) -> None:
    """Raise a ValueError that names the part if its 0/1 labels lack one of the classes."""
    n_pos = int(np.sum(labels))
    if not 0 < n_pos < len(labels):
        n_rows = len(labels)
        raise ValueError(f"{part} must hold both classes, got {n_pos} positives in {n_rows} rows")


def _periods(column: pd.Series, name: str, unit: str | None) -> np.ndarray:
    """Periods. Text other than dates must be in alphabetical order in the file."""
    is_number = pd.api.types.is_numeric_dtype(column)
    is_date = pd.api.types.is_datetime64_any_dtype(column)
    if unit:
        text_or_dates = column.astype(str) if is_number else column
        dates = pd.to_datetime(text_or_dates, format="ISO8601", errors="coerce")
        allowed = dates.notna() & (not is_number)  # 2024 is not a date
        _check(column, allowed, f"{name} must be dates such as 2024-01-31 for period: {unit}")
        start = dates.dt.tz_localize(None).dt.to_period(unit).dt.start_time
        return start.dt.strftime("%Y-%m" if unit == "M" else "%Y-%m-%d").to_numpy()
    if not (is_number or is_date):
        text = column.astype(str).drop_duplicates()
        is_date = pd.to_datetime(text, format="ISO8601", errors="coerce").notna()
        if not (is_date.all() or text.is_monotonic_increasing):
            raise ValueError(
                f"{name} must be numbers, dates such as 2024-01-31, or text in alphabetical order, "
                f"such as week 01, week 02; got {text.head(12).tolist()}"
            )
    return column.to_numpy()


def _check(column: pd.Series, allowed: np.ndarray, requirement: str, cure: str = "") -> None:
    if not np.all(allowed):
        row = int(np.argmin(allowed))
        value = column.iloc[[row]].tolist()[0]
        raise ValueError(f"{requirement}, got {value!r} in row {row}{cure}")
