"""Data structures: `ConfusionMatrix`, and `ConfusionCurve`, the confusion matrices of a ranking.

ROC, precision-recall and precision-recall-gain curves show the same confusion matrices
(Davis & Goadrich, ICML 2006, Theorem 3.1, doi:10.1145/1143844.1143874). Calibration to a
reference prior is one operation on them: it scales the weight of all negatives (Siblini et al.,
IDA 2020, doi:10.1007/978-3-030-44584-3_36).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from calibrated_metrics import _checks
from calibrated_metrics._checks import FloatArray, RandomState
from calibrated_metrics._sources import Binormal, Counts, Sample, ScoreDistribution, merged
from calibrated_metrics._vertices import (
    MOST_NEGATIVES,
    Rises,
    Vertices,
    cumulative,
    freeze,
    outside_runs_of_negatives,
    whole_steps,
)

__all__ = ["ConfusionCurve", "ConfusionMatrix", "Rises"]

Values: TypeAlias = float | FloatArray
"""A number of one confusion matrix, or an array with one number per matrix of a stack."""


@dataclass(frozen=True, eq=False)
class ConfusionMatrix:
    """Weights of the four outcomes of a decision: one confusion matrix, or a stack of them.

    Parameters
    ----------
    tp, fp, fn, tn : float >= 0, or array-like of shape (n_matrices,)
        True positives, false positives, false negatives and true negatives. They must not all be
        0 in a matrix.

    Attributes
    ----------
    tp, fp, fn, tn : float, or ndarray of shape (n_matrices,), float64, read-only
    n_pos, n_neg : float or ndarray of shape (n_matrices,)
        Total weight of each class: ``tp + fn`` and ``fp + tn``.
    prior : float or ndarray of shape (n_matrices,), in [0, 1]
        ``n_pos / (n_pos + n_neg)``, also called prevalence.

    Raises
    ------
    ValueError, TypeError
        If a weight is negative, not finite or not a number, if the shapes differ, or if a matrix
        is all 0.

    See Also
    --------
    ConfusionCurve.confusion_matrix : The matrices of a ranking at given thresholds.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionMatrix, scores
    >>> matrix = ConfusionMatrix(tp=80, fp=40, fn=20, tn=860)
    >>> scores.precision(matrix)
    0.666...
    >>> scores.precision(matrix.at_prior(0.01))
    0.153...
    """

    tp: Values
    fp: Values
    fn: Values
    tn: Values

    def __post_init__(self) -> None:
        outcomes = {name: _outcome(name, getattr(self, name)) for name in ("tp", "fp", "fn", "tn")}
        if len({np.shape(weights) for weights in outcomes.values()}) > 1:
            shapes = ", ".join(f"{name} {np.shape(each)}" for name, each in outcomes.items())
            raise ValueError(f"tp, fp, fn and tn must have the same shape, got {shapes}")
        with np.errstate(over="ignore"):
            total = sum(outcomes.values())
        if not np.all(total > 0):
            raise ValueError("tp, fp, fn and tn must not all be 0")
        if not np.all(np.isfinite(total)):
            raise ValueError("tp, fp, fn and tn must have a sum within float64: it overflows")
        self._set(**outcomes)

    def __reduce__(self) -> tuple[Any, ...]:
        return ConfusionMatrix._trusted, (self.tp, self.fp, self.fn, self.tn)

    def _set(self, **outcomes: Values) -> None:
        for name, weights in outcomes.items():
            if isinstance(weights, np.ndarray):
                freeze(weights)
            object.__setattr__(self, name, weights)

    @classmethod
    def _trusted(cls, tp: Values, fp: Values, fn: Values, tn: Values) -> ConfusionMatrix:
        matrix = cls.__new__(cls)
        matrix._set(tp=tp, fp=fp, fn=fn, tn=tn)
        return matrix

    @classmethod
    def from_rates(
        cls, tpr: float | ArrayLike, fpr: float | ArrayLike, prior: float | ArrayLike
    ) -> ConfusionMatrix:
        """Build the matrix of a decision from its rates and a prior. The total weight is 1.

        Parameters
        ----------
        tpr : float in [0, 1], or array-like of shape (n_matrices,)
            True positive rate, also called sensitivity or recall.
        fpr : float in [0, 1], or array-like of shape (n_matrices,)
            False positive rate: 1 - specificity.
        prior : float in (0, 1), or array-like of shape (n_matrices,)
            Share of positives, also called prevalence.

        Returns
        -------
        ConfusionMatrix
            A stack of matrices if an argument is an array; numbers are then the same for each.

        Raises
        ------
        ValueError, TypeError
            For arguments outside their range, or arrays of different lengths.

        Examples
        --------
        PPV and NPV of a test with a sensitivity of 90 % and a specificity of 95 %, at a prevalence
        of 1 %:

        >>> from calibrated_metrics import ConfusionMatrix, scores
        >>> matrix = ConfusionMatrix.from_rates(tpr=0.9, fpr=1 - 0.95, prior=0.01)
        >>> scores.precision(matrix), scores.npv(matrix)
        (0.153..., 0.998...)
        """
        rates = {
            "tpr": _checks.one_or_more("tpr", tpr, _checks.probabilities),
            "fpr": _checks.one_or_more("fpr", fpr, _checks.probabilities),
            "prior": _checks.one_or_more("prior", prior, _checks.priors),
        }
        stacked = {name: each for name, each in rates.items() if isinstance(each, np.ndarray)}
        _checks.same_length(**stacked)
        if stacked:
            n_matrices = len(next(iter(stacked.values())))
            rates = {name: np.full(n_matrices, each) for name, each in rates.items()}
        of_positives, of_negatives, pi = rates["tpr"], rates["fpr"], rates["prior"]
        return cls._trusted(
            pi * of_positives,
            (1 - pi) * of_negatives,
            pi * (1 - of_positives),
            (1 - pi) * (1 - of_negatives),
        )

    @property
    def n_pos(self) -> Values:
        return self.tp + self.fn

    @property
    def n_neg(self) -> Values:
        return self.fp + self.tn

    @property
    def prior(self) -> Values:
        return self.n_pos / (self.n_pos + self.n_neg)

    def at_prior(self, pi0: float | ArrayLike) -> ConfusionMatrix:
        """Return the matrix, or each matrix of the stack, calibrated to the prior `pi0`.

        The weight of the negatives is multiplied by ``n_pos (1 - pi0) / (pi0 n_neg)``. Metrics of
        the result are the calibrated metrics of Siblini et al. (2020), section 3.

        Parameters
        ----------
        pi0 : float in (0, 1), or array-like of shape (n_priors,)
            Reference prior. An array returns a stack of matrices; it is not allowed for a stack.

        Raises
        ------
        ValueError
            If `pi0` lies outside (0, 1), if a class has no weight, or for an array `pi0` and a
            stack of matrices.

        References
        ----------
        Siblini et al., IDA 2020, doi:10.1007/978-3-030-44584-3_36.
        """
        if _checks.dimensions("pi0", pi0) == 0:
            target: Values = _checks.open_unit("pi0", pi0)
        elif np.ndim(self.tp) == 0:
            target = _checks.priors("pi0", pi0)
        else:
            raise ValueError("pi0 must be a number for a stack of matrices, got an array")
        n_pos, n_neg = self.n_pos, self.n_neg
        if not (np.all(n_pos > 0) and np.all(n_neg > 0)):
            raise ValueError(
                "at_prior needs weight in both classes: there is no prior to calibrate"
            )
        factor = _negative_weight(n_pos, n_neg, target, self.prior)
        tp, fn = self.tp, self.fn
        if np.ndim(factor) > np.ndim(tp):
            tp, fn = np.full(np.shape(factor), tp), np.full(np.shape(factor), fn)
        return ConfusionMatrix._trusted(tp, self.fp * factor, fn, self.tn * factor)


class ConfusionCurve:
    """Confusion matrices of a ranking, by descending threshold.

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
        Equal scores share one vertex (a diagonal ROC segment). Vertices inside a run of negatives
        are left out, since no area and no maximum depends on them; `from_counts` keeps all.
    n_pos, n_neg : float
        Total weight of each class.
    prior : float in (0, 1)
        ``n_pos / (n_pos + n_neg)``, also called prevalence.
    negative_weight : float > 0
        Factor on the weight of each negative: 1 before calibration, then set by `at_prior`.
    rises : Rises
        The segments on which TP grows.

    Raises
    ------
    ValueError
        If the arrays differ in length, are not monotone, do not start at (0, 0), hold a
        non-finite weight, or if one class has no weight.

    Notes
    -----
    A curve keeps its source: the sorted scores of each class, or the counts at each threshold.
    Therefore `confusion_matrix` is exact at any threshold and curves can be merged by ``+``, also
    after `at_prior`. Random draws use the counts before calibration, and the drawn curve has the
    same `negative_weight`. A drawn curve, a hull, and a curve that was built from vertices know
    their counts only at their vertices.

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
        keep = outside_runs_of_negatives(positives)
        self._set(Vertices(scores[keep], positives[keep], negatives[keep]), 1.0)

    def _set(self, vertices: Vertices, negative_weight: float) -> None:
        self._vertices, self._negative_weight = vertices, negative_weight
        total, least = self.n_pos + self.n_neg, min(self.n_pos, self.n_neg)
        if not (total < _LARGEST_TOTAL and least >= _LEAST_OF_A_CLASS and least / total > 0):
            raise ValueError(
                "weights of the classes (sample_weight, prior, pi0) outside the range of float64: "
                f"n_pos={self.n_pos:g}, n_neg={self.n_neg:g}"
            )

    @classmethod
    def _of(cls, vertices: Vertices, negative_weight: float = 1.0) -> ConfusionCurve:
        curve = cls.__new__(cls)
        curve._set(vertices, negative_weight)
        return curve

    @classmethod
    def _from_source(cls, source: Sample | Counts, negative_weight: float = 1.0) -> ConfusionCurve:
        return cls._of(Vertices(*source.vertices(), source), negative_weight)

    def __reduce__(self) -> tuple[Any, ...]:
        return ConfusionCurve._of, (self._vertices, self.negative_weight)

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
        y_true : array-like of shape (n_samples,)
            Binary labels of any type.
        y_score : array-like of shape (n_samples,)
            Finite scores; a higher score is more likely positive.
        pos_label : scalar, default=1
            The label of the positives.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights; samples of weight 0 are dropped.

        Raises
        ------
        ValueError, TypeError
            For labels that are not binary, a missing `pos_label`, a class without weight,
            lengths that differ, empty input, scores or weights that are not finite numbers.
        """
        return cls._from_source(Sample.of_predictions(y_true, y_score, pos_label, sample_weight))

    @classmethod
    def from_counts(cls, thresholds: ArrayLike, pos: ArrayLike, neg: ArrayLike) -> ConfusionCurve:
        """Build the curve from the weight of each class at each score, such as a group-by result.

        Parameters
        ----------
        thresholds : array-like of shape (n_thresholds,)
            Finite scores, in any order. Weights at equal scores are summed.
        pos, neg : array-like of shape (n_thresholds,)
            Weight of the positives and of the negatives whose score *equals* the threshold, at
            least 0. The total of each class must be above 0.

        Returns
        -------
        ConfusionCurve
            With a vertex at each threshold. Curves from counts merge into a curve from counts.

        Raises
        ------
        ValueError, TypeError
            For lengths that differ, empty input, values that are not finite numbers, negative
            weights, or a class without weight.

        Examples
        --------
        >>> from calibrated_metrics import ConfusionCurve
        >>> curve = ConfusionCurve.from_counts([0.1, 0.5, 0.9], pos=[1, 2, 4], neg=[90, 5, 1])
        >>> curve.tp, curve.fp
        (array([0., 4., 6., 7.]), array([ 0.,  1.,  6., 96.]))
        """
        scores = _checks.finite_vector("thresholds", thresholds)
        pos, neg = _checks.weights("pos", pos), _checks.weights("neg", neg)
        _checks.same_length(thresholds=scores, pos=pos, neg=neg)
        return cls._from_source(Counts.of(scores, pos, neg))

    @classmethod
    def from_probabilities(
        cls, y_prob: ArrayLike, *, sample_weight: ArrayLike | None = None
    ) -> ConfusionCurve:
        """Build the expected curve of a calibrated classifier, without labels.

        Each probability ``p`` adds ``p`` to TP and ``1 - p`` to FP at every threshold up to it.

        Parameters
        ----------
        y_prob : array-like of shape (n_samples,)
            Calibrated probabilities of the positive class, in [0, 1], neither all 0 nor all 1.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights; samples of weight 0 are dropped.

        Raises
        ------
        ValueError, TypeError
            For probabilities outside [0, 1], weights that are negative or not finite, lengths
            that differ, empty input, or a class without weight.
        """
        return cls._from_source(Sample.of_probabilities(y_prob, sample_weight))

    @classmethod
    def from_distribution(cls, dist: Any, *, n_thresholds: int = 1001) -> ConfusionCurve:
        """Build the curve of a calibrated classifier whose scores follow a distribution.

        At threshold t, ``TP = ∫_t^1 x f(x) dx`` and ``FP = ∫_t^1 (1 - x) f(x) dx``, each within
        1e-10. The total weight is 1.

        Parameters
        ----------
        dist : frozen continuous scipy.stats distribution
            Its support must lie in [0, 1].
        n_thresholds : int >= 2, default=1001
            Number of vertices, equally spaced from 1 down to 0.
        """
        source = ScoreDistribution(dist)
        n_thresholds = _checks.integer_at_least("n_thresholds", n_thresholds, 2)
        return cls._of(Vertices(*source.vertices(n_thresholds), source))

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
        source = Binormal(distance, prior)
        return cls._of(Vertices(*source.vertices(n_thresholds), source))

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
    def negative_weight(self) -> float:
        return self._negative_weight

    @property
    def n_pos(self) -> float:
        return self._vertices.n_pos

    @property
    def n_neg(self) -> float:
        return self._vertices.n_neg * self._negative_weight

    @property
    def thresholds(self) -> FloatArray:
        return self._vertices.thresholds

    @property
    def tp(self) -> FloatArray:
        return self._vertices.tp

    @property
    def fp(self) -> FloatArray:
        return self._fp

    @cached_property
    def _fp(self) -> FloatArray:
        if self.negative_weight == 1:
            return self._vertices.fp
        fp = self._vertices.fp * self.negative_weight
        freeze(fp)
        return fp

    @property
    def prior(self) -> float:
        return self.n_pos / (self.n_pos + self.n_neg)

    @property
    def rises(self) -> Rises:
        return self._rises

    @cached_property
    def _rises(self) -> Rises:
        rises = self._vertices.rises
        if self.negative_weight == 1:
            return rises
        start, end = rises.fp_start * self.negative_weight, rises.fp_end * self.negative_weight
        freeze(start, end)
        return rises._replace(fp_start=start, fp_end=end)

    @property
    def uncalibrated(self) -> ConfusionCurve:
        """The curve before calibration, at the prior of its data."""
        return ConfusionCurve._of(self._vertices)

    def __len__(self) -> int:
        return len(self.tp)

    def __repr__(self) -> str:
        return (
            f"ConfusionCurve({len(self)} vertices, n_pos={self.n_pos:g}, n_neg={self.n_neg:g}, "
            f"prior={self.prior:.6g})"
        )

    # --------------------------------------------------------------------------- operations

    def confusion_matrix(self, threshold: float | ArrayLike) -> ConfusionMatrix:
        """Return the confusion matrix of the decision ``score >= threshold``.

        Parameters
        ----------
        threshold : float, or array-like of shape (n_thresholds,)
            An array gives a stack of matrices, in the same order.

        Returns
        -------
        ConfusionMatrix
            TP and FP are exact sums; FN and TN are their differences from the class totals.

        Raises
        ------
        ValueError, TypeError
            If a threshold is NaN or not a number, or if the counts at a threshold are unknown:
            after `undersample`, `resample` or `hull`, or for a curve that was built from vertices.

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
        tp, fp = self._vertices.counts_at(thresholds)
        fn, tn = self.n_pos - tp, self._vertices.n_neg - fp
        if isinstance(self._vertices.source, Sample):
            fn, tn = self._vertices.source.counts_below(thresholds)
        outcomes = (tp, fp * self.negative_weight, fn, tn * self.negative_weight)
        if np.ndim(threshold) == 0:  # it was checked above
            return ConfusionMatrix._trusted(*(float(weights[0]) for weights in outcomes))
        return ConfusionMatrix._trusted(*outcomes)

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
        if pi0 == self.prior:
            return self
        own = self.uncalibrated
        weight = _negative_weight(own.n_pos, own.n_neg, pi0, own.prior)
        return ConfusionCurve._of(self._vertices, float(weight))

    def n_kept_at(self, pi0: float) -> int:
        """Return the number of negatives that `undersample` keeps for the prior `pi0`.

        Raises
        ------
        ValueError
            If `pi0` is below the prior, or so high that no negative is kept.
        """
        pi0 = _checks.open_unit("pi0", pi0)
        # A rounding error must neither reject the prior itself nor drop a negative.
        slack = 1e-12
        if pi0 < self.prior * (1 - slack):
            raise ValueError(
                f"pi0={pi0} must be at least the prior {self.prior}: "
                "dropping negatives can only raise the prior"
            )
        n_kept = math.floor(self.n_pos * (1 - pi0) / pi0 / self.negative_weight * (1 + slack))
        if n_kept == 0:
            raise ValueError(
                f"pi0={pi0} keeps no negatives; it must be at most "
                f"{self.n_pos / (self.n_pos + self.negative_weight)}"
            )
        return min(n_kept, int(self._vertices.n_neg))

    def undersample(
        self, pi0: float, rng: RandomState = None, *, thresholds: Iterable[float] = ()
    ) -> ConfusionCurve:
        """Return the curve after random undersampling of the negatives to the prior `pi0`.

        All positives and ``floor(n_pos (1 - pi0) / pi0)`` negatives are kept, without replacement
        (Jeni et al., ACII 2013, doi:10.1109/ACII.2013.47). Only the number of kept negatives
        between two vertices matters: one multivariate hypergeometric draw.

        Parameters
        ----------
        pi0 : float in (0, 1)
            Target prior, at least the prior of this curve.
        rng : None, int or numpy.random.Generator, default=None
        thresholds : iterable of float, default=()
            Thresholds, in addition to the vertices, at which the drawn curve knows its counts.

        Raises
        ------
        ValueError
            If `pi0` is below the prior, or the weights of the negatives, before calibration, are
            not whole numbers.
        """
        generator = _checks.generator("rng", rng)
        vertices = self._vertices.with_vertices_at(thresholds)
        # Start at the lowest step, which has most negatives: later draws are then cheaper.
        kept = generator.multivariate_hypergeometric(
            whole_steps("negatives", vertices.fp, MOST_NEGATIVES)[::-1],
            self.n_kept_at(pi0),
            method="marginals",
        )[::-1]
        return ConfusionCurve._of(
            vertices.drawn(vertices.tp, cumulative(kept)), self.negative_weight
        )

    def resample(
        self, rng: RandomState = None, *, thresholds: Iterable[float] = ()
    ) -> ConfusionCurve:
        """Return a stratified bootstrap draw: each class is drawn with replacement, at its size.

        Parameters
        ----------
        rng : None, int or numpy.random.Generator, default=None
        thresholds : iterable of float, default=()
            Thresholds, in addition to the vertices, at which the drawn curve knows its counts.

        Raises
        ------
        ValueError
            If the weights, before calibration, are not whole numbers.
        """
        generator = _checks.generator("rng", rng)
        vertices = self._vertices.with_vertices_at(thresholds)
        steps = whole_steps("positives", vertices.tp), whole_steps("negatives", vertices.fp)
        tp, fp = (
            cumulative(generator.multinomial(each.sum(), each / each.sum())) for each in steps
        )
        return ConfusionCurve._of(vertices.drawn(tp, fp), self.negative_weight)

    def _with_counts(self, tp: FloatArray, fp: FloatArray) -> ConfusionCurve:
        """Return the curve with other counts at its vertices, such as those of a random draw.

        The counts are before calibration and have the totals of this curve. They are not checked.
        """
        return ConfusionCurve._of(self._vertices.drawn(tp, fp), self.negative_weight)

    def __add__(self, other: ConfusionCurve) -> ConfusionCurve:
        """Return the curve of the union of two disjoint samples, each with its own weights.

        Raises
        ------
        ValueError
            If a curve does not hold its sample, or `tables.curves` rounded their scores
            differently.
        """
        if not isinstance(other, ConfusionCurve):
            return NotImplemented
        parts = []
        for curve in (self, other):
            source = curve._vertices.source
            if not isinstance(source, Sample | Counts):
                raise ValueError(
                    "only curves that hold their samples can be merged: curves built by "
                    "from_predictions, from_counts or from_probabilities, before undersample, "
                    "resample or hull"
                )
            parts.append((source, curve.negative_weight))
        if self.negative_weight == other.negative_weight:
            both = merged([(source, 1.0) for source, _ in parts])
            return ConfusionCurve._from_source(both, self.negative_weight)
        return ConfusionCurve._from_source(merged(parts))

    def hull(self) -> ConfusionCurve:
        """Return the achievable curve: the upper convex hull in ROC space.

        It dominates every point of the curve, in PR space too (Davis & Goadrich, 2006,
        Corollary 3.1). The pool-adjacent-violators algorithm on the slopes FP/TP computes its
        vertices once for all priors.
        """
        return ConfusionCurve._of(self._vertices.hull, self.negative_weight)


# Outside of these limits, sums of weights or parts of them are no normal numbers of float64.
_LARGEST_TOTAL = 1e305
_LEAST_OF_A_CLASS = float(np.finfo(np.float64).tiny)


def _negative_weight(n_pos: Values, n_neg: Values, pi0: Values, prior: Values) -> Values:
    """Factor on the weight of the negatives that gives the prior `pi0`."""
    if isinstance(n_pos, float) and isinstance(pi0, float):
        # Exactly 1 at the own prior, which is itself rounded.
        factor = 1.0 if pi0 == prior else n_pos / n_neg * ((1.0 - pi0) / pi0)
        if not 0 < factor * n_neg < math.inf:
            raise _inexpressible(pi0)
        return factor
    with np.errstate(over="ignore"):
        factors = np.where(np.equal(pi0, prior), 1.0, n_pos / n_neg * ((1.0 - pi0) / pi0))
        expressible = (factors * n_neg > 0) & np.isfinite(factors * n_neg)
    if not expressible.all():
        raise _inexpressible(np.broadcast_to(pi0, factors.shape)[~expressible][0])
    return factors


def _inexpressible(pi0: Values) -> ValueError:
    return ValueError(f"pi0={pi0} gives weights outside the range of float64")


def _outcome(name: str, weights: Any) -> Values:
    """Non-negative finite weights: a number, or a copy of a vector."""
    if _checks.dimensions(name, weights) == 0:
        return _checks.at_least_zero(name, weights)
    array = _checks.finite_vector(name, weights).copy()
    _checks.not_negative(name, array)
    return array


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
