"""The one data structure: the confusion matrices of a ranking, one per threshold.

ROC, precision-recall and precision-recall-gain curves hold the same confusion matrices
(Davis & Goadrich, ICML 2006, Theorem 3.1, doi:10.1145/1143844.1143874). Calibration to a
reference prior is one operation on them: scale the weight of every negative (Siblini et al.,
IDA 2020, doi:10.1007/978-3-030-44584-3_36).
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import NamedTuple

import numpy as np

from calibrated_metrics import _checks
from calibrated_metrics._sources import Binormal, Sample, ScoreDistribution, SortedScores

__all__ = ["ConfusionCurve", "Rises"]

_DRAW_FIRST = (
    "a random draw needs {of} of unit weight, but their weights are not whole numbers of samples: "
    "draw before at_prior"
)


class Rises(NamedTuple):
    """The ROC segments on which TP grows, ``m`` of them, by descending threshold.

    Each is one group of tied scores with a positive in it. Areas and maxima need nothing else:
    between two rises only FP grows.

    Attributes
    ----------
    tp_start, tp_end, fp_start, fp_end : ndarray of shape (m,)
        Weights at both ends of each segment; ``tp_end > tp_start``, ``fp_end >= fp_start``.
    """

    tp_start: np.ndarray
    tp_end: np.ndarray
    fp_start: np.ndarray
    fp_end: np.ndarray


class ConfusionCurve:
    """Confusion matrices of a ranking, by descending threshold.

    Parameters
    ----------
    thresholds : array-like of shape (n_vertices,)
        Strictly descending. Vertex ``k`` counts the scores ``>= thresholds[k]``; the first is
        ``inf``. All NaN where they are unknown.
    tp, fp : array-like of shape (n_vertices,)
        Weight of the positives and of the negatives counted by each vertex; non-decreasing from
        (0, 0) to (n_pos, n_neg), both totals positive.

    Attributes
    ----------
    thresholds, tp, fp : ndarray of shape (n_vertices,), float64, read-only
        Equal scores are one vertex (a diagonal ROC segment). Vertices inside a run of negatives
        are left out: no area and no maximum depends on them.
    n_pos, n_neg : float
        Total weight of either class.
    prior : float in (0, 1)
        ``n_pos / (n_pos + n_neg)``.
    rises : Rises
        The segments on which TP grows.

    Raises
    ------
    ValueError
        If the arrays differ in length, are not monotone, do not start at (0, 0), hold a
        non-finite weight, or if one class has no weight.

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
    """

    def __init__(self, thresholds, tp, fp):
        tp, fp = _counts("tp", tp), _counts("fp", fp)
        thresholds = _checks.real_vector("thresholds", thresholds)
        _checks.same_length(thresholds=thresholds, tp=tp, fp=fp)
        if not (np.isnan(thresholds).all() or (np.diff(thresholds) < 0).all()):
            raise ValueError("thresholds must be strictly descending, or all NaN where unknown")
        keep = _outside_runs_of_negatives(tp)
        self._set(thresholds[keep], tp[keep], fp[keep])

    def _set(self, thresholds, tp, fp, source=None, neg_weight=1.0):
        _freeze(thresholds, tp, fp)
        self.thresholds, self.tp, self.fp = thresholds, tp, fp
        self.n_pos, self.n_neg = float(tp[-1]), float(fp[-1])
        self._source = source
        self._neg_weight = neg_weight

    @classmethod
    def _trusted(cls, thresholds, tp, fp, source=None, neg_weight=1.0) -> ConfusionCurve:
        curve = cls.__new__(cls)
        curve._set(thresholds, tp, fp, source, neg_weight)
        return curve

    # ---------------------------------------------------------------- ways of knowing a ranking

    @classmethod
    def from_predictions(
        cls, y_true, y_score, *, pos_label=1, sample_weight=None
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
        return cls._from_sample(Sample.of_predictions(y_true, y_score, pos_label, sample_weight))

    @classmethod
    def from_probabilities(cls, y_prob) -> ConfusionCurve:
        """Build the expected curve of a calibrated classifier, without labels.

        Each probability ``p`` adds ``p`` to TP and ``1 - p`` to FP of every threshold below it.

        Parameters
        ----------
        y_prob : array-like of shape (n_samples,)
            Calibrated probabilities of the positive class, in [0, 1], neither all 0 nor all 1.
        """
        y_prob = _checks.finite_vector("y_prob", y_prob)
        outside = (y_prob < 0) | (y_prob > 1)
        if outside.any():
            raise ValueError(f"y_prob must lie in [0, 1], got {y_prob[outside][0]}")
        _checks.normal("y_prob", y_prob)
        likely, unlikely = y_prob[y_prob > 0], y_prob[y_prob < 1]
        if likely.size == 0 or unlikely.size == 0:
            raise ValueError(
                f"y_prob must leave weight to both classes, got all {y_prob[0]}: "
                "there is no prior to calibrate"
            )
        return cls._from_sample(
            Sample(SortedScores.of(likely, likely), SortedScores.of(unlikely, 1.0 - unlikely))
        )

    @classmethod
    def from_distribution(cls, dist, *, n_thresholds: int = 1001) -> ConfusionCurve:
        """Build the curve of a calibrated classifier whose scores follow a distribution.

        At threshold t, ``TP = ∫_t^1 x f(x) dx`` and ``FP = ∫_t^1 (1 - x) f(x) dx``.

        Parameters
        ----------
        dist : frozen continuous scipy.stats distribution
            Its support must lie in [0, 1].
        n_thresholds : int >= 2, default=1001
            Equally spaced vertices from 1 down to 0.
        """
        source = ScoreDistribution(dist)
        n_thresholds = _checks.integer_at_least("n_thresholds", n_thresholds, 2)
        return cls._trusted(*source.vertices(n_thresholds), source)

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
            Vertices, equally spaced in the log-likelihood ratio. The step function of average
            precision is then within 1e-4 of its limit, linear interpolation within 1e-9.

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
        return cls._trusted(*source.vertices(n_thresholds), source)

    @classmethod
    def from_roc(cls, fpr, tpr, n_pos: float, n_neg: float) -> ConfusionCurve:
        """Build the curve from the vertices of a ROC curve and the size of either class.

        Parameters
        ----------
        fpr, tpr : array-like of shape (n_vertices,)
            Non-decreasing from (0, 0) to (1, 1).
        n_pos, n_neg : float > 0
            Weight of either class. The curve's thresholds are unknown (NaN).
        """
        fpr, tpr = _counts("fpr", fpr), _counts("tpr", tpr)
        _checks.same_length(fpr=fpr, tpr=tpr)
        for name, rate in (("fpr", fpr), ("tpr", tpr)):
            if rate[-1] != 1:
                raise ValueError(f"{name} must end at 1, got {rate[-1]}")
        n_pos = _checks.positive_number("n_pos", n_pos)
        n_neg = _checks.positive_number("n_neg", n_neg)
        return cls(np.full(fpr.shape, np.nan), tpr * n_pos, fpr * n_neg)

    @classmethod
    def _from_sample(cls, sample: Sample) -> ConfusionCurve:
        return cls._trusted(*sample.vertices(), sample)

    # -------------------------------------------------------------------------------- reading it

    @property
    def prior(self) -> float:
        return self.n_pos / (self.n_pos + self.n_neg)

    @cached_property
    def rises(self) -> Rises:
        start, end = self._rise_bounds
        rises = Rises(self.tp[start], self.tp[end], self.fp[start], self.fp[end])
        _freeze(*rises)
        return rises

    @property
    def _rise_bounds(self) -> tuple[np.ndarray, np.ndarray]:
        start = np.flatnonzero(self.tp[1:] > self.tp[:-1])
        return start, start + 1

    def counts_above(self, threshold: float) -> tuple[float, float]:
        """Return (TP, FP) when a score strictly above `threshold` is predicted positive.

        Raises
        ------
        ValueError
            If the curve no longer knows what lies between its vertices there: after
            `undersample`, `resample` or `hull`, and where it was built from vertices alone.
            Call `keep_thresholds` before such an operation.
        """
        threshold = _checks.real_number("threshold", threshold)
        if self._source is not None:
            tp, fp = self._source.counts_above(threshold)
            return tp, fp * self._neg_weight
        kept = np.flatnonzero(self.thresholds == np.nextafter(threshold, np.inf))
        if kept.size == 0:
            raise ValueError(
                f"threshold={threshold} is not a vertex of this curve, and the scores between its "
                "vertices are not known; call keep_thresholds(threshold) on the curve of the "
                "predictions first"
            )
        return float(self.tp[kept[0]]), float(self.fp[kept[0]])

    def __setstate__(self, state: dict) -> None:
        self.__dict__.update(state)
        _freeze(self.thresholds, self.tp, self.fp, *self.__dict__.get("rises", ()))

    def __len__(self) -> int:
        return len(self.tp)

    def __repr__(self) -> str:
        return (
            f"ConfusionCurve({len(self)} vertices, n_pos={self.n_pos:g}, n_neg={self.n_neg:g}, "
            f"prior={self.prior:.6g})"
        )

    # -------------------------------------------------------------------------------- operations

    def at_prior(self, pi0: float) -> ConfusionCurve:
        """Return the curve calibrated to the reference prior `pi0`.

        Every negative weighs ``n_pos (1 - pi0) / (pi0 n_neg)`` times as much; ordinary metrics
        of the result are the calibrated metrics of Siblini et al. (2020), section 3.

        Parameters
        ----------
        pi0 : float in (0, 1)
        """
        pi0 = _checks.open_unit("pi0", pi0)
        # Exactly 1 at the curve's own prior, which is itself rounded.
        ratio = 1.0 if pi0 == self.prior else self.n_pos / self.n_neg * ((1.0 - pi0) / pi0)
        if not 0 < ratio * self.n_neg < math.inf:
            raise ValueError(f"pi0={pi0} is beyond what float64 weights can express")
        curve = self._trusted(
            self.thresholds, self.tp, self.fp * ratio, self._source, self._neg_weight * ratio
        )
        rises = self.rises
        curve.rises = rises._replace(fp_start=rises.fp_start * ratio, fp_end=rises.fp_end * ratio)
        _freeze(*curve.rises)
        return curve

    def keep_thresholds(self, *thresholds: float) -> ConfusionCurve:
        """Return the curve with a vertex at each of the operating points `thresholds`.

        A random draw (`undersample`, `resample`) then still knows its counts there.
        """
        pinned = np.array(
            [np.nextafter(_checks.real_number("thresholds", t), np.inf) for t in thresholds]
        )
        pinned = np.setdiff1d(pinned, self.thresholds)
        counts = np.array([self.counts_above(np.nextafter(t, -np.inf)) for t in pinned])
        counts = counts.reshape(-1, 2)
        vertices = np.concatenate([self.thresholds, pinned])
        order = np.argsort(-vertices, kind="stable")
        tp = np.concatenate([self.tp, counts[:, 0]])[order]
        fp = np.concatenate([self.fp, counts[:, 1]])[order]
        # The source may round otherwise than the vertices were; a last bit must not descend.
        tp = np.minimum(np.maximum.accumulate(tp), self.n_pos)
        fp = np.minimum(np.maximum.accumulate(fp), self.n_neg)
        return self._trusted(vertices[order], tp, fp, self._source, self._neg_weight)

    def undersample(self, pi0: float, rng: np.random.Generator) -> ConfusionCurve:
        """Return the curve of a random draw of the negatives that raises the prior to `pi0`.

        All positives and ``floor(n_pos (1 - pi0) / pi0)`` negatives are kept, without replacement
        (Jeni et al., ACII 2013, doi:10.1109/ACII.2013.47). Only the number of kept negatives
        between two vertices matters: one multivariate hypergeometric draw.

        Raises
        ------
        ValueError
            If `pi0` is below the prior, or the negatives do not have unit weights.
        """
        # From the lowest step up: most negatives lie there, and later draws get cheaper.
        kept = _checks.generator("rng", rng).multivariate_hypergeometric(
            self.negatives_per_step[::-1], self.n_kept_at(pi0), method="marginals"
        )[::-1]
        return self._trusted(self.thresholds, self.tp, _cumulative(kept))

    def resample(self, rng: np.random.Generator) -> ConfusionCurve:
        """Return a stratified bootstrap draw: as many positives and negatives, with replacement.

        Raises
        ------
        ValueError
            If the samples do not have unit weights (draw first, then call `at_prior`).
        """
        rng = _checks.generator("rng", rng)
        steps = _unit_counts(self.tp, "positives"), self.negatives_per_step
        tp, fp = (
            _cumulative(rng.multinomial(counts.sum(), counts / counts.sum())) for counts in steps
        )
        return self._trusted(self.thresholds, tp, fp)

    @property
    def negatives_per_step(self) -> np.ndarray:
        """Number of negatives between each vertex and the next, shape (n_vertices - 1,), int64.

        Whole weights count as so many samples. Calibrated negatives are not samples: refused.
        """
        if self._neg_weight != 1:
            raise ValueError(_DRAW_FIRST.format(of="negatives"))
        return _unit_counts(self.fp, "negatives")

    def n_kept_at(self, pi0: float) -> int:
        """Return the number of negatives that undersampling to `pi0` keeps; all at the prior."""
        pi0 = _checks.open_unit("pi0", pi0)
        # A last bit of rounding must neither refuse the prior itself nor drop one negative.
        slack = 1e-12
        if pi0 < self.prior * (1 - slack):
            raise ValueError(
                f"pi0={pi0} must be at least the prior {self.prior}: "
                "dropping negatives can only raise the prior"
            )
        n_kept = math.floor(self.n_pos * (1 - pi0) / pi0 * (1 + slack))
        if n_kept == 0:
            raise ValueError(
                f"pi0={pi0} keeps none of the negatives, it must be at most "
                f"{self.n_pos / (self.n_pos + 1)}"
            )
        return min(n_kept, int(self.n_neg))

    def __add__(self, other: ConfusionCurve) -> ConfusionCurve:
        """Return the curve of two disjoint samples taken together."""
        if not isinstance(other, ConfusionCurve):
            return NotImplemented
        parts = (self, other)
        if not all(isinstance(part._source, Sample) for part in parts):
            raise ValueError(
                "only curves that still hold their samples can be merged: "
                "from_predictions or from_probabilities, before undersample, resample or hull"
            )
        return self._from_sample(
            Sample.merged([(part._source, part._neg_weight) for part in parts])
        )

    def hull(self) -> ConfusionCurve:
        """Return the achievable curve: the upper convex hull in ROC space.

        It dominates every point of the curve, in PR space too (Davis & Goadrich, 2006,
        Corollary 3.1). Pooling adjacent violators of the slopes FP/TP gives its vertices.
        """
        from scipy.optimize import isotonic_regression  # takes longer to load than all the rest

        _, end = self._rise_bounds
        d_tp = np.diff(self.tp[end], prepend=0.0)
        d_fp = np.diff(self.fp[end], prepend=0.0)
        # Slopes FP/TP, not precisions: they stay accurate near 0, where a good ranking begins.
        slopes = (d_fp / self.n_neg) / (d_tp / self.n_pos)
        blocks = isotonic_regression(slopes, weights=d_tp).blocks
        vertices = np.concatenate([[0], end[blocks[1:] - 1]])
        if vertices[-1] != len(self) - 1:
            vertices = np.append(vertices, len(self) - 1)
        return self._trusted(
            self.thresholds[vertices],
            self.tp[vertices],
            self.fp[vertices],
            neg_weight=self._neg_weight,
        )


def _counts(name: str, values) -> np.ndarray:
    """Vertices' counts of one class: at least two, non-decreasing from 0 to above 0."""
    counts = _checks.finite_vector(name, values)
    if counts.size < 2:
        raise ValueError(f"{name} must hold at least two vertices, got {counts.size}")
    if counts[0] != 0:
        raise ValueError(f"{name} must start at 0, got {counts[0]}")
    steps = np.diff(counts)
    if steps.min() < 0:
        raise ValueError(f"{name} must not decrease, it does at index {np.argmin(steps) + 1}")
    if counts[-1] == 0:
        raise ValueError(f"{name} must end above 0: there is no prior to calibrate")
    return counts


def _freeze(*arrays: np.ndarray) -> None:
    for array in arrays:
        array.flags.writeable = False


def _outside_runs_of_negatives(tp: np.ndarray) -> np.ndarray:
    """Mask of the vertices at which TP changes on either side, and both ends."""
    grows = np.diff(tp) > 0
    return np.concatenate([[True], grows]) | np.concatenate([grows, [True]])


def _unit_counts(counts: np.ndarray, of: str) -> np.ndarray:
    steps = np.diff(counts)
    whole = np.rint(steps)
    if not np.array_equal(steps, whole):
        raise ValueError(_DRAW_FIRST.format(of=of))
    return whole.astype(np.int64)


def _cumulative(steps: np.ndarray) -> np.ndarray:
    return np.concatenate([[0.0], np.cumsum(steps)])
