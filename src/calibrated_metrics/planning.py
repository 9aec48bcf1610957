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
from calibrated_metrics._messages import with_bar
from calibrated_metrics.binomial import jeffreys
from calibrated_metrics.confusion import ConfusionCurve, CurveLike
from calibrated_metrics.confusion.curve import as_curve
from calibrated_metrics.sample import Sample
from calibrated_metrics.scores.metric import Metric, MetricLike
from calibrated_metrics.thresholds import choose_threshold
from calibrated_metrics.uncertainty.difference import difference_of
from calibrated_metrics.uncertainty.estimate import Estimate, Settings, withheld
from calibrated_metrics.uncertainty.interval import estimate

__all__ = ["Coverage", "Plan", "check_coverage", "rows_for"]

_FEWEST, _MOST = 4, 10**6  # positives, rows
_FIRST = 10_000  # rows of the first samples
_FEWEST_SAMPLES = 50
_GROWTH = 4.0  # of rows, if no sample tells how many are needed
_ONE_SIDED, _LEAST_MARGIN = 1.64, 0.5  # standard errors: of a certificate at the usual level
_BATCH, _CERTAIN = 10, 3.5  # samples per batch; standard errors that end a simulation early
_ROWS_OF_A_SIZE = 2 * 10**6  # rows of all samples of one size, unless they are a batch
_CLOSE = 0.03  # tolerance of the power
_LARGE, _SLACK = 100_000, 10  # rows from which, and up to which factor, √n is not exact
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


@_checks.plain_calls(prevalence="use prior, the share of positives among the rows to label")
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
    prior: float | None = None,
    pos_label: Any = 1,
    confidence_level: float = 0.95,
    n_samples: int = 500,
    rng: RandomState = None,
) -> Plan:
    """Find how many rows to label for an interval, a comparison, or a certified threshold.

    Samples of different sizes are simulated, until the share of samples that reach the goal is
    within 0.03 of `power`, or within its standard error if there are fewer samples, or the smallest
    sufficient number of positives is found. Exactly one of `width`, `difference` and `certify` is
    the goal. A long simulation shows a progress bar on a terminal, if tqdm is installed.

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
    pi0, prior : float in (0, 1), optional
        Reference prior, and share of positives among the rows to label (default: the prior of
        `pilot`). Without `pi0`, samples estimate the prior of their population, and their numbers
        of positives vary.
    pos_label : scalar, default=1
        The label of the positives of pairs.
    confidence_level : float in (0, 1), default=0.95
        Level of the interval or of the certificate.
    n_samples : int >= 50, default=500
        Largest number of samples of one size. All samples of a size have at most two million rows,
        unless they are fewer than 10.
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
    (100, 1900)
    """
    goals = {"width": width, "difference": difference, "certify": certify}
    _check_goals(
        metric, {name for name, each in goals.items() if each is not None}, certify, correlation
    )
    curve = as_curve("pilot", pilot, pos_label)
    share = curve.prior if prior is None else _checks.open_unit("prior", prior)
    level = _checks.level("confidence_level", confidence_level)
    power = (0.8 if width is None else 0.55) if power is None else _checks.open_unit("power", power)
    n_samples = _checks.integer_at_least("n_samples", n_samples, _FEWEST_SAMPLES)
    seed = int(_checks.generator("rng", rng).integers(2**63))
    checked = None if metric is None else Metric(metric, pi0)
    models = (
        [curve] if difference is None else [curve, as_curve("difference", difference, pos_label)]
    )
    populations = [_population(each, checked, share) for each in models]
    draws, values, curves = zip(*populations, strict=True)
    width = None if width is None else _possible_width(width, checked)
    if difference is not None and values[0] == values[1]:
        raise ValueError(f"no plan: both models have the value {values[0]:.6g}")
    goal = _Goal(checked, draws, width, values[0] - values[-1], certify, correlation, pi0, level)
    first = _FIRST
    if certify is not None:
        quantile = float(ndtri(level) + ndtri(power))
        first = _rows_of_certificate(curves[0], pi0, certify, quantile)

    def factors(n_pos: int, n_neg: int) -> FloatArray:
        """Factors of samples of one size; fewer if the share that reaches the goal is clear."""
        generator, found = np.random.default_rng(seed), []
        most = max(min(n_samples, _ROWS_OF_A_SIZE // (len(models) * (n_pos + n_neg))), _BATCH)
        for n in with_bar(range(1, most + 1), f"samples of {n_pos + n_neg} rows"):
            found.append(goal.factor(n_pos, n_neg, generator))
            n_reached = sum(each <= 1 for each in found)
            error = math.sqrt(max(n_reached, 1) * max(n - n_reached, 1) / n) / n
            if n % _BATCH == 0 and abs(n_reached / n - power) > _CERTAIN * error:
                break
        return np.array(found)

    return _least_plan(factors, power, (1 - share) / share, round(first * share))


def _possible_width(width: float, metric: Metric | None) -> float:
    """A width that is less than the range of the metric."""
    assert metric is not None
    low, high = metric.facts.range
    if not _checks.positive_number("width", width) < high - low:
        raise ValueError(
            f"width must be less than {high - low:g}, the range of the metric, got {width}"
        )
    return width


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


def _rows_of_certificate(
    population: ConfusionCurve, pi0: float | None, certify: Mapping[str, float], quantile: float
) -> int:
    """About how many rows certify a threshold; ValueError if no threshold meets the constraints.

    At the threshold that needs the fewest rows, each share differs from its limit by at least
    `quantile` times its standard error.
    """
    at = population.at_prior(pi0 or population.prior)
    tpr, fpr, tiny = at.tp[1:] / at.n_pos, at.fp[1:] / at.n_neg, np.finfo(np.float64).tiny
    true, false = at.prior * tpr, (1 - at.prior) * fpr
    alerts = true + false
    precision, prior = true / np.maximum(alerts, tiny), population.prior
    rare = 1 / np.maximum(prior * tpr, tiny) + 1 / np.maximum((1 - prior) * fpr, tiny)
    shares = {  # with n times their variance
        "min_precision": (precision, (precision * (1 - precision)) ** 2 * rare),
        "min_recall": (tpr, tpr * (1 - tpr) / prior),
        "max_alert_rate": (-alerts, alerts * (1 - alerts)),
    }
    n_rows = np.ones(len(alerts))
    for name, limit in certify.items():
        share, variance = shares[name]
        limit = _checks.open_unit(name, limit)
        margin = share + limit if name.startswith("max") else share - limit
        needed = variance * (quantile / np.maximum(margin, tiny**0.25)) ** 2
        n_rows = np.maximum(n_rows, np.where(margin > 0, needed, np.inf))
    if not np.isfinite(n_rows).any():
        raise ValueError(f"no plan: no threshold of the pilot meets certify={dict(certify)}")
    return math.ceil(_possible(1, float(n_rows.min())))


def _least_plan(
    factors: Callable[[int, int], FloatArray], power: float, neg_per_pos: float, first: int
) -> Plan:
    """A plan whose power is close to `power`.

    Errors fall with √n, so a quantile of the factors by which √n must grow gives the next number of
    positives. It lies between the numbers that are known to be too small and sufficient.
    """
    low, plan, n_pos = _FEWEST - 1, None, max(first, _FEWEST)
    while True:
        n_neg = max(round(n_pos * neg_per_pos), 2)
        found = factors(n_pos, n_neg)
        reached = _share(int((found <= 1).sum()), len(found))
        close = max(_CLOSE, math.sqrt(power * (1 - power) / len(found)))
        if reached.value < max(power - close, power / 2):
            low = n_pos
        else:
            plan = Plan(n_pos, n_neg, reached)
        if plan is not None and (plan.n_pos - low <= 1 or plan.power.value <= power + close):
            return plan
        growth = _growth(found, float(reached.value), power)
        if plan is None:
            n_pos = max(math.ceil(n_pos * _possible(n_pos + n_neg, growth)), n_pos + 1)
        else:
            guess = math.ceil(n_pos * min(growth, 1e9))
            n_pos = guess if low < guess < plan.n_pos else (low + plan.n_pos) // 2


def _growth(factors: FloatArray, share: float, power: float) -> float:
    """By how much the number of rows must grow; infinite if no sample reaches the goal."""
    factor = float(np.quantile(factors, power, method="inverted_cdf"))
    if 0 < factor < math.inf or not 0 < share < 1:
        return factor**2
    # Certificates: the margin in standard errors is about the sum of two normal quantiles.
    now, wanted = (max(_ONE_SIDED + float(ndtri(each)), _LEAST_MARGIN) for each in (share, power))
    return (wanted / now) ** 2


def _possible(rows: int, growth: float) -> float:
    """A factor by which to increase the rows, given one that may be infinite, for unknown.

    A goal that needs too many rows is refused. Intervals of small samples shrink faster than 1 /
    √n, up to 1 / n, so a larger sample is simulated first if it may be enough.
    """
    most = _MOST / rows
    slack = min(max(_LARGE / rows, 1.0), _SLACK)
    if (math.isfinite(growth) or most < 2) and growth > slack * most:
        number = f"about {rows * growth:.2g}" if math.isfinite(growth) else f"more than {rows}"
        raise ValueError(f"no plan: {number} rows are needed, and at most {_MOST} are tried")
    if math.isinf(growth):
        return min(_GROWTH, most)
    return growth if growth <= most else max(_LARGE / rows, 1.0)


class _Goal(NamedTuple):
    """Goal for a sample: an interval of a given width, a difference, or a certificate."""

    metric: Metric | None
    draws: tuple[Draw, ...]
    width: float | None
    difference: float
    certify: Mapping[str, float] | None
    correlation: float | None
    pi0: float | None
    level: float

    def factor(self, n_pos: int, n_neg: int, generator: Generator) -> float:
        """By how much √n must grow for a sample to reach the goal, at most 1 if it does.

        Its error is assumed to fall with √n. The factor is 0 or infinite for a certificate, and
        infinite for an interval that is withheld.
        """
        if self.metric is None:
            curve, *_ = self.curves(n_pos, n_neg, generator)
            known: dict[str, Any] = {"pi0": self.pi0, "confidence_level": self.level}
            goal = {**known, "rng": generator, **(self.certify or {})}
            return 0.0 if choose_threshold(curve, **goal).certified else math.inf
        found = self.interval(n_pos, n_neg, generator)
        if found.reason is not None:
            return math.inf
        if self.width is not None:
            return float(found.high - found.low) / self.width
        limit = float(found.low if self.difference > 0 else found.high)
        return 1 - limit / self.difference

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


@_checks.plain_calls()
def check_coverage(
    metric: MetricLike,
    like: CurveLike,
    *,
    n_pos: int,
    n_neg: int,
    pi0: float | None = None,
    pos_label: Any = 1,
    confidence_level: float = 0.95,
    n_samples: int = 500,
    rng: RandomState = None,
) -> Coverage:
    """Simulate how often intervals of samples like yours contain the value of the population.

    Parameters
    ----------
    metric, pos_label, confidence_level
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
    draw, value, _ = _population(
        as_curve("like", like, pos_label), checked, n_pos / (n_pos + n_neg)
    )
    settings, found = Settings(level), []
    for _ in with_bar(range(n_samples), "samples"):
        number = _numbers_of_positives(n_pos, n_neg, pi0, generator)[0]
        curve = draw(generator.normal(size=n_pos + n_neg), number)
        found.append(_defined(estimate, checked, curve, None, settings))
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


def _population(
    curve: ConfusionCurve, metric: Metric | None, prior: float
) -> tuple[Draw, float, ConfusionCurve]:
    """A function that draws a curve, the value of a metric in the population, and its curve.

    The function takes a normal quantile for each row, positives first, and the number of positives.
    Scores of a class are spread evenly between the vertices of the curve, unless they are tied.
    """
    is_tied = curve.sample is not None and _is_tied(curve.sample)
    if curve.sample is not None and not is_tied:
        curve = _smoothed(curve.sample)
    population = curve.at_prior(prior)
    value = math.nan if metric is None else metric(population)
    vertices = np.arange(len(curve), dtype=np.float64)
    rates = curve.tp / curve.n_pos, curve.fp / curve.n_neg
    score = -vertices if np.isnan(curve.thresholds).any() else curve.thresholds.copy()
    score[0] = score[1] + 1.0  # instead of infinity

    def draw(normal: FloatArray, n_pos: int) -> ConfusionCurve:
        of_classes = np.split(ndtr(-normal), [n_pos])
        places = [np.interp(*each, vertices) for each in zip(of_classes, rates, strict=True)]
        place = np.concatenate(places)
        below = np.ceil(place).astype(np.intp)
        scores = score[below]
        if not is_tied:
            scores += (below - place) * (score[below - 1] - scores)
        return ConfusionCurve.from_predictions(np.arange(len(normal)) < n_pos, scores)

    return draw, value, population


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
