"""Settings of an interval: level, method and bootstrap draws."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from calibrated_metrics import _checks
from calibrated_metrics._checks import RandomState

__all__ = ["Settings"]


class Settings(NamedTuple):
    """Confidence level, name of the method (None: that of the metric), and draws of a bootstrap."""

    confidence_level: float = 0.95
    method: str | None = None
    n_resamples: int = 1000
    seed: int = 0

    @classmethod
    def of(
        cls, confidence_level: float, method: str, n_resamples: int, rng: RandomState
    ) -> Settings:
        """Checked settings. The same seed gives the same draws at each prior and for each model."""
        _checks.one_of("method", method, ("auto", "bootstrap"))
        return cls(
            _checks.level("confidence_level", confidence_level),
            None if method == "auto" else method,
            _checks.integer_at_least("n_resamples", n_resamples, 2),
            int(_checks.generator("rng", rng).integers(2**63)),
        )

    @property
    def generator(self) -> np.random.Generator:
        """A new generator with the same seed."""
        return np.random.default_rng(self.seed)
