"""How late labels are: the share of positives that are known at an age."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibrated_metrics import _columns, _numbers
from calibrated_metrics._arguments import plain_calls
from calibrated_metrics._numbers import FloatArray
from calibrated_metrics.binomial import clopper_pearson
from calibrated_metrics.label_errors.reports import doubts_of_reports, in_reversed_time
from calibrated_metrics.uncertainty.estimate import Estimate, warn_of

__all__ = ["known_by_age"]

_MOST_LATE = 0.05  # share of reports after `longest_delay` that is not warned of


@plain_calls()
def known_by_age(
    age: ArrayLike,
    event: ArrayLike,
    report: ArrayLike,
    *,
    as_of: Any,
    longest_delay: Any = None,
    files: ArrayLike | None = None,
    confidence_level: float = 0.95,
) -> Estimate:
    """Estimate the share of positives that are known at an age: the sensitivity of late labels.

    Positives are the rows that are reported within `longest_delay`. All times are numbers, such as
    days, or all are dates or datetimes, with or without a time zone. If they are dates, ages and
    delays are time differences.

    Parameters
    ----------
    age : array-like of shape (n_rows,)
        Time from the event to the look at the labels, for each row of a recent period.
    event, report : array-like of shape (n_reported,)
        Times of events that are known to be positive by `as_of`, and of their reports.
    as_of : number, date or datetime
        Time at which the reports were read.
    longest_delay : number or time difference, default=None
        Only events that are at least as old are used, so all their reports have arrived. None: all
        events are used, in reversed time, since a recent event is seen only if its delay was short
        (Lagakos, Barraj & De Gruttola 1988, doi:10.1093/biomet/75.3.515). The shares are then
        relative to the reports within the longest delay that was seen.
    files : array-like of shape (n_files,), default=None
        The times of all files, if reports arrive in files, such as once a week. Each time in
        `report` must be one of them. Delays are then numbers of files, and `longest_delay` is
        rounded to one, since what is known at an age depends on the days from the event to the next
        file. Rows that wait for the same file share one value.
    confidence_level : float in (0, 1), default=0.95

    Returns
    -------
    Estimate
        With one value and two limits for each row. An `IntervalWarning` is given if reports seem to
        arrive in files, but `files` is None; if events are older than any report could be; if
        delays change with the time of the event; or if over 5 % of the reports came later than
        `longest_delay`.

    Examples
    --------
    Half of the frauds are reported within 20 days:

    >>> import numpy as np
    >>> from calibrated_metrics import label_errors
    >>> rng = np.random.default_rng(0)
    >>> event = rng.uniform(0, 300, 1000)
    >>> report = event + rng.exponential(30, 1000)
    >>> seen = report <= 300
    >>> label_errors.known_by_age(
    ...     [10, 20, 40], event[seen], report[seen], as_of=300, longest_delay=150
    ... )
    Estimate([0.2921 0.5075 0.7548], 95 % interval [0.2513 ...
    """
    level = _numbers.level("confidence_level", confidence_level)
    _columns.same_index(event=event, report=report)
    given = {} if files is None else {"files": files}
    started, reported, now, *filed = _times(event=event, report=report, as_of=[as_of], **given)
    _columns.same_length(event=started, report=reported)
    is_date = started.dtype.kind == "M"
    ages = _durations("age", age, is_date)
    delay, window, seen = map(_in_days, (reported - started, now - started, now - reported))
    unit = " files" if filed else ""
    _numbers.not_negative("report - event", delay)
    _numbers.not_negative("as_of - report", seen)
    longest = None
    if longest_delay is not None:
        (longest,) = _durations("longest_delay", [longest_delay], is_date)
    if filed:
        until = _in_days(now - filed[0])
        longest, (ages, window, seen) = _in_files(until, longest, ages, window, seen)
        delay = window - seen
    warn_of(doubts_of_reports(window, seen, delay, in_files=bool(filed)))
    if longest is None:
        longest = float(delay.max())
        method = f"reports in reversed time, relative to the longest delay seen, {longest:g}{unit}"
        value, n = in_reversed_time(ages, np.sort(delay), np.sort(window))
    else:
        of_old = delay[window >= longest]
        delay = np.sort(of_old[of_old <= longest])
        if not delay.size:
            least = f"{longest:g}{unit} or more before as_of"
            raise ValueError(f"event must hold events {least}, got none")
        if (late := 1 - delay.size / of_old.size) > _MOST_LATE:
            warn_of(
                [
                    f"{100 * late:.0f} % of the reports of old events came after longest_delay, "
                    f"{longest:g}{unit}: give a longer one, or count these rows as negatives"
                ]
            )
        method = f"reports within {longest:g}{unit} of {delay.size} events of at least this age"
        value, n = delay.searchsorted(ages, side="right") / delay.size, np.array(delay.size)
    low, high = clopper_pearson(value * n, n, (1 - level) / 2)
    low = np.where(ages >= longest, 1.0, low)  # by definition
    error, index = np.sqrt(value * (1 - value) / n), _columns.same_index(age=age)
    return Estimate(value, low, high, error, level, method, row_index=index)


def _in_days(times: NDArray[Any]) -> FloatArray:
    """Time differences as numbers of days; numbers as they are."""
    return times / np.timedelta64(1, "D") if times.dtype.kind == "m" else times


def _durations(name: str, values: Any, is_date: bool) -> FloatArray:
    """Time differences if events are dates, otherwise numbers."""
    (times,) = _times(**{name: values})
    if (times.dtype.kind == "m") != is_date or times.dtype.kind == "M":
        wanted = "time differences, as event holds dates" if is_date else "numbers, as event does"
        raise TypeError(f"{name} must hold {wanted}, got {times[0]}")
    days = _in_days(times)
    _numbers.not_negative(name, days)
    return days


def _times(**given: Any) -> list[NDArray[Any]]:
    """Numbers, datetimes (in UTC if they have a time zone) or time differences: of one kind."""
    found, kinds = [], {}
    for name, values in given.items():
        array = _columns.vector(name, values)
        first = array[0]
        if isinstance(first, str):
            raise TypeError(
                f"{name} must hold numbers, dates or datetimes, got {str(first)!r}: parse text "
                "first, such as with pandas.to_datetime"
            )
        if isinstance(first, date | timedelta):  # also Timestamp and Timedelta of pandas
            array = np.array([_of_numpy(name, each, first) for each in array])
        if array.dtype.kind not in "mM":
            array = _numbers.finite_vector(name, array)
        elif np.isnat(array).any():
            hint = ": pass reported events only" if name in ("event", "report") else ""
            raise ValueError(f"{name} must not hold missing times, got NaT{hint}")
        found.append(array)
        kinds[name] = {"m": "time differences", "M": "dates"}.get(array.dtype.kind, "numbers")
        if _has_zone(values, first):
            kinds[name] += " with a time zone"
    if len(set(kinds.values())) > 1:
        listed = ", ".join(f"{name} {kind}" for name, kind in kinds.items())
        raise TypeError(f"{', '.join(kinds)} must be times of the same kind, got {listed}")
    return found


def _has_zone(values: Any, first: Any) -> bool:
    """Whether times have a time zone: those of Python or pandas, or a column of polars or Arrow."""
    dtype = getattr(values, "dtype", getattr(values, "type", None))
    zones = getattr(first, "tzinfo", None), getattr(dtype, "time_zone", getattr(dtype, "tz", None))
    return any(zone is not None for zone in zones)


def _of_numpy(name: str, value: Any, first: Any) -> np.datetime64 | np.timedelta64:
    """A date, datetime or time difference of Python or pandas, of the kind of the first one."""
    kind = date if isinstance(first, date) else timedelta
    has_zone, wanted = (getattr(each, "tzinfo", None) is not None for each in (value, first))
    if not isinstance(value, kind) or value != value or has_zone != wanted:
        raise TypeError(
            f"{name} must hold times of one kind, and none that is missing, got {first!r} and "
            f"{value!r}"
        )
    if isinstance(value, timedelta):
        return np.timedelta64(value)
    if isinstance(value, datetime) and value.tzinfo is not None:
        value = value.astimezone(UTC).replace(tzinfo=None)
    return np.datetime64(value)


def _in_files(
    until: FloatArray, longest: float | None, *times: FloatArray
) -> tuple[float | None, list[FloatArray]]:
    """The longest delay, and times before the look, as numbers of files.

    `until` holds times from the files to the look; `times` are ages, times since events, and since
    reports. An age of -1 means that no file came since.
    """
    _, window, seen = times
    until = np.unique(until[until >= 0])
    if not np.isin(seen, until).all():
        raise ValueError("files must hold the time of each report, and of files without reports")
    if len(until) < 2 or window.max() - until[-1] > np.diff(until).max():
        raise ValueError("files must hold the times of all files from the first event to as_of")
    if longest is not None:
        longest = max(round(longest / np.ptp(until) * (len(until) - 1)), 1)
    number = np.arange(-1.0, len(until))  # by the number of files since a time
    return longest, [number[until.searchsorted(each, side="right")] for each in times]
