"""`ConfusionCurve`: the confusion matrices of a ranking, one per threshold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibrated_metrics import _checks
from calibrated_metrics._checks import FloatArray
from calibrated_metrics.binormal import Binormal
from calibrated_metrics.confusion.matrix import ConfusionMatrix, negative_weight
from calibrated_metrics.confusion.vertices import CountedCurve, Population, PositiveSteps, scaled
from calibrated_metrics.sample import Sample, Vertices, sort_and_count

__all__ = ["ConfusionCurve"]


class ConfusionCurve:
    """Confusion matrices of a ranking, by descending threshold.

    A curve has a length, and can be indexed and iterated. Curves of disjoint samples can be added.

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
        Equal scores share one vertex (a diagonal ROC segment). Curves of rows have no vertices
        inside a run of negatives, since no area and no maximum depends on them.
    n_pos, n_neg : float
        Total weight of each class.
    prior : float in (0, 1)
        ``n_pos / (n_pos + n_neg)``, also called prevalence.
    prior_is_known : bool
        Whether the prior was set, by `at_prior` or by weights that are equal within each class.
    positive_steps : PositiveSteps
        The segments on which TP grows.

    Raises
    ------
    ValueError
        If the arrays differ in length, are not monotone, do not start at (0, 0), hold a
        non-finite weight, or if one class has no weight.

    Notes
    -----
    A curve of rows keeps a copy of them. Therefore `confusion_matrix` is exact at any threshold,
    intervals can use the rows, and curves can be merged by ``+``, also after `at_prior`. Other
    curves know their counts only at their vertices.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionCurve, scores
    >>> curve = ConfusionCurve.from_predictions([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1])
    >>> curve.tp
    array([0., 1., 1., 2., 2.])
    >>> curve.fp
    array([0., 0., 1., 1., 3.])
    >>> scores.average_precision(curve.at_prior(0.1))
    0.625
    >>> scores.precision(curve.confusion_matrix(0.7))
    0.666...
    """

    def __init__(self, thresholds: ArrayLike, tp: ArrayLike, fp: ArrayLike):
        positives, negatives = _cumulative_counts("tp", tp), _cumulative_counts("fp", fp)
        scores = _checks.real_vector("thresholds", thresholds)
        _checks.same_length(thresholds=scores, tp=positives, fp=negatives)
        if not (np.isnan(scores).all() or (scores[1:] < scores[:-1]).all()):
            raise ValueError("thresholds must be strictly descending, or all NaN if unknown")
        vertices = Vertices(scores.copy(), positives.copy(), negatives.copy())
        self._set(CountedCurve(vertices, None), (1.0, 1.0), prior_is_known=False)

    def _set(
        self, counted: CountedCurve, class_weight: tuple[float, float], *, prior_is_known: bool
    ) -> None:
        for counts in counted.vertices:
            counts.flags.writeable = False
        self._counted, self._class_weight = counted, class_weight
        self._prior_is_known = prior_is_known
        total, least = self.n_pos + self.n_neg, min(self.n_pos, self.n_neg)
        if not (total < _LARGEST_TOTAL and least >= _LEAST_OF_A_CLASS and least / total > 0):
            raise ValueError(
                "weights of the classes (sample_weight, prior, pi0) outside the range of float64: "
                f"n_pos={self.n_pos:g}, n_neg={self.n_neg:g}"
            )

    @classmethod
    def _of(
        cls,
        counted: CountedCurve,
        class_weight: tuple[float, float] = (1.0, 1.0),
        *,
        prior_is_known: bool = False,
    ) -> ConfusionCurve:
        curve = cls.__new__(cls)
        curve._set(counted, class_weight, prior_is_known=prior_is_known)
        return curve

    # ------------------------------------------------------------------------- constructors

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        pos_label: Any = 1,
        sample_weight: ArrayLike | None = None,
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
            Non-negative weights; rows of weight 0 are dropped.

        Raises
        ------
        ValueError, TypeError
            For labels that are not binary, a missing `pos_label`, a class without weight,
            lengths that differ, empty input, scores or weights that are not finite numbers.
        """
        return cls._from_sample(Sample.from_rows(y_true, y_score, pos_label, sample_weight))

    @classmethod
    def _from_sample(cls, sample: Sample) -> ConfusionCurve:
        counted = CountedCurve(sort_and_count(*sample.by_class), sample)
        return cls._of(counted, sample.class_weight, prior_is_known=sample.sets_prior)

    @classmethod
    def from_counts(cls, thresholds: ArrayLike, pos: ArrayLike, neg: ArrayLike) -> ConfusionCurve:
        """Build the curve from the number of rows of each class at each score, as of a group-by.

        Parameters
        ----------
        thresholds : array-like of shape (n_thresholds,)
            Finite scores, in any order. Numbers at equal scores are summed.
        pos, neg : array-like of shape (n_thresholds,)
            Number of positives and of negatives whose score *equals* the threshold, at least 0.
            The total of each class must be above 0. They may be sums of weights, but then there
            are no intervals.

        Raises
        ------
        ValueError, TypeError
            For lengths that differ, empty input, values that are not finite numbers, negative
            numbers, or a class without rows.

        Examples
        --------
        >>> from calibrated_metrics import ConfusionCurve
        >>> curve = ConfusionCurve.from_counts([0.1, 0.5, 0.9], pos=[1, 2, 4], neg=[90, 5, 1])
        >>> curve.n_pos, curve.n_neg
        (7.0, 96.0)
        """
        scores = _checks.finite_vector("thresholds", thresholds)
        pos, neg = _checks.weights("pos", pos), _checks.weights("neg", neg)
        _checks.same_length(thresholds=scores, pos=pos, neg=neg)
        return cls._from_sample(Sample.from_counts(scores, pos, neg))

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
        sample_weight : array-like of shape (n_rows,), default=None
            Non-negative weights; rows of weight 0 are dropped.

        Raises
        ------
        ValueError, TypeError
            For probabilities outside [0, 1], weights that are negative or not finite, lengths
            that differ, empty input, or a class without weight.
        """
        return cls._from_sample(Sample.from_probabilities(y_prob, sample_weight))

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
            average precision (a step function) is within 1e-4 of its limit, and areas with linear
            interpolation are within 1e-9.

        Notes
        -----
        Thresholds are likelihood ratios. With ``d = |mu1 - mu0|`` the log-likelihood ratio is
        N(d²/2, d²) among positives and N(-d²/2, d²) among negatives. Equal means give the
        diagonal: every score is 1.
        """
        prior = _checks.open_unit("prior", prior)
        distance = abs(_checks.real_number("mu1", mu1) - _checks.real_number("mu0", mu0))
        if distance > Binormal.MAX_DISTANCE:
            raise ValueError(
                f"mu1 and mu0 must be at most {Binormal.MAX_DISTANCE} apart, got {distance}"
            )
        n_thresholds = _checks.integer_at_least("n_thresholds", n_thresholds, 2)
        population = Binormal(distance, prior)
        return cls.from_population(population, *population.vertices(n_thresholds))

    @classmethod
    def from_population(
        cls, population: Population, thresholds: ArrayLike, tp: ArrayLike, fp: ArrayLike
    ) -> ConfusionCurve:
        """Build the curve of a population, with these vertices and exact at any threshold.

        Parameters
        ----------
        population : object with a method ``counts_at(thresholds) -> (tp, fp)``
        thresholds, tp, fp : array-like of shape (n_vertices,)
            As of `ConfusionCurve`.
        """
        curve = cls(thresholds, tp, fp)
        curve._counted = replace(curve._counted, source=population)
        return curve

    @classmethod
    def from_roc(cls, fpr: ArrayLike, tpr: ArrayLike, n_pos: float, n_neg: float) -> ConfusionCurve:
        """Build the curve from the vertices of a ROC curve and the size of each class.

        Parameters
        ----------
        fpr, tpr : array-like of shape (n_vertices,)
            Non-decreasing from (0, 0) to (1, 1).
        n_pos, n_neg : float > 0
            Weight of each class. The curve's thresholds are unknown (NaN).
        """
        rates = {"fpr": _cumulative_counts("fpr", fpr), "tpr": _cumulative_counts("tpr", tpr)}
        _checks.same_length(**rates)
        for name, rate in rates.items():
            if rate[-1] != 1:
                raise ValueError(f"{name} must end at 1, got {rate[-1]}")
        n_pos = _checks.positive_number("n_pos", n_pos)
        n_neg = _checks.positive_number("n_neg", n_neg)
        unknown = np.full(rates["fpr"].shape, np.nan)
        return cls(unknown, rates["tpr"] * n_pos, rates["fpr"] * n_neg)

    # --------------------------------------------------------------------------- attributes

    @property
    def sample(self) -> Sample | None:
        """The rows of the curve, None if it was not built from rows."""
        source = self._counted.source
        return source if isinstance(source, Sample) else None

    @property
    def counted(self) -> ConfusionCurve:
        """The curve of the rows before their classes are weighted."""
        return ConfusionCurve._of(self._counted)

    @property
    def class_weight(self) -> tuple[float, float]:
        """Weight of each counted positive and negative."""
        return self._class_weight

    @property
    def prior_is_known(self) -> bool:
        return self._prior_is_known

    @property
    def thresholds(self) -> FloatArray:
        return self._counted.vertices.thresholds

    @property
    def tp(self) -> FloatArray:
        return self._weighted[0]

    @property
    def fp(self) -> FloatArray:
        return self._weighted[1]

    @cached_property
    def _weighted(self) -> tuple[FloatArray, FloatArray]:
        _, tp, fp = self._counted.vertices
        of_positives, of_negatives = self._class_weight
        return scaled(tp, of_positives), scaled(fp, of_negatives)

    @property
    def n_pos(self) -> float:
        return float(self._counted.vertices.tp[-1] * self._class_weight[0])

    @property
    def n_neg(self) -> float:
        return float(self._counted.vertices.fp[-1] * self._class_weight[1])

    @property
    def prior(self) -> float:
        return self.n_pos / (self.n_pos + self.n_neg)

    @property
    def positive_steps(self) -> PositiveSteps:
        return self._positive_steps

    @cached_property
    def _positive_steps(self) -> PositiveSteps:
        tp_start, tp_end, fp_start, fp_end = self._counted.positive_steps
        of_positives, of_negatives = self._class_weight
        return PositiveSteps(
            scaled(tp_start, of_positives),
            scaled(tp_end, of_positives),
            scaled(fp_start, of_negatives),
            scaled(fp_end, of_negatives),
        )

    def __len__(self) -> int:
        return len(self.thresholds)

    def __getitem__(self, index: int | slice | NDArray[Any]) -> ConfusionMatrix:
        """Return the matrix at a vertex, or a stack of the matrices at some vertices."""
        tp, fp = np.array(self.tp[index]), np.array(self.fp[index])
        fn, tn = self.n_pos - tp, self.n_neg - fp
        if self.sample is not None:  # a difference of sums loses digits if weights differ much
            below = self.sample.counts_below(self.thresholds[index])
            fn, tn = (n * weight for n, weight in zip(below, self._class_weight, strict=True))
        return ConfusionMatrix._of(
            float(outcome) if outcome.ndim == 0 else outcome for outcome in (tp, fp, fn, tn)
        )

    def __iter__(self) -> Iterator[ConfusionMatrix]:
        return (self[index] for index in range(len(self)))

    def __repr__(self) -> str:
        return (
            f"ConfusionCurve({len(self)} vertices, n_pos={self.n_pos:g}, n_neg={self.n_neg:g}, "
            f"prior={self.prior:.6g})"
        )

    # --------------------------------------------------------------------------- operations

    def confusion_matrix(self, threshold: float | ArrayLike) -> ConfusionMatrix:
        """Return the confusion matrix of the decision ``score >= threshold``.

        Thresholds are compared with scores in the precision of the scores, as NumPy does: scores
        of float32 with 0.7 in float32.

        Parameters
        ----------
        threshold : float, or array-like of shape (n_thresholds,)
            An array gives a stack of matrices, in the same order.

        Returns
        -------
        ConfusionMatrix
            A single matrix of rows remembers them, for intervals.

        Raises
        ------
        ValueError, TypeError
            If a threshold is NaN or not a number, or if the counts at a threshold are unknown: for
            a curve that was built from vertices, or a hull.

        Examples
        --------
        >>> from calibrated_metrics import ConfusionCurve, scores
        >>> curve = ConfusionCurve.from_predictions([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1])
        >>> curve.confusion_matrix(0.8)
        ConfusionMatrix(tp=1.0, fp=1.0, fn=1.0, tn=2.0)
        >>> scores.recall(curve.confusion_matrix([0.8, 0.5]))
        array([0.5, 1. ])
        """
        thresholds = _checks.thresholds("threshold", threshold)
        counted = self._counted.outcomes_at(thresholds)
        if np.ndim(threshold) == 0:  # it was checked above
            (number,) = thresholds
            matrix = ConfusionMatrix._of(
                (float(outcome[0]) for outcome in counted),
                sample=self.sample,
                threshold=float(number),
            )
        else:
            matrix = ConfusionMatrix._of(counted)
        return matrix._weighted(self._class_weight, self._prior_is_known)

    def at_prior(self, pi0: float) -> ConfusionCurve:
        """Return the curve calibrated to the reference prior `pi0`.

        The weight of the negatives is multiplied by ``n_pos (1 - pi0) / (pi0 n_neg)``. Ordinary
        metrics of the result are the calibrated metrics of Siblini et al. (2020), section 3. A
        second calibration replaces the first.

        Parameters
        ----------
        pi0 : float in (0, 1)

        Raises
        ------
        ValueError, TypeError
            If `pi0` lies outside (0, 1), or so close to 0 or 1 that the weights overflow.
        """
        pi0 = _checks.open_unit("pi0", pi0)
        counted = self._counted.vertices
        n_pos, n_neg = float(counted.tp[-1]), float(counted.fp[-1])
        factor = float(negative_weight(n_pos, n_neg, pi0, n_pos / (n_pos + n_neg)))
        of_positives = self._class_weight[0]
        weights = of_positives, of_positives * factor
        if pi0 == self.prior:
            weights = self._class_weight
        return ConfusionCurve._of(self._counted, weights, prior_is_known=True)

    def hull(self) -> ConfusionCurve:
        """Return the achievable curve: the upper convex hull in ROC space.

        A mixture of two neighbouring corners is a randomised decision that reaches each point
        between them (Davis & Goadrich, Corollary 3.1). The hull is the same at every prior.
        """
        return ConfusionCurve._of(
            self._counted.hull, self._class_weight, prior_is_known=self._prior_is_known
        )

    def __add__(self, other: ConfusionCurve) -> ConfusionCurve:
        """Return the curve of the rows of both, each with its weight.

        Raises
        ------
        ValueError
            For curves that were not built from rows.
        """
        if not isinstance(other, ConfusionCurve):
            return NotImplemented
        both = ConfusionCurve._from_sample(self._weighted_rows() + other._weighted_rows())
        if self._class_weight == other._class_weight:
            both._prior_is_known = self._prior_is_known and other._prior_is_known
        return both

    def __radd__(self, other: Any) -> ConfusionCurve:
        return self if other == 0 else NotImplemented  # `sum` starts with 0

    def _weighted_rows(self) -> Sample:
        if self.sample is None:
            raise ValueError(
                "only curves that hold their rows can be added: curves built by from_predictions, "
                "from_counts or from_probabilities, not a hull"
            )
        return self.sample.with_class_weight(self._class_weight)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self._counted, self._class_weight, self._prior_is_known)


def _restored(
    counted: CountedCurve, class_weight: tuple[float, float], prior_is_known: bool
) -> ConfusionCurve:
    return ConfusionCurve._of(counted, class_weight, prior_is_known=prior_is_known)


# Outside of these limits, sums of weights or parts of them are no normal numbers of float64.
_LARGEST_TOTAL = 1e305
_LEAST_OF_A_CLASS = float(np.finfo(np.float64).tiny)


def _cumulative_counts(name: str, values: ArrayLike) -> FloatArray:
    """Counts of one class at the vertices: at least two, non-decreasing from 0 to above 0."""
    counts = _checks.finite_vector(name, values)
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
