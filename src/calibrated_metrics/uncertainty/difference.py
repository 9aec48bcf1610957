"""The difference of a metric between two samples, or between two models on the same rows.

The limits of both values and the correlation of their errors make those of the difference: see
`combine`. See docs/methods/intervals.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from calibrated_metrics import _arguments, _hints, _numbers
from calibrated_metrics._arguments import RandomState, plain_calls
from calibrated_metrics._numbers import FloatArray
from calibrated_metrics.confusion.data import Measurable
from calibrated_metrics.rows import same_labels
from calibrated_metrics.scores.metric import Data, DataLike, Metric, MetricLike
from calibrated_metrics.uncertainty.combine import correlation_of, square_and_add
from calibrated_metrics.uncertainty.estimate import (
    Estimate,
    Measured,
    Scale,
    Settings,
    doubted,
    of_priors,
    warn_of,
)
from calibrated_metrics.uncertainty.interval import (
    CHANGES,
    at_priors,
    measured,
    rows_of,
)
from calibrated_metrics.uncertainty.paired import (
    check_same_rows,
    correlations_of_models,
    differences_of_shares,
    has_influence,
)
from calibrated_metrics.uncertainty.prior import PriorLike, ReferencePrior, with_error_of_prior
from calibrated_metrics.uncertainty.units import covariance, linearise

__all__ = [
    "correlation_of_samples",
    "difference",
    "difference_at",
    "difference_of",
    "have_same_labels",
    "p_value",
    "scale_of",
    "share_clusters",
]

Alternative: TypeAlias = Literal["two-sided", "greater", "less"]
_SAME_LABELS = (
    "a and b have the same labels in the same order: if they are the same rows, pass paired=True"
)
_LEAST_P, _ERROR_OF_P = 1e-12, 1e-4  # the second one is relative


@plain_calls(
    "difference takes two pairs: difference(metric, (y_true, a), (y_true, b), paired=True)",
    **_hints.HOW_DRAWN,
    **_hints.OF_METRIC,
)
def difference(
    metric: MetricLike,
    a: DataLike,
    b: DataLike,
    *,
    pi0: PriorLike = None,
    population: Mapping[Any, float] | None = None,
    paired: bool = False,
    alternative: Alternative = "two-sided",
    margin: float = 0.0,
    pos_label: Any = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    n_resamples: int = 1000,
    rng: RandomState = None,
) -> Estimate:
    """Estimate the metric of `a` minus that of `b`, with a confidence interval.

    Parameters
    ----------
    metric : str, callable or Metric
        Name of a metric, such as "average_precision", or a function of a curve or matrix.
    a, b : ConfusionCurve, ConfusionMatrix, or pair (y_true, y_score) or (y_true, y_pred)
        Two samples, or the same rows in the same order with the predictions of two models. In two
        samples, equal labels of clusters mean the same cluster.
    pi0 : None, float in (0, 1), array-like of shape (n_priors,) or Estimate, default=None
        Reference prior, as for `interval`. None: the prior of each sample.
    population : None or mapping of stratum to share, default=None
        Reference population of both samples, as for `interval`.
    paired : bool, default=False
        Whether `a` and `b` are predictions for the same rows.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        "greater": a lower confidence limit, and the upper end of the range. "less": an upper
        confidence limit, and the lower end. Both need a `confidence_level` above 0.5.
    margin : float >= 0, default=0.0
        Non-inferiority margin, in units of the metric, of a one-sided alternative: the loss that
        counts as none. "greater" with the margin 0.02 asks whether the difference is above -0.02,
        and "less" whether it is below 0.02; the end of `method` says so. The limits do not depend
        on it.
    pos_label, confidence_level, method, n_resamples, rng
        As for `interval`.

    Returns
    -------
    Estimate
        As for `interval`, with the same warnings. An infinite value raises ``ValueError``.

    Examples
    --------
    Precision of a test in two hospitals, at the same prior:

    >>> from calibrated_metrics import ConfusionMatrix
    >>> from calibrated_metrics.uncertainty import difference
    >>> a = ConfusionMatrix(tp=80, fp=40, fn=20, tn=860)
    >>> b = ConfusionMatrix(tp=30, fp=9, fn=20, tn=441)
    >>> difference("precision", a, b, pi0=0.05)
    Estimate(-0.1258, 95 % interval -0.297 to 0.0536, mover of rates)

    Two models on the same rows:

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.arange(2000) < 100
    >>> easy = rng.normal(size=2000) + 2 * y_true
    >>> a, b = (easy + noise * rng.normal(size=2000) for noise in (0.2, 0.6))
    >>> difference("average_precision", (y_true, a), (y_true, b), paired=True)
    Estimate(0.1156, 95 % interval 0.04453 to 0.1836, mover of hull)

    Is the second one not worse than the first by 0.2 or more?

    >>> difference(
    ...     "average_precision",
    ...     (y_true, b),
    ...     (y_true, a),
    ...     paired=True,
    ...     alternative="greater",
    ...     margin=0.2,
    ... )
    Estimate(-0.1156, 95 % interval -0.1729 to 1, mover of hull, one-sided, above -0.2)
    """
    checked = Metric(metric)
    tested = _tested(checked, alternative, margin)
    settings = Settings.of(confidence_level, method, n_resamples, rng)
    given = {"population": population, "pos_label": pos_label}
    if alternative != "two-sided":  # the limits of a two-sided interval are one-sided ones
        if confidence_level <= 0.5:
            level = f"{confidence_level:g}"
            raise ValueError(f"confidence_level must be above 0.5 for one limit, got {level}")
        settings = settings._replace(confidence_level=2 * confidence_level - 1)
    found = difference_of(checked, a, b, pi0, paired, settings, **given)
    if alternative != "two-sided":
        low, high = checked.facts.range
        found = _one_sided(found, alternative, tested, high - low, confidence_level)
    warn_of(found.remarks)
    return found


def _tested(metric: Metric, alternative: str, margin: float) -> float:
    """The difference under the null hypothesis: 0, or a loss of the margin."""
    _arguments.one_of("alternative", alternative, ("two-sided", "greater", "less"))
    margin = _numbers.at_least_zero("margin", margin)
    if margin and alternative == "two-sided":
        raise ValueError(
            f'margin must be 0 with alternative="two-sided", got {margin:g}: models are equivalent '
            'if they pass with "greater" and with "less"'
        )
    low, high = metric.facts.range
    if margin >= high - low:
        raise ValueError(
            f"margin must be less than {high - low:g}, the range of the metric, got {margin:g}"
        )
    return -margin if alternative == "greater" else margin


def _one_sided(
    found: Estimate, alternative: str, tested: float, greatest: float, level: float
) -> Estimate:
    """The interval with one of its limits, and the range of differences on the other side."""
    is_lower = alternative == "greater"
    name, end = ("high", greatest) if is_lower else ("low", -greatest)
    withheld = np.isnan(getattr(found, name))
    limits: dict[str, Any] = {name: np.where(withheld, np.nan, end)[()]}
    method = f"{found.method}, one-sided"
    if tested:
        is_shown = np.all(found.low > tested if is_lower else found.high < tested)
        word = "above" if is_lower else "below"
        method = f"{method}, {word if is_shown else f'not shown to be {word}'} {tested:g}"
    return replace(found, **limits, confidence_level=level, method=method)


def difference_of(
    metric: Metric,
    a: DataLike,
    b: DataLike,
    pi0: PriorLike,
    paired: bool,
    settings: Settings,
    **given: Any,
) -> Estimate:
    """`difference`, with warnings as remarks of the result.

    `given` are arguments of `rows_of`.
    """
    for each in (a, b):
        if isinstance(each, Measurable):
            own: Estimate = each.difference(metric, (a, b), pi0, paired, settings, **given)
            return own
    a, b = _both(metric, a, b, settings, given)
    differences = _differences(metric, a, b, pi0, paired, settings)
    found = [each.at(settings.confidence_level) for each in differences]
    if isinstance(pi0, Estimate) and found[0].reason is None:
        prior = ReferencePrior.of(pi0)

        def value_at(pi: float) -> float:
            return difference_at(metric, (a.at_prior(pi), b.at_prior(pi)))

        found = [with_error_of_prior(found[0], prior, value_at, scale_of(metric, a))]
    return of_priors(found, pi0)


def _both(
    metric: Metric, a: DataLike, b: DataLike, settings: Settings, given: Mapping[str, Any]
) -> tuple[Data, Data]:
    """Both curves or matrices, with the rows needed to estimate the error of the metric."""
    of_a = rows_of(metric, a, "a", method=settings.method, **given)
    return of_a, rows_of(metric, b, "b", method=settings.method, **given)


def difference_at(metric: Metric, pair: Sequence[Any]) -> float:
    return metric._value(pair[0]) - metric._value(pair[1])


def scale_of(metric: Metric, data: Data) -> Scale:
    (low, high), (least, most) = metric._scale(data), metric.facts.range
    return Scale(low - high, high - low, least - most, most - least)


def _differences(
    metric: Metric, a: Data, b: Data, pi0: PriorLike, paired: bool, settings: Settings
) -> list[Measured]:
    """The difference at each prior, with doubts as remarks."""
    same_labels("a and b", a.rows, b.rows)
    if paired:
        check_same_rows(a.rows, b.rows)
    at = list(zip(at_priors(metric, a, pi0), at_priors(metric, b, pi0), strict=True))
    for name, each in zip("ab", at[0], strict=True):
        if math.isinf(value := metric._value(each)):
            raise ValueError(
                f"the metric of {name} is infinite, so there is no difference; for a likelihood "
                "ratio, compare the two intervals, or sensitivity and specificity"
            )
        _numbers.real_number(f"the metric of {name}", value)
    if paired and settings.method is None and (shares := differences_of_shares(metric, at)):
        return shares
    of_a, of_b = (measured(metric, list(each), settings) for each in zip(*at, strict=True))
    correlations: Sequence[float | str]
    if paired:
        correlations, doubts = correlations_of_models(metric, at, settings)
    else:
        correlations = [correlation_of_samples(metric, *each) for each in at]
        doubts = (_SAME_LABELS,) if have_same_labels(a, b) else ()
    found = map(square_and_add, of_a, of_b, correlations)
    return [doubted(each, doubts) for each in found]


@plain_calls(
    "p_value takes two pairs: p_value(metric, (y_true, a), (y_true, b), paired=True)",
    **_hints.HOW_DRAWN,
    **_hints.OF_METRIC,
)
def p_value(
    metric: MetricLike,
    a: DataLike,
    b: DataLike,
    *,
    pi0: ArrayLike | None = None,
    population: Mapping[Any, float] | None = None,
    paired: bool = False,
    alternative: Alternative = "two-sided",
    margin: float = 0.0,
    pos_label: Any = None,
    method: str = "auto",
    n_resamples: int = 1000,
    rng: RandomState = None,
) -> float | FloatArray:
    """Test whether the metric of `a` differs from that of `b`, by inverting `difference`.

    The p-value is below 0.05 if and only if the 95 % interval of `difference` excludes 0, or the
    difference that the `margin` stands for, and likewise for other levels. Report the interval too:
    it says how large the difference is.

    Parameters
    ----------
    metric, a, b, population, paired, alternative, margin, pos_label, method, n_resamples, rng
        As for `difference`. The p-value of "greater" is small if the metric of `a` is greater than
        that of `b` less the margin.
    pi0 : None, float in (0, 1) or array-like of shape (n_priors,), default=None
        Reference prior, or several. None: the prior of each sample.

    Returns
    -------
    float in [1e-12, 1], or ndarray of shape (n_priors,)
        The p-value, with a relative error of at most 0.0001; 1e-12 if it is smaller. NaN with an
        `IntervalWarning` if the interval is withheld.

    Examples
    --------
    >>> import numpy as np
    >>> from calibrated_metrics.uncertainty import p_value
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.arange(2000) < 100
    >>> easy = rng.normal(size=2000) + 2 * y_true
    >>> a, b = (easy + noise * rng.normal(size=2000) for noise in (0.2, 0.6))
    >>> p = p_value("average_precision", (y_true, a), (y_true, b), paired=True)
    >>> round(p, 4)
    0.0016
    """
    settings, checked = Settings.of(0.5, method, n_resamples, rng), Metric(metric)
    tested = _tested(checked, alternative, margin)
    if isinstance(pi0, Estimate):
        raise TypeError(f"pi0 must be a number here; difference takes an Estimate, got {pi0!r}")
    both = _both(checked, a, b, settings, {"population": population, "pos_label": pos_label})
    if pi0 is not None:
        pi0 = _numbers.one_or_more("pi0", pi0, _numbers.priors)
    differences = _differences(checked, *both, pi0, paired, settings)
    found = [_p_value(each, alternative, tested) for each in differences]
    return np.array(found) if isinstance(pi0, np.ndarray) else found[0]


def _p_value(difference: Measured, alternative: str, tested: float) -> float:
    """The level at which a limit is the tested difference."""
    warn_of(difference.remarks)
    if difference.reason is not None:
        return math.nan
    above = _level_of_limit(lambda low, high: low > tested, difference)
    below = _level_of_limit(lambda low, high: high < tested, difference)
    if alternative == "two-sided":
        return min(above, below)
    own, other = (above, below) if alternative == "greater" else (below, above)
    return max(own / 2 if own < 1 else 1 - other / 2, _LEAST_P)


def _level_of_limit(is_beyond: Callable[[float, float], bool], difference: Measured) -> float:
    """1 - the level at which the limits begin to be beyond, by bisection of its logarithm."""

    def is_beyond_at(log_p: float) -> bool:
        return is_beyond(*difference.limits(min(max(-math.expm1(log_p), _LEAST_P), 1 - _LEAST_P)))

    low, high = math.log(_LEAST_P), 0.0
    if not is_beyond_at(high):
        return 1.0
    if is_beyond_at(low):
        return _LEAST_P
    while high - low > _ERROR_OF_P:
        middle = (low + high) / 2
        low, high = (low, middle) if is_beyond_at(middle) else (middle, high)
    return math.exp(high)


def have_same_labels(a: Data, b: Data) -> bool:
    """Whether the rows of both have the same labels in the same order, which is no sorted one."""
    if not (a.has_rows and b.has_rows):
        return False
    labels = a.rows.positive
    is_sorted = np.count_nonzero(labels[1:] != labels[:-1]) < CHANGES
    return not is_sorted and np.array_equal(labels, b.rows.positive)


def share_clusters(a: Data, b: Data) -> bool:
    """Whether a cluster has rows in both samples."""
    of_a, of_b = a.rows.clusters, b.rows.clusters
    return of_a is not None and of_b is not None and of_a.shares_labels_with(of_b)


def correlation_of_samples(metric: Metric, a: Any, b: Any) -> float | str:
    """Correlation by clusters of both samples, or the reason why it cannot be computed."""
    if not share_clusters(a, b):
        return 0.0
    if not has_influence(metric, a):
        return "the samples share clusters, and the metric has no influence function"
    one, other = linearise(metric, a), linearise(metric, b)
    return correlation_of(covariance(one, other), one, other)
