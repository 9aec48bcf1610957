"""The prior of rows without labels, under label shift."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import ArrayLike

from calibrated_metrics import _checks
from calibrated_metrics.label_free.shift import Labelled, LabelShift, LabelShiftTest, label_shift
from calibrated_metrics.uncertainty.estimate import Estimate, warn_of, withheld

__all__ = ["EstimatedPrior", "LabelFreeEstimate", "estimate_prior", "prior_of"]

_FEW = 5  # expected new rows of a class


@dataclass(frozen=True, eq=False, repr=False)
class LabelFreeEstimate(Estimate):
    """An `uncertainty.Estimate` for rows without labels, under label shift.

    `fit` is the test of the assumption; if label shift is refuted, the interval is withheld.
    `prior` is the prior of the new rows at which a metric was computed; None if it was not used.
    """

    fit: LabelShiftTest = field(kw_only=True)
    prior: Estimate | float | None = field(default=None, kw_only=True)

    def __repr__(self) -> str:
        shown = super().__repr__()
        return shown if self.reason is not None else f"{shown[:-1]}; {self.fit.verdict})"

    @property
    def _notes(self) -> tuple[str, ...]:
        return (*super()._notes, self.fit.verdict)


@dataclass(frozen=True, eq=False, repr=False)
class EstimatedPrior(LabelFreeEstimate):
    """An estimated prior. Functions that take a prior use its limits at other levels.

    `shift` contains the histograms from which it was estimated.
    """

    shift: LabelShift = field(kw_only=True, compare=False)

    def limits(self, confidence_level: float) -> tuple[float, float]:
        """Return the limits at another confidence level; NaN if the interval is withheld.

        Parameters
        ----------
        confidence_level : float in (0, 1)
            Nominal probability that the limits contain the prior of the population.

        Returns
        -------
        low, high : float
        """
        if self.reason is not None or confidence_level == self.confidence_level:
            return float(self.low), float(self.high)
        return self.shift.limits(_checks.level("confidence_level", confidence_level))


@_checks.plain_calls()
def estimate_prior(
    new: ArrayLike,
    labelled: Labelled,
    *,
    pos_label: Any = None,
    clusters: ArrayLike | None = None,
    n_bins: int = 10,
    confidence_level: float = 0.95,
) -> EstimatedPrior:
    """Estimate the class prior (prevalence) of rows without labels, under label shift.

    *Label shift* means that only the prior changed: the scores of the positives have the same
    distribution as before, and so do the scores of the negatives. The likelihood of histograms is
    maximised (Hosmer 1973, doi:10.2307/2529141), so only the ranks of the scores matter.
    ``docs/how-to/without-labels.md`` shows drifts that scores cannot reveal, and
    ``docs/methods/without-labels.md`` the measured coverage.

    Parameters
    ----------
    new : array-like of shape (n_new,)
        Finite scores of the rows without labels.
    labelled : ConfusionCurve or pair (y_true, y_score)
        Other rows, with labels and scores of the same model. Their class ratio and weights that are
        equal within each class do not matter. Other weights, and strata, raise an error.
    pos_label : scalar, default=None
        Label of the positives. None: 1 for a pair, and the own label of a curve or matrix.
    clusters : array-like of shape (n_new,), default=None
        Labels of clusters of the new rows, such as customers, whose rows may depend on each other.
        The curve `labelled` must have clusters as well; equal labels mean the same cluster.
    n_bins : int >= 2, default=10
        Largest number of bins. They hold equal shares of a balanced mixture of the labelled
        classes, and at least four labelled rows (or clusters) of the rarer class on average.
    confidence_level : float in (0, 1), default=0.95

    Returns
    -------
    EstimatedPrior
        An `uncertainty.Estimate` of the prior of the population of the new rows, with `fit`, the
        test of label shift, and `limits(confidence_level)`. The interval is withheld with a warning
        if label shift is refuted (p <= 0.05) or if there are too few clusters. A warning is also
        given if label shift was not tested, or if fewer than five rows of a class are expected.

    Examples
    --------
    A month in which the prior rose from 0.015 to 0.03:

    >>> import numpy as np
    >>> from calibrated_metrics import label_free
    >>> rng = np.random.default_rng(0)
    >>> y_true = rng.random(20_000) < 0.015
    >>> y_score = rng.normal(2.0 * y_true)
    >>> new = rng.normal(2.0 * (rng.random(20_000) < 0.03))
    >>> label_free.estimate_prior(new, (y_true, y_score))
    EstimatedPrior(0.02751, 95 % interval 0.02075 to 0.03497, profile likelihood; label shift...)
    """
    level = _checks.level("confidence_level", confidence_level)
    found = prior_of(label_shift(new, labelled, pos_label, clusters, n_bins), level)
    warn_of(found.remarks)
    return found


def prior_of(shift: LabelShift, level: float) -> EstimatedPrior:
    """The prior of new rows, with warnings as remarks of the result."""
    prior, method = shift.prior, "profile likelihood"
    if shift.reason is None:
        error, remarks = shift.errors.standard_error, _remarks(shift)
        found = Estimate(prior, *shift.limits(level), error, level, method, remarks=remarks)
    else:
        found = withheld(prior, level, method, shift.reason)
    return EstimatedPrior(**vars(found), fit=shift.test, shift=shift)


def _remarks(shift: LabelShift) -> tuple[str, ...]:
    remarks = (shift.test.verdict,) if math.isnan(shift.test.p_value) else ()
    expected = shift.histograms.new.sum() * min(shift.prior, 1 - shift.prior)
    if expected >= _FEW:
        return remarks
    few = f"the new rows are expected to hold {expected:.2g} rows of a class, fewer than {_FEW}"
    return (*remarks, f"{few}: the interval may be too short")
