"""Rows with labels and scores, drawn by a design.

Sums of weights give the values of metrics; numbers of rows give their errors.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibrated_metrics import _checks
from calibrated_metrics._checks import FloatArray
from calibrated_metrics.design import BoolArray, Codes, Design
from calibrated_metrics.sorted_scores import SortedScores

__all__ = ["Columns", "Sample", "rows_of_both_classes"]


@dataclass(frozen=True, eq=False)
class Columns:
    """Columns of the same rows, by name, before rows of weight 0 are dropped.

    A row of weight 0 holds the values of another row, so that checks name the others by their
    numbers. `rows` are those of a weight above 0, None if all are.
    """

    of_rows: Mapping[str, NDArray[Any]]
    index: Any
    weight: FloatArray | None
    clusters: Codes | None
    strata: Codes | None
    rows: NDArray[np.intp] | None

    @classmethod
    def read(
        cls,
        given: Mapping[str, Any],
        *,
        sample_weight: Any = None,
        clusters: Any = None,
        strata: Any = None,
    ) -> Self:
        """Columns of one index and length, and how the rows were drawn."""
        drawn = {"sample_weight": sample_weight, "clusters": clusters, "strata": strata}
        index = _checks.same_index(**given, **drawn)
        columns = {name: _checks.vector(name, values) for name, values in given.items()}
        units = {
            name: _checks.unit_labels(name, drawn[name])
            for name in ("clusters", "strata")
            if drawn[name] is not None
        }
        weight, rows = None, None
        if sample_weight is not None:
            weight = _checks.weights("sample_weight", sample_weight).copy()
        _checks.same_length(**columns, sample_weight=weight, **units)
        if weight is not None and not weight.all():
            rows = np.flatnonzero(weight)
            filled = np.where(weight > 0, np.arange(len(weight)), rows[0])
            columns, units = (
                {name: values[filled] for name, values in each.items()} for each in (columns, units)
            )
            weight, index = weight[rows], None if index is None else index[rows]
        codes = {name: Codes.of(name, labels) for name, labels in units.items()}
        if rows is not None:
            codes = {name: Codes(each.code[rows], each.labels) for name, each in codes.items()}
        return cls(columns, index, weight, codes.get("clusters"), codes.get("strata"), rows)

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.of_rows[name]

    def kept(self, values: NDArray[Any]) -> NDArray[Any]:
        """Values of the rows of a weight above 0."""
        return values if self.rows is None else values[self.rows]


@dataclass(frozen=True, eq=False)
class Sample:
    """Labelled, scored rows and how they were drawn.

    Attributes
    ----------
    positive, score : ndarray of shape (n_rows,)
        Labels and scores.
    design : Design
        How the rows were drawn.
    number : ndarray of shape (n_rows,) or None
        Number of identical rows that each row represents. None: one.
    dtype : numpy.dtype
        Thresholds are compared with scores in this precision, as NumPy does.
    without_errors, cells : str or None
        Why errors cannot be estimated from the rows, and how scores were rounded to cells.
    """

    positive: BoolArray
    score: FloatArray
    design: Design = field(default_factory=Design)
    number: FloatArray | None = None
    dtype: Any = np.float64
    without_errors: str | None = None
    cells: str | None = None
    is_binned: bool = False  # each score is the lower edge of a cell
    pos_label: Any = None  # the label of the positives; None if the rows had no labels
    index: Any = None  # that of pandas, None if the rows had none

    @classmethod
    def read(
        cls,
        y_true: ArrayLike,
        *,
        y_score: ArrayLike | None = None,
        y_pred: ArrayLike | None = None,
        pos_label: Any = 1,
        beside: Mapping[str, ArrayLike] | None = None,
        **drawn: Any,
    ) -> tuple[Self, dict[str, NDArray[Any]]]:
        """Rows of a weight above 0 with scores or decisions, and further columns of these rows.

        A decision has the score 1 or 0, and a class may be absent. `drawn` holds sample_weight,
        clusters and strata, each may be None. The columns `beside` are checked for their index and
        length only.
        """
        scores = {"y_pred": y_pred} if y_score is None else {"y_score": y_score}
        columns = Columns.read({"y_true": y_true, **scores, **(beside or {})}, **drawn)
        labels = columns["y_true"]
        if columns.rows is not None:
            _checks.weighted_positives(np.asarray(y_true), labels, pos_label)
        if y_score is None:
            positive, alert = _checks.decisions(labels, columns["y_pred"], pos_label)
            score, dtype = alert.astype(np.float64), np.dtype(np.float64)
        else:
            positive = _checks.is_positive(labels, pos_label)
            dtype = _checks.float_dtype(columns["y_score"])
            score = _checks.finite_vector("y_score", columns["y_score"])
            score = score.copy() if score is columns["y_score"] else score
        positive, score = columns.kept(positive), columns.kept(score)
        sample = cls(
            positive,
            score,
            Design.of_rows(positive, columns.weight, columns.clusters, columns.strata),
            dtype=dtype,
            pos_label=pos_label,
            index=columns.index,
        )
        return sample, {name: columns.kept(columns[name]) for name in beside or ()}

    @classmethod
    def from_counts(
        cls,
        score: FloatArray,
        pos: FloatArray,
        neg: FloatArray,
        *,
        dtype: Any = np.float64,
        without_errors: str | None = None,
        cells: str | None = None,
    ) -> Sample:
        """Rows that are counted by score; a score may have both classes, and may be repeated."""
        distinct, place = np.unique(score, return_inverse=True)
        n_pos, n_neg = (np.bincount(place, n).astype(np.float64, copy=False) for n in (pos, neg))
        positive, score, number = rows_of_both_classes(distinct, n_pos, n_neg)
        # Products of rates and numbers of rows are whole within 1e-6, unless rates were rounded.
        if without_errors is None and np.abs(number - np.rint(number)).max() > 1e-6:
            part = number[np.abs(number - np.rint(number)).argmax()]
            without_errors = (
                f"it has numbers of rows that are not whole, such as {part:g}: they may be sums of "
                "weights, or products of rounded rates: round each to a whole number"
            )
        return cls(
            positive,
            score,
            number=number,
            dtype=dtype,
            without_errors=without_errors,
            cells=cells,
            is_binned=True,
        )

    @classmethod
    def from_probabilities(cls, y_prob: ArrayLike, sample_weight: ArrayLike | None) -> Sample:
        """Expected rows: each probability p counts as p positives and 1 - p negatives."""
        _checks.same_index(y_prob=y_prob, sample_weight=sample_weight)
        probability = _checks.probabilities("y_prob", y_prob)
        _checks.normal("y_prob", probability)
        of_pos, of_neg = probability, 1.0 - probability
        if sample_weight is not None:
            weight = _checks.weights("sample_weight", sample_weight)
            _checks.same_length(y_prob=probability, sample_weight=weight)
            of_pos, of_neg = of_pos * weight, of_neg * weight
            for part in (of_pos, of_neg):
                _checks.normal("y_prob * sample_weight", part)
        positive, score, weight = rows_of_both_classes(probability, of_pos, of_neg)
        if positive.all() or not positive.any():
            raise ValueError(
                f"y_prob must give weight to both classes, got all {score[0]}: there is no prior "
                "to calibrate"
            )
        return cls(
            positive,
            score,
            Design(weight),
            dtype=_checks.float_dtype(y_prob),
            without_errors="it was built from probabilities without labels; label_free.expected "
            "gives an interval for them",
        )

    def at_population(self, population: Mapping[Any, Any]) -> Sample:
        """The rows, weighted so that each stratum has its share of the total weight."""
        strata = self.design.strata
        if strata is None:
            raise ValueError("population needs the stratum of each row: give strata to the data")
        labels, stratum = strata.labels, strata.code
        if labels.dtype == "datetime64[ns]":  # whose items would be integers
            labels = labels.astype("datetime64[us]")
        share = _checks.shares("population", population, labels.tolist())
        total = np.bincount(stratum, self.row_weight * self.counts)
        weight = self.row_weight * (share * self.counts.sum() / total)[stratum]
        design = replace(self.design, weight=weight)
        if not design.is_audit:
            design = Design.of_rows(self.positive, weight, design.clusters, strata)
        return replace(self, design=design)

    @cached_property
    def fixes_prior(self) -> bool:
        """Whether the numbers of rows of both classes were fixed: each stratum lies in one class.

        The strata of an audit do not fix them: they may have rows of only one class by chance.
        """
        if self.design.strata is None or self.design.is_audit:
            return False
        if self.positive.all() or not self.positive.any():
            return False
        stratum = self.design.strata.code
        n_pos, n = np.bincount(stratum, self.positive), np.bincount(stratum)
        return bool(((n_pos == 0) | (n_pos == n)).all())

    @cached_property
    def error_strata(self) -> Codes | None:
        """The strata within which errors are centred; None if there are no others than the classes.

        A single stratum, and one stratum per class, need no further centring.
        """
        if self.design.strata is None or self.design.is_audit:
            return self.design.strata
        n_strata = len(self.design.strata.labels)
        is_simple = n_strata == 1 or (n_strata == 2 and self.fixes_prior)
        return None if is_simple else self.design.strata

    @cached_property
    def by_class(self) -> tuple[SortedScores, SortedScores]:
        """Sorted scores of the positives and of the negatives, without class weights."""
        weight = self._weight_of_counts
        pos, neg = (
            SortedScores.sort(
                np.compress(of_class, self.score),
                None if weight is None else np.compress(of_class, weight),
            )
            for of_class in (self.positive, ~self.positive)
        )
        return pos, neg

    @property
    def counts(self) -> FloatArray:
        """Number of rows that each row represents."""
        return np.ones(len(self.score)) if self.number is None else self.number

    @property
    def _weight_of_counts(self) -> FloatArray | None:
        """Total weight of the rows that each row represents, without weights of the classes."""
        if self.design.weight is None or self.number is None:
            return self.number if self.design.weight is None else self.design.weight
        return self.design.weight * self.number

    @property
    def row_weight(self) -> FloatArray:
        """Weight of each row."""
        weight, of_classes = self.design.weight, self.design.class_weight
        return np.where(self.positive, *of_classes) if weight is None else weight

    @property
    def prior(self) -> float:
        """Weighted share of positives."""
        weight = self.row_weight * self.counts
        return float(weight[self.positive].sum() / weight.sum())

    def with_class_weight(self, class_weight: tuple[float, float]) -> Sample:
        """The rows with these weights of the classes in place of their own."""
        weight = self.design.weight
        if weight is None:
            return replace(self, design=replace(self.design, class_weight=class_weight))
        weight = weight * np.where(self.positive, *class_weight)
        return replace(self, design=replace(self.design, weight=weight))

    def weight_of_last(self, n: int) -> list[float]:
        """Weight of each of the last rows, without weights of the classes."""
        last = slice(len(self.score) - n, None)
        number = self.counts[last]
        weight = number if self.design.weight is None else self.design.weight[last] * number
        found: list[float] = weight.tolist()
        return found

    def weight_of(self, rows: BoolArray) -> float:
        """Total weight of some rows, without weights of the classes."""
        weight = self._weight_of_counts
        return float(np.count_nonzero(rows) if weight is None else weight[rows].sum())

    def has_alert(self, threshold: float) -> BoolArray:
        """Whether the score of each row is at least the threshold."""
        (limit,) = _checks.in_dtype(np.array([threshold], dtype=np.float64), self.dtype)
        alert: BoolArray = self.score >= limit
        return alert

    def has_strata_with_both(self, threshold: float) -> bool:
        """Whether a stratum of the population may have alerts and other rows."""
        if self.design.score_range is None:
            return True
        limit = _checks.in_dtype(np.array([threshold], dtype=np.float64), self.dtype)
        lowest, highest = (self.design.score_range >= limit).T
        return bool((lowest != highest).any())

    def outcomes_at(self, thresholds: FloatArray) -> tuple[FloatArray, ...]:
        """TP, FP, FN and TN of the decision ``score >= threshold``, for each threshold."""
        thresholds = _checks.in_dtype(thresholds, self.dtype)
        (tp, fn), (fp, tn) = (of_class.weight_at(thresholds) for of_class in self.by_class)
        return tp, fp, fn, tn

    @property
    def is_plain(self) -> bool:
        """Whether the rows of a class are independent and alike."""
        design = self.design
        return design.weight is None and design.clusters is None and self.error_strata is None

    @property
    def clusters_are_within_strata(self) -> bool:
        """Whether the rows of each cluster lie in one stratum."""
        if self.design.clusters is None or self.error_strata is None:
            return True
        stratum = self.stratum_of_cluster[self.design.clusters.code]
        return bool((stratum == self.error_strata.code).all())

    @property
    def stratum_of_cluster(self) -> NDArray[np.intp]:
        """Code of the stratum of each cluster, if each lies in one stratum."""
        clusters, strata = self.design.clusters, self.design.strata
        assert clusters is not None
        assert strata is not None
        found = np.empty(len(clusters.labels), np.intp)
        found[clusters.code] = strata.code
        return found

    def __add__(self, other: Sample) -> Sample:
        """Rows of both, each with its weight. Equal labels of clusters, or of strata, are one."""
        number = None
        if self.number is not None or other.number is not None:
            number = np.concatenate([self.counts, other.counts])
        weight = np.concatenate([self.row_weight, other.row_weight])
        both = Sample(
            positive=np.concatenate([self.positive, other.positive]),
            score=np.concatenate([self.score, other.score]),
            design=self.design.joined(other.design, weight),
            number=number,
            dtype=np.result_type(self.dtype, other.dtype),
            index=_joined_index(self.index, other.index),
            without_errors=self.without_errors or other.without_errors,
            cells=_same_cells(self.cells, other.cells),
            is_binned=self.is_binned and other.is_binned,
            pos_label=self.pos_label if self.pos_label == other.pos_label else None,
        )
        if both.error_strata is not None:
            both.design.check_weights()
        return both

    def with_rows(
        self,
        like: NDArray[np.intp],
        positive: BoolArray,
        score: FloatArray,
        number: FloatArray,
        weight: FloatArray | None = None,
    ) -> Sample:
        """The rows and some more, each in the stratum of the row `like` and in its own cluster.

        `weight` is that of the added rows; None: that of the row `like`.
        """
        if weight is None and self.design.weight is not None:
            weight = self.design.weight[like]
        drawn: dict[str, Any] = {}
        if weight is not None:
            weights = np.append(self.row_weight, weight)
            drawn |= {"weight": weights, "class_weight": (1.0, 1.0)}
        if self.design.clusters is not None:
            drawn["clusters"] = self.design.clusters.with_own(len(like))
        if self.design.strata is not None:
            code, labels = self.design.strata.code, self.design.strata.labels
            drawn["strata"] = Codes(np.append(code, code[like]), labels)
        for name in ("fraction", "score_range"):
            if (of_rows := getattr(self.design, name)) is not None:
                drawn[name] = np.concatenate([of_rows, of_rows[like]])
        return replace(
            self,
            positive=np.append(self.positive, positive),
            score=np.append(self.score, score),
            index=None,
            design=replace(self.design, **drawn),
            number=np.append(self.counts, number),
        )


def rows_of_both_classes(
    score: FloatArray, pos: FloatArray, neg: FloatArray
) -> tuple[BoolArray, FloatArray, FloatArray]:
    """Labels, scores and amounts (above 0, such as numbers of rows): positives, then negatives."""
    amount = np.concatenate([pos, neg])
    positive = np.arange(len(amount)) < len(score)
    some = amount > 0
    return positive[some], np.tile(score, 2)[some], amount[some]


def _joined_index(a: Any, b: Any) -> Any:
    return None if a is None or b is None else a.append(b)


def _same_cells(a: str | None, b: str | None) -> str | None:
    if a is not None and b is not None and a != b:
        raise ValueError(
            f"curves can only be added if their scores were rounded alike, got {a} and {b}"
        )
    return a or b
