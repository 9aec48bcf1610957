"""The rows that a curve or a matrix counts."""

from __future__ import annotations

from typing import Any, ClassVar

from calibrated_metrics.imperfect import HONOURED, ImperfectSample
from calibrated_metrics.sample import Sample

__all__ = ["HasRows"]


class HasRows:
    """Counts that may be those of rows, which are the `source` of what was counted."""

    _counted: Any
    _argument: ClassVar[str]  # its name in messages

    @property
    def sample(self) -> Sample | None:
        """The rows, None if the counts are not those of rows with correct labels."""
        source = self._counted.source
        return source if isinstance(source, Sample) else None

    @property
    def imperfect(self) -> ImperfectSample | None:
        """The rows if their labels may be wrong, else None."""
        source = self._counted.source
        return source if isinstance(source, ImperfectSample) else None

    @property
    def rows(self) -> Sample:
        """The rows, for what cannot be computed without them."""
        if self.imperfect is not None:
            raise ValueError(HONOURED)
        if self.sample is None:
            raise ValueError(
                f"{self._argument} must hold its rows: build it with from_predictions, or a curve "
                "with from_counts; rates, vertices, a hull, a random draw or a distribution have "
                "none"
            )
        return self.sample
