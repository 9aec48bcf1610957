"""The difference of a metric between two samples, or between two models on the same rows.

For samples: square-and-add (MOVER; Zou 2007, doi:10.1037/1082-989X.12.4.399). For models: the hull
of the difference, with (1 - r)² times half a row added on which the models disagree as much as
possible; r is the correlation of their errors. The square was chosen by simulation. See
docs/methods/intervals.md.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibrated_metrics import _checks, _hints
from calibrated_metrics._checks import FloatArray, RandomState
from calibrated_metrics.confusion import ConfusionMatrix
from calibrated_metrics.imperfect import HONOURED
from calibrated_metrics.scores.metric import Data, DataLike, Metric, MetricLike
from calibrated_metrics.uncertainty.bootstrap import Drawn, linear_of_ranking, values_at_priors
from calibrated_metrics.uncertainty.draws import draw_values
from calibrated_metrics.uncertainty.estimate import (
    Estimate,
    Scale,
    Settings,
    doubted,
    stacked,
    warn_of,
    withheld,
)
from calibrated_metrics.uncertainty.hull import (
    HALF,
    hull_of,
    with_half_rows,
    with_rows_at_the_ends,
)
from calibrated_metrics.uncertainty.imperfect import (
    at_known_rates,
    linear_in_data,
    with_errors_of_rates,
)
from calibrated_metrics.uncertainty.interval import (
    at_priors,
    doubts_of,
    intervals_of,
    rows_of,
    why_withheld,
)
from calibrated_metrics.uncertainty.linear import Linear, covariance, linearise
from calibrated_metrics.uncertainty.prior import PriorLike, ReferencePrior, with_error_of_prior

__all__ = ["difference", "difference_of", "independent", "p_value"]

Pairs = list[tuple[Any, Any]]
"""Data of `a` and of `b`, at each reference prior."""
_FEWEST = 1e-30  # added rows, as their number must be above 0
_FEW_ROWS = 10  # that tell models apart
_CHANGES = 10  # between the classes, in the order of the rows; fewer may be alike by chance
_SMALL_SHARE = 0.2  # of the variance
_LEAST_P, _ERROR_OF_P = 1e-12, 1e-4  # the second one is relative


@_checks.plain_calls(
    "difference takes two pairs: difference(metric, (y_true, a), (y_true, b), paired=True)",
    **_hints.HOW_DRAWN,
)
def difference(
    metric: MetricLike,
    a: DataLike,
    b: DataLike,
    *,
    pi0: PriorLike = None,
    population: Mapping[Any, float] | None = None,
    paired: bool = False,
    pos_label: Any = 1,
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
    Estimate(0.1156, 95 % interval 0.04219 to 0.1871, hull)
    """
    settings = Settings.of(confidence_level, method, n_resamples, rng)
    given = {"population": population, "pos_label": pos_label}
    estimate = difference_of(Metric(metric), a, b, pi0, paired, settings, **given)
    warn_of(estimate.remarks)
    return estimate


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
    a, b = (
        rows_of(metric, data, name, method=settings.method, **given)
        for name, data in (("a", a), ("b", b))
    )
    if paired:
        _check_same_rows(a, b)
    at = list(zip(at_priors(metric, a, pi0), at_priors(metric, b, pi0), strict=True))
    for name, each in zip("ab", at[0], strict=True):
        if each.imperfect is None:
            _checks.real_number(f"the metric of {name}", metric.value(each))
    if a.imperfect is not None or b.imperfect is not None:
        found = [_of_labels(metric, pair, paired, settings) for pair in at]
        return stacked(found) if _checks.dimensions("pi0", pi0) == 1 else found[0]
    found = (_paired if paired else independent)(metric, at, settings)
    doubts = doubts_of(a) + _doubts_of_models(a, b) if paired else _doubts_of_samples(a, b)
    found = [doubted(each, doubts) for each in found]
    if isinstance(pi0, Estimate) and found[0].reason is None:
        prior = ReferencePrior.of(pi0)

        def value_at(pi: float) -> float:
            return _difference(metric, (a.at_prior(pi), b.at_prior(pi)))

        found = [with_error_of_prior(found[0], prior, value_at, _scale(metric, a))]
    return stacked(found) if _checks.dimensions("pi0", pi0) == 1 else found[0]


@_checks.plain_calls(
    "p_value takes two pairs: p_value(metric, (y_true, a), (y_true, b), paired=True)",
    **_hints.HOW_DRAWN,
)
def p_value(
    metric: MetricLike,
    a: DataLike,
    b: DataLike,
    *,
    pi0: ArrayLike | None = None,
    population: Mapping[Any, float] | None = None,
    paired: bool = False,
    pos_label: Any = 1,
    method: str = "auto",
    n_resamples: int = 1000,
    rng: RandomState = None,
) -> float | FloatArray:
    """Test whether the metric of `a` differs from that of `b`, by inverting `difference`.

    The two-sided p-value is below 0.05 if and only if the 95 % interval of `difference` excludes 0,
    and likewise for other levels. Report the interval too: it says how large the difference is.

    Parameters
    ----------
    metric, a, b, population, paired, pos_label, method, n_resamples, rng
        As for `difference`. With a bootstrap, this takes about 20 times as long as an interval.
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
    0.0022
    """
    settings, checked = Settings.of(0.5, method, n_resamples, rng), Metric(metric)
    given = {"method": settings.method, "population": population, "pos_label": pos_label}
    a, b = (rows_of(checked, data, name, **given) for name, data in (("a", a), ("b", b)))
    if a.imperfect is not None or b.imperfect is not None:
        raise ValueError(f"p_value: {HONOURED}")
    if pi0 is not None and _checks.dimensions("pi0", pi0) == 1:
        priors = _checks.priors("pi0", pi0)
        return np.array([_p_value(checked, a, b, each, paired, settings) for each in priors])
    prior = None if pi0 is None else _checks.open_unit("pi0", pi0)
    return _p_value(checked, a, b, prior, paired, settings)


def _p_value(
    metric: Metric, a: Data, b: Data, pi0: float | None, paired: bool, settings: Settings
) -> float:
    def at(log_p: float) -> Estimate:
        level = min(max(-math.expm1(log_p), _LEAST_P), 1 - _LEAST_P)
        of_level = settings._replace(confidence_level=level)
        return difference_of(metric, a, b, pi0, paired, of_level)

    def excludes_0(log_p: float) -> bool:
        return not (found := at(log_p)).low <= 0 <= found.high

    low, high = math.log(_LEAST_P), 0.0
    loosest = at(high)
    warn_of(loosest.remarks)
    if loosest.reason is not None:
        return math.nan
    if loosest.low <= 0 <= loosest.high:
        return 1.0
    if excludes_0(low):
        return _LEAST_P
    while high - low > _ERROR_OF_P:
        middle = (low + high) / 2
        low, high = (low, middle) if excludes_0(middle) else (middle, high)
    return math.exp(high)


def _difference(metric: Metric, pair: tuple[Any, Any]) -> float:
    return metric.value(pair[0]) - metric.value(pair[1])


def _scale(metric: Metric, data: Data) -> Scale:
    low, high = metric.scale(data)
    return Scale(low - high, high - low)


# --------------------------------------------------------------------------------- two samples


def independent(metric: Metric, at: Pairs, settings: Settings) -> list[Estimate]:
    """Differences between two samples at priors, by square-and-add."""
    of_a, of_b = (intervals_of(metric, list(each), settings) for each in zip(*at, strict=True))
    return [
        _mover(one, other, _correlation(metric, *data))
        for data, one, other in zip(at, of_a, of_b, strict=True)
    ]


def _mover(a: Estimate, b: Estimate, correlation: float | None) -> Estimate:
    value, level, method = (
        float(a.value) - float(b.value),
        a.confidence_level,
        f"mover of {a.method}",
    )
    if reason := a.reason or b.reason:
        return withheld(value, level, method, reason)
    if correlation is None:
        reason = "the samples share clusters, and the metric has no influence function"
        return withheld(value, level, method, reason)

    def root(x: float, y: float) -> float:
        return math.sqrt(max(x**2 + y**2 - 2 * correlation * x * y, 0.0))

    low = value - root(float(a.value - a.low), float(b.high - b.value))
    high = value + root(float(a.high - a.value), float(b.value - b.low))
    error = root(float(a.standard_error), float(b.standard_error))
    return Estimate(value, low, high, error, level, method, remarks=a.remarks + b.remarks)


def _doubts_of_samples(a: Data, b: Data) -> tuple[str, ...]:
    """A remark if the labels of both samples are the same in an order that is no sorted one."""
    labels = a.rows.positive
    is_sorted = np.count_nonzero(labels[1:] != labels[:-1]) < _CHANGES
    if is_sorted or not np.array_equal(labels, b.rows.positive):
        return ()
    return (
        "a and b have the same labels in the same order: if they are the same rows, pass "
        "paired=True",
    )


def _correlation(metric: Metric, a: Any, b: Any) -> float | None:
    """Correlation by clusters of both samples; None if it cannot be computed."""
    of_a, of_b = a.sample.design.clusters, b.sample.design.clusters
    if of_a is None or of_b is None or not np.isin(of_a, of_b).any():
        return 0.0
    if not _has_influence(metric, a):
        return None
    one, other = linearise(metric, a), linearise(metric, b)
    return _correlation_of(covariance(one, other), one, other)


def _correlation_of(covariance: float, a: Linear, b: Linear) -> float:
    errors = a.standard_error * b.standard_error
    return float(np.clip(covariance / errors, -1, 1)) if 0 < errors < math.inf else 0.0


def _has_influence(metric: Metric, data: Data) -> bool:
    return isinstance(data, ConfusionMatrix) or metric.facts.influence is not None


# ------------------------------------------------------------------------- labels with errors


def _of_labels(metric: Metric, pair: Any, paired: bool, settings: Settings) -> Estimate:
    """Difference by square-and-add; an estimated rate moves both samples together."""
    one, other = (
        at_known_rates(metric, each, settings.confidence_level)
        if each.imperfect is not None
        else intervals_of(metric, [each], settings)[0]
        for each in pair
    )
    errors = [
        linearise(metric, each) if each.imperfect is None else linear_in_data(metric, each, paired)
        for each in pair
    ]
    difference = _mover(one, other, _correlation_of(covariance(*errors), *errors))
    scale = _scale(metric, pair[0])
    return with_errors_of_rates(difference, pair, partial(_difference, metric), scale)


# ------------------------------------------------------------------- two models on the same rows


def _check_same_rows(a: Any, b: Any) -> None:
    """Refuse samples whose rows differ in anything but their scores."""
    samples = [each.sample or each.imperfect.data for each in (a, b)]
    for name, sample in zip("ab", samples, strict=True):
        if sample.is_binned:
            raise ValueError(
                f"with paired=True, {name} must be built from rows, because counts do not tell "
                "which row has which score"
            )
        if sample.positive.all() or not sample.positive.any():
            raise ValueError(f"with paired=True, {name} must hold rows of both classes")
    n_a, n_b = (len(sample.score) for sample in samples)
    if n_a != n_b:
        raise ValueError(f"a and b must have the same rows with paired=True, got {n_a} and {n_b}")
    of_a, of_b = (
        {
            "labels": sample.positive,
            "label_sensitivity": None if data.imperfect is None else data.imperfect.sensitivity[0],
            "label_specificity": None if data.imperfect is None else data.imperfect.specificity[0],
            "weights": sample.row_weight,
            "clusters": sample.design.clusters,
            "strata": sample.design.strata,
        }
        for data, sample in zip((a, b), samples, strict=True)
    )
    for what in of_a:
        if not np.array_equal(of_a[what], of_b[what]):
            raise ValueError(
                f"a and b must have the same rows in the same order with paired=True, but their "
                f"{what} differ"
            )


def _doubts_of_models(a: Data, b: Data) -> tuple[str, ...]:
    """A remark if few rows of a class tell two rankings apart.

    Their number is (Σd²)² / Σd⁴ for contributions d to the difference of AUC-ROC, in which all rows
    of a class weigh alike. If one model gained on a tenth of 30 to 80 positives, simulated 95 %
    intervals covered 71 to 90 %. The sample does not show whether a model gained on rare rows that
    it lacks, so equal models with few positives have the same remark.
    """
    if isinstance(a, ConfusionMatrix) or isinstance(b, ConfusionMatrix):
        return ()
    judge, doubts = Metric("roc_auc"), []
    own = linearise(judge, a.at_prior(a.prior)) - linearise(judge, b.at_prior(b.prior))
    sample = own.sample
    for name, rows in (("positives", sample.positive), ("negatives", ~sample.positive)):
        squares = sample.unit_errors(np.where(rows, own.error, 0.0)) ** 2
        if squares.sum() <= _SMALL_SHARE * own.variance:
            continue
        clusters = sample.design.clusters
        n_units = np.count_nonzero(rows) if clusters is None else len(np.unique(clusters[rows]))
        number = squares.sum() ** 2 / (squares**2).sum()
        if number < _FEW_ROWS:
            doubts.append(
                f"few {name}, about {number:.0f} of {n_units}, tell the models apart: the interval "
                "may be too short"
            )
    return tuple(doubts)


def _paired(metric: Metric, at: Pairs, settings: Settings) -> list[Estimate]:
    is_linear = _has_influence(metric, at[0][0]) and settings.method is None
    estimates = (_by_contributions if is_linear else _by_draws)(metric, at, settings)
    for place, (a, b) in enumerate(at):
        if reason := why_withheld(metric, a) or why_withheld(metric, b):
            value, method = float(estimates[place].value), estimates[place].method
            estimates[place] = withheld(value, settings.confidence_level, method, reason)
    return estimates


def _by_contributions(metric: Metric, at: Pairs, settings: Settings) -> list[Estimate]:
    level, estimates = settings.confidence_level, []
    for a, b in at:
        of_a, of_b = linearise(metric, a), linearise(metric, b)
        own, added = of_a - of_b, _with_rows(a, b, of_a, of_b)
        points = [own, *(linearise(metric, one) - linearise(metric, other) for one, other in added)]
        scale = _scale(metric, a)
        limits = hull_of(points, own.df, scale, level)
        estimates.append(Estimate(own.value, *limits, own.standard_error, level, "hull"))
    return estimates


def _with_rows(a: Data, b: Data, of_a: Linear, of_b: Linear) -> Pairs:
    """Both data with added rows on which the models disagree, in favour of either model."""
    more = max(of_a.excess, of_b.excess)
    if of_a.sample.error_strata is not None:
        return [(with_half_rows(a, more)[0], with_half_rows(b, more)[0])]
    joint = (of_a.variance + of_b.variance - (of_a - of_b).variance) / 2
    agreement = max(_correlation_of(joint, of_a, of_b), 0.0)
    number = max(HALF * (1 - agreement) ** 2, _FEWEST)
    return [
        (with_rows_at_the_ends(a, number, end, more), with_rows_at_the_ends(b, number, -end, more))
        for end in (1, -1)
    ]


def _by_draws(metric: Metric, at: Pairs, settings: Settings) -> list[Estimate]:
    """The hull of standard errors from the same draws for both models and at each prior."""
    of_a, of_b = (linear_of_ranking(each) for each in at[0])
    added = [_with_rows(a, b, of_a, of_b) for a, b in at]
    curves_a, curves_b = zip(*at, strict=True)
    values_of = [
        (values_at_priors(metric, curves_a, one), values_at_priors(metric, curves_b, other))
        for one, other in added[0]
    ]

    def differences(times: FloatArray, added: NDArray[np.int64]) -> FloatArray:
        of_pairs = [one(times, added) - other(times, added) for one, other in values_of]
        return np.concatenate(of_pairs, axis=1)

    level, n_priors = settings.confidence_level, len(at)
    values = [_difference(metric, pair) for pair in at]
    try:
        with_added = [[_difference(metric, pair) for pair in pairs] for pairs in added]
        samples = at[0][0].sample, added[0][0][0].sample
        prior_varies = not all(curve.prior_is_known for curve in (*curves_a, *curves_b))
        drawn = draw_values(*samples, differences, settings, prior_varies=prior_varies)
    except ValueError as error:
        return [withheld(value, level, "bootstrap", str(error)) for value in values]
    df, estimates = (of_a - of_b).df, []
    for place, (a, _) in enumerate(at):
        own = Drawn(values[place], drawn.own[:, place])
        more = zip(with_added[place], drawn.other[:, place::n_priors].T, strict=True)
        points = [own, *(Drawn(*each) for each in more)]
        limits = hull_of(points, df, _scale(metric, a), level)
        numbers = own.value, *limits, own.standard_error
        estimates.append(Estimate(*numbers, level, "bootstrap", None, drawn.remarks))
    return estimates
