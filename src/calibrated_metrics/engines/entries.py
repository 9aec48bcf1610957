"""Entries: rows of a frame, or identical rows that an engine counted, before groups are made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from calibrated_metrics._numbers import FloatArray
from calibrated_metrics.drawn import BoolArray

__all__ = ["Entries", "Part"]

Part: TypeAlias = NDArray[np.intp] | slice  # of the entries


class Entries(NamedTuple):
    """Rows of groups, or entries of several identical rows.

    `keys` is a frame of the group of each entry. Arrays of shape (n_entries,) are the labels, the
    predicted ones (None for scores), whether labels are that of the positives, or another one,
    whether there are rows with a label, a score and a weight, the number of rows with weight that
    have no label or no score, and the number of rows. `data_of` returns the data of the entries at
    some places.
    """

    keys: Any
    labels: NDArray[Any]
    predicted: NDArray[Any] | None
    is_positive: BoolArray
    is_negative: BoolArray
    is_used: BoolArray
    n_missing: FloatArray
    number: FloatArray
    data_of: Callable[[Part], Any]
