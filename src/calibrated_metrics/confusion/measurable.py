"""The contract of data that compute their own metrics and intervals."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

__all__ = ["Measurable", "what_takes"]


class Measurable(ABC):
    """Data that compute their own metrics and intervals, such as labels with errors.

    They have no counts whose errors are those of rows, so functions call these methods instead of
    reading counts. `prior`, `prior_is_known` and `pos_label` are as for `ConfusionCurve`; `totals`
    are the numbers of positives and of negatives.
    """

    supported: ClassVar[str]  # what takes these data, for error messages
    of_decisions: bool  # whether they hold decisions instead of scores
    prior: float
    prior_is_known: bool
    pos_label: Any
    totals: tuple[float, float]

    @abstractmethod
    def at_prior(self, pi0: float) -> Self:
        """The data calibrated to a reference prior."""

    @abstractmethod
    def at_population(self, population: Any) -> Any:
        """The data of a reference population."""

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
    def counts_at_scores(self) -> tuple[Any, Any, Any]:
        """Distinct scores, descending, and TP and FP of the decision ``score >= threshold``."""


def what_takes(data: object) -> str:
    """What takes these data instead, for the end of an error message; empty for other data."""
    return f"; {data.supported}" if isinstance(data, Measurable) else ""
