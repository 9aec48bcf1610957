"""Metrics of rows without labels, under label shift."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from calibrated_metrics import _checks, _hints
from calibrated_metrics._checks import RandomState
from calibrated_metrics.label_free.prior import LabelFreeEstimate, prior_of
from calibrated_metrics.label_free.shift import Labelled, LabelShift, label_shift
from calibrated_metrics.scores.metric import Metric, MetricLike, with_scores
from calibrated_metrics.uncertainty.estimate import Estimate, Settings, warn_of, withheld
from calibrated_metrics.uncertainty.interval import estimate as interval_at
from calibrated_metrics.uncertainty.prior import clip_prior

__all__ = ["estimate"]


@_checks.plain_calls(pi0="use prior, or a Metric with pi0", **_hints.OF_METRIC)
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
        _checks.probability("value of prior", prior.value)
    elif prior is not None:
        prior = _checks.open_unit("prior", prior)
    if metric._takes_labels and isinstance(labelled, tuple | list):
        label = 1 if pos_label is None else pos_label
        labels, decisions = _checks.vector("y_true", labelled[0]), _checks.vector("new", new)
        new = _checks.decisions(labels, decisions, label)[1].astype(np.float64)
    metric, labelled = with_scores(metric, "labelled", labelled, pos_label)
    shift = label_shift(new, labelled, pos_label, clusters, n_bins)
    own_prior = prior_of(shift, settings.confidence_level)
    if prior is None and metric.pi0 is None:
        prior = own_prior
    found = _at_prior(metric, shift, prior, settings)
    remarks = (*found.remarks, *own_prior.remarks)
    warn_of(remarks)
    return LabelFreeEstimate(**{**vars(found), "remarks": remarks}, fit=shift.test, prior=prior)


def _at_prior(
    metric: Metric, shift: LabelShift, prior: float | Estimate | None, settings: Settings
) -> Estimate:
    """The interval of the labelled curve at a prior, withheld if there is a reason."""
    value, of_prior = (prior.value, prior.reason) if isinstance(prior, Estimate) else (prior, None)
    reason = shift.reason or of_prior
    if reason is None:
        return interval_at(metric, shift.curve, prior, settings)
    curve = shift.curve if value is None else shift.curve.at_prior(clip_prior(float(value)))
    data = metric._prepare(curve)
    method = metric.facts.interval_of(data)
    return withheld(metric._value(data), settings.confidence_level, method, reason)
