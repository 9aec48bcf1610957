"""Operating points: thresholds with a guarantee, and achievable curves without bias.

`choose_threshold` chooses a threshold under a constraint, at the prior of deployment. Its guarantee
allows for choosing and testing the threshold on the same sample.

The ROC convex hull of a sample is achievable (Davis & Goadrich, ICML 2006, Corollary 3.1,
doi:10.1145/1143844.1143874), but only if its thresholds are known in advance; choosing them on the
same sample is optimistic. `achievable_on_test` chooses them on a separate sample.
"""

from __future__ import annotations

import math
import textwrap
from dataclasses import dataclass
from typing import Any

import numpy as np

from calibrated_metrics import _checks
from calibrated_metrics._checks import FloatArray
from calibrated_metrics._thresholds import certification, rates
from calibrated_metrics._thresholds.certification import Ranking
from calibrated_metrics._thresholds.goals import METHODS, Found, goal_of
from calibrated_metrics._thresholds.priors import (
    Prior,
    Priors,
    bounding_priors,
    reported_priors,
    shown,
)
from calibrated_metrics.confusion import ConfusionCurve

__all__ = ["OperatingPoint", "achievable_on_test", "choose_threshold", "hull_thresholds"]


@dataclass(frozen=True, repr=False)
class OperatingPoint:
    """A threshold, its guarantee, and its performance at the reference prior.

    Attributes
    ----------
    threshold : float or None
        A score ``>= threshold`` is predicted positive. None if no threshold can be certified.
    certified : bool
        Whether `goal`, or for an objective `value_limit`, is guaranteed with probability
        `confidence_level`. The choice of the threshold is part of the guarantee. False for an
        empirical optimum.
    goal : str
        The constraint, or the objective.
    confidence_level : float or None
        None for an empirical optimum.
    method : str
        Procedure that certified the threshold, or "empirical".
    pi0 : float, tuple or Estimate
        Reference prior.
    precision, recall, alert_rate : float
        Estimates at the reference prior, NaN without a threshold. For a range of priors, precision
        is given at its lower end and the alert rate at its upper end.
    precision_low, recall_low : float
        Lower confidence limits at `confidence_level`, which holds for each of them, not for both
        together. They allow for the choice of the threshold. If the goal itself guarantees a limit,
        it is the number in the goal. NaN without a certified threshold.
    value, value_limit : float
        Best F-beta and its lower confidence limit, or least expected cost and its upper confidence
        limit. NaN for a constraint.
    alerts, true_alerts : int
        Number of rows of the sample, and of its positives, at or above the threshold.
    alerts_needed, alerts_available : int or None
        For a minimum precision: the fewest alerts that could be certified if all of them were true,
        and the greatest possible number of true alerts, which is the number of positives.
    reason : str
        What was certified and how, or what prevents it.
    """

    threshold: float | None
    certified: bool
    goal: str
    confidence_level: float | None
    method: str
    pi0: Prior
    reason: str
    precision: float = math.nan
    precision_low: float = math.nan
    recall: float = math.nan
    recall_low: float = math.nan
    alert_rate: float = math.nan
    value: float = math.nan
    value_limit: float = math.nan
    alerts: int = 0
    true_alerts: int = 0
    alerts_needed: int | None = None
    alerts_available: int | None = None

    @property
    def alerts_per_1000(self) -> float:
        """Alerts per 1000 cases at the reference prior."""
        return 1000 * self.alert_rate

    def __repr__(self) -> str:
        if self.threshold is None:
            status = "no threshold"
        elif self.certified:
            status = f"score >= {self.threshold:.6g}, certified"
        else:
            status = f"score >= {self.threshold:.6g}, empirical without a guarantee"
        if self.confidence_level is not None:
            status += f" at confidence level {self.confidence_level:g}"
        lines = {"goal": self.goal}
        if self.threshold is not None:
            if not math.isnan(self.value):
                lines["value"] = _with_limit(self.value, self.value_limit)
            lines["precision"] = _with_limit(self.precision, self.precision_low)
            lines["recall"] = _with_limit(self.recall, self.recall_low)
            lines["alert rate"] = f"{self.alert_rate:.4g}, {self.alerts_per_1000:.4g} per 1000"
            lines["sample"] = f"{self.alerts} alerts, {self.true_alerts} of them true"
        lines["reason"] = self.reason
        shown = [
            textwrap.fill(
                f"  {name:<12}{text}", 88, subsequent_indent=14 * " ", break_on_hyphens=False
            )
            for name, text in lines.items()
        ]
        return "\n".join([f"{type(self).__name__}({status}", *shown]) + ")"


def _with_limit(value: float, limit: float) -> str:
    if math.isnan(limit):
        return f"{value:.4g}"
    return f"{value:.4g}, certified {'at least' if limit <= value else 'at most'} {limit:.4g}"


def choose_threshold(
    curve: ConfusionCurve,
    *,
    pi0: Prior | None = None,
    min_precision: float | None = None,
    min_recall: float | None = None,
    max_alert_rate: float | None = None,
    beta: float | None = None,
    cost_fp: float | None = None,
    cost_fn: float | None = None,
    confidence_level: float | None = 0.9,
    method: str = "fixed_sequence",
) -> OperatingPoint:
    """Choose a threshold under a constraint at a reference prior, with a guarantee.

    The guarantee holds for the population: in at most a share ``1 - confidence_level`` of all
    samples the chosen threshold violates the constraint. It includes the choice of the threshold
    on the same sample. If no threshold can be certified, the result says what is missing and holds
    no threshold.

    Parameters
    ----------
    curve : ConfusionCurve
        Curve of labelled rows from ``from_predictions`` or ``from_counts``, calibrated or not.
        Rows must be independent draws from their class and must not have trained the model.
        Weights that are equal within each class are a change of the prior; others are refused.
    pi0 : None, float in (0, 1), tuple (low, high) or Estimate, default=None
        Reference prior, the prevalence at deployment.

        - None: the prior of the curve.
        - A tuple: the guarantee holds for every prior of the range.
        - An `Estimate` whose error is independent of these rows: half of
          ``1 - confidence_level`` covers the error of the prior, and the other half the error of
          the rates.
    min_precision : float in (0, 1), optional
        Least precision (positive predictive value). The loosest certified threshold is chosen,
        which has the greatest recall.
    min_recall : float in (0, 1), optional
        Least recall (sensitivity). The strictest certified threshold is chosen.
    max_alert_rate : float in (0, 1), optional
        Greatest share of cases that may be predicted positive. The loosest certified threshold is
        chosen.
    beta : float > 0, optional
        Maximise F-beta: the threshold with the greatest lower confidence limit is chosen.
    cost_fp, cost_fn : float > 0, optional, both or neither
        Minimise ``pi0 (1 - recall) cost_fn + (1 - pi0) FPR cost_fp``, the expected cost of a case:
        the threshold with the least upper confidence limit is chosen.
    confidence_level : float in (0, 1) or None, default=0.9
        Probability of the guarantee. None: the empirical optimum without a guarantee; a constraint
        on precision that just holds on the sample is violated in the population more often than
        not.
    method : {"fixed_sequence", "simultaneous"}, default="fixed_sequence"
        Test of `min_precision`. Other goals do not use it.

    Returns
    -------
    OperatingPoint

    Raises
    ------
    ValueError, TypeError
        Unless exactly one constraint or objective is given, for arguments outside their range, for
        weights that differ within a class, for a curve without rows (a hull, a random draw), or
        for an `Estimate` with a withheld interval.

    Notes
    -----
    Precision is at least p at the prior π₀ if and only if ``TPR / FPR >= c``, with
    c = p (1 - π₀) / (π₀ (1 - p)). At TPR / FPR = c a share p′ = c n₁ / (c n₁ + n₀) of the alerts
    of a sample with n₁ positives and n₀ negatives is true.

    What is guaranteed, and on what ground:

    ========================== =========================================================
    goal, method               ground
    ========================== =========================================================
    precision, simultaneous    Theorem (proof below), for any distribution of the scores,
                               with ties, for fixed or random class counts, at any given π₀
                               (None: the prior of the sample).
    precision, fixed_sequence  Simulation. Theorem if rows are drawn at random, π₀ is their
                               own prior, and P(positive | score) never falls as the score
                               rises.
    recall                     Theorem: the k-th largest score of the positives, with
                               P(Bin(n₁, r) >= k) <= α. Exact.
    alert rate                 Simulation: MOVER with Clopper-Pearson limits.
    F-beta, cost               Theorem: uniform limits of both rates.
    precision_low, recall_low  Theorem: uniform limits of both rates.
    ========================== =========================================================

    **fixed_sequence** tests geometrically spaced ranks of all scores, fixed by n₁ and n₀, from
    strict to loose, each by a binomial test of p′ at the full level α. It stops at the first
    failure (fixed-sequence testing in Learn-then-Test). It starts at the least number of alerts at
    which the test has power 0.9 if the odds of a true alert are ten times those required. The
    theorem needs enough positives for this start; with fewer, the test starts at fewer alerts.

    **simultaneous** certifies every threshold whose number of true alerts reaches a boundary. In
    the least favourable ranking TPR = min(1, c FPR) at every threshold. The true alerts of any
    ranking, at thresholds that miss the precision, are at most those of this ranking when both are
    built from the same uniform numbers. The number of true alerts of this ranking at a rank is a
    random walk, so the probability that it ever crosses the boundary can be computed; the boundary
    spends α over 100 ranks. With few positives this method certifies less often, but a failure at
    one rank does not end it.

    Simulated at α = 0.1, 1,500 samples per cell, 60 to 600 positives and 100 times as many
    negatives: share of thresholds that miss the goal, in the worst cell, and mean recall relative
    to the best threshold of the population with 60, 150 and 600 positives. On a plateau precision
    stays just below the requirement over all, or all but the strictest, thresholds.

    ============================= ======== ======= ================
    goal, method                  binormal plateau relative recall
    ============================= ======== ======= ================
    precision, fixed_sequence     0.042    0.101   0.58, 0.78, 0.92
    precision, simultaneous       0.015    0.103   0.47, 0.76, 0.88
    fixed_sequence, π₀ estimated  0.006    0.029   0.35, 0.62, 0.83
    recall                        0.105    0.109   0.82, 0.89, 0.94
    alert rate                    0.097    0.087   0.87, 0.92, 0.97
    a test at each threshold      0.028    0.468   0.66, 0.82, 0.90
    without a guarantee           0.527    0.991   0.99, 1.00, 1.00
    ============================= ======== ======= ================

    The standard error of a share of 0.1 is 0.008. If the odds of a true alert are three times those
    required in the first tenth of the positives and then fall to the requirement at once, 600
    positives are enough for `fixed_sequence` in 45 to 58 % of the samples and for `simultaneous` in
    78 to 100 %.

    For a range of priors, its lower end is used for precision and F-beta, its upper end for the
    alert rate, and the worse end for the cost.

    The threshold is fixed afterwards: `FixedThresholdClassifier` of scikit-learn applies it with
    the same convention (``score >= threshold``) and keeps the guarantee, if the model is frozen
    and `curve` holds the response (``response_method``) that it thresholds::

        from sklearn.frozen import FrozenEstimator
        from sklearn.model_selection import FixedThresholdClassifier

        y_score = model.predict_proba(X_holdout)[:, 1]
        point = choose_threshold(
            ConfusionCurve.from_predictions(y_holdout, y_score), pi0=0.01, min_precision=0.3
        )
        classifier = FixedThresholdClassifier(
            FrozenEstimator(model), threshold=point.threshold, response_method="predict_proba"
        ).fit(X_holdout, y_holdout)

    `TunedThresholdClassifierCV` with any scorer, also a calibrated one, is empirical: it takes the
    best of scores that are averaged and interpolated over folds, and does not correct for this
    choice.

    References
    ----------
    Angelopoulos, Bates, Candès, Jordan & Lei, "Learn then Test", arXiv:2110.01052.
    Clopper & Pearson, Biometrika 26 (1934), doi:10.1093/biomet/26.4.404.
    Lan & DeMets, Biometrika 70 (1983), doi:10.1093/biomet/70.3.659 (spending α).
    Zou & Donner, Statistics in Medicine 27 (2008), doi:10.1002/sim.3095 (MOVER).
    Siblini et al., IDA 2020, doi:10.1007/978-3-030-44584-3_36 (precision at π₀).

    Examples
    --------
    >>> import numpy as np
    >>> from calibrated_metrics import ConfusionCurve
    >>> from calibrated_metrics.thresholds import choose_threshold
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.arange(30_000) < 300
    >>> y_score = rng.normal(size=30_000) + 3 * y_true
    >>> curve = ConfusionCurve.from_predictions(y_true, y_score)
    >>> choose_threshold(curve, pi0=0.004, min_precision=0.3)
    OperatingPoint(score >= 2.56721, certified at confidence level 0.9
      goal        precision >= 0.3 at pi0 = 0.004
      precision   0.3332, certified at least 0.3
      recall      0.62, certified at least 0.5254
      alert rate  0.007443, 7.443 per 1000
      sample      334 alerts, 186 of them true
      reason      fixed sequence of binomial tests; the choice of the threshold is included)
    >>> choose_threshold(curve, pi0=0.004, min_precision=0.99)
    OperatingPoint(no threshold at confidence level 0.9
      goal        precision >= 0.99 at pi0 = 0.004
      reason      at least 575 alerts, all of them true, are needed to certify this
                  precision, and the sample has 300 positives)
    """
    if not isinstance(curve, ConfusionCurve):
        raise TypeError(f"curve must be a ConfusionCurve, got {curve!r}")
    goal = goal_of(min_precision, min_recall, max_alert_rate, beta, cost_fp, cost_fn)
    if method not in list(METHODS):
        raise ValueError(f"method must be one of {sorted(METHODS)}, got {method!r}")
    prior = curve.prior if pi0 is None else pi0
    ranking = Ranking.of(curve)
    if confidence_level is None:
        found, limits = goal.empirical(ranking, reported_priors(prior)), {}
    else:
        confidence_level = _checks.level("confidence_level", confidence_level)
        priors, alpha = bounding_priors(prior, 1 - confidence_level, two_sided=goal.two_sided)
        found = goal.certified(ranking, priors, alpha, method)
        limits = _limits(ranking, found, priors, alpha)
    return OperatingPoint(
        threshold=None if found.chosen is None else float(ranking.thresholds[found.chosen]),
        certified=confidence_level is not None and found.chosen is not None,
        goal=f"{goal} at pi0 = {shown(prior)}",
        confidence_level=confidence_level,
        method="empirical" if confidence_level is None else found.method,
        pi0=prior,
        reason=found.reason,
        value=found.value,
        value_limit=found.value_limit,
        alerts_needed=found.alerts_needed,
        alerts_available=found.alerts_available,
        **_measured(ranking, found, reported_priors(prior)),
        **limits,
    )


def _measured(ranking: Ranking, found: Found, priors: Priors) -> dict[str, Any]:
    """Fields of the result that describe the threshold on the sample."""
    if found.chosen is None:
        return {}
    at = [found.chosen]
    tpr, fpr = rates.observed(ranking, at)
    return {
        "precision": float(rates.precision(tpr, fpr, priors.low)[0]),
        "recall": float(tpr[0]),
        "alert_rate": float(rates.alert_rate(tpr, fpr, priors.high)[0]),
        "alerts": int(ranking.alerts[found.chosen]),
        "true_alerts": int(ranking.tp[found.chosen]),
    }


def _limits(ranking: Ranking, found: Found, priors: Priors, alpha: float) -> dict[str, Any]:
    """Fields of the result that hold with confidence."""
    if found.chosen is None:
        return {}
    at = [found.chosen]
    precision_low, recall_low = found.precision_low, found.recall_low
    if precision_low is None:
        limits = rates.uniform_limits(ranking, at, alpha)
        precision_low = float(rates.precision(*limits, priors.low)[0])
    if recall_low is None:
        limit = certification.recall_limits(ranking.tp[at], ranking.n_pos, alpha)
        recall_low = float(limit[0])
    return {"precision_low": precision_low, "recall_low": recall_low}


def hull_thresholds(tuning: ConfusionCurve) -> FloatArray:
    """Return the thresholds of the corners of the ROC convex hull.

    Only these thresholds are optimal for some prior and some costs of errors.

    Parameters
    ----------
    tuning : ConfusionCurve
        Curve of the tuning data, with known thresholds. Its prior does not matter.

    Returns
    -------
    ndarray of shape (n_thresholds,), descending, possibly empty
        A score ``>= threshold`` is predicted positive. The two ends of the hull, at which nothing
        or everything is predicted positive, are left out.

    Raises
    ------
    ValueError
        If the thresholds of the curve are unknown.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionCurve, thresholds
    >>> curve = ConfusionCurve.from_predictions([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1])
    >>> thresholds.hull_thresholds(curve)
    array([0.9, 0.7])
    """
    _known_thresholds("tuning", tuning)
    return tuning.hull().thresholds[1:-1].copy()


def achievable_on_test(tuning: ConfusionCurve, test: ConfusionCurve) -> ConfusionCurve:
    """Return the curve of the test data through the thresholds of the tuning data's hull.

    Between adjacent thresholds a random mixture of the two decisions is used: a straight line in
    ROC space, the interpolation of Davis & Goadrich in PR space.

    Parameters
    ----------
    tuning : ConfusionCurve
        Curve of the tuning data, with known thresholds.
    test : ConfusionCurve
        Curve of the same model's scores on test data. It must know its counts at any threshold,
        like a curve from ``from_predictions``. The result has the prior of this curve.

    Returns
    -------
    ConfusionCurve
        From predicting nothing positive to predicting everything positive. It need not be concave.

    Raises
    ------
    ValueError
        If the thresholds of `tuning` are unknown, or if the counts of `test` there are unknown.

    Notes
    -----
    The result never lies above ``test.hull()``. If the test data are also the tuning data, the
    result equals ``test.hull()``, and its area is optimistic.

    References
    ----------
    Davis & Goadrich, ICML 2006, Corollary 3.1, doi:10.1145/1143844.1143874.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionCurve, scores
    >>> from calibrated_metrics.thresholds import achievable_on_test
    >>> tuning = ConfusionCurve.from_predictions([1, 0, 1, 0, 0], [5, 4, 3, 2, 1])
    >>> test = ConfusionCurve.from_predictions([0, 1, 1, 0, 0], [5.5, 4.5, 3.5, 2.5, 1.5])
    >>> scores.pr_auc(test.hull()), scores.pr_auc(achievable_on_test(tuning, test))
    (0.66..., 0.45...)
    """
    ends = _known_thresholds("tuning", tuning)[-1], _known_thresholds("test", test)[-1]
    corners = np.concatenate([[np.inf], hull_thresholds(tuning), [min(ends)]])
    matrices = test.confusion_matrix(corners)
    return ConfusionCurve(corners, matrices.tp, matrices.fp)


def _known_thresholds(name: str, curve: ConfusionCurve) -> FloatArray:
    if np.isnan(curve.thresholds).any():
        raise ValueError(f"{name} must have known thresholds, got NaN: build it from scores")
    return curve.thresholds
