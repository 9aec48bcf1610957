"""Limits of a difference, from the limits of two values and the correlation of their errors.

It is square-and-add (MOVER; Zou 2007, doi:10.1037/1082-989X.12.4.399), for two shares with score
limits (Newcombe 1998, method 10). Let x and y be the distances of both values from the limits in
question, s and t their standard errors, and r >= 0 the correlation. Each error is the sum of an own
part and of a part that both share, which is r of its variance:

    reach² = (1 - r) (x² + y²) + r w²,   w = x (1 - t / s) if s >= t, otherwise y (1 - s / t)

The own parts are independent, and their squares are added. The shared part moves both values in one
direction, and their difference by the difference of the errors. If limits are symmetric, this is
x² + y² - 2 r x y, which is used if r < 0. Limits that are not symmetric do not cancel in that form.

What a limit adds for rows that the sample missed counts 1 - r, because both samples missed the same
rows. So the interval is never wider than that of independent samples if r >= 0, and its limits move
apart with the level. An infinite limit stays infinite unless the errors are equal.
"""

from __future__ import annotations

import math

import numpy as np

from calibrated_metrics.uncertainty.estimate import Limits, Measured
from calibrated_metrics.uncertainty.units import Linear

__all__ = ["correlation_of", "square_and_add"]


def square_and_add(a: Measured, b: Measured, correlation: float | str) -> Measured:
    """The difference of two values, with the correlation or the reason why it is unknown."""
    value, method = a.value - b.value, f"mover of {a.method}"
    if reason := a.reason or b.reason:
        return Measured.withheld(value, method, reason)
    if isinstance(correlation, str):
        return Measured.withheld(value, method, correlation)
    r, errors = correlation, (a.standard_error, b.standard_error)
    of_a, of_b = _without_shared_rows(a, r), _without_shared_rows(b, r)
    if a.wilson_limits is not None and b.wilson_limits is not None:
        of_a, of_b, method = a.wilson_limits, b.wilson_limits, "newcombe"

    def limits(level: float) -> tuple[float, float]:
        (low_a, high_a), (low_b, high_b) = of_a(level), of_b(level)
        low = value - _reach(a.value - low_a, high_b - b.value, *errors, r)
        return low, value + _reach(high_a - a.value, b.value - low_b, *errors, r)

    remarks = tuple(dict.fromkeys(a.remarks + b.remarks))
    return Measured(value, _reach(*errors, *errors, r), limits, method, remarks=remarks)


def _without_shared_rows(found: Measured, r: float) -> Limits:
    """Limits that allow for 1 - r of the rows that the sample missed."""
    own = found.own_limits
    if own is None or r <= 0:
        return found.limits

    def limits(level: float) -> tuple[float, float]:
        (low, high), (least, most) = found.limits(level), own(level)
        return (1 - r) * low + r * max(low, least), (1 - r) * high + r * min(high, most)

    return limits


def _reach(x: float, y: float, s: float, t: float, r: float) -> float:
    """How far the difference moves if the values, with the errors s and t, move by x and y."""
    if r == 1 and s == t:
        return 0.0
    if math.isinf(x) or math.isinf(y):  # no limit, such as of a ratio
        return math.inf
    if r <= 0:
        return math.sqrt(x * x + y * y - 2 * r * x * y)
    shared = abs(s - t) / (max(s, t) or 1.0) * (x if s >= t else y)
    return math.sqrt((1 - r) * (x * x + y * y) + r * shared**2)


def correlation_of(covariance: float, a: Linear, b: Linear) -> float:
    errors = a.standard_error * b.standard_error
    return float(np.clip(covariance / errors, -1, 1)) if 0 < errors < math.inf else 0.0
