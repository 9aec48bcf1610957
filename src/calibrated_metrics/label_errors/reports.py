"""Delays of reports: their distribution from events that are still reported, and its conditions."""

from __future__ import annotations

import math

import numpy as np

from calibrated_metrics._numbers import FloatArray

__all__ = ["doubts_of_reports", "in_reversed_time"]

# Reports seem to arrive in files if this many share a time, for each time of reports there are so
# many of events, and the times are further apart than this share of the median delay.
_SHARED, _APART, _SHORT = 1.5, 2, 0.1
_LEVEL, _QUANTILE = 0.01, 2.33  # of the tests of complete reports and of constant delays
_MOST = 2000  # events of a test that compares all pairs


def doubts_of_reports(
    window: FloatArray, seen: FloatArray, delay: FloatArray, *, in_files: bool
) -> list[str]:
    """Remarks on reports from which the delays of recent events cannot be told.

    `window` and `seen` are times from the events and from their reports to the look.
    """
    doubts = [] if in_files else _doubts_of_files(window, seen, delay)
    doubts += _doubts_of_first_reports(window, seen, delay)
    return doubts or _doubts_of_changes(window, delay)


def _doubts_of_files(window: FloatArray, seen: FloatArray, delay: FloatArray) -> list[str]:
    """A remark on reports that share few times, far apart, although their events do not."""

    def effective_number(times: FloatArray) -> float:
        return float(len(times) ** 2 / (np.unique(times, return_counts=True)[1] ** 2).sum())

    of_events, of_reports = effective_number(window), effective_number(seen)
    is_rare = of_reports <= min(of_events / _APART, len(seen) / _SHARED)
    if not is_rare or np.ptp(seen) / of_reports <= _SHORT * np.median(delay):
        return []
    return [
        f"most reports share about {of_reports:.0f} times, so they seem to arrive in files: give "
        "their times as files, because the shares of recent rows may be wrong otherwise"
    ]


def _doubts_of_first_reports(window: FloatArray, seen: FloatArray, delay: FloatArray) -> list[str]:
    """A remark on events before the first report whose other reports seem to be missing.

    If all reports were kept, the chance that none of these events was reported earlier is uniformly
    distributed. It is computed with the delays of later events.
    """
    first = seen.max()
    before = window > first
    if not before.any() or np.count_nonzero(~before) < 2:
        return []
    known = np.sort(delay[~before]), np.sort(window[~before])
    try:
        share, _ = in_reversed_time(window[before] - first, *known)
    except ValueError:  # too few events for some delays
        return []
    if np.prod(1 - share) >= _LEVEL:
        return []
    return [
        f"{np.count_nonzero(before)} events are older than the first report, and others like them "
        "would have been reported before it: reports seem to be kept from that time only, so pass "
        "only events since then"
    ]


def _doubts_of_changes(window: FloatArray, delay: FloatArray) -> list[str]:
    """A remark on delays that change with the time of the event, by Tsai's test (1990).

    Among the events for which a delay could be seen, and whose delay is not longer, the one with
    this delay is a random one if delays do not change (doi:10.1093/biomet/77.1.169).
    """
    if len(delay) > _MOST:
        some = np.linspace(0, len(delay) - 1, _MOST).astype(int)
        window, delay = window[some], delay[some]
    at_risk = (delay <= delay[:, np.newaxis]) & (window >= delay[:, np.newaxis])
    older = np.sign(window - window[:, np.newaxis])
    variance = ((at_risk.sum(axis=1).astype(float) ** 2 - 1) / 3).sum()
    z = (older * at_risk).sum() / math.sqrt(variance) if variance else 0.0
    if abs(z) <= _QUANTILE:
        return []
    trend = "longer" if z > 0 else "shorter"
    return [
        f"the delays of later events are {trend} than those of earlier ones: the shares that are "
        "known may be wrong for recent rows; use events of a recent period only, without "
        "longest_delay"
    ]


def in_reversed_time(
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
