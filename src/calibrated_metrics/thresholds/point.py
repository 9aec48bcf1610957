"""`OperatingPoint`: a threshold, its guarantee and its performance."""

from __future__ import annotations

import math
import textwrap
from dataclasses import dataclass

from calibrated_metrics._numbers import all_digits, rounded_down
from calibrated_metrics._results import equal_values, hash_of_values, html_table
from calibrated_metrics.uncertainty.estimate import Estimate

__all__ = ["OperatingPoint"]


@dataclass(frozen=True, eq=False, repr=False)
class OperatingPoint:
    """A threshold, its guarantee, and its performance at the reference prior.

    Numbers that do not apply are NaN or None, for example if there is no threshold.

    Attributes
    ----------
    threshold : float or None
        A score ``>= threshold`` is predicted positive. None if no threshold can be certified. It
        lies below the lowest score that it admits, which may differ in the last digits if rows are
        scored again; it equals this score if scores are whole numbers or counted.
    certified : bool
        Whether the constraints in `goal`, or for an objective alone `value_limit`, are guaranteed
        with probability `confidence_level`, including the effect of choosing the threshold.
    goal, method, reason : str
        The constraints or objective; the procedure that certified the threshold, or "empirical";
        what was certified and how, or why it was not.
    confidence_level : float or None
        None for an empirical optimum.
    pi0, pi0_range : float or Estimate or None, tuple (low, high) or None
        Reference prior, or the range of priors; the other one is None.
    precision, recall, alert_rate, specificity, npv : float
        Estimates at the reference prior. For a range of priors, precision is given at its lower end
        and the alert rate and NPV at its upper end.
    precision_low, recall_low : float
        Lower confidence limits, each at `confidence_level`, which account for the choice of the
        threshold; the required value if it is guaranteed.
    specificity_low, npv_low : float
        The required value if it is guaranteed, otherwise NaN.
    value, value_limit : float
        F-beta and its lower limit, or the expected cost and its upper limit, from the rows that
        were not used to choose the threshold (if it is certified). With constraints: the value on
        all rows, without a limit.
    alerts, true_alerts : int or None
        Numbers of rows with a weight above 0, and of positives among them, at or above the
        threshold; None for sums of weights.
    seed : int or None
        ``rng=seed`` gives the same halves of the rows.
    """

    threshold: float | None
    certified: bool
    goal: str
    confidence_level: float | None
    method: str
    pi0: float | Estimate | None
    reason: str
    pi0_range: tuple[float, float] | None = None
    precision: float = math.nan
    precision_low: float = math.nan
    recall: float = math.nan
    recall_low: float = math.nan
    alert_rate: float = math.nan
    specificity: float = math.nan
    specificity_low: float = math.nan
    npv: float = math.nan
    npv_low: float = math.nan
    value: float = math.nan
    value_limit: float = math.nan
    alerts: int | None = None
    true_alerts: int | None = None
    seed: int | None = None

    __eq__, __hash__ = equal_values, hash_of_values

    @property
    def alerts_per_1000(self) -> float:
        """Alerts per 1000 cases at the reference prior."""
        return 1000 * self.alert_rate

    def __repr__(self) -> str:
        shown = [
            textwrap.fill(
                f"  {name:<12}{text}", 88, subsequent_indent=14 * " ", break_on_hyphens=False
            )
            for name, text in self._lines.items()
        ]
        return "\n".join([f"{type(self).__name__}({self._status}", *shown]) + ")"

    def _repr_html_(self) -> str:
        return html_table(self._lines.items(), caption=self._status)

    @property
    def _lines(self) -> dict[str, str]:
        lines, reason = {"goal": self.goal}, {"reason": self.reason}
        if self.threshold is None:
            return lines | reason
        if not math.isnan(self.value):
            lines["value"] = _with_limit(self.value, self.value_limit)
        lines["precision"] = _with_limit(self.precision, self.precision_low)
        lines["recall"] = _with_limit(self.recall, self.recall_low)
        if not math.isnan(self.specificity_low):
            lines["specificity"] = _with_limit(self.specificity, self.specificity_low)
        if not math.isnan(self.npv_low):
            lines["NPV"] = _with_limit(self.npv, self.npv_low)
        lines["alert rate"] = f"{self.alert_rate:.4g}, {self.alerts_per_1000:.4g} per 1000"
        if self.alerts is not None:
            lines["sample"] = f"{self.alerts} alerts, {self.true_alerts} of them true"
        return lines | reason

    @property
    def _status(self) -> str:
        level = self.confidence_level
        at_level = "" if level is None else f" at confidence level {level:g}"
        if self.threshold is None:
            return f"no threshold{at_level}"
        guarantee = "certified" if self.certified else "empirical without a guarantee"
        return f"score >= {all_digits(self.threshold)}, {guarantee}{at_level}"


def _with_limit(value: float, limit: float) -> str:
    if math.isnan(limit):
        return f"{value:.4g}"
    side, shown = shown_limit(value, limit, 4)
    return f"{value:.4g}, certified {'at least' if side == '≥' else 'at most'} {shown}"


def shown_limit(value: float, limit: float, n_digits: int) -> tuple[str, str]:
    """The side of a certified limit, and the limit, rounded so that it claims no more."""
    if limit <= value:
        return "≥", f"{rounded_down(limit, n_digits, limit):.{n_digits}g}"
    return "≤", f"{-rounded_down(-limit, n_digits, limit):.{n_digits}g}"
