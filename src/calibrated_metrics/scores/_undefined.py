"""What a metric of a decision does where it is undefined."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np

from calibrated_metrics._checks import FloatArray
from calibrated_metrics._warnings import warn_the_caller
from calibrated_metrics.confusion import Values

__all__ = ["UndefinedMetricWarning", "defined", "quotient"]


_silent: ContextVar[bool] = ContextVar("silent", default=False)


@contextmanager
def without_warnings() -> Iterator[None]:
    """Do not warn of undefined metrics in the block, in this thread only."""
    token = _silent.set(True)
    try:
        yield
    finally:
        _silent.reset(token)


class UndefinedMetricWarning(UserWarning):
    """A metric is undefined (0/0) for some of the data, and no value was chosen to replace it."""


def quotient(part: Values, whole: Values) -> FloatArray:
    """part / whole: NaN for 0/0, infinite for any other division by 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.divide(part, whole))


def defined(name: str, values: FloatArray, reason: str) -> Values:
    """The values of a metric. NaN is refused for a number, and warned of in an array."""
    undefined = np.isnan(values)
    if values.ndim == 0:
        if undefined:
            raise ValueError(f"{name} is undefined: {reason}")
        return float(values)
    n_undefined = int(undefined.sum())
    if n_undefined and not _silent.get():
        warn_the_caller(
            f"{name} is undefined for {n_undefined} of {values.size} matrices and NaN there: "
            f"{reason}",
            UndefinedMetricWarning,
        )
    return values
