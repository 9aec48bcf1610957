"""`LabelsWithErrors`: labelled rows whose labels may be late or wrong, and their metrics."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibrated_metrics import _columns, _labels, _numbers
from calibrated_metrics._arguments import plain_calls
from calibrated_metrics._numbers import FloatArray
from calibrated_metrics.confusion import ConfusionMatrix
from calibrated_metrics.drawn import BoolArray
from calibrated_metrics.label_errors import intervals
from calibrated_metrics.label_errors.checked import CheckedRows, doubts_of_choice
from calibrated_metrics.label_errors.corrected import LEAST_INFORMATIVE, CorrectedCounts, rounded
from calibrated_metrics.label_errors.ratios import is_supported, ratio_of
from calibrated_metrics.label_errors.rows import LabelRate
from calibrated_metrics.rows import Rows, same_labels
from calibrated_metrics.scores.facts import THRESHOLD
from calibrated_metrics.scores.metric import Metric, MetricLike
from calibrated_metrics.uncertainty.difference import difference_of
from calibrated_metrics.uncertainty.estimate import Estimate, Settings, of_priors, warn_of
from calibrated_metrics.uncertainty.interval import at_priors, estimate, interval, rows_of
from calibrated_metrics.uncertainty.paired import check_same_rows
from calibrated_metrics.uncertainty.prior import PriorLike

__all__ = ["LabelsWithErrors", "from_predictions", "prior"]


_TABLE = (
    "y_true must be labels, or alone a matrix of counts, or of independent rows without weights "
    "and strata"
)


class LabelsWithErrors(CorrectedCounts):
    """Labelled rows whose labels may be late or wrong; `from_predictions` builds them.

    They have no vertices, because corrected counts may decrease. `uncertainty.interval` and
    `difference`, `classification_report`, `PriorSweepDisplay.from_curve`, and `choose_threshold`
    without a guarantee accept them, for precision, recall, specificity, F-beta, average precision
    and AUC-ROC.

    Attributes
    ----------
    sensitivity, specificity : LabelRate
        The rates of the labels; ``sensitivity.value`` has the shape (n_rows,) or ().
    totals : pair of float
        Estimated numbers of positives and of negatives.
    prior : float in [0, 1]
        Estimated from the labels, or the reference prior.
    prior_is_known : bool
        Whether the prior was set by `at_prior`.
    checked : CheckedRows or None
        What rows count as if people labelled a part of them.
    """

    def __repr__(self) -> str:
        n, used = len(self.labelled.score), len(self.order)
        rows = f"{n} rows" if used == n else f"{used} of {n} rows"
        return f"LabelsWithErrors({rows}, prior={self.prior:.6g})"

    def value(self, metric: MetricLike, *, pi0: float | None = None) -> float:
        """Return the value of a metric.

        Parameters
        ----------
        metric : str, callable or Metric
            Precision, recall, specificity or F-beta, with a threshold for rows with scores; average
            precision or AUC-ROC. Other metrics raise ``ValueError``.
        pi0 : None or float in (0, 1), default=None
            Reference prior. None: that of the metric, or that of the rows.

        Returns
        -------
        float
            Restricted to the range of the metric. If the corrected numbers say that a class has no
            rows, ``ValueError`` is raised.
        """
        metric = Metric(metric, pi0)
        if self._correct is not None:
            return metric(self._correct)
        data = self._prepared(metric, "data")
        if metric.of_matrix:
            value = metric._value(data.confusion_matrix(data.threshold_of(metric)))
            return rounded(value) if data.pi0 is None else value
        return ratio_of(metric, data, data.counted.collapsed).value

    def interval(
        self, metric: Metric, pi0: PriorLike, settings: Settings, **given: Any
    ) -> Estimate:
        """The method of `uncertainty.interval`; warnings are remarks of the result."""
        if self._correct is not None:
            return estimate(metric, self._correct, pi0, settings, **given)
        level, at = settings.confidence_level, self._at_priors(metric, "data", pi0, settings, given)
        return of_priors([intervals.interval_of(metric, each, level) for each in at], pi0)

    def difference(
        self, metric: Metric, pair: Any, pi0: Any, paired: bool, settings: Settings, **given: Any
    ) -> Estimate:
        """The method of `uncertainty.difference`; one of the pair may have correct labels."""
        a, b = (
            each._correct or each if isinstance(each, LabelsWithErrors) else each for each in pair
        )
        if not any(isinstance(each, LabelsWithErrors) for each in (a, b)):
            return difference_of(metric, a, b, pi0, paired, settings, **given)
        own = {"method": settings.method, **given}
        of_a, of_b = (
            each._at_priors(metric, name, pi0, settings, given)
            if isinstance(each, LabelsWithErrors)
            else at_priors(metric, rows_of(metric, each, name, **own), pi0)
            for name, each in (("a", a), ("b", b))
        )
        same_labels("a and b", _rows(of_a[0]), _rows(of_b[0]))
        if paired:
            _check_same_rows(of_a[0], of_b[0])
        pairs = zip(of_a, of_b, strict=True)
        found = [intervals.difference_of(metric, pair, paired, settings) for pair in pairs]
        return of_priors(found, pi0)

    def _at_priors(
        self, metric: Metric, name: str, pi0: PriorLike, settings: Settings, given: Any
    ) -> list[Any]:
        """The rows at each reference prior, if the error of the metric can be estimated."""
        _labels.label_of_built(name, self.pos_label, given.get("pos_label"))
        if given.get("population") is not None:
            raise ValueError(f"population must be None: {self.supported}")
        if settings.method is not None:
            raise ValueError(
                f'method must be "auto" for labels with errors, got {settings.method!r}'
            )
        if isinstance(pi0, Estimate):
            raise ValueError(f"pi0 must be None or a number for labels with errors, got {pi0!r}")
        data: Any = self._prepared(metric, name)
        self.check_both_labels(name)
        return at_priors(metric, data, pi0)

    def check_both_labels(self, name: str) -> None:
        """Refuse rows whose labels are all the same, for an interval."""
        label = self.labelled.positive
        if self._correct is None and (label.all() or not label.any()):
            raise ValueError(
                f"{name} must hold positive and negative labels for an interval of labels with "
                f"errors, got {len(label)} {'positive' if label.all() else 'negative'} labels"
            )

    def supports(self, metric: Metric) -> bool:
        return self._correct is not None or is_supported(metric)

    def _prepared(self, metric: Metric, name: str) -> LabelsWithErrors:
        """The rows at the reference prior of a metric, which must be supported."""
        if not self.supports(metric):
            raise ValueError(f"metric {metric.name!r}: {self.supported}")
        if self.of_decisions and not metric.of_matrix:
            raise TypeError(f"{name} must have y_score for the metric {metric.name!r}, got y_pred")
        if self.of_decisions and THRESHOLD in metric.options:
            raise ValueError(f"{name} must have y_score for a Metric with a threshold, got y_pred")
        return self if metric.pi0 is None else self.at_prior(metric.pi0)


def _rows(data: Any) -> Rows:
    rows: Rows = data.labelled if isinstance(data, LabelsWithErrors) else data.rows
    return rows


def _check_same_rows(a: Any, b: Any) -> None:
    """Refuse rows that differ in anything but their scores."""
    rates = []
    for each in (a, b):
        has_errors = isinstance(each, LabelsWithErrors)
        s, c = (each.sensitivity.value, each.specificity.value) if has_errors else (1.0, 1.0)
        rates.append({"label_sensitivity": s, "label_specificity": c})
    check_same_rows(_rows(a), _rows(b), *rates)


@plain_calls("from_predictions takes y_true and y_score by position, and the others by name")
def from_predictions(
    y_true: ArrayLike | ConfusionMatrix,
    y_score: ArrayLike | None = None,
    *,
    y_pred: ArrayLike | None = None,
    label_sensitivity: Any = None,
    label_specificity: Any = None,
    reference: ArrayLike | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    strata: ArrayLike | None = None,
) -> LabelsWithErrors:
    """Build labelled rows whose labels may be late or wrong.

    Either the rates of the errors are given, which must not depend on the score, given the class.
    Or people labelled a part of the rows: then errors may be of any kind, and are estimated from
    these rows (see ``label_errors/checked.py``).

    Parameters
    ----------
    y_true : array-like of shape (n_rows,), or ConfusionMatrix
        Binary labels of any type, as they are; or the counts of a published table, alone.
    y_score, y_pred : array-like of shape (n_rows,)
        Either finite scores, higher for more likely positives, or predictions of the labels.
    label_sensitivity, label_specificity : float, array-like of shape (n_rows,) or Estimate, \
            default=None
        Probability that a positive, and that a negative, has its correct label, in [0, 1]. None:
        all these labels are correct. An `uncertainty.Estimate`, of a number or of one number per
        row, such as from `known_by_age` or `rates`, adds its error, which is common to all rows.
        Rows with ``label_sensitivity + label_specificity < 1.05`` are left out; intervals have a
        remark if their scores differ from those of the others.
    reference : array-like of shape (n_rows,), default=None
        Correct labels of some rows, such as by people, missing (None, NaN) for the others. These
        rows must be drawn at random, or at random within each label of `y_true`. An
        `IntervalWarning` is given if, within a label, their scores differ from the others.
    pos_label : scalar, default=1
        The label of the positives.
    clusters : array-like of shape (n_rows,), default=None
        Labels of clusters, such as customers. Rows of a cluster may depend on each other.
    sample_weight, strata : array-like of shape (n_rows,), default=None
        Rows of weight 0 are dropped. Other weights, and strata, are refused unless all labels are
        correct.

    Returns
    -------
    LabelsWithErrors
        If both rates are 1 in all rows, metrics and intervals are those of the `ConfusionCurve` or
        `ConfusionMatrix` of the rows.

    Raises
    ------
    ValueError
        If rates lie outside of [0, 1], have another length, or leave no informative rows, or if
        `reference` lacks a class, or rows of a label of `y_true`.

    Examples
    --------
    A month with 60 % of its frauds known:

    >>> import numpy as np
    >>> from calibrated_metrics import label_errors, uncertainty
    >>> rng = np.random.default_rng(0)
    >>> fraud = rng.random(20_000) < 0.02
    >>> known = fraud & (rng.random(20_000) < 0.6)
    >>> score = rng.normal(2 * fraud)
    >>> labels = label_errors.from_predictions(known, score, label_sensitivity=0.6)
    >>> labels.value("average_precision")
    0.369...
    >>> uncertainty.interval("average_precision", labels)
    Estimate(0.3695, 95 % interval 0.2693 to 0.4651, labels with errors)
    """
    if isinstance(y_true, ConfusionMatrix):
        if y_pred is not None:
            raise ValueError(f"{_TABLE}, got {y_true!r}")
        y_true, y_pred = _labels_and_decisions(y_true)
    if (y_score is None) == (y_pred is None):
        raise ValueError("either y_score or y_pred must be given, and not both")
    given = {"label_sensitivity": label_sensitivity, "label_specificity": label_specificity}
    if reference is not None and any(each is not None for each in given.values()):
        raise ValueError("reference must be None if the rates of the labels are given")
    _columns.same_index(y_true=y_true, y_score=y_score, y_pred=y_pred, reference=reference, **given)
    scores = {"y_score": y_score} if y_pred is None else {"y_pred": y_pred}
    n_rows = len(_columns.vector("y_true", y_true))
    columns = {**scores, "row": np.arange(n_rows)}
    drawn = {"sample_weight": sample_weight, "clusters": clusters, "strata": strata}
    sample, kept = Rows.read(y_true, columns, pos_label=pos_label, **drawn)
    s, c = (LabelRate.of(*each, n_rows).of_rows(kept["row"]) for each in given.items())
    labels = LabelsWithErrors(sample, s, c, of_decisions=y_pred is not None)
    if reference is not None:
        labels = _with_reference(labels, y_true, reference, kept["row"])
    if labels._correct is None:
        _check_supported(labels)
    return labels


def _labels_and_decisions(matrix: ConfusionMatrix) -> tuple[BoolArray, FloatArray]:
    """One of each per row of a matrix of counts, or of independent rows without weights."""
    has_rows = matrix._is_of_counts or (matrix.has_rows and not matrix.prior_is_known)
    rows = matrix._with_rows("y_true").rows if has_rows else None
    if rows is None or not (rows.is_plain and rows.strata is None and rows.class_weight == (1, 1)):
        raise ValueError(f"{_TABLE}, got {matrix!r}")
    number = np.rint(rows.counts).astype(int)
    return np.repeat(rows.positive, number), np.repeat(rows.score, number)


def _check_supported(labels: LabelsWithErrors) -> None:
    """Refuse labels with errors that say nothing, or whose rows were not drawn at random."""
    rows = labels.labelled
    if rows.weight is not None or rows.class_weight != (1, 1) or rows.strata is not None:
        raise ValueError("sample_weight and strata are not supported for labels with errors")
    if (most := labels.informative.max()) < LEAST_INFORMATIVE:
        raise ValueError(
            f"label_sensitivity + label_specificity - 1 must be at least {LEAST_INFORMATIVE} for "
            f"some rows, got at most {most:.3g}"
        )


def _with_reference(
    labels: LabelsWithErrors, y_true: Any, reference: Any, kept: NDArray[np.intp]
) -> LabelsWithErrors:
    """The labels of a judge, with the labels of people where they are given."""
    judged, given = _columns.vector("y_true", y_true), _columns.vector("reference", reference)
    _columns.same_length(y_true=judged, reference=given)
    row = np.flatnonzero(~_labels.are_missing(given[kept]))
    names = "y_true", "reference"
    _, positive = _labels.decisions(judged, given[kept][row], labels.pos_label, names)
    label = labels.labelled.positive.copy()
    if len(np.unique(positive)) < 2 or len(np.unique(label[row])) < len(np.unique(label)):
        raise ValueError(
            "reference must hold rows of both classes and of each label of y_true, got "
            f"{positive.sum()} positives in {len(row)} rows, {label[row].sum()} of them with a "
            "positive label"
        )
    checked, score = None, labels.labelled.score
    if len(row) < len(label):
        checked = CheckedRows.of(label, score, row, positive)
        if labels.labelled.clusters is None:  # rows of a cluster may be chosen together
            warn_of(doubts_of_choice(label, score, row))
    label[row] = positive
    return replace(labels, labelled=replace(labels.labelled, positive=label), checked=checked)


@plain_calls()
def prior(
    y_true: ArrayLike,
    y_score: ArrayLike | None = None,
    *,
    label_sensitivity: Any = None,
    label_specificity: Any = None,
    reference: ArrayLike | None = None,
    pos_label: Any = 1,
    confidence_level: float = 0.95,
) -> Estimate:
    """Estimate the class prior (prevalence) from labels with errors.

    The value is that of Rogan & Gladen (1978, doi:10.1093/oxfordjournals.aje.a112510), restricted
    to [0, 1]. If the rates are equal in all rows, the limits are those of Clopper and Pearson for
    the share of positive labels, converted alike. With `reference`, they are those of an audit
    whose strata are the labels.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,), or ConfusionMatrix of counts
        Labels as they are.
    y_score : array-like of shape (n_rows,), default=None
        Scores, with which `reference` gives shorter intervals.
    label_sensitivity, label_specificity, reference, pos_label
        As for `from_predictions`.
    confidence_level : float in (0, 1), default=0.95

    Returns
    -------
    Estimate

    Examples
    --------
    >>> import numpy as np
    >>> from calibrated_metrics import label_errors
    >>> labels = np.arange(1000) < 140
    >>> label_errors.prior(labels, label_sensitivity=0.9, label_specificity=0.95)
    Estimate(0.1059, 95 % interval 0.08127 to 0.133, labels with errors)
    """
    given = {"label_sensitivity": label_sensitivity, "label_specificity": label_specificity}
    if isinstance(y_true, ConfusionMatrix):
        y_true, pos_label = _labels_and_decisions(y_true)[0], True
    scores: dict[str, Any] = {"y_pred": np.full(len(_columns.vector("y_true", y_true)), pos_label)}
    metric = Metric("precision")
    if y_score is not None:
        scores = {"y_score": y_score}
        metric = Metric(
            "precision", threshold=float(_numbers.finite_vector("y_score", y_score).min())
        )
    labels = from_predictions(y_true, **scores, reference=reference, pos_label=pos_label, **given)
    has_equal_rates = labels._correct is None and not labels.informative.ndim
    if has_equal_rates and labels.checked is None:
        found = intervals.prior_of(labels, _numbers.level("confidence_level", confidence_level))
        warn_of(found.remarks)
        return found
    labels.check_both_labels("y_true")
    found = interval(metric, labels, confidence_level=confidence_level)
    if labels.checked is None or found.reason is not None:
        return found
    low, high = labels.checked.limits_of_prior(float(found.standard_error) ** 2, confidence_level)
    return replace(found, low=min(low, found.value), high=max(high, found.value))
