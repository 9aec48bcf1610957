"""The rows that a curve or a matrix counts."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from calibrated_metrics import _checks
from calibrated_metrics.confusion.measurable import Measurable
from calibrated_metrics.rows import Rows

__all__ = ["HasRows", "built", "check_label"]


class HasRows:
    """Counts that may be those of rows, which are the `source` of what was counted."""

    _counted: Any
    _argument: ClassVar[str]  # its name in messages

    @property
    def sample(self) -> Rows | None:
        """The rows, None if the counts are not those of rows."""
        source = self._counted.source
        return source if isinstance(source, Rows) else None

    @property
    def rows(self) -> Rows:
        """The rows, for what cannot be computed without them."""
        if self.sample is None:
            raise ValueError(
                f"{self._argument} must hold its rows: build it with from_predictions, or a curve "
                "with from_counts; rates, vertices, a hull, a random draw or a distribution have "
                "none"
            )
        return self.sample

    @property
    def pos_label(self) -> Any:
        """The label of the positives of the rows; None for counts and rates."""
        return None if self.sample is None else self.sample.pos_label


def built(name: str, data: Any, kind: Any, pos_label: Any) -> Any:
    """The curve or matrix (`kind`) of a pair; curves and matrices as given.

    `pos_label` None is the label 1 of a pair, or the label with which other data were built.
    """
    if isinstance(data, tuple | list) and len(data) == 2:
        return kind.from_predictions(*data, pos_label=1 if pos_label is None else pos_label)
    if isinstance(data, HasRows | Measurable):
        check_label(name, data, pos_label)
    return data


def check_label(name: str, data: HasRows | Measurable, pos_label: Any) -> None:
    """Refuse another label of the positives than that with which a curve or matrix was built."""
    if pos_label is None:
        return
    _checks.single_label("pos_label", pos_label)
    known = data.pos_label
    if known is None:
        raise ValueError(
            f"pos_label must be None if {name} has no labels, such as counts or rates, got "
            f"{_checks.shown(pos_label)}"
        )
    if not _checks.equal_to(np.array([known], dtype=object), pos_label).all():
        raise ValueError(
            f"pos_label must be None or {_checks.shown(known)}, with which {name} was built, got "
            f"{_checks.shown(pos_label)}"
        )
