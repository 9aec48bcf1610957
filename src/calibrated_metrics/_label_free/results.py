"""Results for rows without labels: estimates with the fit test of label shift."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from calibrated_metrics._intervals.estimate import Estimate

__all__ = ["LEVEL", "LabelFreeEstimate", "LabelShiftTest"]

LEVEL = 0.05  # significance level of the fit test


class LabelShiftTest(NamedTuple):
    """Test whether new scores can be a mixture of the labelled classes.

    Attributes
    ----------
    statistic : float
        Pearson's χ² of three histograms (labelled positives, labelled negatives, new rows) against
        their most likely fit under label shift.
    df : int
        Degrees of freedom: bins - 2.
    p_value : float in [0, 1]
        NaN if there are fewer than three bins: any histogram of two bins is such a mixture, so
        label shift is not tested.
    """

    statistic: float
    df: int
    p_value: float

    @property
    def refuted(self) -> bool:
        """Whether label shift is rejected at significance level 0.05."""
        return self.p_value <= LEVEL

    @property
    def verdict(self) -> str:
        """Human-readable result. It is never "verified": see `label_free.estimate_prior`."""
        if self.df < 1:
            return "label shift was not tested: the scores fill fewer than three bins"
        return (
            f"label shift is {'refuted' if self.refuted else 'not refuted'} "
            f"(χ² = {self.statistic:.3g}, {self.df} df, p = {self.p_value:.2g})"
        )


@dataclass(frozen=True, eq=False, repr=False)
class LabelFreeEstimate(Estimate):
    """An estimate for rows without labels.

    It has the attributes of `uncertainty.Estimate` and these:

    Attributes
    ----------
    target : str
        What the interval is about.
    fit : LabelShiftTest
        The test of the assumption. If label shift is refuted, the interval is withheld: the limits
        and the standard error are NaN, and `reason` says why.
    prior : Estimate, float or None
        Prior of the new rows at which a score was taken. None for an estimate of the prior itself.
    """

    target: str = field(kw_only=True)
    fit: LabelShiftTest = field(kw_only=True)
    prior: Estimate | float | None = field(default=None, kw_only=True)

    def __repr__(self) -> str:
        shown = super().__repr__()
        return shown if self.reason is not None else f"{shown[:-1]}; {self.fit.verdict})"
