"""Read files of transactions: Kaggle's fraud data, or labels and scores of any model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from reproduction.fraud.model import check_classes

__all__ = ["COLUMNS", "FEATURES", "checked_creditcard", "read_creditcard", "read_scores"]

COLUMNS = ("Time", *(f"V{i}" for i in range(1, 29)), "Amount", "Class")
"""Columns of Kaggle's file. V1 to V28 come from a principal component analysis."""

FEATURES = COLUMNS[1:-1]
_READERS = {".csv": pd.read_csv, ".zip": pd.read_csv, ".parquet": pd.read_parquet}


def read_creditcard(path: str | Path) -> pd.DataFrame:
    """Read the fraud data, or a sample of its rows.

    Parameters
    ----------
    path : path
        Kaggle's `creditcard.csv`, a `.zip` that contains only a CSV file, or a `.parquet` file.
        The columns may be in any order, and Time may be missing. Class may be a number or a
        string, with or without quotes.

    Returns
    -------
    DataFrame
        Its columns are in the order of `COLUMNS`. Class is int8 (1 is fraud), the others float64.

    Raises
    ------
    ValueError
        If the file cannot be read, a column is missing, unexpected, not numeric or not finite, or
        Class is not 0 or 1 or contains only one of them. The message names the file.
    """
    return checked_creditcard(_read(path), path)


def checked_creditcard(table: pd.DataFrame, source: str | Path) -> pd.DataFrame:
    """Check a table, and return it as `read_creditcard` does; errors name the `source`."""
    expected = list(COLUMNS if "Time" in table else COLUMNS[1:])
    if sorted(map(str, table.columns)) != sorted(expected):
        missing = [name for name in expected if name not in table]
        unexpected = [name for name in table.columns if name not in COLUMNS]
        raise ValueError(
            f"{source}: the columns must be Time (optional), V1 to V28, Amount and Class; "
            f"missing: {missing}, unexpected: {unexpected[:10]}"
        )
    numbers = {name: _finite(table[name], f"{source}: {name}") for name in expected[:-1]}
    return pd.DataFrame({**numbers, "Class": _labels(table["Class"], f"{source}: Class")})


def read_scores(
    path: str | Path, *, label: str, score: str, period: str | None = None
) -> pd.DataFrame:
    """Read the labels and scores of a model from a CSV, zip or parquet file.

    Parameters
    ----------
    path : path
    label, score, period : str
        Names of columns: the label, 0 or 1; the score, larger where a positive is more likely;
        and optionally the period, numbers, dates or text that sort in order of time.

    Returns
    -------
    DataFrame
        `y_true` (int8), `y_score` (float64), and `period` if asked for.

    Raises
    ------
    ValueError
        If a column is missing or has values that are not allowed. The message names both.
    """
    table = _read(path)
    columns = {"label": label, "score": score, "period": period}
    for setting, name in columns.items():
        if name is not None and name not in table:
            raise ValueError(
                f"fraud.columns.{setting}={name!r} must be a column of {path}, which has "
                f"{list(table.columns)[:20]}"
            )
    scored = pd.DataFrame(
        {
            "y_true": _labels(table[label], f"{path}: {label}"),
            "y_score": _finite(table[score], f"{path}: {score}"),
        }
    )
    if period is not None:
        if table[period].isna().any():
            raise ValueError(f"{path}: {period} must have no missing values")
        scored["period"] = table[period].to_numpy()
    return scored


def _read(path: str | Path) -> pd.DataFrame:
    suffix = Path(path).suffix.lower()
    if suffix not in _READERS:
        raise ValueError(f"fraud.path must end in {', '.join(_READERS)}, got {path}")
    try:
        return _READERS[suffix](path)
    except FileNotFoundError:
        raise
    except Exception as error:  # the readers raise many
        raise ValueError(f"{path} is not a readable {suffix} file: {error}") from error


def _finite(column: pd.Series, name: str) -> np.ndarray:
    if not pd.api.types.is_numeric_dtype(column):
        raise ValueError(f"{name} must be numeric, got {column.iloc[:1].tolist()[0]!r} in row 0")
    values = column.to_numpy(dtype="float64", na_value=np.nan)
    if not np.isfinite(values).all():
        row = int(np.flatnonzero(~np.isfinite(values))[0])
        raise ValueError(f"{name} must be finite, got {values[row]} in row {row}")
    return values


def _labels(column: pd.Series, name: str) -> np.ndarray:
    """Labels as int8. OpenML's file and some converters store them as '0' and '1'."""
    text = column.astype(str).str.strip("'\" ").replace({"False": "0", "True": "1"})
    numbers = pd.to_numeric(text, errors="coerce").to_numpy(dtype="float64", na_value=np.nan)
    wrong = ~np.isin(numbers, (0, 1))
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise ValueError(
            f"{name} must be 0 or 1, got {column.iloc[[row]].tolist()[0]!r} in row {row}"
        )
    labels = numbers.astype("int8")
    check_classes(name, labels)
    return labels
