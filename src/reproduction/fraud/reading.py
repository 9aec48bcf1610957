"""Read files of transactions: Kaggle's fraud data, or labels and scores of any model.

A ValueError names the file and the column that is missing or has a value that is not allowed.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from reproduction.fraud.model import check_classes

FEATURES = (*(f"V{i}" for i in range(1, 29)), "Amount")
"""Features of Kaggle's file. V1 to V28 come from a principal component analysis."""


def read_creditcard(path: str) -> pd.DataFrame:
    """Read the columns `FEATURES` (float64) and Class (int8, 1 is fraud) of the data or a sample.

    The columns may be in any order. Class may be a number or text, with or without quotes.
    """
    table = _read(path, [*FEATURES, "Class"])
    numbers = {name: _finite(table[name], f"{path}: {name}") for name in FEATURES}
    return pd.DataFrame({**numbers, "Class": _labels(table["Class"], f"{path}: Class")})


def read_scores(path: str, *, label: str, score: str, period: str | None = None) -> pd.DataFrame:
    """Read the columns `y_true` (0 or 1), `y_score` and, if its name is given, `period`."""
    names = [name for name in (label, score, period) if name is not None]
    table = _read(path, names, ", which the setting `columns` names")
    scored = {
        "y_true": _labels(table[label], f"{path}: {label}"),
        "y_score": _finite(table[score], f"{path}: {score}"),
    }
    if period is not None:
        _check(table[period], table[period].notna(), f"{path}: {period} must not be missing")
        scored["period"] = _periods(table[period], f"{path}: {period}")
    return pd.DataFrame(scored)


def _read(path: str, columns: list[str], named_by: str = "") -> pd.DataFrame:
    reader = pd.read_parquet if Path(path).suffix.lower() == ".parquet" else pd.read_csv
    try:
        table = reader(path)
    except Exception as error:  # the readers raise errors of many types
        raise ValueError(f"{path} is not a readable CSV, zip or parquet file: {error}") from error
    if missing := [name for name in columns if name not in table]:
        raise ValueError(
            f"{path}: needs the columns {missing}{named_by}; it has {list(table.columns)[:20]}"
        )
    return table


def _finite(column: pd.Series, name: str) -> np.ndarray:
    if not pd.api.types.is_numeric_dtype(column):
        raise ValueError(f"{name} must be numeric, got {column.iloc[:1].tolist()[0]!r} in row 0")
    values = column.to_numpy(dtype="float64", na_value=np.nan)
    _check(column, np.isfinite(values), f"{name} must be finite")
    return values


def _labels(column: pd.Series, name: str) -> np.ndarray:
    """Labels as int8. OpenML's file and some converters store them as '0' and '1'."""
    text = column.astype(str).str.strip("'\" ").replace({"False": "0", "True": "1"})
    labels = pd.to_numeric(text, errors="coerce").to_numpy(dtype="float64", na_value=np.nan)
    _check(column, np.isin(labels, (0, 1)), f"{name} must be 0 or 1")
    check_classes(name, labels)
    return labels.astype("int8")


def _periods(column: pd.Series, name: str) -> np.ndarray:
    """Periods. Text other than dates must be in alphabetical order in the file."""
    numbers_or_dates = (pd.api.types.is_numeric_dtype, pd.api.types.is_datetime64_any_dtype)
    if not any(is_one(column) for is_one in numbers_or_dates):
        text = column.astype(str).drop_duplicates()
        is_date = pd.to_datetime(text, format="ISO8601", errors="coerce").notna()
        if not (is_date.all() or text.is_monotonic_increasing):
            raise ValueError(
                f"{name} must be numbers, dates such as 2024-01-31, or text in alphabetical order, "
                f"such as week 01, week 02; got {text.head(12).tolist()}"
            )
    return column.to_numpy()


def _check(column: pd.Series, allowed: np.ndarray | pd.Series, requirement: str) -> None:
    if not allowed.all():
        row = int(np.argmin(allowed))
        raise ValueError(f"{requirement}, got {column.iloc[[row]].tolist()[0]!r} in row {row}")
