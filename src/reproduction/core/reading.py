"""Columns of a user's file: numbers, labels and periods.

A ValueError names the file, the column, the row and the value that is not allowed, and the setting
that helps.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype

from reproduction.core import text_table

Label = str | int | float | bool

_THOUSANDS = r"[+-]?[1-9]\d{0,2}(\.\d{3})+"  # 1.234 is 1234 in some countries
_DATE = r"^(19\d\d|20\d\d|2100)[-/.]?(\d\d)[-/.]?(\d\d)?$"  # also 202401 and 2024/01/31
_UTC_OFFSET = r"^(\S+[T ]\S*?) ?(?:Z|[+-]\d\d:?\d{0,2})$"  # of a time of day


@dataclass(frozen=True)
class OwnFile:
    """A table of a user, and how its text file is written: settings, but `sep` is the found one."""

    path: str
    table: pd.DataFrame
    sep: str | None  # None for a parquet file
    decimal: str | None  # None for a parquet file
    pos_label: Label | None

    @classmethod
    def read(
        cls,
        path: str,
        columns: Collection[str],
        *,
        sep: str | None = None,
        decimal: str | None = None,
        encoding: str | None = None,
        pos_label: Label | None = None,
    ) -> "OwnFile":
        """Read a CSV, zip, gz or parquet file. At least one of `columns` is expected in it."""
        try:
            table, sep = text_table.parse(Path(path).read_bytes(), columns, sep, encoding)
        except Exception as error:  # the readers raise errors of many types
            raise ValueError(
                f"{path} is not a readable CSV, zip, gz or parquet file: {error}"
            ) from error
        return cls(path, table, sep, decimal if sep else None, pos_label)

    def require(self, columns: Sequence[str], setting: str = "") -> None:
        """Refuse a file that lacks one of the columns; `setting` is the one that names them."""
        if missing := [name for name in columns if name not in self.table]:
            named = f", which the setting {setting} names" if setting else ""
            read = f" (separator {self.sep!r}; own_files.sep changes it)" if self.sep else ""
            raise ValueError(
                f"{self.path}: needs the columns {missing}{named}; it has "
                f"{list(self.table.columns)[:20]}{read}"
            )

    def numbers(self, name: str, cure: str = "") -> np.ndarray:
        """A column as float64; `cure` ends the message of an error."""
        column, text = self.table[name], self._text(name)
        if not is_numeric_dtype(column):
            column = self._parsed(text)
            dotted = text.str.contains(".", regex=False)
            is_clear = self.decimal or self.sep in (None, ",")
            if not is_clear and text[dotted].str.fullmatch(_THOUSANDS).all():
                doubt = "may have points before decimals or thousands"
                self.check(name, ~dotted, doubt, "; set own_files.decimal")
        numbers = column.to_numpy("float64", na_value=np.nan)
        is_finite = np.isfinite(numbers)
        has_comma = text[~is_finite].head(1).str.contains(",").any()
        if self.sep and self.decimal is None and has_comma:
            cure = f"; set own_files.decimal if this is a decimal comma{cure}"
        self.check(name, is_finite, "must be a finite number", cure)
        return numbers

    def labels(self, name: str) -> np.ndarray:
        """Labels as int8, 1 for `pos_label`. Without it, they are 0 and 1, or false and true.

        Labels that are equal as numbers are equal, and quotes do not count: OpenML's file and some
        converters store labels as '0' and '1'.
        """
        labels = self.cells(self.names(name))
        if self.pos_label is None:
            cure = "; set own_files.pos_label to the label of the positives"
            self.check(name, labels.isin([0, 1]), "must be 0 or 1", cure)
            is_positive = labels == 1
        else:
            is_positive = labels == self.cells(pd.Series([str(self.pos_label)])).iloc[0]
            others = labels[~is_positive].unique()
            if not is_positive.any():
                cure = "; quote the label, because YAML reads yes and no as true and false"
                raise ValueError(
                    f"{self.path}: {name} has no label pos_label={self.pos_label!r}, but "
                    f"{others[:10].tolist()}{cure if isinstance(self.pos_label, bool) else ''}"
                )
            is_allowed = is_positive | labels.isin(others[:1])
            self.check(
                name, is_allowed, "must have two labels", f" in addition to {others[:1].tolist()}"
            )
        check_classes(f"{self.path}: {name}", is_positive)
        return is_positive.to_numpy("int8")

    def periods(self, name: str, unit: str | None) -> np.ndarray:
        """Dates as text, in any order, or whole numbers or text, in ascending order in the file.

        With `unit`, D, W or M, they are the days, weeks or months of dates, as local time.
        """
        text = self.names(name).str.replace(r"^(-?\d+)\.0+$", r"\1", regex=True)
        iso = text.str.replace(_DATE, r"\1-\2-\3", regex=True).str.rstrip("-")
        local = iso.str.replace(_UTC_OFFSET, r"\1", regex=True)
        dates = pd.to_datetime(local, format="ISO8601", errors="coerce")
        dates = dates.where(local.str.match(r"\d{4}-"))  # 2024 is not a date
        if unit:
            self.check(name, dates.notna(), f"must be dates such as 2024-01-31 for period: {unit}")
            start = dates.dt.to_period(unit).dt.start_time
            return start.dt.strftime("%Y-%m" if unit == "M" else "%Y-%m-%d").to_numpy()
        in_order = dates[iso.sort_values(kind="stable").index]  # periods are sorted as text
        if in_order.notna().all() and in_order.is_monotonic_increasing:
            return iso.to_numpy()
        periods = text.astype("int64") if text.str.fullmatch(r"-?\d{1,15}").all() else text
        distinct = periods.drop_duplicates()
        if not (distinct.is_monotonic_increasing and _is_sortable(distinct)):
            raise ValueError(
                f"{self.path}: {name} must be dates such as 2024-01-31 or 2024-01; or, in "
                "ascending order in the file, whole numbers, or text in which only digits differ, "
                f"such as week 09, week 10, with a year first; got {distinct[:12].tolist()}"
            )
        return periods.to_numpy()

    def names(self, name: str) -> pd.Series:
        """A column of names as text."""
        self.check(name, self.table[name].notna(), "must not be missing")
        return self._text(name)

    def _text(self, name: str) -> pd.Series:
        return self.table[name].reset_index(drop=True).astype(str).str.strip("'\" ")

    def _parsed(self, text: pd.Series) -> pd.Series:
        """Numbers of a text; NaN for any other text. False and true are 0 and 1."""
        if self.decimal == ",":
            has_point = text.str.contains(".", regex=False)
            text = text.mask(has_point).str.replace(",", ".", regex=False)
        text = text.str.lower().replace({"false": "0", "true": "1"})
        return pd.to_numeric(text, errors="coerce")

    def cells(self, text: pd.Series) -> pd.Series:
        """Numbers in place of text that is one."""
        numbers = self._parsed(text)
        return numbers.astype(object).where(numbers.notna(), text)

    def check(self, name: str, allowed: np.ndarray, requirement: str, cure: str = "") -> None:
        if not np.all(allowed):
            row = int(np.argmin(allowed))
            value = self.table[name].iloc[[row]].tolist()[0]
            raise ValueError(
                f"{self.path}: {name} {requirement}, got {value!r} in row {row}{cure} (the first "
                "row is row 0)"
            )


def read_scores(
    path: str,
    *,
    label: str,
    score: str,
    period: str | None = None,
    unit: str | None = None,
    **written: Label | None,
) -> pd.DataFrame:
    """Read the columns `y_true` (0 or 1), `y_score` and, if its name is given, `period`.

    `unit` is for `OwnFile.periods`, and `written` are the settings `own_files`.
    """
    columns = [name for name in (label, score, period) if name]
    file = OwnFile.read(path, columns, **written)
    file.require(columns, "`columns`")
    scored = {"y_true": file.labels(label), "y_score": file.numbers(score)}
    if period is not None:
        scored["period"] = file.periods(period, unit)
    return pd.DataFrame(scored)


def _is_sortable(periods: pd.Series) -> bool:
    """Do distinct whole numbers or texts sort in order of time, whatever they mean?

    Not if a month may precede the year, as in 12024, 01.2024 or Q1 2024, or has a name.
    """
    if is_numeric_dtype(periods):
        before, years = divmod(periods, 10_000)
        return before.min() == before.max() or not years.between(1900, 2100).all()
    forms = periods.str.replace(r"\d", "0", regex=True).unique()
    numbers = pd.DataFrame(periods.str.findall(r"\d+").tolist())
    n_that_differ = numbers.nunique().gt(1).sum()
    has_year_first = periods.str.match(r"\D*(19|20)\d\d(?!\d)").all()
    is_decimal = pd.to_numeric(periods, errors="coerce").notna().all()
    return len(forms) == 1 and (n_that_differ == 1 or has_year_first) and not is_decimal


def check_classes(part: str, labels: np.ndarray | pd.Series) -> None:
    """Raise a ValueError that names the part if its 0/1 labels lack one of the classes."""
    n_pos = int(np.sum(labels))
    if not 0 < n_pos < len(labels):
        n_rows = len(labels)
        raise ValueError(f"{part} must hold both classes, got {n_pos} positives in {n_rows} rows")
