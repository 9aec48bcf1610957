"""How late labels are: the share of positives that are known at an age."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from calibrated_metrics import _checks
from calibrated_metrics._checks import FloatArray
from calibrated_metrics.binomial import clopper_pearson
from calibrated_metrics.uncertainty.estimate import Estimate

__all__ = ["known_by_age"]


def known_by_age(
    age: ArrayLike,
    event: ArrayLike,
    report: ArrayLike,
    *,
    as_of: Any,
    longest_delay: Any = None,
    confidence_level: float = 0.95,
) -> Estimate:
    """Estimate the share of positives that are known at an age: the sensitivity of late labels.

    Positives are the rows that are reported within `longest_delay`. All times and ages are numbers,
    such as days, or all are dates and time differences.

    Parameters
    ----------
    age : array-like of shape (n_rows,)
        Time from the event to the look at the labels, for each row of a recent period.
    event, report : array-like of shape (n_reported,)
        Times of events that are known to be positive by `as_of`, and of their reports.
    as_of : number or date
        Time at which the reports were read.
    longest_delay : number or time difference, default=None
        Only events that are at least as old are used, so all their reports have arrived. None: all
        events are used, in reversed time, since a recent event is seen only if its delay was short
        (Lagakos, Barraj & De Gruttola 1988, doi:10.1093/biomet/75.3.515). The shares are then
        relative to the reports within the longest delay that was seen.
    confidence_level : float in (0, 1), default=0.95

    Returns
    -------
    Estimate
        With one value and two limits for each row.

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
    level = _checks.level("confidence_level", confidence_level)
    ages, delay, window = _days(age), _days(report, event), _days(as_of, event)
    times = {"age": ages, "report - event": delay, "as_of - report": window - delay}
    for name, each in times.items():
        _checks.not_negative(name, _checks.finite_vector(name, each))
    if longest_delay is None:
        longest = float(delay.max())
        method = f"reports in reversed time, relative to the longest delay seen, {longest:g}"
        value, n = _in_reversed_time(ages, np.sort(delay), np.sort(window))
    else:
        longest = float(_days(longest_delay))
        delay = np.sort(delay[(window >= longest) & (delay <= longest)])
        if not delay.size:
            raise ValueError(f"event must hold events {longest:g} or more before as_of, got none")
        method = f"reports within {longest:g} of {delay.size} events of at least this age"
        value, n = delay.searchsorted(ages, side="right") / delay.size, np.array(delay.size)
    low, high = clopper_pearson(value * n, n, (1 - level) / 2)
    low = np.where(ages >= longest, 1.0, low)  # by definition
    return Estimate(value, low, high, np.sqrt(value * (1 - value) / n), level, method)


def _days(times: Any, since: Any = None) -> FloatArray:
    """Times, or differences of times, as numbers; of dates, in days."""
    found = _of_numpy(times) if since is None else _of_numpy(times) - _of_numpy(since)
    days = found / np.timedelta64(1, "D") if found.dtype.kind == "m" else found
    return np.asarray(days, dtype=np.float64)


def _of_numpy(times: Any) -> Any:
    """Times as an array; a date or time difference of Python or pandas as that of NumPy."""
    if isinstance(times, date):  # also datetime, and Timestamp of pandas
        return np.datetime64(times)
    return np.timedelta64(times) if isinstance(times, timedelta) else np.asarray(times)


def _in_reversed_time(
    ages: FloatArray, delay: FloatArray, window: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Shares of delays up to each age, and the number of independent events with their error.

    An event is at risk of a delay if it was old enough for it, and its own delay is not longer.
    Delays and windows (the greatest delays that could be seen) are ascending.
    """
    at_risk = np.arange(1.0, len(delay) + 1) - window.searchsorted(delay)
    if (at_risk[1:] < 2).any():
        raise ValueError(
            "event must hold at least two events that are old enough for each delay; give "
            "longest_delay to use old events only"
        )
    leaves = 1 / np.append(at_risk, np.inf)
    later = delay.searchsorted(ages, side="right")
    value = (1 - leaves)[::-1].cumprod()[::-1][later]
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = (leaves**2 / (1 - leaves))[::-1].cumsum()[::-1][later]  # of log(value)
        n = (1 - value) / (value * variance)
    return value, np.where((value > 0) & (value < 1), n, len(delay))
