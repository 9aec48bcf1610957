"""Coverage and width of intervals in samples that are drawn from a population."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from calibrated_metrics import _arguments, _numbers
from calibrated_metrics._arguments import RandomState, plain_calls
from calibrated_metrics._messages import with_bar
from calibrated_metrics.binomial import jeffreys
from calibrated_metrics.confusion.data import CurveLike, as_curve
from calibrated_metrics.planning.populations import Population, numbers_of_positives, planned
from calibrated_metrics.scores.metric import MetricLike, with_scores
from calibrated_metrics.uncertainty.estimate import Estimate, Settings, withheld
from calibrated_metrics.uncertainty.interval import estimate

__all__ = ["Coverage", "check_coverage", "if_defined", "share_of_samples"]

_MEDIAN = math.sqrt(math.pi / 2)  # standard error of a median relative to that of a mean


class Coverage(NamedTuple):
    """Results of `check_coverage`.

    Attributes
    ----------
    value : float
        The metric of the population.
    coverage, warned, withheld : Estimate
        Shares of intervals that contain the value, and of samples with a warning or no interval.
    width : Estimate
        Median width of the intervals.
    """

    value: float
    coverage: Estimate
    width: Estimate
    warned: Estimate
    withheld: Estimate


@plain_calls()
def check_coverage(
    metric: MetricLike,
    like: CurveLike,
    *,
    n_pos: int,
    n_neg: int,
    pi0: float | None = None,
    pos_label: Any = None,
    confidence_level: float = 0.95,
    n_samples: int = 500,
    rng: RandomState = None,
) -> Coverage:
    """Simulate how often intervals of samples like yours contain the value of the population.

    Parameters
    ----------
    metric, pos_label, confidence_level
        As for `uncertainty.interval`.
    like : ConfusionCurve, or pair (y_true, y_score) or (y_true, y_pred)
        The population. A curve without rows, such as the result of `ConfusionCurve.from_binormal`,
        is used as it is, and so are rows with many ties. Other rows are smoothed: normal noise is
        added to the normal scores of each class, which are then shrunk to keep their variance
        (smoothed bootstrap; Silverman & Young, Biometrika 1987, doi:10.1093/biomet/74.3.469). Rows
        must be independent, with equal weights in each class.
    n_pos, n_neg : int >= 2
        Rows of each class in a sample, without `pi0` on average.
    pi0 : float in (0, 1), optional
        Reference prior. Without it, samples estimate the prior of the population, ``n_pos / (n_pos
        + n_neg)``.
    n_samples : int >= 2, default=500
        Number of samples.
    rng
        As for `rows_for`.

    Returns
    -------
    named tuple
        ``value`` of the metric in the population; ``coverage``, the share of intervals that contain
        it; their median ``width``; ``warned``, the share of samples with a warning; and
        ``withheld``, the share of samples without an interval. Each except ``value`` is an
        `Estimate` with the error of the simulation.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionCurve, planning
    >>> population = ConfusionCurve.from_binormal(2, 0, prior=0.02)
    >>> found = planning.check_coverage(
    ...     "average_precision", population, n_pos=40, n_neg=2000, n_samples=200, rng=0
    ... )
    >>> found.coverage
    Estimate(0.965, 95 % interval 0.9325 to 0.9842, jeffreys)
    >>> found.width
    Estimate(0.3176, 95 % interval 0.3124 to 0.3228, normal)
    """
    sizes = {"n_pos": n_pos, "n_neg": n_neg, "n_samples": n_samples}
    n_pos, n_neg, n_samples = (_numbers.integer_at_least(*each, 2) for each in sizes.items())
    level = _numbers.level("confidence_level", confidence_level)
    generator = _arguments.generator("rng", rng)
    checked, like = with_scores(planned(metric, pi0), "like", like, pos_label)
    population = Population(as_curve("like", like, pos_label), n_pos / (n_pos + n_neg))
    value, settings, found = checked(population.curve), Settings(level), []
    for _ in with_bar(range(n_samples), "samples"):
        number = numbers_of_positives(n_pos, n_neg, pi0, generator)[0]
        curve = population.draw(generator.normal(size=n_pos + n_neg), number)
        found.append(if_defined(estimate, checked, curve, None, settings))
    given = [each for each in found if each.reason is None]
    n_covering = sum(bool(each.low <= value <= each.high) for each in given)
    widths = np.array([each.high - each.low for each in given])
    nothing = withheld(math.nan, 0.95, "simulation", "no sample has an interval")
    error = _MEDIAN * float(widths.std()) / math.sqrt(len(given)) if given else math.nan
    return Coverage(
        value,
        share_of_samples(n_covering, len(given)) if given else nothing,
        Estimate.normal(float(np.median(widths)), error) if given else nothing,
        share_of_samples(sum(len(each.remarks) > 0 for each in given), n_samples),
        share_of_samples(n_samples - len(given), n_samples),
    )


def if_defined(function: Callable[..., Estimate], *arguments: Any) -> Estimate:
    """An estimate; it is withheld if the metric is undefined on a sample (0/0)."""
    try:
        return function(*arguments)
    except ValueError as error:
        return withheld(math.nan, 0.95, "simulation", str(error))


def share_of_samples(n: int, of: int) -> Estimate:
    """A share of samples, with the error of the simulation."""
    low, high = (float(limit) for limit in jeffreys(n, of, 0.95))
    return Estimate(n / of, low, high, math.sqrt(n * (of - n) / of) / of, 0.95, "jeffreys")
