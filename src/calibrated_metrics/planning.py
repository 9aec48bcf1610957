"""Planning by simulation: how many rows to label, and how wide and reliable intervals are."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from calibrated_metrics import _checks
from calibrated_metrics._checks import FloatArray, RandomState
from calibrated_metrics.binomial import jeffreys
from calibrated_metrics.confusion import ConfusionCurve, CurveLike
from calibrated_metrics.confusion.curve import as_curve
from calibrated_metrics.sample import Sample
from calibrated_metrics.scores.metric import Metric, MetricLike
from calibrated_metrics.thresholds import choose_threshold
from calibrated_metrics.uncertainty.difference import difference_of
from calibrated_metrics.uncertainty.estimate import Estimate, Settings, withheld
from calibrated_metrics.uncertainty.interval import estimate

__all__ = ["check_coverage", "rows_for"]

_FEWEST, _MOST = 4, 10**6  # positives, rows
_BATCH, _CERTAIN = 50, 3.0  # samples per batch; standard errors that end a simulation early
_SMALL = 10_000  # rows of the sample that shows whether a goal is far out of reach
_CLOSE = 0.02  # tolerance of the power
_SMOOTH = 200_000  # rows of a class of a smoothed pilot
_MEDIAN = math.sqrt(math.pi / 2)  # standard error of a median relative to that of a mean
_CONSTRAINTS = {"min_precision", "min_recall", "max_alert_rate"}
Draw: TypeAlias = Callable[[FloatArray, int], ConfusionCurve]


class Plan(NamedTuple):
    """Rows to label, and the share of simulated samples of this size that reach the goal."""

    n_pos: int
    n_neg: int
    power: Estimate


class Coverage(NamedTuple):
    """Value of the population, and coverage and width of the intervals of samples."""

    value: float
    coverage: Estimate
    width: Estimate
    warned: Estimate
    withheld: Estimate


def rows_for(
    metric: MetricLike | None,
    pilot: CurveLike,
    *,
    width: float | None = None,
    difference: CurveLike | None = None,
    certify: Mapping[str, float] | None = None,
    correlation: float | None = None,
    power: float | None = None,
    pi0: float | None = None,
    prevalence: float | None = None,
    confidence_level: float = 0.95,
    n_samples: int = 500,
    rng: RandomState = None,
) -> Plan:
    """Find how many rows to label for an interval, a comparison, or a certified threshold.

    Samples of different sizes are simulated, until the share of samples that reach the goal is
    within 0.02 of `power`, or the smallest sufficient number of positives is found. Exactly one of
    `width`, `difference` and `certify` is the goal.

    Parameters
    ----------
    metric : str, callable, Metric or None
        As for `uncertainty.interval`. None for `certify`.
    pilot : ConfusionCurve or pair (y_true, y_score)
        Data that the rows will resemble, as `like` of `check_coverage`.
    width : float > 0, optional
        Greatest width of the interval of the metric, in its units.
    difference : ConfusionCurve or pair (y_true, y_score), optional
        The other model. The goal is an interval of `uncertainty.difference` that excludes 0.
    certify : mapping, optional
        Constraints of `thresholds.choose_threshold`, such as ``{"min_precision": 0.3}``. The goal
        is that a threshold is certified.
    correlation : float in (-1, 1), optional
        For `difference`: correlation of the normal scores of the models within each class, if both
        predict the same rows. None: each model has rows of its own.
    power : float in (0, 1), optional
        Required share of samples that reach the goal. Default: 0.55 for a width, otherwise 0.8.
    pi0, prevalence : float in (0, 1), optional
        Reference prior, and share of positives among the rows to label (default: the prior of
        `pilot`). Without `pi0`, samples estimate the prior of their population, and their numbers
        of positives vary.
    confidence_level : float in (0, 1), default=0.95
        Level of the interval or of the certificate.
    n_samples : int >= 50, default=500
        Largest number of samples of one size.
    rng : None, int or numpy.random.Generator, default=None
        Random state. The same state gives the same plan.

    Returns
    -------
    named tuple
        ``n_pos`` and ``n_neg``, without `pi0` on average, for each model if they have rows of their
        own; ``power``, the share of samples that reach the goal, an `Estimate` with the error of
        the simulation. Raises ``ValueError`` if a million rows are too few.

    Examples
    --------
    Rows needed so that the interval of the precision at a threshold is at most 0.2 wide:

    >>> from calibrated_metrics import ConfusionCurve, Metric, planning
    >>> pilot = ConfusionCurve.from_binormal(2.5, 0, prior=0.05)
    >>> plan = planning.rows_for(Metric("precision", threshold=10), pilot, width=0.2, rng=0)
    >>> plan.n_pos, plan.n_neg
    (98, 1862)
    """
    goals = {"width": width, "difference": difference, "certify": certify}
    _check_goals(
        metric, {name for name, each in goals.items() if each is not None}, certify, correlation
    )
    curve = as_curve("pilot", pilot)
    share = curve.prior if prevalence is None else _checks.open_unit("prevalence", prevalence)
    level = _checks.level("confidence_level", confidence_level)
    power = (0.8 if width is None else 0.55) if power is None else _checks.open_unit("power", power)
    n_samples = _checks.integer_at_least("n_samples", n_samples, _BATCH)
    seed = int(_checks.generator("rng", rng).integers(2**63))
    checked = None if metric is None else Metric(metric, pi0)
    models = [curve] if difference is None else [curve, as_curve("difference", difference)]
    draws, values = zip(*(_population(each, checked, share) for each in models), strict=True)
    width = None if width is None else _checks.positive_number("width", width)
    goal = _Goal(checked, draws, width, certify, correlation, pi0, level)
    if checked is not None:
        goal.check_possible(share, abs(values[-1] - values[0]), np.random.default_rng(seed))

    def tried(n_pos: int, n_neg: int) -> Estimate:
        """Share of samples that reach the goal; stops early if it is far from the power."""
        generator, n_reached = np.random.default_rng(seed), 0
        for n in range(1, n_samples + 1):
            n_reached += goal.is_reached(n_pos, n_neg, generator)
            error = math.sqrt(max(n_reached, 1) * max(n - n_reached, 1) / n) / n
            if n % _BATCH == 0 and abs(n_reached / n - power) > _CERTAIN * error:
                break
        return _share(n_reached, n)

    return _least_plan(tried, power, (1 - share) / share)


def _check_goals(metric: Any, given: set[str], certify: Any, correlation: float | None) -> None:
    if certify is not None and not (isinstance(certify, Mapping) and set(certify) <= _CONSTRAINTS):
        allowed = ", ".join(sorted(_CONSTRAINTS))
        raise ValueError(f"certify must be a mapping of {allowed}, got {certify!r}")
    if len(given) != 1 or (metric is None) != ("certify" in given):
        raise ValueError(
            "a metric with width or difference, or metric=None with certify, must be given, got "
            f"metric={metric!r} and {' and '.join(sorted(given)) or 'no goal'}"
        )
    r = _checks.real_number("correlation", correlation or 0.0)
    if not -1 < r < 1 or (r and "difference" not in given):
        raise ValueError(f"correlation must lie in (-1, 1), and needs difference, got {r}")


def _least_plan(tried: Callable[[int, int], Estimate], power: float, neg_per_pos: float) -> Plan:
    """A plan whose power is close to `power`, found by doubling, then by bisection."""
    low, plan = 1, None
    while plan is None or (plan.n_pos - low > 1 and plan.power.value > power + _CLOSE):
        n_pos = max(2 * low, _FEWEST) if plan is None else (low + plan.n_pos) // 2
        n_neg = max(round(n_pos * neg_per_pos), 2)
        if n_pos + n_neg > _MOST:
            raise ValueError(
                f"no plan: more than {_MOST} rows are not tried, and with {low} positives the "
                f"goal is reached in fewer than power={power:g} of the samples"
            )
        found = tried(n_pos, n_neg)
        if found.value < max(power - _CLOSE, power / 2):
            low = n_pos
        else:
            plan = Plan(n_pos, n_neg, found)
    return plan


class _Goal(NamedTuple):
    """Goal for a sample: an interval of a given width, a difference, or a certificate."""

    metric: Metric | None
    draws: tuple[Draw, ...]
    width: float | None
    certify: Mapping[str, float] | None
    correlation: float | None
    pi0: float | None
    level: float

    def is_reached(self, n_pos: int, n_neg: int, generator: Generator) -> bool:
        if self.metric is None:
            curve, *_ = self.curves(n_pos, n_neg, generator)
            known: dict[str, Any] = {"pi0": self.pi0, "confidence_level": self.level}
            goal = {**known, "rng": generator, **(self.certify or {})}
            return choose_threshold(curve, **goal).certified
        found = self.interval(n_pos, n_neg, generator)
        if self.width is not None:
            return bool(found.high - found.low <= self.width)  # False if it is withheld
        return bool(found.low > 0 or found.high < 0)

    def curves(self, n_pos: int, n_neg: int, generator: Generator) -> list[ConfusionCurve]:
        """A sample for each model."""
        one, other = generator.normal(size=(2, n_pos + n_neg))
        numbers = _numbers_of_positives(n_pos, n_neg, self.pi0, generator)
        r = self.correlation or 0.0
        normals = one, r * one + math.sqrt(1 - r**2) * other
        if self.correlation is not None:
            numbers[1] = numbers[0]  # the models predict the same rows
        return [draw(*each) for draw, *each in zip(self.draws, normals, numbers, strict=False)]

    def interval(self, n_pos: int, n_neg: int, generator: Generator) -> Estimate:
        """Interval of the metric, or of the difference, in a sample."""
        curves, settings = self.curves(n_pos, n_neg, generator), Settings(self.level)
        if self.width is not None:
            return _defined(estimate, self.metric, *curves, None, settings)
        paired = self.correlation is not None
        return _defined(difference_of, self.metric, *curves, None, paired, settings)

    def check_possible(self, share: float, difference: float, generator: Generator) -> None:
        """Refuse a width or a difference that a small sample shows to be far out of reach.

        On k times as many rows, the interval is at least 1 / k times as wide; mostly 1 / √k times.
        """
        n_pos, n_neg = (max(round(_SMALL * each), _FEWEST) for each in (share, 1 - share))
        found = self.interval(n_pos, n_neg, generator)
        width = found.high - found.low  # NaN if it is withheld
        goal, most = f"a difference of {difference:.3g} between the models", 4 * difference
        if self.width is not None:
            goal, most = f"width={self.width:g}", self.width
        if width * (n_pos + n_neg) / _MOST > most:
            raise ValueError(
                f"no plan: more than {_MOST} rows are needed for {goal}; on {n_pos + n_neg} rows, "
                f"an interval is {width:.3g} wide"
            )


def _numbers_of_positives(
    n_pos: int, n_neg: int, pi0: float | None, generator: Generator
) -> NDArray[np.intp]:
    """Positives of two samples, each with a row of both classes. They vary without `pi0`."""
    if pi0 is not None:
        return np.full(2, n_pos)
    n = n_pos + n_neg
    return np.clip(generator.binomial(n, n_pos / n, size=2), 1, n - 1)


def _defined(function: Callable[..., Estimate], *arguments: Any) -> Estimate:
    """An estimate; it is withheld if the metric is undefined on a sample (0/0)."""
    try:
        return function(*arguments)
    except ValueError as error:
        return withheld(math.nan, 0.95, "simulation", str(error))


def check_coverage(
    metric: MetricLike,
    like: CurveLike,
    *,
    n_pos: int,
    n_neg: int,
    pi0: float | None = None,
    confidence_level: float = 0.95,
    n_samples: int = 500,
    rng: RandomState = None,
    progress: Callable[[int, int], object] | None = None,
) -> Coverage:
    """Simulate how often intervals of samples like yours contain the value of the population.

    Parameters
    ----------
    metric, confidence_level
        As for `uncertainty.interval`.
    like : ConfusionCurve or pair (y_true, y_score)
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
    progress : callable, optional
        Called as ``progress(n_done, n_samples)`` after each sample.

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
    Estimate(0.975, 95 % interval 0.9461 to 0.9904, jeffreys)
    >>> found.width
    Estimate(0.3317, 95 % interval 0.3262 to 0.3372, normal)
    """
    sizes = {"n_pos": n_pos, "n_neg": n_neg, "n_samples": n_samples}
    n_pos, n_neg, n_samples = (_checks.integer_at_least(*each, 2) for each in sizes.items())
    level = _checks.level("confidence_level", confidence_level)
    generator = _checks.generator("rng", rng)
    checked = Metric(metric, pi0)
    draw, value = _population(as_curve("like", like), checked, n_pos / (n_pos + n_neg))
    settings, found = Settings(level), []
    for n_done in range(1, n_samples + 1):
        number, _ = _numbers_of_positives(n_pos, n_neg, pi0, generator)
        curve = draw(generator.normal(size=n_pos + n_neg), number)
        found.append(_defined(estimate, checked, curve, None, settings))
        if progress is not None:
            progress(n_done, n_samples)
    given = [each for each in found if each.reason is None]
    n_covering = sum(bool(each.low <= value <= each.high) for each in given)
    widths = np.array([each.high - each.low for each in given])
    nothing = withheld(math.nan, 0.95, "simulation", "no sample has an interval")
    error = _MEDIAN * float(widths.std()) / math.sqrt(len(given)) if given else math.nan
    return Coverage(
        value,
        _share(n_covering, len(given)) if given else nothing,
        Estimate.normal(float(np.median(widths)), error) if given else nothing,
        _share(sum(len(each.remarks) > 0 for each in given), n_samples),
        _share(n_samples - len(given), n_samples),
    )


def _share(n: int, of: int) -> Estimate:
    """A share of samples, with the error of the simulation."""
    low, high = (float(limit) for limit in jeffreys(n, of, 0.95))
    return Estimate(n / of, low, high, math.sqrt(n * (of - n) / of) / of, 0.95, "jeffreys")


def _population(curve: ConfusionCurve, metric: Metric | None, prior: float) -> tuple[Draw, float]:
    """A function that draws a curve, and the value of a metric in the population.

    The function takes a normal quantile for each row, positives first, and the number of positives.
    Scores of a class are spread evenly between the vertices of the curve, unless they are tied.
    """
    is_tied = curve.sample is not None and _is_tied(curve.sample)
    if curve.sample is not None and not is_tied:
        curve = _smoothed(curve.sample)
    value = math.nan if metric is None else metric(curve.at_prior(prior))
    vertices = np.arange(len(curve), dtype=np.float64)
    rates = curve.tp / curve.n_pos, curve.fp / curve.n_neg
    score = -vertices if np.isnan(curve.thresholds).any() else curve.thresholds.copy()
    score[0] = score[1] + 1.0  # instead of infinity

    def draw(normal: FloatArray, n_pos: int) -> ConfusionCurve:
        of_classes = np.split(ndtr(-normal), [n_pos])
        places = [np.interp(*each, vertices) for each in zip(of_classes, rates, strict=True)]
        place = np.concatenate(places)
        scores = np.interp(np.ceil(place) if is_tied else place, vertices, score)
        return ConfusionCurve.from_predictions(np.arange(len(normal)) < n_pos, scores)

    return draw, value


def _is_tied(sample: Sample) -> bool:
    """Whether there are at most half as many distinct scores as rows, as with ratings."""
    if not sample.is_plain or sample.without_errors is not None:
        why = sample.without_errors or "it has unequal weights in a class, clusters or strata"
        raise ValueError(f"a pilot of rows must count independent rows, but {why}")
    return bool(2 * len(np.unique(sample.score)) <= sample.counts.sum())


def _smoothed(sample: Sample) -> ConfusionCurve:
    score, place = np.unique(sample.score, return_inverse=True)
    number = np.bincount(place, sample.counts)
    normal = ndtri((np.cumsum(number) - number / 2) / number.sum())
    generator, smooth = np.random.default_rng(0), []
    for rows in (sample.positive, ~sample.positive):
        n = np.cumsum(np.bincount(place[rows], sample.counts[rows], len(normal)))
        many = normal[n.searchsorted((np.arange(_SMOOTH) + 0.5) / _SMOOTH * n[-1])]
        width = 0.9 * float(n[-1]) ** -0.2  # standard deviations (Silverman)
        noisy = many + width * many.std() * generator.normal(size=_SMOOTH)
        smooth.append(many.mean() + (noisy - many.mean()) / math.hypot(1, width))
    both = np.concatenate(smooth)
    beyond = both - np.clip(both, normal[0], normal[-1])
    scores = np.interp(both, normal, score) + beyond
    labels = np.arange(2 * _SMOOTH) < _SMOOTH
    return ConfusionCurve.from_predictions(labels, scores)
