"""`choose_threshold`: a threshold under constraints at a reference prior, with a guarantee."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from numbers import Integral
from typing import Any

from calibrated_metrics import _arguments, _hints, _numbers
from calibrated_metrics._arguments import RandomState, plain_calls
from calibrated_metrics.confusion import ConfusionCurve, ConfusionMatrix, CurveLike
from calibrated_metrics.confusion.data import Measurable, as_curve
from calibrated_metrics.rows import built
from calibrated_metrics.scores import npv, precision
from calibrated_metrics.thresholds.constraints import (
    Constraint,
    Constraints,
    MaxAlertRate,
    MinNpv,
    MinPrecision,
    MinRecall,
    MinSpecificity,
)
from calibrated_metrics.thresholds.decisions import (
    Ranking,
    false_positive_rate_limits,
    recall_limits,
    require_counts,
)
from calibrated_metrics.thresholds.guarantee import Guarantee, PriorRange
from calibrated_metrics.thresholds.objectives import BestFbeta, LeastCost, Objective
from calibrated_metrics.thresholds.point import OperatingPoint
from calibrated_metrics.uncertainty.estimate import Estimate
from calibrated_metrics.uncertainty.prior import OwnPrior, ReferencePrior

__all__ = ["choose_threshold"]


@plain_calls(**_hints.HOW_DRAWN)
def choose_threshold(
    curve: CurveLike | Measurable,
    *,
    pi0: float | Estimate | None = None,
    pi0_range: tuple[float, float] | None = None,
    min_precision: float | None = None,
    min_recall: float | None = None,
    max_alert_rate: float | None = None,
    min_specificity: float | None = None,
    max_fpr: float | None = None,
    min_npv: float | None = None,
    beta: float | None = None,
    cost_fp: float | None = None,
    cost_fn: float | None = None,
    pos_label: Any = None,
    confidence_level: float | None = 0.95,
    rng: RandomState = None,
) -> OperatingPoint:
    """Choose a threshold under constraints at a reference prior, with a guarantee.

    In at most a fraction ``1 - confidence_level`` of all samples, the chosen threshold violates a
    constraint in the population. This includes the effect of choosing it on the same sample.
    Samples without a threshold count as successes: if few samples have one, most of these may
    violate the constraint. If no threshold can be certified, `threshold` is None, and `reason` says
    what is missing. The thresholds are tested in fixed sequences (Angelopoulos et al., "Learn then
    Test", arXiv:2110.01052); ``docs/methods/guarantees.md`` gives the reasons and simulations.

    Parameters
    ----------
    curve : ConfusionCurve, pair (y_true, y_score) or LabelsWithErrors
        Labelled rows, or their counts. For a guarantee, they must be independent draws from their
        class and must not have been used to train the model. Weights that are equal within each
        class and strata within the classes are allowed; other weights and strata, and clusters,
        raise an error.
    pi0 : None, float in (0, 1) or Estimate, default=None
        Reference prior, the prevalence at deployment. None: the prior of the population of the
        rows, which is estimated unless strata within the classes fix it. An `Estimate`: its error
        must be independent of these rows. Half of ``1 - confidence_level`` is used for the error of
        an estimated prior, but not if the precision or the alert rate is a share of these rows.
    pi0_range : tuple (low, high), default=None
        Instead of `pi0`: the guarantee holds for each prior of the range.
    min_precision, min_recall, max_alert_rate, min_specificity, max_fpr, min_npv : float in (0, 1)
        One or more constraints, which hold jointly. Precision is the positive predictive value,
        recall the sensitivity, and the alert rate the share of cases (with weights, of the weight)
        that are predicted positive. Without an objective, the lowest certified threshold is chosen,
        or the highest if recall and NPV are the only constraints.
    beta : float > 0, optional
        Maximise F-beta. Without a constraint, the threshold is chosen on a random half of the rows,
        and the other half gives a lower confidence limit of F-beta. With constraints, the certified
        threshold with the best value on all rows is chosen; this value has no confidence limit.
    cost_fp, cost_fn : float > 0, optional, both or neither
        Minimise ``pi0 (1 - recall) cost_fn + (1 - pi0) FPR cost_fp``, the expected cost of a case,
        as for `beta`, but with an upper limit. There is no threshold if predicting nothing positive
        costs less, unless a minimum precision or recall excludes this.
    pos_label : scalar, default=None
        Label of the positives. None: 1 for a pair, and the own label of a curve or matrix.
    confidence_level : float in (0, 1) or None, default=0.95
        Probability of the guarantee. None: the optimum of this sample without a guarantee, for
        rows with any weights, clusters and strata, or with late or wrong labels.
    rng : None, int or numpy.random.Generator, default=None
        Random state of the halves. The attribute `seed` of the result reproduces them.

    Returns
    -------
    OperatingPoint

    Examples
    --------
    At least 30 % of the alerts must be true at a prior of 0.4 %:

    >>> import numpy as np
    >>> from calibrated_metrics.thresholds import choose_threshold
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.arange(30_000) < 300
    >>> y_score = rng.normal(size=30_000) + 3 * y_true
    >>> choose_threshold((y_true, y_score), pi0=0.004, min_precision=0.3)
    OperatingPoint(score >= 2.6208, certified at confidence level 0.95
      goal        precision >= 0.3 at pi0 = 0.004
      precision   0.3637, certified at least 0.3
      recall      0.6133, certified at least 0.519
      alert rate  0.006746, 6.746 per 1000
      sample      312 alerts, 184 of them true
      reason      fixed sequence of binomial tests; the guarantee includes the choice)

    A precision that this sample is too small to certify:

    >>> choose_threshold((y_true, y_score), pi0=0.004, min_precision=0.99)
    OperatingPoint(no threshold at confidence level 0.95
      goal        precision >= 0.99 at pi0 = 0.004
      reason      at least 748 alerts, all of them true, are needed to certify this
                  precision, and the sample has 300 positives)

    Two constraints at once:

    >>> choose_threshold((y_true, y_score), pi0=0.004, min_precision=0.2, min_recall=0.6)
    OperatingPoint(score >= 2.351, certified at confidence level 0.95
      goal        precision >= 0.2 and recall >= 0.6 at pi0 = 0.004
      precision   0.236, certified at least 0.2
      recall      0.72, certified at least 0.6
      alert rate  0.0122, 12.2 per 1000
      sample      494 alerts, 216 of them true
      reason      each constraint is certified at the level 0.975; the guarantee includes
                  the choice)
    """
    data = built("curve", curve, ConfusionCurve, pos_label)
    if not isinstance(data, Measurable):
        data = as_curve("curve", data)
    constraints = {
        "min_precision": (MinPrecision, min_precision),
        "min_recall": (MinRecall, min_recall),
        "max_alert_rate": (MaxAlertRate, max_alert_rate),
        "min_specificity": (MinSpecificity, min_specificity),
        "max_fpr": (MinSpecificity.of_fpr, max_fpr),
        "min_npv": (MinNpv, min_npv),
    }
    goal = _goal(constraints, beta, cost_fp, cost_fn)
    own = pi0 is None and pi0_range is None
    given = data.prior if own else pi0
    prior, generator = ReferencePrior.of(given, pi0_range), _arguments.generator("rng", rng)
    # An integer that gives the same halves again.
    seed = int(rng) if isinstance(rng, Integral) else int(generator.integers(2**63))
    ranking = Ranking.of(data)
    limits: dict[str, float] = {}
    if confidence_level is None:
        choice = goal.best(ranking, PriorRange(prior.low, prior.high))
    else:
        rows = require_counts(data)
        if own and not data.prior_is_known:
            prior = ReferencePrior.of(OwnPrior.of(rows))
        guarantee = Guarantee(prior, 1 - _numbers.level("confidence_level", confidence_level), seed)
        choice = goal.certified(ranking, guarantee)
        if choice.at is not None:
            limits = _limits(ranking, choice.at, guarantee)
    return OperatingPoint(
        threshold=None if choice.at is None else ranking.threshold(choice.at),
        certified=confidence_level is not None and choice.at is not None,
        goal=f"{goal} at pi0 = {prior}",
        confidence_level=confidence_level,
        method=choice.method,
        pi0=given,
        pi0_range=None if pi0_range is None else (prior.low, prior.high),
        reason=choice.reason,
        **{**_measured(data, ranking, choice.at, prior), **limits, **choice.known},
    )


def _goal(
    asked: Mapping[str, tuple[Callable[[float], Constraint], float | None]],
    beta: float | None,
    cost_fp: float | None,
    cost_fn: float | None,
) -> Constraints | Objective:
    """The constraints with the objective, or the objective."""
    if (cost_fp is None) != (cost_fn is None):
        raise ValueError(f"cost_fp and cost_fn must be given together, got {cost_fp} and {cost_fn}")
    constraints = [
        constraint(_numbers.open_unit(name, limit))
        for name, (constraint, limit) in asked.items()
        if limit is not None
    ]
    objectives: list[Objective] = []
    if beta is not None:
        objectives.append(BestFbeta(_numbers.positive_number("beta", beta)))
    if cost_fp is not None:
        costs = {"cost_fp": cost_fp, "cost_fn": cost_fn}
        objectives.append(LeastCost(*(_numbers.positive_number(*each) for each in costs.items())))
    if len(objectives) > 1 or not (constraints or objectives):
        given = " and ".join(map(str, objectives)) or "none"
        raise ValueError(
            f"constraints ({', '.join(asked)}) or an objective (beta, or cost_fp with cost_fn), "
            f"but not two objectives, must be given, got {given}"
        )
    if not constraints:
        return objectives[0]
    return Constraints(tuple(constraints), objectives[0] if objectives else None)


def _measured(
    data: ConfusionCurve | Measurable, ranking: Ranking, at: int | None, prior: ReferencePrior
) -> dict[str, Any]:
    """Estimates at a threshold, and its numbers of rows; nothing without a threshold."""
    if at is None:
        return {}
    tpr, fpr = (float(rate) for rate in ranking.rates(at))
    known: dict[str, Any] = {
        "precision": _value(precision, tpr, fpr, prior.low),
        "recall": tpr,
        "alert_rate": prior.high * tpr + (1 - prior.high) * fpr,
        "specificity": 1 - fpr,
        "npv": float("nan") if tpr == fpr == 1 else _value(npv, tpr, fpr, prior.high),
    }
    if not isinstance(data, Measurable) and (sample := data.rows).without_errors is None:
        alert = sample.has_alert(ranking.thresholds[at])
        known["alerts"] = round(sample.counts[alert].sum())
        known["true_alerts"] = round(sample.counts[alert & sample.positive].sum())
    return known


def _limits(ranking: Ranking, at: int, guarantee: Guarantee) -> dict[str, float]:
    """Lower limits that hold regardless of how the threshold was chosen."""
    tp, fp = ranking.tp[[at]], ranking.fp[[at]]
    alpha = guarantee.alpha_of_rates / 2
    (recall_low,) = recall_limits(tp, ranking.n_pos, guarantee.alpha)
    (tpr,) = recall_limits(tp, ranking.n_pos, alpha)
    (fpr,) = false_positive_rate_limits(fp, ranking.n_neg, alpha)
    return {
        "recall_low": float(recall_low),
        "precision_low": _value(precision, tpr, fpr, guarantee.priors.low),
    }


def _value(metric: Any, tpr: float, fpr: float, prior: float) -> float:
    return float(metric(ConfusionMatrix.from_rates(tpr=tpr, fpr=fpr, prior=prior)))
