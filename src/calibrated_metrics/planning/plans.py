"""Plans: the number of rows to label so that enough samples of this size reach a goal."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri

from calibrated_metrics import _arguments, _numbers
from calibrated_metrics._arguments import RandomState, plain_calls
from calibrated_metrics._messages import warn_the_caller, with_bar
from calibrated_metrics._numbers import FloatArray
from calibrated_metrics.binomial import jeffreys
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.confusion.data import as_curve
from calibrated_metrics.planning.goals import Goal, check_goals, check_width, rows_of_certificate
from calibrated_metrics.planning.populations import PilotPopulation, planned
from calibrated_metrics.scores.metric import DataLike, MetricLike, with_scores
from calibrated_metrics.uncertainty.difference import have_same_labels
from calibrated_metrics.uncertainty.estimate import Estimate

__all__ = ["Plan", "rows_for"]

_FEWEST, _MOST = 4, 10**6  # positives, rows
_FIRST = 10_000  # rows of the first samples
_FEWEST_SAMPLES = 50
_GROWTH = 4.0  # of rows, if no sample tells how many are needed
_ONE_SIDED, _LEAST_MARGIN = 1.64, 0.5  # standard errors: of a certificate at the usual level
_BATCH, _CERTAIN = 10, 3.5  # samples per batch; standard errors that end a simulation early
_ROWS_OF_A_SIZE = 2 * 10**6  # rows of all samples of one size, unless they are a batch
_SAMPLES_WITH_DRAWS = 120
_CLOSE = 0.03  # tolerance of the power
_LARGE, _SLACK = 100_000, 10  # rows from which, and up to which factor, √n is not exact


class Plan(NamedTuple):
    """Rows to label.

    Attributes
    ----------
    n_pos, n_neg : int
        Rows of each class.
    power : Estimate
        Share of simulated samples of this size that reach the goal.
    """

    n_pos: int
    n_neg: int
    power: Estimate


@plain_calls(
    prevalence="use prior, the share of positives among the rows to label",
    margin="non-inferiority is not offered: plan the width of the interval, or a difference",
)
def rows_for(
    metric: MetricLike | None,
    pilot: DataLike,
    *,
    width: float | None = None,
    difference: DataLike | None = None,
    certify: Mapping[str, float] | None = None,
    correlation: float | None = None,
    power: float | None = None,
    pi0: float | None = None,
    prior: float | None = None,
    pos_label: Any = None,
    confidence_level: float = 0.95,
    n_samples: int = 500,
    rng: RandomState = None,
) -> Plan:
    """Find how many rows to label for an interval, a comparison, or a certified threshold.

    Samples of different sizes are simulated, until the share of samples that reach the goal is not
    certainly different from `power`. The plan follows from these samples, because errors fall with
    the root of the number of rows. For a certificate, the share must be within 0.03 of `power`, or
    within its standard error if there are fewer samples. Exactly one of `width`, `difference` and
    `certify` is the goal. A long simulation shows a progress bar on a terminal, if tqdm is
    installed.

    Parameters
    ----------
    metric : str, callable, Metric or None
        As for `uncertainty.interval`. None for `certify`.
    pilot : ConfusionCurve, ConfusionMatrix or pair
        Data that the rows will resemble: for a metric of a decision without a threshold a matrix
        or pair (y_true, y_pred), otherwise a curve or pair (y_true, y_score). A curve without rows,
        such as the result of `ConfusionCurve.from_binormal`, is used as it is, and so are rows with
        many ties. Other rows are smoothed: normal noise is added to the normal scores of each
        class, which are then shrunk to keep their variance (smoothed bootstrap; Silverman & Young,
        Biometrika 1987, doi:10.1093/biomet/74.3.469). Rows must be independent, with equal weights
        in each class.
    width : float > 0, optional
        Greatest width of the interval of the metric, in its units.
    difference : ConfusionCurve, ConfusionMatrix or pair, optional
        The other model. The goal is an interval of `uncertainty.difference` that excludes 0.
    certify : mapping, optional
        Constraints of `thresholds.choose_threshold`, such as ``{"min_precision": 0.3}``. The goal
        is that a threshold is certified. Constraints that hold if all rows are predicted positive,
        such as a minimum recall alone, or negative, say nothing about a model and are refused.
    correlation : float in (-1, 1), optional
        For `difference`: correlation of the normal scores of the models within each class, if both
        predict the same rows. None: each model has rows of its own.
    power : float in (0, 1), optional
        Required share of samples that reach the goal. Default: 0.55 for a width, otherwise 0.8.
    pi0, prior : float in (0, 1), optional
        Reference prior, and share of positives among the rows to label (default: the prior of
        `pilot`). Without `pi0`, samples estimate the prior of their population, and their numbers
        of positives vary.
    pos_label : scalar, default=None
        Label of the positives. None: 1 for a pair, and the own label of a curve or matrix.
    confidence_level : float in (0, 1), default=0.95
        Level of the interval or of the certificate.
    n_samples : int >= 50, default=500
        Largest number of samples of one size. All samples of a size have at most two million rows,
        unless they are fewer than 10. Metrics with bootstrap errors have at most 120 samples of a
        size, with 100 draws for each.
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
    check_goals(metric, goals, correlation)
    checked = None if metric is None else planned(metric, pi0)
    models = {"pilot": pilot} | ({} if difference is None else {"difference": difference})
    if checked is not None:
        read = {name: with_scores(checked, name, each, pos_label) for name, each in models.items()}
        checked, models = read["pilot"][0], {name: data for name, (_, data) in read.items()}
    curves = [as_curve(name, data, pos_label) for name, data in models.items()]
    share = curves[0].prior if prior is None else _numbers.open_unit("prior", prior)
    level = _numbers.level("confidence_level", confidence_level)
    if power is None:
        power = 0.8 if width is None else 0.55
    power = _numbers.open_unit("power", power)
    n_samples = _numbers.integer_at_least("n_samples", n_samples, _FEWEST_SAMPLES)
    seed = int(_arguments.generator("rng", rng).integers(2**63))
    populations = [PilotPopulation(each, share) for each in curves]
    values = [math.nan if checked is None else checked(each.curve) for each in populations]
    if width is not None:
        check_width(width, checked)
    if difference is not None:
        _check_models(curves, values, correlation)
    gap = values[0] - values[-1]
    goal = Goal(checked, populations, width, gap, certify, correlation, pi0, level)
    first: float = _FIRST
    if certify is not None:
        quantile = float(ndtri(level) + ndtri(power))
        first = _possible(1, rows_of_certificate(populations[0].curve, pi0, certify, quantile))

    def factors(n_pos: int, n_neg: int) -> FloatArray:
        """Factors of samples of one size; fewer if the share that reaches the goal is clear."""
        generator, found = np.random.default_rng(seed), []
        allowed = min(n_samples, _SAMPLES_WITH_DRAWS) if goal.takes_draws else n_samples
        most = max(min(allowed, _ROWS_OF_A_SIZE // (len(models) * (n_pos + n_neg))), _BATCH)
        for n in with_bar(range(1, most + 1), f"samples of {n_pos + n_neg} rows"):
            found.append(goal.factor(n_pos, n_neg, generator))
            if n % _BATCH == 0 and _differs(np.array(found), power):
                break
        return np.array(found)

    return _least_plan(factors, power, (1 - share) / share, round(first * share))


def _check_models(
    curves: list[ConfusionCurve], values: list[float], correlation: float | None
) -> None:
    """Warn of two models on the same rows, and refuse models that do not differ."""
    if correlation is None and have_same_labels(*curves):
        warn_the_caller(
            "pilot and difference have the same labels in the same order: if both models will "
            "predict the same rows, pass correlation",
            UserWarning,
        )
    if values[0] == values[1]:
        raise ValueError(f"no plan: both models have the value {values[0]:.6g}")


def _differs(factors: FloatArray, power: float) -> bool:
    """Whether the share of samples that reach the goal certainly differs from `power`."""
    n, n_reached = len(factors), int((factors <= 1).sum())
    error = math.sqrt(max(n_reached, 1) * max(n - n_reached, 1) / n) / n
    return abs(n_reached / n - power) > _CERTAIN * error


def _least_plan(
    factors: Callable[[int, int], FloatArray], power: float, neg_per_pos: float, first: int
) -> Plan:
    """A plan whose power is close to `power`.

    Errors fall with √n, so a quantile of the factors by which √n must grow gives the next number of
    positives, which is the plan if it is near. Certificates have no such factors: the plan is
    between the numbers that are known to be too small and sufficient.
    """
    low, plan, n_pos = _FEWEST - 1, None, max(first, _FEWEST)
    while True:
        n_neg = max(round(n_pos * neg_per_pos), 2)
        found = factors(n_pos, n_neg)
        factor = float(np.quantile(found, power, method="inverted_cdf"))
        reached = _share_up_to(1, found)
        growth = _growth(factor, float(reached.value), power)
        if 0 < factor < math.inf and not _differs(found, power):
            n_pos = max(math.ceil(n_pos * _possible(n_pos + n_neg, growth)), _FEWEST)
            return Plan(n_pos, max(round(n_pos * neg_per_pos), 2), _share_up_to(factor, found))
        close = max(_CLOSE, math.sqrt(power * (1 - power) / len(found)))
        if reached.value < max(power - close, power / 2):
            low = n_pos
        else:
            plan = Plan(n_pos, n_neg, reached)
        if plan is not None and (plan.n_pos - low <= 1 or plan.power.value <= power + close):
            return plan
        if plan is None:
            n_pos = max(math.ceil(n_pos * _possible(n_pos + n_neg, growth)), n_pos + 1)
        else:
            guess = math.ceil(n_pos * min(growth, 1e9))
            n_pos = guess if low < guess < plan.n_pos else (low + plan.n_pos) // 2


def _share_up_to(factor: float, factors: FloatArray) -> Estimate:
    """The share of the samples that reach the goal, with the error of the simulation."""
    n, of = int((factors <= factor).sum()), len(factors)
    low, high = (float(limit) for limit in jeffreys(n, of, 0.95))
    return Estimate(n / of, low, high, math.sqrt(n * (of - n) / of) / of, 0.95, "jeffreys")


def _growth(factor: float, share: float, power: float) -> float:
    """By how much the number of rows must grow; infinite if no sample reaches the goal."""
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
