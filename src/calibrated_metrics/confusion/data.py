"""What functions take: curves, pairs that become curves, and data with metrics of their own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self, TypeAlias

from numpy.typing import ArrayLike

from calibrated_metrics._messages import shown
from calibrated_metrics.confusion.curve import ConfusionCurve
from calibrated_metrics.confusion.matrix import ConfusionMatrix
from calibrated_metrics.rows import Rows, built

__all__ = ["CurveLike", "Measurable", "as_curve", "what_takes"]

CurveLike: TypeAlias = ConfusionCurve | tuple[ArrayLike, ArrayLike]


def as_curve(name: str, data: Any, pos_label: Any = None) -> ConfusionCurve:
    """The curve itself, or that of a pair (y_true, y_score)."""
    curve = built(name, data, ConfusionCurve, pos_label)
    if not isinstance(curve, ConfusionCurve):
        of_matrix = "; ConfusionCurve.from_counts([0, 1], pos=[fn, tp], neg=[tn, fp]) is its curve"
        raise TypeError(
            f"{name} must be a ConfusionCurve or a pair (y_true, y_score), got "
            f"{shown(data)}{of_matrix if isinstance(data, ConfusionMatrix) else ''}"
            f"{what_takes(data)}"
        )
    if not (curve.n_pos and curve.n_neg):
        raise ValueError(f"{name} must hold both classes, got {curve!r}")
    return curve


class Measurable(ABC):
    """Data that compute their own metrics and intervals, such as labels with errors.

    They have no counts whose errors are those of rows, so functions call these methods instead of
    reading counts. `prior`, `prior_is_known` and `pos_label` are as for `ConfusionCurve`; `totals`
    are the numbers of positives and of negatives, and `labelled` the rows with their own labels.
    """

    supported: ClassVar[str]  # what takes these data, for error messages
    of_decisions: bool  # whether they hold decisions instead of scores
    prior: float
    prior_is_known: bool
    pos_label: Any
    totals: tuple[float, float]
    labelled: Rows

    @abstractmethod
    def at_prior(self, pi0: float) -> Self:
        """The data calibrated to a reference prior."""

    @abstractmethod
    def at_population(self, population: Any) -> Any:
        """The data of a reference population."""

    @abstractmethod
    def supports(self, metric: Any) -> bool:
        """Whether the data have this metric."""

    @abstractmethod
    def value(self, metric: Any, *, pi0: float | None = None) -> float:
        """A metric at its reference prior, or at `pi0`."""

    @abstractmethod
    def interval(self, metric: Any, pi0: Any, settings: Any, **given: Any) -> Any:
        """As `uncertainty.interval.estimate`: warnings are remarks of the result."""

    @abstractmethod
    def difference(
        self, metric: Any, pair: Any, pi0: Any, paired: bool, settings: Any, **given: Any
    ) -> Any:
        """As `uncertainty.difference.difference_of`; one of the pair, or both, are these data."""

    @abstractmethod
    def counts_at_scores(self) -> tuple[Any, Any, Any, Any]:
        """Distinct scores, descending, TP and FP of ``score >= threshold``, and their dtype."""


def what_takes(data: object) -> str:
    """What takes these data instead, for the end of an error message; empty for other data."""
    return f"; {data.supported}" if isinstance(data, Measurable) else ""
