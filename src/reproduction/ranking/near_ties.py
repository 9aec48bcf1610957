"""When the values of a metric are tied: the rule wherever models are ranked or compared."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["TOLERANCE", "tied"]

# Rounding separates equal values by less than 1e-14; the closest distinct values of two models,
# among the authors' stored scores and the models fitted here, are 1e-10 apart.
TOLERANCE = 1e-11


def tied(values: ArrayLike) -> np.ndarray:
    """Make values that differ only by rounding equal.

    Of the sorted values of a metric, two neighbours are tied if they differ by at most
    `TOLERANCE`: absolutely if both are at most 1 in size, else relative to the larger size. Ties
    are transitive, so a group of tied values ends where a larger gap follows, and the groups do
    not depend on the order of the models.

    Parameters
    ----------
    values : array-like of shape (n_models, n_metrics)
        Finite values of metrics, each column on its own.

    Returns
    -------
    ndarray of shape (n_models, n_metrics)
        Each value replaced by the largest of its group.
    """
    values = np.asarray(values, dtype=np.float64)
    order = values.argsort(axis=0)
    ascending = np.take_along_axis(values, order, axis=0)
    size = np.maximum(np.abs(ascending), 1.0)
    is_last = np.ones(values.shape, dtype=bool)
    is_last[:-1] = np.diff(ascending, axis=0) > TOLERANCE * np.maximum(size[1:], size[:-1])
    last_above = np.minimum.accumulate(np.where(is_last, ascending, np.inf)[::-1], axis=0)[::-1]
    result = np.empty_like(values)
    np.put_along_axis(result, order, last_above, axis=0)
    return result
