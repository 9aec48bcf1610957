"""Read the credit-card fraud data of Worldline and ULB, and fit the paper's model to them.

The data are the transactions of two days in September 2013. Features V1 to V28 come from a
principal component analysis.
"""

import lzma
import os
import warnings
import zipfile
import zlib
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from calibrated_metrics import _checks
from reproduction.openml.limits import read_parquet

__all__ = [
    "COLUMNS",
    "FEATURES",
    "PUBLISHED_FRAUDS",
    "PUBLISHED_ROWS",
    "check_published",
    "checked_table",
    "fit_and_score",
    "read_creditcard",
]

COLUMNS = ("Time", *(f"V{i}" for i in range(1, 29)), "Amount", "Class")
FEATURES = COLUMNS[1:-1]
PUBLISHED_ROWS = 284_807
PUBLISHED_FRAUDS = 492
LARGEST_CSV = 500e6  # bytes after decompression; the published file has 151 MB
_LONGEST_LINE = 65536  # bytes


def read_creditcard(path: str | os.PathLike) -> pd.DataFrame:
    """Read the fraud data from a CSV, zip or parquet file.

    Parameters
    ----------
    path : path-like
        Kaggle's `creditcard.csv`, a `.zip` that contains exactly one CSV file, or a `.parquet`
        file. The columns may be in any order, and Time may be missing. Class may be a number
        or a string, with or without quotes.

    Returns
    -------
    pandas.DataFrame
        One row per transaction in the order of the file, with the index 0, 1, ... The columns
        are in the order of `COLUMNS`, without Time if the file lacks it: Time (seconds since
        the first transaction), V1 to V28 and Amount as float64, Class as int8 (1 is fraud).

    Raises
    ------
    ValueError
        If the file is not readable in the format of its suffix, or too large; if a column is
        missing, unexpected, not numeric, or contains NaN or infinite values; if Class contains
        another value than 0 and 1; or if there is no fraud or no genuine row.
    """
    path = Path(path)
    readers = {".csv": _read_csv, ".zip": _read_zip, ".parquet": read_parquet}
    suffix = path.suffix.lower()
    if suffix not in readers:
        raise ValueError(f"{path}: suffix {path.suffix!r} is not one of {', '.join(readers)}")
    with open(path, "rb") as file:
        try:
            table = readers[suffix](file)
        except (
            ValueError,
            OSError,
            EOFError,
            RuntimeError,  # an encrypted zip, or one in an unknown format
            zipfile.BadZipFile,
            zlib.error,
            lzma.LZMAError,
        ) as error:
            raise ValueError(f"{path}: not a readable {path.suffix} file: {error}") from error
    return checked_table(table, str(path))


def check_published(frame: pd.DataFrame, *, source: str = "frame") -> None:
    """Check that a table has the columns and the size of the published data.

    Parameters
    ----------
    frame : pandas.DataFrame
        The output of `read_creditcard`, with or without Time.
    source : str
        The name of the table in error messages.

    Raises
    ------
    ValueError
        If the table does not have 284,807 rows with 492 frauds, or has other columns.
    """
    columns = tuple(frame.columns)
    if columns not in (COLUMNS, COLUMNS[1:]):
        raise ValueError(f"{source}: columns are {columns}, the published ones are {COLUMNS}")
    found = (len(frame), int((frame["Class"] == 1).sum()), int((frame["Class"] == 0).sum()))
    published = (PUBLISHED_ROWS, PUBLISHED_FRAUDS, PUBLISHED_ROWS - PUBLISHED_FRAUDS)
    if found != published:
        raise ValueError(
            f"{source}: {found[0]} rows, {found[1]} frauds, {found[2]} genuine; "
            f"the published data have {published[0]}, {published[1]} and {published[2]}"
        )


def fit_and_score(frame: pd.DataFrame) -> pd.DataFrame:
    """Fit the paper's model and score its test set.

    Time is not used. Amount is standardised over all rows before the split, as in the paper.
    30 % of the rows are held out at random, and a logistic regression with scikit-learn's
    default settings is fitted to the rest.

    Parameters
    ----------
    frame : pandas.DataFrame, shape (n, 30 or 31)
        The output of `read_creditcard`.

    Returns
    -------
    pandas.DataFrame, shape (ceil(0.3 n), 3)
        The test set in the order of the split: row (position in `frame`), y_true (int8,
        1 is fraud), y_score (float64, probability of fraud).

    References
    ----------
    Siblini et al., "Master your Metrics with Calibration", IDA 2020, Figure 6.
    """
    features = frame[list(FEATURES)].astype("float64")
    features["Amount"] = StandardScaler().fit_transform(features[["Amount"]])
    train, test = train_test_split(np.arange(len(frame)), test_size=0.3, random_state=0)
    x, y = features.to_numpy(), frame["Class"].to_numpy()
    _checks.both_classes("training rows", y[train])
    _checks.both_classes("test rows", y[test])
    # With several threads, the last digits of the scores depend on the number of cores.
    with threadpool_limits(1):
        model = LogisticRegression().fit(x[train], y[train])
        y_score = model.predict_proba(x[test])[:, 1]
    return pd.DataFrame({"row": test, "y_true": y[test].astype("int8"), "y_score": y_score})


def checked_table(table: pd.DataFrame, source: str) -> pd.DataFrame:
    """Check a table and return it in the format of `read_creditcard`.

    Raises
    ------
    ValueError
        If the columns or their values are not those of the fraud data; `source` is named.
    """
    expected = list(COLUMNS if "Time" in table.columns else COLUMNS[1:])
    if sorted(map(str, table.columns)) != sorted(expected):
        missing = [name for name in expected if name not in table.columns]
        unexpected = [name for name in table.columns if name not in COLUMNS]
        repeated = list(table.columns[table.columns.duplicated()])
        raise ValueError(
            f"{source}: columns missing: {missing}, unexpected: {_beginning(unexpected)}, "
            f"repeated: {_beginning(repeated)}; columns must be Time (optional), V1 to V28, "
            "Amount, Class"
        )
    table = table[expected].reset_index(drop=True)
    features = table.drop(columns="Class")
    text = [name for name in features if not pd.api.types.is_numeric_dtype(features[name])]
    if text:
        raise ValueError(f"{source}: columns must be numeric, these are not: {text}")
    features = features.astype("float64")
    not_finite = (~np.isfinite(features)).sum()
    if not_finite.any():
        counts = not_finite[not_finite > 0].to_dict()
        raise ValueError(f"{source}: NaN or infinite values per column: {counts}")
    return features.assign(Class=_classes(table["Class"], source))


def _beginning(names: list) -> str:
    text = str(names)
    return text if len(text) <= 1000 else f"{text[:1000]}..."


def _classes(column: pd.Series, source: str) -> pd.Series:
    """Return Class as int8. OpenML's file and some converters store it as '0' and '1'."""
    numbers = pd.to_numeric(column.astype(str).str.strip("'\" "), errors="coerce")
    wrong = ~numbers.isin([0, 1])
    if wrong.any():
        raise ValueError(
            f"{source}: Class must be 0 or 1, but {wrong.sum()} rows have other values, such as "
            f"{column[wrong].unique().tolist()[:5]}"
        )
    if numbers.nunique() < 2:
        raise ValueError(
            f"{source}: needs at least one fraud and one genuine row, has {len(numbers)} rows "
            f"with {int(numbers.sum())} frauds"
        )
    return numbers.astype("int8")


def _read_csv(file: BinaryIO, n_bytes: int | None = None) -> pd.DataFrame:
    if n_bytes is None:
        n_bytes = os.fstat(file.fileno()).st_size
    if n_bytes > LARGEST_CSV:
        raise ValueError(f"the CSV file must not be larger than {LARGEST_CSV / 1e6:,.0f} MB")
    _refuse_long_lines(file)
    file.seek(0)
    with warnings.catch_warnings():
        # Otherwise the first fields of rows with too many become an index.
        warnings.simplefilter("error", pd.errors.ParserWarning)
        try:
            return pd.read_csv(file, index_col=False)
        except pd.errors.ParserWarning as warning:
            raise ValueError("rows have more fields than the header") from warning


def _refuse_long_lines(file: BinaryIO) -> None:
    """Check the header and the first row, which determine how many columns pandas makes."""
    n_lines = 0
    while n_lines < 2 and (line := file.readline(_LONGEST_LINE + 1)):
        if len(line) > _LONGEST_LINE:
            raise ValueError(f"a line must not be longer than {_LONGEST_LINE} bytes")
        n_lines += not line.isspace()


def _read_zip(file: BinaryIO) -> pd.DataFrame:
    with zipfile.ZipFile(file) as archive:
        # macOS adds metadata files, whose names start with "._".
        names = [
            name
            for name in archive.namelist()
            if name.lower().endswith(".csv") and not Path(name).name.startswith("._")
        ]
        if len(names) != 1:
            raise ValueError(f"must contain exactly one CSV file, has {len(names)}: {names[:5]}")
        with archive.open(names[0]) as member:
            return _read_csv(member, archive.getinfo(names[0]).file_size)
