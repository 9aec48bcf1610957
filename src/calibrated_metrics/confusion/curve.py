"""`ConfusionCurve`: the confusion matrices of a ranking, one per threshold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibrated_metrics import _columns, _hints, _numbers
from calibrated_metrics._arguments import plain_calls
from calibrated_metrics._messages import shown
from calibrated_metrics._numbers import FloatArray
from calibrated_metrics.binormal import Binormal
from calibrated_metrics.confusion.counts import Counts, Population, PositiveSteps, Vertices
from calibrated_metrics.confusion.matrix import ConfusionMatrix, Values
from calibrated_metrics.rows import HoldsRows, Rows

__all__ = ["ConfusionCurve"]

_WITHOUT_ROWS = "it is from a curve without rows"
# Outside of these limits, sums of weights or parts of them are no normal numbers of float64.
_LARGEST_TOTAL = 1e305
_LEAST_OF_A_CLASS = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True, eq=False, init=False, repr=False)
class ConfusionCurve(HoldsRows):
    """Confusion matrices of a ranking, by descending threshold.

    A curve has a length, and can be indexed and iterated. A curve built from rows gives counts at
    any threshold and intervals, and can be added to other curves. Other curves give counts at their
    vertices only.

    Parameters
    ----------
    thresholds : array-like of shape (n_vertices,)
        Strictly descending. Vertex ``k`` counts the scores ``>= thresholds[k]``; the first is
        ``inf``. All NaN if the thresholds are unknown.
    tp, fp : array-like of shape (n_vertices,)
        Weight of the positives and of the negatives counted by each vertex; non-decreasing from
        (0, 0) to (n_pos, n_neg), both totals positive.

    Attributes
    ----------
    thresholds, tp, fp : ndarray of shape (n_vertices,), float64, read-only
        As given. Equal scores share one vertex. Curves of rows have no vertices inside a run of
        negatives, because no area and no maximum depends on these vertices.
    n_pos, n_neg, prior : float
        Total weight of each class, and ``n_pos / (n_pos + n_neg)``, also called prevalence.
    class_weight : pair of float
        Weight of each counted positive and negative.
    prior_is_known : bool
        Whether the prior was set by `at_prior`, or fixed by strata that each lie in one class.
        Otherwise it is estimated from the rows, and intervals include its error.
    positive_steps : PositiveSteps
        The segments on which TP grows.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionCurve, scores
    >>> curve = ConfusionCurve.from_predictions([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1])
    >>> curve.tp, curve.fp
    (array([0., 1., 1., 2., 2.]), array([0., 0., 1., 1., 3.]))
    >>> scores.average_precision(curve.at_prior(0.1))
    0.625
    """

    _counts: Counts
    _rows: Rows | None
    class_weight: tuple[float, float]
    prior_is_known: bool
    _kind = "curve"

    def __init__(self, thresholds: ArrayLike, tp: ArrayLike, fp: ArrayLike):
        _columns.same_index(thresholds=thresholds, tp=tp, fp=fp)
        positives, negatives = _cumulative_counts("tp", tp), _cumulative_counts("fp", fp)
        scores = _numbers.real_vector("thresholds", thresholds)
        _columns.same_length(thresholds=scores, tp=positives, fp=negatives)
        if not (np.isnan(scores).all() or (scores[1:] < scores[:-1]).all()):
            raise ValueError("thresholds must be strictly descending, or all NaN if unknown")
        vertices = Vertices.read_only(scores.copy(), positives.copy(), negatives.copy())
        vars(self).update(vars(ConfusionCurve._of(Counts(known_vertices=vertices))))

    @classmethod
    def _of(
        cls,
        counts: Counts,
        class_weight: tuple[float, float] = (1.0, 1.0),
        prior_is_known: bool = False,
    ) -> ConfusionCurve:
        """A curve of counts that need no checks."""
        curve = cls.__new__(cls)
        vars(curve).update(
            _counts=counts,
            _rows=counts.rows,
            class_weight=class_weight,
            prior_is_known=prior_is_known,
        )
        if all(counts.totals) and not _expressible(curve.n_pos, curve.n_neg):
            raise ValueError(
                "weights of the classes (sample_weight, prior) outside the range of float64: "
                f"n_pos={curve.n_pos:g}, n_neg={curve.n_neg:g}"
            )
        return curve

    @classmethod
    @plain_calls(
        "from_predictions takes y_true and y_score by position, and the others by name",
        **_hints.LABEL_ERRORS,
    )
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        pos_label: Any = 1,
        sample_weight: ArrayLike | None = None,
        counts: ArrayLike | None = None,
        clusters: ArrayLike | None = None,
        strata: ArrayLike | None = None,
    ) -> ConfusionCurve:
        """Build the curve of labelled scores with one sort.

        Parameters
        ----------
        y_true : array-like of shape (n_rows,)
            Binary labels of any type.
        y_score : array-like of shape (n_rows,)
            Finite scores; a higher score is more likely positive.
        pos_label : scalar, default=1
            The label of the positives.
        sample_weight : array-like of shape (n_rows,), default=None
            Non-negative weights; rows of weight 0 are dropped. Weights that are equal within each
            class, such as 100 for each negative if one in 100 negatives was kept, change values
            like a change of the prior. They are no numbers of rows, see `counts`.
        counts : array-like of shape (n_rows,), default=None
            Number of identical rows that each row stands for, such as a group-by returns. With
            clusters, strata or weights that differ in a class, rows are repeated in memory.
        clusters : array-like of shape (n_rows,), default=None
            Labels of clusters, such as customers. Rows of a cluster may depend on each other. If
            rows also depend in a second way, such as on patients and on readers, intervals are too
            short: see docs/methods/intervals.md.
        strata : array-like of shape (n_rows,), default=None
            Labels of strata, such as segments. A fixed number of rows was drawn from each stratum,
            and weights must be equal within it. If the numbers of positives and of negatives were
            fixed by design (case-control), the classes are the strata, ``strata=y_true``, and the
            prior of the curve is known. Clusters and strata change intervals, not values.

        Labels that are late or wrong are those of `label_errors.from_predictions`.
        """
        drawn: Any = {"sample_weight": sample_weight, "counts": counts}
        drawn |= {"clusters": clusters, "strata": strata}
        rows, _ = Rows.read(y_true, {"y_score": y_score}, pos_label=pos_label, **drawn)
        return cls._from_rows(rows)

    @classmethod
    def _from_rows(cls, rows: Rows) -> ConfusionCurve:
        return cls._of(Counts(rows), rows.class_weight, rows.fixes_prior)

    @classmethod
    def from_counts(cls, thresholds: ArrayLike, pos: ArrayLike, neg: ArrayLike) -> ConfusionCurve:
        """Build the curve from the numbers of rows per class and score, such as a group-by returns.

        Parameters
        ----------
        thresholds : array-like of shape (n_thresholds,)
            Finite scores, in any order, of any dtype. Numbers at equal scores are summed.
        pos, neg : array-like of shape (n_thresholds,)
            Number of positives and of negatives whose score *equals* the threshold, at least 0.
            Sums of weights are accepted, but give no intervals. If there are no positives, or no
            negatives, such as on a quiet day, the curve can be added to others, but has no metrics.

        Examples
        --------
        >>> from calibrated_metrics import ConfusionCurve
        >>> ConfusionCurve.from_counts([0.1, 0.5, 0.9], pos=[1, 2, 4], neg=[90, 5, 1])
        ConfusionCurve(4 vertices, n_pos=7, n_neg=96, prior=0.0679612)
        """
        _columns.same_index(thresholds=thresholds, pos=pos, neg=neg)
        scores = _numbers.finite_vector("thresholds", thresholds)
        dtype = _numbers.float_dtype(thresholds)
        pos, neg = (
            _numbers.weights(name, numbers, may_be_zero=True)
            for name, numbers in (("pos", pos), ("neg", neg))
        )
        _columns.same_length(thresholds=scores, pos=pos, neg=neg)
        if not (pos.any() or neg.any()):
            raise ValueError("pos and neg must not both be all zero")
        return cls._from_rows(Rows.from_counts(scores, pos, neg, dtype))

    @classmethod
    def from_probabilities(
        cls, y_prob: ArrayLike, *, sample_weight: ArrayLike | None = None
    ) -> ConfusionCurve:
        """Build the expected curve of a calibrated classifier, without labels.

        Each probability ``p`` adds ``p`` to TP and ``1 - p`` to FP at every threshold up to it.

        Parameters
        ----------
        y_prob : array-like of shape (n_rows,)
            Calibrated probabilities of the positive class, in [0, 1], neither all 0 nor all 1.
        sample_weight
            As for `from_predictions`.
        """
        return cls._from_rows(Rows.from_probabilities(y_prob, sample_weight))

    @classmethod
    def from_binormal(
        cls, mu1: float, mu0: float, prior: float, *, n_thresholds: int = 100_001
    ) -> ConfusionCurve:
        """Build the population curve of the likelihood ratio of N(mu1, 1) against N(mu0, 1).

        Parameters
        ----------
        mu1, mu0 : float
            Means of the positives and of the negatives, at most 25 apart; both have variance 1.
        prior : float in (0, 1)
            Probability of the positive class; the curve's total weight is 1.
        n_thresholds : int >= 2, default=100_001
            Number of vertices, equally spaced in the log-likelihood ratio. With the default,
            average precision is within 1e-4 of its limit, and other areas are within 1e-9.
        """
        prior = _numbers.open_unit("prior", prior)
        distance = abs(_numbers.real_number("mu1", mu1) - _numbers.real_number("mu0", mu0))
        if distance > Binormal.MAX_DISTANCE:
            raise ValueError(
                f"mu1 and mu0 must be at most {Binormal.MAX_DISTANCE} apart, got {distance}"
            )
        n_thresholds = _numbers.integer_at_least("n_thresholds", n_thresholds, 2)
        population = Binormal(distance, prior)
        return cls.from_population(population, *population.vertices(n_thresholds))

    @classmethod
    def from_population(
        cls, population: Population, thresholds: ArrayLike, tp: ArrayLike, fp: ArrayLike
    ) -> ConfusionCurve:
        """Build the curve of a population.

        Parameters
        ----------
        population : object with a method ``counts_at(thresholds)``
            It returns TP and FP at any thresholds.
        thresholds, tp, fp
            Vertices, as for `ConfusionCurve`.
        """
        return cls._of(replace(cls(thresholds, tp, fp)._counts, population=population))

    @classmethod
    def _of_vertices(cls, vertices: Vertices, population: Population) -> ConfusionCurve:
        """The curve of vertices that are valid, except that a class may have no weight."""
        if not (vertices.tp[-1] > 0 and vertices.fp[-1] > 0):
            raise ValueError("a class has no rows")
        return cls._of(Counts(None, Vertices.read_only(*vertices), population))

    @classmethod
    def from_roc(
        cls, *, tpr: ArrayLike, fpr: ArrayLike, n_pos: float, n_neg: float
    ) -> ConfusionCurve:
        """Build the curve from the vertices of a ROC curve and the size of each class.

        Parameters
        ----------
        tpr, fpr : array-like of shape (n_vertices,)
            True and false positive rate, non-decreasing from 0 to 1.
        n_pos, n_neg : float > 0
            Weight of each class. The curve's thresholds are unknown (NaN).
        """
        _columns.same_index(tpr=tpr, fpr=fpr)
        rates = {"fpr": _cumulative_counts("fpr", fpr), "tpr": _cumulative_counts("tpr", tpr)}
        _columns.same_length(**rates)
        for name, rate in rates.items():
            if rate[-1] != 1:
                raise ValueError(f"{name} must end at 1, got {rate[-1]}")
        n_pos = _numbers.positive_number("n_pos", n_pos)
        n_neg = _numbers.positive_number("n_neg", n_neg)
        unknown = np.full(rates["fpr"].shape, np.nan)
        return cls(unknown, rates["tpr"] * n_pos, rates["fpr"] * n_neg)

    @property
    def _unweighted(self) -> ConfusionCurve:
        """The curve before its classes are weighted."""
        return ConfusionCurve._of(self._counts)

    @property
    def thresholds(self) -> FloatArray:
        return self._counts.vertices.thresholds

    @cached_property
    def tp(self) -> FloatArray:
        return _scaled(self._counts.vertices.tp, self.class_weight[0])

    @cached_property
    def fp(self) -> FloatArray:
        return _scaled(self._counts.vertices.fp, self.class_weight[1])

    @property
    def n_pos(self) -> float:
        return self._counts.totals[0] * self.class_weight[0]

    @property
    def n_neg(self) -> float:
        return self._counts.totals[1] * self.class_weight[1]

    @property
    def prior(self) -> float:
        return self.n_pos / (self.n_pos + self.n_neg)

    @cached_property
    def positive_steps(self) -> PositiveSteps:
        tp_start, tp_end, fp_start, fp_end = self._counts.positive_steps
        of_pos, of_neg = self.class_weight
        of_tp = _scaled(tp_start, of_pos), _scaled(tp_end, of_pos)
        return PositiveSteps(*of_tp, _scaled(fp_start, of_neg), _scaled(fp_end, of_neg))

    @property
    def _doubts_of_scores(self) -> tuple[str, ...]:
        """A remark on scores that are decisions: a ranking metric then sees only one threshold."""
        if not np.array_equal(self.thresholds[1:], [1, 0]):
            return ()
        if self.has_rows and not np.isin(self.rows.score, (0, 1)).all():  # within a vertex
            return ()
        return (
            "the scores are only 0 and 1, like predicted labels: a ranking metric needs scores, "
            'such as those of predict_proba (make_scorer: response_method="predict_proba")',
        )

    def __len__(self) -> int:
        return len(self.thresholds) if self._counts.has_vertices else 0

    def __getitem__(self, index: int | slice | NDArray[Any]) -> ConfusionMatrix:
        """Return the matrix at a vertex, or a stack of the matrices at some vertices."""
        tp, fp = (np.array(counts[index]) for counts in self._counts.vertices[1:])
        fn, tn = self._counts.vertices.tp[-1] - tp, self._counts.vertices.fp[-1] - fp
        if self._rows is not None:  # a difference of sums would lose digits if weights differ much
            _, _, fn, tn = self._counts.outcomes_at(self.thresholds[index])
        thresholds = np.array(self.thresholds[index])
        threshold = thresholds if thresholds.ndim else float(thresholds)
        return self._matrix((tp, fp, fn, tn), threshold)

    def _matrix(self, outcomes: Any, threshold: Values) -> ConfusionMatrix:
        reason = None if self.has_rows else _WITHOUT_ROWS
        weights = self.class_weight, self.prior_is_known
        return ConfusionMatrix._of(outcomes, *weights, self._rows, threshold, reason)

    def __iter__(self) -> Iterator[ConfusionMatrix]:
        return (self[index] for index in range(len(self)))

    def __repr__(self) -> str:
        return (
            f"ConfusionCurve({len(self)} vertices, n_pos={self.n_pos:g}, n_neg={self.n_neg:g}, "
            f"prior={self.prior:.6g})"
        )

    def confusion_matrix(self, threshold: float | ArrayLike) -> ConfusionMatrix:
        """Return the confusion matrix of the decision ``score >= threshold``.

        Parameters
        ----------
        threshold : float, or array-like of shape (n_thresholds,)
            Rounded to the dtype of the scores before it is compared with them, as NumPy does with a
            number of Python. An array gives a stack. A curve without rows raises ``ValueError``
            for a threshold between its vertices.

        Examples
        --------
        >>> from calibrated_metrics import ConfusionCurve
        >>> curve = ConfusionCurve.from_predictions([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1])
        >>> curve.confusion_matrix(0.8)
        ConfusionMatrix(tp=1.0, fp=1.0, fn=1.0, tn=2.0)
        """
        thresholds: Any = _thresholds(threshold)
        outcomes: Any = self._counts.outcomes_at(thresholds)
        if np.ndim(threshold) == 0:  # it was checked above
            outcomes, thresholds = [each[0] for each in outcomes], float(thresholds[0])
        return self._matrix(outcomes, thresholds)

    def at_prior(self, pi0: float) -> ConfusionCurve:
        """Return the curve calibrated to a reference prior.

        The weight of the negatives is multiplied by ``n_pos (1 - pi0) / (pi0 n_neg)`` (Siblini et
        al., 2020, section 3). A second calibration replaces the first.

        Parameters
        ----------
        pi0 : float in (0, 1)
            Reference prior.
        """
        pi0 = _numbers.open_unit("pi0", pi0)
        weight, (n_pos, n_neg) = self.class_weight, self._counts.totals
        if not (n_pos and n_neg):
            raise ValueError(
                "pi0 needs weight in both classes; pi0=None keeps the prior of the data"
            )
        if pi0 != self.prior:  # the prior itself is rounded
            weight = weight[0], weight[0] * (n_pos / n_neg) * ((1.0 - pi0) / pi0)
        if not _expressible(self.n_pos, weight[1] * n_neg):
            raise ValueError(f"pi0={pi0} gives weights outside the range of float64")
        return ConfusionCurve._of(self._counts, weight, prior_is_known=True)

    def at_population(self, population: Mapping[Any, float]) -> ConfusionCurve:
        """Return the curve of a reference population: direct standardisation.

        The rows of each stratum are weighted so that the stratum has its share of the total weight.
        `at_prior` is the special case in which the classes are the strata. An earlier calibration
        is replaced. To set a mix of strata *and* a prior, call `at_prior` afterwards.

        Parameters
        ----------
        population : mapping of stratum to share
            The share of the population for each label of `strata`, such as a segment or (segment,
            class). Shares are above 0 and sum to 1.

        Returns
        -------
        ConfusionCurve
            If each stratum lies in one class, the prior of the curve is known. Otherwise it is
            estimated, and intervals without `pi0` include its error.

        References
        ----------
        Fay & Feuer, Statistics in Medicine 1997,
        doi:10.1002/(SICI)1097-0258(19970415)16:7<791::AID-SIM500>3.0.CO;2-#.

        Examples
        --------
        >>> from calibrated_metrics import ConfusionCurve, scores
        >>> curve = ConfusionCurve.from_predictions(
        ...     [1, 0, 0, 1, 0, 0],
        ...     [0.9, 0.2, 0.1, 0.5, 0.6, 0.4],
        ...     strata=["young", "young", "young", "old", "old", "old"],
        ... )
        >>> scores.average_precision(curve)
        0.833...
        >>> scores.average_precision(curve.at_population({"young": 0.2, "old": 0.8}))
        0.644...
        """
        return ConfusionCurve._from_rows(self.rows.at_population(population))

    def _halved(self) -> ConfusionCurve:
        """The curve with half of each weight."""
        half = self.class_weight[0] / 2, self.class_weight[1] / 2
        return ConfusionCurve._of(self._counts, half, self.prior_is_known)

    def hull(self) -> ConfusionCurve:
        """Return the achievable curve: the upper convex hull in ROC space.

        It is the same at every prior. Source: Davis & Goadrich (2006), Corollary 3.1.
        """
        return ConfusionCurve._of(self._counts.hull, self.class_weight, self.prior_is_known)

    def _of_rows(self, rows: Rows) -> ConfusionCurve:
        """The curve of other rows, at the prior of this curve if that is known."""
        curve = ConfusionCurve._from_rows(rows)
        return curve.at_prior(self.prior) if self.prior_is_known else curve

    def _of_more_rows(self, rows: Rows) -> ConfusionCurve:
        """The curve of these rows and a row more of each class at its ends, the last two.

        It has the prior of this curve, known or not.
        """
        counts = self._counts.with_ends(rows)
        curve = ConfusionCurve._of(counts, rows.class_weight).at_prior(self.prior)
        return ConfusionCurve._of(curve._counts, curve.class_weight, self.prior_is_known)

    def _collapsed(self) -> ConfusionCurve:
        """The curve with one row for all rows of a class on a step, if these are exchangeable."""
        if self._counts.collapsed is None:
            return self
        return ConfusionCurve._of(self._counts.collapsed, self.class_weight, self.prior_is_known)

    def __add__(self, other: ConfusionCurve) -> ConfusionCurve:
        """Return the curve of the rows of both, each with its weight."""
        if not isinstance(other, ConfusionCurve):
            return NotImplemented
        a, b = (each.rows.with_class_weight(each.class_weight) for each in (self, other))
        both = ConfusionCurve._from_rows(a + b)
        if self.class_weight != other.class_weight:
            return both
        known = self.prior_is_known and other.prior_is_known
        return ConfusionCurve._of(both._counts, both.class_weight, known)

    def __reduce__(self) -> tuple[Any, ...]:
        return ConfusionCurve._of, (self._counts, self.class_weight, self.prior_is_known)


def _expressible(n_pos: float, n_neg: float) -> bool:
    """Whether total weights of the classes, and shares of them, are normal numbers of float64."""
    total, least = n_pos + n_neg, min(n_pos, n_neg)
    return total < _LARGEST_TOTAL and least >= _LEAST_OF_A_CLASS and least / total > 0


def _thresholds(given: Any) -> FloatArray:
    """A number or a vector of numbers, as a vector. Infinite numbers are allowed."""
    is_one = _columns.dimensions("threshold", given) == 0
    array = _columns.vector("threshold", [given] if is_one else given)
    if array.dtype.kind == "b":
        raise TypeError(f"threshold must be a real number, got {shown(given)}")
    array = _numbers.real_vector("threshold", array)
    if np.isnan(array).any():
        raise ValueError("threshold must not be NaN")
    return array


def _scaled(array: FloatArray, factor: float) -> FloatArray:
    if factor == 1:
        return array
    array = array * factor
    array.flags.writeable = False
    return array


def _cumulative_counts(name: str, values: ArrayLike) -> FloatArray:
    """Counts of one class at the vertices: at least two, non-decreasing from 0 to above 0."""
    counts = _numbers.finite_vector(name, values)
    if counts.size < 2:
        raise ValueError(f"{name} must hold at least two vertices, got {counts.size}")
    if counts[0] != 0:
        raise ValueError(f"{name} must start at 0, got {counts[0]}")
    steps = np.diff(counts)
    if steps.min() < 0:
        raise ValueError(f"{name} must not decrease, but does at index {np.argmin(steps) + 1}")
    if counts[-1] == 0:
        raise ValueError(f"{name} must end above 0: there is no prior to calibrate")
    return counts
