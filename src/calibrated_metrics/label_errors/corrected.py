"""Counts of rows whose labels may be late or wrong, corrected by the rates of the labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from calibrated_metrics import _numbers
from calibrated_metrics._numbers import FloatArray
from calibrated_metrics.confusion import ConfusionCurve, ConfusionMatrix
from calibrated_metrics.confusion.data import Measurable
from calibrated_metrics.label_errors.checked import LEVEL, CheckedRows, distance_of_scores
from calibrated_metrics.label_errors.rows import CountedRows, LabelRate
from calibrated_metrics.rows import Rows
from calibrated_metrics.scores.metric import Data, Metric
from calibrated_metrics.uncertainty.estimate import Estimate

__all__ = ["ALERT", "LEAST_INFORMATIVE", "CorrectedCounts", "rounded"]

LEAST_INFORMATIVE = (
    0.05  # s + c - 1; rows with less are left out, because their labels say almost nothing
)
_NO_WEIGHT = 1e-9  # weight of both outcomes of a class without rows, whose rates are unknown
_ROUNDING = 1e-8  # a share that differs less from 0 or 1, by _NO_WEIGHT or by rounding, is 0 or 1
_FAR = 0.1  # largest difference of two distributions of scores, which is not warned of
ALERT = 1.0  # score of an alert in rows that hold decisions


@dataclass(frozen=True, eq=False, repr=False)
class CorrectedCounts(Measurable):
    """The rows and the rates of their labels, with the attributes of `LabelsWithErrors`."""

    labelled: Rows
    sensitivity: LabelRate
    specificity: LabelRate
    of_decisions: bool
    pi0: float | None = None
    checked: CheckedRows | None = None

    supported = (
        "labels with errors (label_sensitivity, label_specificity) are supported for precision, "
        "recall, specificity, F-beta, average precision and AUC-ROC, for their intervals and "
        "differences, reports and PriorSweepDisplay, for comparison.by_group, and for "
        "choose_threshold with confidence_level=None; not here. The NPV is the precision after "
        "both classes are swapped: docs/how-to/wrong-labels.md"
    )

    @property
    def pos_label(self) -> Any:
        return self.labelled.pos_label

    @property
    def prior_is_known(self) -> bool:  # type: ignore[override]
        return self.pi0 is not None

    @property
    def prior(self) -> float:  # type: ignore[override]
        return rounded(self.totals[0] / sum(self.totals)) if self.pi0 is None else self.pi0

    @cached_property
    def totals(self) -> tuple[float, float]:  # type: ignore[override]
        at = np.array([ALERT if self.of_decisions else -np.inf])
        tp, fp, fn, tn = (float(each[0]) for each in self._outcomes_at(at))
        return (tp + fn, fp + tn) if self.of_decisions else (tp, fp)

    @property
    def informative(self) -> FloatArray:
        """How much the label of a row says about its class, at most 1."""
        return self.sensitivity.value + self.specificity.value - 1

    @cached_property
    def order(self) -> NDArray[np.intp]:
        """Numbers of the rows with informative labels, by descending score."""
        order, informative = np.argsort(-self.labelled.score), self.informative >= LEAST_INFORMATIVE
        return order if informative.all() else order[informative[order]]

    @property
    def doubts_of_rows_left_out(self) -> tuple[str, ...]:
        """A remark if rows are left out, and have other scores than the rest."""
        is_used = np.broadcast_to(self.informative >= LEAST_INFORMATIVE, self.labelled.score.shape)
        if is_used.all():
            return ()
        distance, p_value = distance_of_scores(
            *(self.labelled.score[of] for of in (is_used, ~is_used))
        )
        if distance < _FAR or p_value >= LEVEL:
            return ()
        n_out, least = np.count_nonzero(~is_used), 1 + LEAST_INFORMATIVE
        return (
            f"{n_out} of {len(is_used)} rows are left out, because label_sensitivity + "
            f"label_specificity is below {least} there, and have other scores than the rest: the "
            "result is about the rest only",
        )

    @cached_property
    def counted(self) -> CountedRows:
        """The rows with informative labels, and the number of positives that each counts as."""
        clusters = self.labelled.clusters
        clusters = None if clusters is None else clusters[self.order]
        positive, score = self.labelled.positive[self.order], self.labelled.score[self.order]
        rows = replace(self.labelled, positive=positive, score=score, clusters=clusters, index=None)
        if self.checked is not None:
            return CountedRows(rows, self.checked.share[self.order], 1 / self.checked.part.min())
        s, c = (each.of_rows(self.order).value for each in (self.sensitivity, self.specificity))
        return CountedRows(rows, (positive - (1 - c)) / (s + c - 1))

    def _outcomes_at(self, thresholds: FloatArray) -> tuple[FloatArray, ...]:
        """TP, FP, FN and TN of the decision ``score >= threshold``, restricted to possible values.

        The unbiased TP may be negative, or exceed the number of alerts.
        """
        rows, sums = self.counted.rows, np.append(0.0, np.cumsum(self.counted.share))
        alerts = rows.score[::-1].searchsorted(_numbers.in_dtype(thresholds, rows.dtype))
        alerts, others = len(rows.score) - alerts, alerts
        tp, fn = np.clip(sums[alerts], 0, alerts), np.clip(sums[-1] - sums[alerts], 0, others)
        fp, tn = alerts - tp, others - fn
        no_pos, no_neg = (_NO_WEIGHT * (total <= 0) for total in (tp + fn, fp + tn))
        return tp + no_pos, fp + no_neg, fn + no_pos, tn + no_neg

    def counts_at_scores(self) -> tuple[FloatArray, FloatArray, FloatArray, Any]:
        """As for `Measurable`, with corrected TP and FP."""
        thresholds = np.unique(self.labelled.score)[::-1]
        tp, fp, *_ = self._outcomes_at(thresholds)
        return thresholds, np.minimum(tp, tp[-1]), np.minimum(fp, fp[-1]), self.labelled.dtype

    def confusion_matrix(self, threshold: float) -> ConfusionMatrix:
        """Return the corrected counts of the decision ``score >= threshold``.

        They are not numbers of rows, so intervals of the matrix are refused.

        Parameters
        ----------
        threshold : float
            Compared with the scores in their precision. In rows with `y_pred`, the score of a
            predicted positive is 1.
        """
        at = np.array([_numbers.real_number("threshold", threshold)])
        outcomes = (each[0] for each in self._outcomes_at(at))
        matrix = ConfusionMatrix._of(outcomes, without_rows=self.supported)
        return matrix if self.pi0 is None else matrix.at_prior(self.pi0)

    def moved(self, source: Estimate, end: str) -> Self:
        """The rows with the rates of one estimate at its limits, "low" or "high"."""
        s, c = (
            each._replace(value=getattr(each, end)) if each.is_from(source) else each
            for each in (self.sensitivity, self.specificity)
        )
        kept = np.where(
            self.informative >= LEAST_INFORMATIVE, LEAST_INFORMATIVE, 0.0
        )  # no more rows are left out
        s = s._replace(value=np.maximum(s.value, kept + 1 - c.value))
        return replace(self, sensitivity=s, specificity=c)

    def at_prior(self, pi0: float) -> Self:
        """Return the rows calibrated to a reference prior, as `ConfusionCurve.at_prior`.

        Parameters
        ----------
        pi0 : float in (0, 1)
            Reference prior.
        """
        return replace(self, pi0=_numbers.open_unit("pi0", pi0))

    def at_population(self, population: Mapping[Any, float]) -> Data:
        if self._correct is None:
            raise ValueError(f"population must be None: {self.supported}")
        return self._correct.at_population(population)

    @cached_property
    def _correct(self) -> Data | None:
        """The curve or matrix if all labels are correct, else None."""
        rates = self.sensitivity.low, self.specificity.low
        if self.checked is not None or min(each.min() for each in rates) < 1:
            return None
        data: Data = ConfusionCurve._from_rows(self.labelled)
        if self.of_decisions:
            data = ConfusionMatrix._from_rows(self.labelled, ALERT)
        return data if self.pi0 is None else data.at_prior(self.pi0)

    def threshold_of(self, metric: Metric) -> float:
        """The threshold of a metric of a decision."""
        return ALERT if self.of_decisions else metric._required_threshold


def rounded(share: float) -> float:
    return float(round(share)) if abs(share - round(share)) < _ROUNDING else share
