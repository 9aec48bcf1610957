"""The prior of rows without labels, and metrics at this prior, under label shift."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from calibrated_metrics import _columns, _hints, _labels, _numbers
from calibrated_metrics._arguments import RandomState, plain_calls
from calibrated_metrics.label_free.shift import Labelled, LabelShift, LabelShiftTest, label_shift
from calibrated_metrics.scores.metric import Metric, MetricLike, with_scores
from calibrated_metrics.uncertainty.estimate import Estimate, Settings, warn_of, withheld
from calibrated_metrics.uncertainty.interval import estimate as interval_at
from calibrated_metrics.uncertainty.prior import clip_prior

__all__ = ["EstimatedPrior", "LabelFreeEstimate", "estimate", "estimate_prior"]

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
        return self.shift.limits(_numbers.level("confidence_level", confidence_level))


@plain_calls()
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
    level = _numbers.level("confidence_level", confidence_level)
    found = _prior_of(label_shift(new, labelled, pos_label, clusters, n_bins), level)
    warn_of(found.remarks)
    return found


def _prior_of(shift: LabelShift, level: float) -> EstimatedPrior:
    """The prior of new rows, with warnings as remarks of the result."""
    prior, method = shift.prior, "profile likelihood"
    if shift.reason is not None:
        found = withheld(prior, level, method, shift.reason)
        return EstimatedPrior(**vars(found), fit=shift.test, shift=shift)
    limits, error = shift.limits(level), shift.errors.standard_error
    found = Estimate(prior, *limits, error, level, method, remarks=_doubts(shift, prior))
    return EstimatedPrior(**vars(found), fit=shift.test, shift=shift)


def _doubts(shift: LabelShift, prior: float | None) -> tuple[str, ...]:
    """Remarks if label shift was not tested, or if few rows of a class are expected."""
    remarks = [shift.test.verdict] if math.isnan(shift.test.p_value) else []
    if prior is not None:
        n = shift.histograms.new.sum() * min(prior, 1 - prior)
        if n < _FEW:
            few = f"the new rows are expected to hold {n:.2g} rows of a class, fewer than {_FEW}"
            remarks.append(f"{few}: the interval may be too short")
    return tuple(remarks)


@plain_calls(pi0="use prior, or a Metric with pi0", **_hints.OF_METRIC)
def estimate(
    metric: MetricLike,
    new: ArrayLike,
    labelled: Labelled,
    *,
    prior: float | Estimate | None = None,
    pos_label: Any = None,
    clusters: ArrayLike | None = None,
    n_bins: int = 10,
    confidence_level: float = 0.95,
    n_resamples: int = 1000,
    rng: RandomState = None,
) -> LabelFreeEstimate:
    """Estimate a metric of rows without labels, under label shift.

    The estimate is the metric of the labelled rows at the prior of the new rows.

    Parameters
    ----------
    metric : str, callable or Metric
        Name of a metric, such as "average_precision", or a function of a curve. A metric of a
        decision needs a threshold, or predicted labels in `new` and in the pair `labelled`. For a
        `Metric` with a reference prior, the new rows are used only to test label shift.
    new, labelled, pos_label, clusters, n_bins
        As for `estimate_prior`, which describes the warnings, too.
    prior : None, float in (0, 1) or Estimate, default=None
        Prior of the new rows from another source, such as an audit. None: `estimate_prior`.
    confidence_level, n_resamples, rng
        As for `uncertainty.interval`. The interval refers to the population of the new rows.

    Returns
    -------
    LabelFreeEstimate
        The error of an estimated prior is included as if it were independent.

    Examples
    --------
    A month without labels:

    >>> import numpy as np
    >>> from calibrated_metrics import Metric, label_free
    >>> rng = np.random.default_rng(0)
    >>> y_true = rng.random(40_000) < 0.015
    >>> labelled = (y_true, rng.normal(2.0 * y_true))
    >>> new = rng.normal(2.0 * (rng.random(20_000) < 0.006))
    >>> label_free.estimate("average_precision", new, labelled)
    LabelFreeEstimate(0.2043, 95 % interval 0.1095 to 0.2801, hull; label shift is not refuted...)

    The precision of the alerts of this month, at the share of frauds that an audit found:

    >>> metric = Metric("precision", threshold=2.0)
    >>> label_free.estimate(metric, new, labelled, prior=0.006)
    LabelFreeEstimate(0.1..., 95 % interval 0.1... to 0.1..., rates; label shift is not refuted...)
    """
    metric = Metric(metric)
    settings = Settings.of(confidence_level, "auto", n_resamples, rng)
    if prior is not None and metric.pi0 is not None:
        raise ValueError(f"prior must be None for a Metric at pi0={metric.pi0}, got {prior}")
    if isinstance(prior, Estimate):
        _numbers.probability("value of prior", prior.value)
    elif prior is not None:
        prior = _numbers.open_unit("prior", prior)
    if metric._takes_labels and isinstance(labelled, tuple | list):
        label = 1 if pos_label is None else pos_label
        labels, decisions = _columns.vector("y_true", labelled[0]), _columns.vector("new", new)
        new = _labels.decisions(labels, decisions, label)[1].astype(np.float64)
    metric, labelled = with_scores(metric, "labelled", labelled, pos_label)
    shift = label_shift(new, labelled, pos_label, clusters, n_bins)
    if prior is None and metric.pi0 is None:
        prior = _prior_of(shift, settings.confidence_level)
    value, of_prior = (
        (float(prior.value), prior.reason) if isinstance(prior, Estimate) else (prior, None)
    )
    reason = shift.reason or of_prior
    if reason is None:
        found = interval_at(metric, shift.curve, prior, settings)
    else:
        at = shift.curve if value is None else shift.curve.at_prior(clip_prior(value))
        data = metric._prepare(at)
        method = metric.facts.interval_of(data)
        found = withheld(metric._value(data), settings.confidence_level, method, reason)
    doubts = () if shift.reason is not None else _doubts(shift, value)
    remarks = (*found.remarks, *doubts)
    warn_of(remarks)
    return LabelFreeEstimate(**{**vars(found), "remarks": remarks}, fit=shift.test, prior=prior)
