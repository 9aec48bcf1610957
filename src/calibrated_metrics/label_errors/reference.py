"""How often labels are wrong: sensitivity and specificity, from rows that also have the truth."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from calibrated_metrics import _arguments, _columns, _labels, _numbers
from calibrated_metrics._arguments import plain_calls
from calibrated_metrics.binomial import clopper_pearson
from calibrated_metrics.confusion import ConfusionMatrix
from calibrated_metrics.scores.metric import Metric
from calibrated_metrics.uncertainty.estimate import Estimate, with_shifts
from calibrated_metrics.uncertainty.interval import interval

__all__ = ["LabelRates", "rates"]


class LabelRates(NamedTuple):
    """Sensitivity and specificity of labels, and a test of their main assumption.

    Attributes
    ----------
    sensitivity, specificity : Estimate
        Shares of the positives and of the negatives that are labelled so.
    p_value : float
        Of the null hypothesis that errors do not depend on the score given the class; NaN if this
        was not tested.
    """

    sensitivity: Estimate
    specificity: Estimate
    p_value: float

    @property
    def verdict(self) -> str:
        """Human-readable result of the test; not refuted does not mean verified."""
        if math.isnan(self.p_value):
            return "independence of errors and scores was not tested"
        found = "refuted" if self.p_value <= 0.05 else "not refuted"
        return f"independence of errors and scores is {found} (p = {self.p_value:.2g})"


@plain_calls()
def rates(
    reference: ArrayLike,
    label: ArrayLike,
    y_score: ArrayLike | None = None,
    *,
    chosen_by: str = "score",
    all_labels: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    pos_label: Any = 1,
    confidence_level: float = 0.95,
) -> LabelRates:
    """Estimate the sensitivity and specificity of labels from rows that also have the truth.

    For labels of other rows. If these rows are a random part of the rows to be measured,
    ``from_predictions(reference=)`` is more exact, and needs no assumption on the errors.

    Parameters
    ----------
    reference, label : array-like of shape (n_rows,)
        True classes, and labels by a judge or an imperfect test.
    y_score : array-like of shape (n_rows,), default=None
        Scores of the model. With scores, the assumption that errors do not depend on the score is
        tested in each class (Mann-Whitney test, Bonferroni correction).
    chosen_by : {"score", "label"}, default="score"
        How the rows were chosen for the reference: "score" is at random, or by the score; then the
        shares are valid if the assumption is true. "label" is at random within each label; then the
        numbers of all labels are needed (Begg & Greenes 1983, doi:10.2307/2530820). Rows that were
        chosen in any other way, such as by doubt of the judge, are not valid.
    all_labels : array-like, optional
        Labels of all rows from which the rows were chosen, for ``chosen_by="label"``.
    clusters : array-like of shape (n_rows,), default=None
        Labels of clusters, such as annotators or documents, whose errors may depend on each other.
        Independence of the score is not tested then. Only for ``chosen_by="score"``.
    pos_label : scalar, default=1
        The positive class in `reference`, `label` and `all_labels`.
    confidence_level : float in (0, 1), default=0.95

    Returns
    -------
    LabelRates
        An error is raised if a class has no rows in `reference`.

    Examples
    --------
    A judge labelled all answers, and people labelled 300 of them:

    >>> import numpy as np
    >>> from calibrated_metrics import label_errors
    >>> rng = np.random.default_rng(0)
    >>> person = rng.random(300) < 0.3
    >>> judge = rng.random(300) < np.where(person, 0.8, 0.1)
    >>> label_errors.rates(person, judge).sensitivity
    Estimate(0.8947, 95 % interval 0.8031 to 0.9534, rates)
    """
    _arguments.one_of("chosen_by", chosen_by, ("score", "label"))
    if (all_labels is None) == (chosen_by == "label"):
        raise ValueError('all_labels must be given for chosen_by="label", and only then')
    if clusters is not None and chosen_by == "label":
        raise ValueError('clusters must be None for chosen_by="label"')
    _columns.same_index(reference=reference, label=label, y_score=y_score, clusters=clusters)
    truth, labels = _columns.vector("reference", reference), _columns.vector("label", label)
    _columns.same_length(reference=truth, label=labels)
    _, chosen = _labels.decisions(truth, labels, pos_label, ("reference", "label"))
    drawn = {"clusters": clusters} if all_labels is None else {"strata": chosen}
    matrix = ConfusionMatrix.from_predictions(reference, label, pos_label=pos_label, **drawn)
    p_value = math.nan if y_score is None or clusters is not None else _p_value(matrix, y_score)
    shares = None
    if all_labels is not None:
        everyone = _columns.vector("all_labels", all_labels)
        _, of_all = _labels.decisions(truth, everyone, pos_label, ("reference", "all_labels"))
        if not np.array_equal(np.unique(of_all), np.unique(chosen)):
            raise ValueError("label must hold rows of each label of all_labels, and of no others")
        shares = int(of_all.sum()), len(of_all)
    sensitivity, specificity = (
        _rate(Metric(name), matrix, shares, confidence_level)
        for name in ("sensitivity", "specificity")
    )
    return LabelRates(sensitivity, specificity, p_value)


def _rate(
    metric: Metric, matrix: ConfusionMatrix, number: tuple[int, int] | None, level: float
) -> Estimate:
    """A rate; if the numbers of positive and of all labels are given, each label has its share.

    The error of these shares is added.
    """
    if number is None or number[0] in (0, number[1]):
        return interval(metric, matrix, confidence_level=level)
    shares = np.array([number[0] / number[1], *clopper_pearson(*number, (1 - level) / 2)])
    own, *moved = ({True: share, False: 1 - share} for share in shares.tolist())
    found = interval(metric, matrix, population=own, confidence_level=level)
    shifts = [metric(matrix.at_population(each)) - float(found.value) for each in moved]
    found = with_shifts(found, shifts)
    return replace(found, low=max(found.low, 0.0), high=min(found.high, 1.0))


def _p_value(matrix: ConfusionMatrix, y_score: ArrayLike) -> float:
    """Smallest p-value of two tests of the scores of correct and of wrong labels, twice."""
    from scipy.stats import mannwhitneyu  # slow to import

    score, truth = _numbers.finite_vector("y_score", y_score), matrix.rows.positive
    _columns.same_length(y_score=score, reference=truth)
    groups = [
        (score[of_class & matrix._has_alert], score[of_class & ~matrix._has_alert])
        for of_class in (truth, ~truth)
    ]
    found = [float(mannwhitneyu(*pair).pvalue) for pair in groups if min(map(len, pair)) > 0]
    return min([len(found) * each for each in found] + [1.0]) if found else math.nan
