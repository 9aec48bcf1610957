"""Rows with labels and scores, how they were drawn, and the kernel that sorts and counts them.

Rows count, weights weigh: sums of weights give values, numbers of rows give their errors.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibrated_metrics import _checks
from calibrated_metrics._checks import FloatArray

__all__ = ["Sample", "SortedScores", "Vertices", "sort_and_count"]

BoolArray = NDArray[np.bool_]
_EQUAL_WEIGHTS = 1e-9  # relative spread below which the weights of a class are equal


# --------------------------------------------------------------------------------- the kernel


@dataclass(frozen=True, eq=False)
class SortedScores:
    """Scores of one class, ascending, with their weights; None if each weighs 1."""

    score: FloatArray
    weight: FloatArray | None

    @classmethod
    def sort(cls, score: FloatArray, weight: FloatArray | None = None) -> SortedScores:
        if weight is None:
            return cls(np.sort(score), None)
        order = np.argsort(score)
        return cls(score[order], weight[order])

    @cached_property
    def _weight_from(self) -> FloatArray:
        """Weight of each score and of all above it, with a last entry 0."""
        assert self.weight is not None
        return np.append(np.cumsum(self.weight[::-1])[::-1], 0.0)

    def weight_from(self, index: Any) -> Any:
        """Weight of the scores at an index and above it; for an array of indices, an array."""
        return len(self.score) - index if self.weight is None else self._weight_from[index]

    def weight_at_least(self, thresholds: FloatArray) -> FloatArray:
        weights = self.weight_from(self.score.searchsorted(thresholds))
        return np.asarray(weights, dtype=np.float64)

    def weight_below(self, thresholds: FloatArray) -> FloatArray:
        """Added from below: a difference of sums loses digits if weights differ much."""
        n_below = self.score.searchsorted(thresholds)
        if self.weight is None:
            return np.asarray(n_below, dtype=np.float64)
        return np.append(0.0, np.cumsum(self.weight))[n_below]


class Vertices(NamedTuple):
    """Counts of the decisions ``score >= threshold``, by descending threshold."""

    thresholds: FloatArray
    tp: FloatArray
    fp: FloatArray


def sort_and_count(pos: SortedScores, neg: SortedScores) -> Vertices:
    """Count both classes at each threshold at which a curve can bend.

    Each distinct score of a positive has two vertices: one just above it, where a run of negatives
    ends, and one at it, where all its ties are counted at once. The first vertex counts nothing,
    the last counts all. Thresholds are scores of the rows.
    """
    cut_from = _first_of_ties(pos.score)  # index of the lowest row of each cut
    cuts = pos.score[cut_from]  # distinct scores of the positives, ascending
    neg_from = neg.score.searchsorted(cuts)
    has_ties = bool((neg.score.take(neg_from, mode="clip") == cuts).any())
    neg_above = neg.score.searchsorted(cuts, side="right") if has_ties else neg_from

    # One row per cut, by descending cut: just above it, and at it.
    thresholds, tp, fp = (np.empty((len(cuts), 2)) for _ in range(3))
    thresholds[::-1, 0], thresholds[::-1, 1] = neg.score.take(neg_above, mode="clip"), cuts
    fp[::-1, 0], fp[::-1, 1] = neg.weight_from(neg_above), neg.weight_from(neg_from)
    tp[::-1, 1] = pos.weight_from(cut_from)
    tp[0, 0], tp[1:, 0] = 0.0, tp[:-1, 1]

    vertices = Vertices(
        np.concatenate([[np.inf], thresholds.ravel(), neg.score[:1]]),
        np.concatenate([[0.0], tp.ravel(), tp[-1:, 1]]),
        np.concatenate([[0.0], fp.ravel(), [neg.weight_from(0)]]),
    )
    # A vertex above a cut, and the last one, is new only if negatives were counted on the way.
    is_new = np.ones(len(vertices.fp), dtype=bool)
    is_new[1::2] = vertices.fp[1::2] > vertices.fp[:-1:2]
    return vertices if is_new.all() else Vertices(*(counts[is_new] for counts in vertices))


def _first_of_ties(ascending: FloatArray) -> NDArray[np.intp]:
    return np.flatnonzero(np.append(True, ascending[1:] != ascending[:-1]))


# ----------------------------------------------------------------------------------- the rows


@dataclass(frozen=True, eq=False)
class Sample:
    """Labelled, scored rows.

    Attributes
    ----------
    positive, score : ndarray of shape (n_rows,)
    weight : ndarray of shape (n_rows,) or None
        None if all rows of a class weigh the same: then weights only change the prior.
    class_weight : pair of float
        Weight of each positive and of each negative if `weight` is None.
    number : ndarray of shape (n_rows,) or None
        Number of rows that are counted as one, because they are alike. None: each is one row.
    dtype : numpy.dtype
        Thresholds are compared with scores in this precision, as NumPy does.
    without_errors : str or None
        Why the rows do not tell the errors of estimates; None if they do.
    cells : str or None
        How scores were rounded to cells, if they were.
    """

    positive: BoolArray
    score: FloatArray
    weight: FloatArray | None = None
    class_weight: tuple[float, float] = (1.0, 1.0)
    number: FloatArray | None = None
    dtype: Any = np.float64
    without_errors: str | None = None
    cells: str | None = None
    is_binned: bool = False  # each score is the lower edge of a cell

    @classmethod
    def from_rows(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        pos_label: Any,
        sample_weight: ArrayLike | None = None,
    ) -> Sample:
        _checks.same_index(y_true=y_true, y_score=y_score, sample_weight=sample_weight)
        score = _checks.real_vector("y_score", y_score)
        labels = _checks.vector("y_true", y_true)
        weight = None if sample_weight is None else _checks.weights("sample_weight", sample_weight)
        _checks.same_length(y_true=labels, y_score=score, sample_weight=weight)
        dtype = _checks.float_dtype(y_score)
        if weight is None:
            positive = _checks.is_positive(labels, pos_label)
            return cls(positive, _checks.finite("y_score", score).copy(), dtype=dtype)
        score = _checks.finite("y_score", np.where(weight > 0, score, 0.0))
        labels, score, weight = (column[weight > 0] for column in (labels, score, weight))
        return cls._of_columns(_checks.is_positive(labels, pos_label), score, weight, dtype=dtype)

    @classmethod
    def _of_columns(
        cls, positive: BoolArray, score: FloatArray, weight: FloatArray | None, **known: Any
    ) -> Sample:
        """Weights that are equal within each class become weights of the classes."""
        if weight is None:
            return cls(positive, score, **known)
        of_classes = weight[positive], weight[~positive]
        if any(len(of_class) == 0 for of_class in of_classes):
            return cls(positive, score, weight, **known)
        if any(np.ptp(of_class) > _EQUAL_WEIGHTS * of_class.max() for of_class in of_classes):
            return cls(positive, score, weight, **known)
        class_weight = float(of_classes[0][0]), float(of_classes[1][0])
        return cls(positive, score, class_weight=class_weight, **known)

    @classmethod
    def from_decisions(
        cls,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        pos_label: Any,
        sample_weight: ArrayLike | None = None,
    ) -> Sample:
        """Rows whose score is 1 if they are predicted positive, else 0. A class may be absent."""
        _checks.same_index(y_true=y_true, y_pred=y_pred, sample_weight=sample_weight)
        labels, predictions = _checks.vector("y_true", y_true), _checks.vector("y_pred", y_pred)
        weight = None if sample_weight is None else _checks.weights("sample_weight", sample_weight)
        _checks.same_length(y_true=labels, y_pred=predictions, sample_weight=weight)
        if weight is not None:
            columns = labels, predictions, weight
            labels, predictions, weight = (column[weight > 0] for column in columns)
        positive, predicted = _checks.decisions(labels, predictions, pos_label)
        return cls._of_columns(positive, predicted.astype(np.float64), weight)

    @classmethod
    def from_counts(
        cls,
        score: FloatArray,
        pos: FloatArray,
        neg: FloatArray,
        *,
        without_errors: str | None = None,
        cells: str | None = None,
    ) -> Sample:
        """Rows that are counted by score; a score may have both classes, and may be repeated."""
        distinct, place = np.unique(score, return_inverse=True)
        n_pos, n_neg = (np.bincount(place, weights=counts) for counts in (pos, neg))
        has_pos, has_neg = n_pos > 0, n_neg > 0
        number = np.concatenate([n_pos[has_pos], n_neg[has_neg]])
        # Rates that were rounded give whole numbers within 1e-6.
        if without_errors is None and np.abs(number - np.rint(number)).max() > 1e-6:
            without_errors = "its numbers of rows are not whole: they may be sums of weights"
        return cls(
            positive=np.arange(has_pos.sum() + has_neg.sum()) < has_pos.sum(),
            score=np.concatenate([distinct[has_pos], distinct[has_neg]]),
            number=number,
            without_errors=without_errors,
            cells=cells,
            is_binned=True,
        )

    @classmethod
    def from_probabilities(cls, y_prob: ArrayLike, sample_weight: ArrayLike | None) -> Sample:
        """Expected rows: each probability p is p of a positive and 1 - p of a negative."""
        _checks.same_index(y_prob=y_prob, sample_weight=sample_weight)
        probability = _checks.probabilities("y_prob", y_prob)
        _checks.normal("y_prob", probability)
        positive, negative = probability, 1.0 - probability
        if sample_weight is not None:
            weight = _checks.weights("sample_weight", sample_weight)
            _checks.same_length(y_prob=probability, sample_weight=weight)
            positive, negative = positive * weight, negative * weight
            for part in (positive, negative):
                _checks.normal("y_prob * sample_weight", part)
        likely, unlikely = positive > 0, negative > 0
        if not (likely.any() and unlikely.any()):
            raise ValueError(
                "y_prob must give weight to both classes, got all "
                f"{probability[likely | unlikely][0]}: "
                "there is no prior to calibrate"
            )
        return cls(
            positive=np.arange(likely.sum() + unlikely.sum()) < likely.sum(),
            score=np.concatenate([probability[likely], probability[unlikely]]),
            weight=np.concatenate([positive[likely], negative[unlikely]]),
            without_errors="it holds the expected counts of probabilities; label_free.estimate "
            "gives them an interval",
        )

    @cached_property
    def by_class(self) -> tuple[SortedScores, SortedScores]:
        """Sorted scores of the positives and of the negatives, without class weights."""
        weight = self.weight
        if self.number is not None:
            weight = self.number if weight is None else weight * self.number
        pos, neg = (
            SortedScores.sort(
                np.compress(of_class, self.score),
                None if weight is None else np.compress(of_class, weight),
            )
            for of_class in (self.positive, ~self.positive)
        )
        return pos, neg

    @property
    def sets_prior(self) -> bool:
        """Whether weights of the classes set the prior."""
        of_positives, of_negatives = self.class_weight
        return abs(of_positives - of_negatives) > _EQUAL_WEIGHTS * of_positives

    @property
    def row_weight(self) -> FloatArray:
        """Weight of each row."""
        if self.weight is not None:
            return self.weight
        return np.where(self.positive, *self.class_weight)

    def with_class_weight(self, class_weight: tuple[float, float]) -> Sample:
        """The rows with these weights of the classes in place of their own."""
        if self.weight is None:
            return replace(self, class_weight=class_weight)
        return replace(self, weight=self.weight * np.where(self.positive, *class_weight))

    def weight_of(self, rows: BoolArray) -> float:
        """Total weight of some rows, without weights of the classes."""
        if self.weight is None and self.number is None:
            return float(np.count_nonzero(rows))
        weight = np.ones(1) if self.weight is None else self.weight[rows]
        number = np.ones(1) if self.number is None else self.number[rows]
        return float((weight * number).sum())

    def has_alert(self, threshold: float) -> BoolArray:
        """Whether the score of each row is at least the threshold."""
        (limit,) = _checks.in_dtype(np.array([threshold], dtype=np.float64), self.dtype)
        alert: BoolArray = self.score >= limit
        return alert

    def counts_at(self, thresholds: FloatArray) -> tuple[FloatArray, FloatArray]:
        """TP and FP of the decision ``score >= threshold``, for each threshold."""
        pos, neg = self.by_class
        thresholds = _checks.in_dtype(thresholds, self.dtype)
        return pos.weight_at_least(thresholds), neg.weight_at_least(thresholds)

    def counts_below(self, thresholds: FloatArray) -> tuple[FloatArray, FloatArray]:
        """FN and TN of the decision ``score >= threshold``, for each threshold."""
        pos, neg = self.by_class
        thresholds = _checks.in_dtype(thresholds, self.dtype)
        return pos.weight_below(thresholds), neg.weight_below(thresholds)

    def __add__(self, other: Sample) -> Sample:
        """Rows of both, each with its weight."""
        numbers = [
            np.ones(len(rows.score)) if rows.number is None else rows.number
            for rows in (self, other)
        ]
        same_weights = (
            self.weight is other.weight is None and self.class_weight == other.class_weight
        )
        return Sample(
            positive=np.concatenate([self.positive, other.positive]),
            score=np.concatenate([self.score, other.score]),
            weight=None if same_weights else np.concatenate([self.row_weight, other.row_weight]),
            class_weight=self.class_weight if same_weights else (1.0, 1.0),
            number=None if self.number is other.number is None else np.concatenate(numbers),
            dtype=np.result_type(self.dtype, other.dtype),
            without_errors=self.without_errors or other.without_errors,
            cells=_same_cells(self.cells, other.cells),
            is_binned=self.is_binned and other.is_binned,
        )


def _same_cells(a: str | None, b: str | None) -> str | None:
    if a is not None and b is not None and a != b:
        raise ValueError(
            f"curves can only be added if their scores were rounded alike, got {a} and {b}"
        )
    return a or b
