"""Labelled rows of a group or period: their data, or why they cannot be used."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrated_metrics import _checks, label_errors
from calibrated_metrics.confusion import ConfusionCurve, ConfusionMatrix
from calibrated_metrics.confusion.measurable import Measurable, what_takes
from calibrated_metrics.confusion.rows import check_label
from calibrated_metrics.scores.metric import Data

__all__ = ["OK", "UNDEFINED", "Labelled", "numbers_of_counts"]

OK = "ok"

# A metric may be undefined on the data or reject them; a user's function may divide by 0.
UNDEFINED = (ValueError, TypeError, ArithmeticError)


class Labelled(NamedTuple):
    """Numbers of labelled rows of each class, their data, and `OK` or why there are none."""

    n_pos: int
    n_neg: int
    data: Data | Measurable | None
    status: str

    @classmethod
    def of_columns(cls, columns: Mapping[str, Any], pos_label: Any) -> Labelled:
        """Rows from the arguments of `ConfusionCurve.from_predictions`, and rates of the labels."""
        has_rates = "label_sensitivity" in columns or "label_specificity" in columns
        build = label_errors.from_predictions if has_rates else ConfusionCurve.from_predictions
        n_pos, n_neg = _numbers_of_rows(columns["y_true"], pos_label)
        try:
            data = build(**columns, pos_label=pos_label)
        except UNDEFINED as error:
            return cls(n_pos, n_neg, None, str(error))
        return cls(n_pos, n_neg, data, OK)

    @classmethod
    def of_period(cls, period: Any, pos_label: Any) -> Labelled:
        """Rows from a curve, a matrix or a pair (y_true, y_score)."""
        if isinstance(period, ConfusionCurve | ConfusionMatrix):
            check_label("periods", period, pos_label)
            return cls(*numbers_of_counts(period), period, OK)
        if not (isinstance(period, tuple | list) and len(period) == 2):
            raise TypeError(
                "periods must hold ConfusionCurves, ConfusionMatrices or pairs (y_true, y_score), "
                f"got {_checks.shown(period)}{what_takes(period)}"
            )
        names = "y_true", "y_score"
        try:
            columns = dict(zip(names, map(_checks.vector, names, period), strict=True))
        except ValueError as error:
            return cls(0, 0, None, str(error))
        return cls.of_columns(columns, 1 if pos_label is None else pos_label)

    def at_population(self, population: Mapping[Any, float]) -> Labelled:
        if self.data is None:
            return self
        try:
            return self._replace(data=self.data.at_population(population))
        except ValueError as error:  # such as strata that these rows lack
            return self._replace(data=None, status=str(error))


def numbers_of_counts(data: Data | Measurable) -> tuple[int, int]:
    """Numbers of rows of each class."""
    if isinstance(data, Measurable):
        return round(data.n_pos), round(data.n_neg)
    if data.sample is None:
        return round(float(data.counted.n_pos)), round(float(data.counted.n_neg))
    n_neg, n_pos = np.bincount(data.sample.positive, data.sample.number, minlength=2)
    return round(n_pos), round(n_neg)


def _numbers_of_rows(labels: NDArray[Any], pos_label: Any) -> tuple[int, int]:
    """Numbers of positive and of other labels; missing labels are not counted."""
    if labels.dtype.kind == "O":
        labels = labels[[not _checks.is_missing(label) for label in labels]]
    else:
        labels = labels[labels == labels]  # NaN differs from itself
    n_pos = int(np.count_nonzero(_checks.equal_to(labels, pos_label)))
    return n_pos, len(labels) - n_pos
