"""Rows: labels and scores that a user has, and how the rows were drawn, as arrays and codes.

All rows enter here, and everything after it has labels that are True or False, clusters and strata
that are integers, and no row of weight 0. There are no statistics here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibrated_metrics import _columns, _labels, _numbers
from calibrated_metrics._messages import distinct, shown
from calibrated_metrics._numbers import FloatArray
from calibrated_metrics.codes import Codes
from calibrated_metrics.drawn import BoolArray, DrawnRows

__all__ = [
    "EQUAL_WEIGHTS",
    "BoolArray",
    "Columns",
    "HoldsRows",
    "Rows",
    "built",
    "rows_of_both_classes",
    "same_labels",
]

EQUAL_WEIGHTS = 1e-9  # relative spread below which weights are equal


# ------------------------------------------------------------------------------------ columns


@dataclass(frozen=True, eq=False)
class Columns:
    """Columns of the same rows, by name, before rows of weight 0 are dropped.

    A row of weight 0 holds the values of another row, so that checks name the others by their
    numbers. `rows` are those of a weight and a count above 0, None if all are. Weights, counts,
    clusters, strata and the index are those of `rows`.
    """

    given: Mapping[str, NDArray[Any]]
    index: Any
    weight: FloatArray | None
    number: FloatArray | None
    clusters: Codes | None
    strata: Codes | None
    rows: NDArray[np.intp] | None

    @classmethod
    def read(
        cls,
        given: Mapping[str, Any],
        *,
        sample_weight: Any = None,
        counts: Any = None,
        clusters: Any = None,
        strata: Any = None,
    ) -> Self:
        """Columns of one index and length, and how the rows were drawn."""
        drawn = {"sample_weight": sample_weight, "counts": counts}
        drawn |= {"clusters": clusters, "strata": strata}
        index = _columns.same_index(**given, **drawn)
        columns = {name: _columns.vector(name, values) for name, values in given.items()}
        units = {
            name: _columns.unit_labels(name, drawn[name])
            for name in ("clusters", "strata")
            if drawn[name] is not None
        }
        rows, amounts = None, {}
        for name, check in (("sample_weight", _numbers.weights), ("counts", _numbers.row_counts)):
            if drawn[name] is not None:
                amounts[name] = check(name, drawn[name]).copy()
        _columns.same_length(**columns, **amounts, **units)
        if not all(each.all() for each in amounts.values()):
            is_kept = np.all([*amounts.values()], axis=0)
            rows = np.flatnonzero(is_kept)
            if not rows.size:
                raise ValueError(f"{' and '.join(amounts)} must not be 0 in each row")
            filled = np.where(is_kept, np.arange(len(is_kept)), rows[0])
            columns, units = (
                {name: values[filled] for name, values in each.items()} for each in (columns, units)
            )
            amounts = {name: each[rows] for name, each in amounts.items()}
            index = None if index is None else index[rows]
        codes = {name: Codes.of(name, labels) for name, labels in units.items()}
        if rows is not None:
            codes = {name: Codes(each.code[rows], each.labels) for name, each in codes.items()}
        of_rows = amounts.get("sample_weight"), amounts.get("counts")
        return cls(columns, index, *of_rows, codes.get("clusters"), codes.get("strata"), rows)

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.given[name]

    def kept(self, values: NDArray[Any]) -> NDArray[Any]:
        """Values of the rows of a weight above 0."""
        return values if self.rows is None else values[self.rows]


# --------------------------------------------------------------------------------------- rows


@dataclass(frozen=True, eq=False)
class Rows(DrawnRows):
    """Labelled, scored rows, read from what a user has, with further attributes of the input.

    Attributes
    ----------
    pos_label, neg_label : object
        The labels of the classes, None if the rows had no labels, or no negatives.
    index : pandas.Index or None
        That of the columns.
    cells : str or None
        How scores were rounded to cells.
    is_binned : bool
        Whether rows were counted by score, or each score is the lower edge of a cell.
    """

    pos_label: Any = None
    neg_label: Any = None
    index: Any = None
    cells: str | None = None
    is_binned: bool = False

    @classmethod
    def read(
        cls,
        y_true: ArrayLike,
        given: Mapping[str, Any],
        *,
        pos_label: Any = 1,
        **drawn: Any,
    ) -> tuple[Rows, dict[str, NDArray[Any]]]:
        """Rows of a weight above 0 with scores or decisions, and the given columns of these rows.

        The columns `given` are either ``y_score`` or ``y_pred``, for which a class may be absent,
        and others that are checked for their index and length only. `drawn` is how the rows were
        drawn, as for `Columns.read`.
        """
        columns = Columns.read({"y_true": y_true, **given}, **drawn)
        labels = columns["y_true"]
        if columns.rows is not None and "y_score" in given:
            _require_weighted_positives(np.asarray(y_true), labels, pos_label)
        if "y_pred" in given:
            positive, alert = _labels.decisions(labels, columns["y_pred"], pos_label)
            score, dtype = alert.astype(np.float64), np.dtype(np.float64)
        else:
            positive = _labels.is_positive(labels, pos_label)
            dtype = _numbers.float_dtype(columns["y_score"])
            score = _numbers.finite_vector("y_score", columns["y_score"])
            score = score.copy() if score is columns["y_score"] else score
        rows = Rows(
            columns.kept(positive),
            columns.kept(score),
            dtype,
            columns.number,
            clusters=columns.clusters,
            strata=columns.strata,
            pos_label=pos_label,
            neg_label=None if positive.all() else labels[[positive.argmin()]].tolist()[0],
            index=columns.index,
            is_binned=columns.number is not None,
        )
        if columns.weight is not None:
            rows = rows.weighted(columns.weight)
        if any(each is not None for each in (rows.weight, rows.clusters, rows.strata)):
            rows = rows.one_by_one()
        strata = rows.strata
        if strata is not None and 2 < len(strata) == len(strata.labels):
            raise ValueError(
                f"strata must not all have a single row, got {len(strata)} of them: labels of rows "
                "that depend on each other are clusters"
            )
        return rows, {name: columns.kept(columns[name]) for name in given}

    @classmethod
    def from_counts(
        cls,
        score: FloatArray,
        pos: FloatArray,
        neg: FloatArray,
        dtype: Any = np.float64,
    ) -> Rows:
        """Rows that are counted by score; a score may have both classes, and may be repeated."""
        values, place = np.unique(score, return_inverse=True)
        n_pos, n_neg = (np.bincount(place, n).astype(np.float64, copy=False) for n in (pos, neg))
        positive, score, number = rows_of_both_classes(values, n_pos, n_neg)
        # Products of rates and numbers of rows are whole within 1e-6, unless rates were rounded.
        without_errors = None
        if np.abs(number - np.rint(number)).max() > 1e-6:
            part = number[np.abs(number - np.rint(number)).argmax()]
            without_errors = (
                f"it has numbers of rows that are not whole, such as {part:g}: they may be sums of "
                "weights, or products of rounded rates: round each to a whole number"
            )
        return Rows(positive, score, dtype, number, without_errors=without_errors, is_binned=True)

    @classmethod
    def from_probabilities(cls, y_prob: ArrayLike, sample_weight: ArrayLike | None) -> Rows:
        """Expected rows: each probability p counts as p positives and 1 - p negatives."""
        _columns.same_index(y_prob=y_prob, sample_weight=sample_weight)
        probability = _numbers.probabilities("y_prob", y_prob)
        _numbers.normal("y_prob", probability)
        of_pos, of_neg = probability, 1.0 - probability
        if sample_weight is not None:
            weight = _numbers.weights("sample_weight", sample_weight)
            _columns.same_length(y_prob=probability, sample_weight=weight)
            of_pos, of_neg = of_pos * weight, of_neg * weight
            for part in (of_pos, of_neg):
                _numbers.normal("y_prob * sample_weight", part)
        positive, score, weight = rows_of_both_classes(probability, of_pos, of_neg)
        rows = Rows(
            positive,
            score,
            _numbers.float_dtype(y_prob),
            weight=weight,
            without_errors="it was built from probabilities without labels; label_free.expected "
            "gives an interval for them",
        )
        if not rows.has_both_classes:
            raise ValueError(
                f"y_prob must give weight to both classes, got all {score[0]}: there is no prior "
                "to calibrate"
            )
        return rows

    def one_by_one(self) -> Rows:
        """The rows, each as often as it counts: weights, clusters and strata need each row."""
        if self.number is None:
            return self
        place = np.repeat(np.arange(len(self.number)), self.number.astype(np.intp))
        clusters, strata = (
            None if codes is None else Codes(codes.code[place], codes.labels)
            for codes in (self.clusters, self.strata)
        )
        return replace(
            self,
            positive=self.positive[place],
            score=self.score[place],
            number=None,
            weight=None if self.weight is None else self.weight[place],
            clusters=clusters,
            strata=strata,
            index=None,
            is_binned=False,
        )

    # ------------------------------------------------------------------------------- weights

    @property
    def counts(self) -> FloatArray:
        """Number of rows that each row represents."""
        return np.ones(len(self.score)) if self.number is None else self.number

    @property
    def row_weight(self) -> FloatArray:
        """Weight of each row."""
        return np.where(self.positive, *self.class_weight) if self.weight is None else self.weight

    @property
    def weight_of_counts(self) -> FloatArray | None:
        """Total weight of the rows that each row represents, without weights of the classes."""
        if self.weight is None or self.number is None:
            return self.number if self.weight is None else self.weight
        return self.weight * self.number

    def weight_of(self, rows: BoolArray) -> float:
        """Total weight of some rows, without weights of the classes."""
        weight = self.weight_of_counts
        return float(np.count_nonzero(rows) if weight is None else weight[rows].sum())

    @property
    def prior(self) -> float:
        """Weighted share of positives."""
        weight = self.row_weight * self.counts
        return float(weight[self.positive].sum() / weight.sum())

    def weighted(self, weight: FloatArray) -> Rows:
        """The rows with other weights. If they are equal in each class, they are class weights.

        Weights that differ within a stratum raise ``ValueError``.
        """
        _check_weights(weight, self.strata)
        if self.has_both_classes:
            of_classes = weight[self.positive], weight[~self.positive]
            if all(np.ptp(of_class) <= EQUAL_WEIGHTS * of_class.max() for of_class in of_classes):
                class_weight = float(of_classes[0][0]), float(of_classes[1][0])
                return replace(self, weight=None, class_weight=class_weight)
        return replace(self, weight=weight, class_weight=(1.0, 1.0))

    def with_class_weight(self, class_weight: tuple[float, float]) -> Rows:
        """The rows with these weights of the classes in place of their own."""
        if self.weight is None:
            return replace(self, class_weight=class_weight)
        return replace(self, weight=self.weight * np.where(self.positive, *class_weight))

    def at_population(self, population: Mapping[Any, Any]) -> Rows:
        """The rows, weighted so that each stratum has its share of the total weight."""
        if self.strata is None:
            raise ValueError("population needs the stratum of each row: give strata to the data")
        labels, stratum = self.strata.labels, self.strata.code
        if labels.dtype == "datetime64[ns]":  # whose items would be integers
            labels = labels.astype("datetime64[us]")
        share = _numbers.shares("population", population, labels.tolist())
        total = np.bincount(stratum, self.row_weight * self.counts)
        weight = self.row_weight * (share * self.counts.sum() / total)[stratum]
        if self.is_audit:
            return replace(self, weight=weight, scored=None)
        return self.weighted(weight)

    # ----------------------------------------------------------------------------- more rows

    def __add__(self, other: Rows) -> Rows:
        """Rows of both, each with its weight. Equal labels of clusters, or of strata, are one."""
        if self.is_audit or other.is_audit:
            raise ValueError("curves of audits cannot be added: their strata are not the same")
        same_labels("data that are added", self, other)
        alike = self.pos_label == other.pos_label
        neg_label = other.neg_label if self.neg_label is None else self.neg_label
        same = self.weight is other.weight is None and self.class_weight == other.class_weight
        is_counted = self.number is not None or other.number is not None
        both = Rows(
            np.concatenate([self.positive, other.positive]),
            np.concatenate([self.score, other.score]),
            np.result_type(self.dtype, other.dtype),
            number=np.concatenate([self.counts, other.counts]) if is_counted else None,
            weight=None if same else np.concatenate([self.row_weight, other.row_weight]),
            class_weight=self.class_weight if same else (1.0, 1.0),
            clusters=_joined("clusters", self.clusters, other.clusters),
            strata=_joined("strata", self.strata, other.strata),
            pos_label=self.pos_label if alike else None,
            neg_label=neg_label if alike else None,
            index=_joined_index(self.index, other.index),
            without_errors=self.without_errors or other.without_errors,
            cells=_same_cells(self.cells, other.cells),
            is_binned=self.is_binned and other.is_binned,
        )
        if both.error_strata is not None:
            _check_weights(both.weight, both.strata)
        return both

    def with_rows(
        self,
        like: NDArray[np.intp],
        positive: BoolArray,
        score: FloatArray,
        number: FloatArray,
        weight: FloatArray | None = None,
    ) -> Rows:
        """The rows and some more, each in the stratum of the row `like` and in its own cluster.

        `weight` is that of the added rows; None: that of the row `like`.
        """
        if weight is None and self.weight is not None:
            weight = self.weight[like]
        more: dict[str, Any] = {"index": None}
        if weight is not None:
            more |= {"weight": np.append(self.row_weight, weight), "class_weight": (1.0, 1.0)}
        if self.clusters is not None:
            more["clusters"] = self.clusters.with_own(len(like))
        if self.strata is not None:
            more["strata"] = self.strata.with_like(like)
        for name in ("fraction", "scored", "score_range"):
            if (of_rows := getattr(self, name)) is not None:
                more[name] = np.concatenate([of_rows, of_rows[like]])
        return replace(
            self,
            positive=np.append(self.positive, positive),
            score=np.append(self.score, score),
            number=np.append(self.counts, number),
            **more,
        )


class HoldsRows:
    """What counts rows, if it was built from rows."""

    _rows: Rows | None
    _kind: str  # for messages

    @property
    def _doubts_of_scores(self) -> tuple[str, ...]:
        """What to warn of if a metric of a ranking is computed."""
        return ()

    @property
    def has_rows(self) -> bool:
        """Whether there are the rows that were counted."""
        return self._rows is not None

    @property
    def rows(self) -> Rows:
        """The rows, for what cannot be computed without them."""
        if self._rows is None:
            raise ValueError(
                f"{self._kind} must hold its rows: build it with from_predictions, or a curve with "
                "from_counts; rates, vertices, a hull, a random draw or a distribution have none"
            )
        return self._rows

    @property
    def pos_label(self) -> Any:
        """The label of the positives of the rows; None for counts and rates."""
        return None if self._rows is None else self._rows.pos_label

    def __radd__(self, other: Any) -> Self:
        return self if other == 0 else NotImplemented  # `sum` starts with 0


def built(name: str, data: Any, kind: Any, pos_label: Any) -> Any:
    """The curve or matrix (`kind`) of a pair; other data as given.

    `pos_label` None is the label 1 of a pair, or the label with which other data were built.
    """
    if isinstance(data, tuple | list) and len(data) == 2:
        return kind.from_predictions(*data, pos_label=1 if pos_label is None else pos_label)
    if hasattr(data, "pos_label"):
        _labels.label_of_built(name, data.pos_label, pos_label)
    return data


def same_labels(names: str, first: Rows, *others: Rows) -> None:
    """Refuse samples with one label of the positives, but several labels of the negatives."""
    for each in others:
        labels = [first.neg_label, each.neg_label]
        if None not in labels and first.pos_label == each.pos_label and labels[0] != labels[1]:
            raise ValueError(
                f"{names} must have one label of the negatives, got {distinct(labels)} "
                f"beside {shown(first.pos_label)}; if both mean the same, give y_true == "
                f"{shown(first.pos_label)} as labels"
            )


def rows_of_both_classes(
    score: FloatArray, pos: FloatArray, neg: FloatArray
) -> tuple[BoolArray, FloatArray, FloatArray]:
    """Labels, scores and amounts (above 0, such as numbers of rows): positives, then negatives."""
    amount = np.concatenate([pos, neg])
    positive = np.arange(len(amount)) < len(score)
    some = amount > 0
    return positive[some], np.tile(score, 2)[some], amount[some]


def _require_weighted_positives(
    all_labels: NDArray[Any], labels: NDArray[Any], pos_label: Any
) -> None:
    """Refuse labels whose positives all have weight 0; `labels` are those of other rows."""
    before, after = (_labels.equal_to(each, pos_label).any() for each in (all_labels, labels))
    if before and not after:
        raise ValueError(
            f"y_true holds no positives (label {shown(pos_label)}) with a weight above 0"
        )


def _check_weights(weight: FloatArray | None, strata: Codes | None) -> None:
    """Raise ``ValueError`` if weights differ within a stratum."""
    if weight is None or strata is None:
        return
    mean = (np.bincount(strata.code, weights=weight) / np.bincount(strata.code))[strata.code]
    differs = np.abs(weight - mean) > EQUAL_WEIGHTS * mean
    if differs.any():
        label = strata.label_of_row[[np.argmax(differs)]].tolist()[0]
        raise ValueError(
            f"sample_weight must be equal within each stratum, but differs in the stratum "
            f"{label!r}. If a share of the negatives was kept, give no strata; if numbers of rows "
            "were fixed in each class of each segment, give (segment, class) as strata"
        )


def _joined(name: str, a: Codes | None, b: Codes | None) -> Codes | None:
    if (a is None) != (b is None):
        raise ValueError(f"{name} must be given for both curves that are added, or for none")
    return None if a is None or b is None else a.joined(b)


def _joined_index(a: Any, b: Any) -> Any:
    return None if a is None or b is None else a.append(b)


def _same_cells(a: str | None, b: str | None) -> str | None:
    if a is not None and b is not None and a != b:
        raise ValueError(
            f"curves can only be added if their scores were rounded alike, got {a} and {b}"
        )
    return a or b
