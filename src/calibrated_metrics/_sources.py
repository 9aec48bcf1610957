"""Sources of a curve: labelled scores, counts at thresholds, two Gaussians, or a distribution.

A source returns the vertices of the curve and the exact counts at any threshold. A score
``>= threshold`` is predicted positive.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibrated_metrics import _checks
from calibrated_metrics._checks import FloatArray

Counts2 = tuple[FloatArray, FloatArray]  # tp, fp
Vertices3 = tuple[FloatArray, FloatArray, FloatArray]  # thresholds, tp, fp


class Source(Protocol):
    """Data or a model from which a curve is built."""

    def counts_at(self, thresholds: FloatArray) -> Counts2:
        """Return (TP, FP) at each threshold, before calibration; inf means the total."""
        ...


class SortedScores(NamedTuple):
    """Ascending finite scores of one class; `weight_from[i]` is the weight of scores[i:]."""

    scores: FloatArray
    weight: FloatArray | None  # None: unit weights
    weight_from: FloatArray | None

    @classmethod
    def of(cls, scores: FloatArray, weight: FloatArray | None = None) -> SortedScores:
        if weight is None:
            return cls(np.sort(scores), None, None)
        order = np.argsort(scores)
        weight = weight[order]
        return cls(scores[order], weight, np.append(np.cumsum(weight[::-1])[::-1], 0.0))

    @property
    def has_equal_weights(self) -> bool:
        return self.weight is None or bool(np.ptp(self.weight) <= 1e-9 * self.weight.max())

    def weight_of_all_from(self, index: Any) -> Any:
        """Weight of the scores at `index` and after it; `index` may be an array."""
        if self.weight_from is None:
            return len(self.scores) - index
        return self.weight_from[index]

    def weight_at_least(self, thresholds: FloatArray) -> FloatArray:
        """Weight of the scores ``>= threshold``, for each threshold."""
        weights = self.weight_of_all_from(self.scores.searchsorted(thresholds))
        return np.asarray(weights, dtype=np.float64)

    def weight_below(self, thresholds: FloatArray) -> FloatArray:
        """Weight of the scores below each threshold: not a difference, which would lose digits."""
        n_below = self.scores.searchsorted(thresholds)
        if self.weight is None:
            return np.asarray(n_below, dtype=np.float64)
        return np.append(0.0, np.cumsum(self.weight))[n_below]


class Sample:
    """Scores of the positives and of the negatives, each sorted."""

    def __init__(
        self,
        positives: SortedScores,
        negatives: SortedScores,
        *,
        dtype: Any = np.float64,
        is_expected: bool = False,
    ):
        for scores in (positives.scores, negatives.scores):
            # NaN sorts last, so both ends are finite only if all scores are.
            for end in (scores[0], scores[-1]):
                if not np.isfinite(end):
                    raise ValueError(f"y_score must be finite, got {end}")
        self.positives, self.negatives = positives, negatives
        self.dtype = dtype  # in which scores are compared with thresholds
        self.is_expected = is_expected  # whether the weights are probabilities of the classes

    @classmethod
    def of_predictions(
        cls, y_true: ArrayLike, y_score: ArrayLike, pos_label: Any, sample_weight: ArrayLike | None
    ) -> Sample:
        _checks.same_index(y_true=y_true, y_score=y_score, sample_weight=sample_weight)
        scores = _checks.real_vector("y_score", y_score)
        labels = _checks.vector("y_true", y_true)
        weight = None if sample_weight is None else _checks.weights("sample_weight", sample_weight)
        _checks.same_length(y_true=labels, y_score=scores, sample_weight=weight)
        dtype = _checks.float_dtype(y_score)
        if weight is None:
            positive = _checks.is_positive(labels, pos_label)
            return cls(
                SortedScores.of(np.compress(positive, scores)),
                SortedScores.of(np.compress(~positive, scores)),
                dtype=dtype,
            )
        has_weight = weight > 0
        scores, weight = scores[has_weight], weight[has_weight]
        positive = _checks.is_positive(labels[has_weight], pos_label)
        return cls(
            SortedScores.of(scores[positive], weight[positive]),
            SortedScores.of(scores[~positive], weight[~positive]),
            dtype=dtype,
        )

    @classmethod
    def of_probabilities(cls, y_prob: ArrayLike, sample_weight: ArrayLike | None) -> Sample:
        probability = _checks.probabilities("y_prob", y_prob)
        _checks.normal("y_prob", probability)
        if sample_weight is None:
            positive, negative = probability, 1.0 - probability
        else:
            weight = _checks.weights("sample_weight", sample_weight)
            _checks.same_length(y_prob=probability, sample_weight=weight)
            probability, weight = probability[weight > 0], weight[weight > 0]
            positive, negative = probability * weight, (1.0 - probability) * weight
            for part in (positive, negative):
                _checks.normal("y_prob * sample_weight", part)
        likely, unlikely = positive > 0, negative > 0
        if not (likely.any() and unlikely.any()):
            raise ValueError(
                f"y_prob must give weight to both classes, got all {probability[0]}: "
                "there is no prior to calibrate"
            )
        return cls(
            SortedScores.of(probability[likely], positive[likely]),
            SortedScores.of(probability[unlikely], negative[unlikely]),
            is_expected=True,
        )

    def unweighted(self) -> Sample | None:
        """The rows without weights, if there are rows whose weights are equal within each class."""
        if self.is_expected or not all(each.has_equal_weights for each in self.both_classes):
            return None
        rows = (SortedScores(each.scores, None, None) for each in self.both_classes)
        return Sample(*rows, dtype=self.dtype)

    @property
    def is_weighted(self) -> bool:
        return any(each.weight is not None for each in self.both_classes)

    @property
    def both_classes(self) -> tuple[SortedScores, SortedScores]:
        return self.positives, self.negatives

    def counts_at(self, thresholds: FloatArray) -> Counts2:
        thresholds = _checks.in_dtype(thresholds, self.dtype)
        return (
            self.positives.weight_at_least(thresholds),
            self.negatives.weight_at_least(thresholds),
        )

    def counts_below(self, thresholds: FloatArray) -> Counts2:
        """(FN, TN) at each threshold."""
        thresholds = _checks.in_dtype(thresholds, self.dtype)
        return self.positives.weight_below(thresholds), self.negatives.weight_below(thresholds)

    def vertices(self) -> Vertices3:
        """One vertex just above and one at each distinct score of a positive, and both ends."""
        pos, neg = self.positives, self.negatives
        first = _first_of_ties(pos.scores)
        cuts = pos.scores if first is None else pos.scores[first]
        if first is None:
            first = np.arange(len(cuts))
        n_below = neg.scores.searchsorted(cuts)
        tied = neg.scores.take(n_below, mode="clip") == cuts
        n_upto = neg.scores.searchsorted(cuts, side="right") if tied.any() else n_below

        m = len(cuts)
        thresholds, tp, fp = (np.empty(2 * m + 2) for _ in range(3))
        thresholds[0], tp[0], fp[0] = np.inf, 0.0, 0.0
        before, at = slice(2 * m - 1, None, -2), slice(2 * m, 0, -2)  # vertices descend
        thresholds[before] = neg.scores.take(n_upto, mode="clip")
        thresholds[at] = cuts
        tp[at] = pos.weight_of_all_from(first)
        tp[1::2] = tp[:-1:2]
        fp[before] = neg.weight_of_all_from(n_upto)
        fp[at] = neg.weight_of_all_from(n_below)
        thresholds[-1], tp[-1], fp[-1] = neg.scores[0], tp[-2], neg.weight_of_all_from(0)

        keep = np.ones(2 * m + 2, dtype=bool)
        np.greater(fp[1::2], fp[:-1:2], out=keep[1::2])  # a run of negatives ends there
        if keep.all():
            return thresholds, tp, fp
        return np.compress(keep, thresholds), np.compress(keep, tp), np.compress(keep, fp)


class Counts:
    """Number of the positives and of the negatives at each distinct score.

    With `weighted`, they are sums of weights.

    Attributes
    ----------
    thresholds : ndarray
        Strictly descending.
    unit_positives : bool
        Whether each positive is known to weigh 1.
    weighted : bool
        Whether `pos` and `neg` are sums of weights rather than numbers of rows.
    cells : str or None
        How scores were rounded to the thresholds, if this is known.
    """

    def __init__(
        self,
        thresholds: FloatArray,
        pos: FloatArray,
        neg: FloatArray,
        *,
        unit_positives: bool = False,
        weighted: bool = False,
        cells: str | None = None,
    ):
        self.thresholds, self.pos, self.neg = thresholds, pos, neg
        self.unit_positives, self.weighted, self.cells = unit_positives, weighted, cells

    @classmethod
    def of(cls, thresholds: FloatArray, pos: FloatArray, neg: FloatArray, **known: Any) -> Counts:
        """Take thresholds in any order; weights at equal thresholds are summed."""
        distinct, place = np.unique(-thresholds, return_inverse=True)
        return cls(
            -distinct,
            np.bincount(place, weights=pos).astype(np.float64, copy=False),
            np.bincount(place, weights=neg).astype(np.float64, copy=False),
            **known,
        )

    def with_counts(self, pos: FloatArray, neg: FloatArray) -> Counts:
        """Other counts at the same thresholds."""
        return Counts(
            self.thresholds,
            pos,
            neg,
            unit_positives=self.unit_positives,
            weighted=self.weighted,
            cells=self.cells,
        )

    def counts_at(self, thresholds: FloatArray) -> Counts2:
        _, tp, fp = self.vertices()
        n_at_least = (-self.thresholds).searchsorted(-thresholds, side="right")
        return tp[n_at_least], fp[n_at_least]

    def vertices(self) -> Vertices3:
        """One vertex at each threshold, and one at infinity."""
        return (
            np.concatenate([[np.inf], self.thresholds]),
            np.concatenate([[0.0], np.cumsum(self.pos)]),
            np.concatenate([[0.0], np.cumsum(self.neg)]),
        )

    def as_sample(self) -> Sample:
        of_pos, of_neg = self.pos > 0, self.neg > 0
        return Sample(
            SortedScores.of(self.thresholds[of_pos], self.pos[of_pos]),
            SortedScores.of(self.thresholds[of_neg], self.neg[of_neg]),
        )


def merged(parts: Sequence[tuple[Sample | Counts, float]]) -> Sample | Counts:
    """Merge disjoint samples, each with a factor on the weights of its negatives."""
    counts = [(source, factor) for source, factor in parts if isinstance(source, Counts)]
    if len(counts) == len(parts):
        return Counts.of(
            np.concatenate([source.thresholds for source, _ in counts]),
            np.concatenate([source.pos for source, _ in counts]),
            np.concatenate([source.neg * factor for source, factor in counts]),
            unit_positives=all(source.unit_positives for source, _ in counts),
            weighted=any(source.weighted or factor != 1 for source, factor in counts),
            cells=_common_cells([source for source, _ in counts]),
        )
    samples = [
        (source.as_sample() if isinstance(source, Counts) else source, factor)
        for source, factor in parts
    ]
    return Sample(
        _merged([(sample.positives, 1.0) for sample, _ in samples]),
        _merged([(sample.negatives, factor) for sample, factor in samples]),
        dtype=np.result_type(*(sample.dtype for sample, _ in samples)),
    )


def _common_cells(counts: Sequence[Counts]) -> str | None:
    known = sorted({source.cells for source in counts if source.cells is not None})
    if len(known) > 1:
        raise ValueError(
            "curves can only be merged if their scores were rounded alike, got "
            + " and ".join(known)
        )
    return known[0] if known else None


def _first_of_ties(ascending: FloatArray) -> NDArray[np.intp] | None:
    """Index of the first of each run of equal scores, None when no two are equal."""
    new = ascending[1:] != ascending[:-1]
    if new.all():
        return None
    return np.concatenate([[0], np.flatnonzero(new) + 1])


def _merged(parts: Sequence[tuple[SortedScores, float]]) -> SortedScores:
    scores = np.concatenate([part.scores for part, _ in parts])
    if all(part.weight is None and factor == 1.0 for part, factor in parts):
        return SortedScores.of(scores)
    weights = [
        np.full(len(part.scores), factor) if part.weight is None else part.weight * factor
        for part, factor in parts
    ]
    return SortedScores.of(scores, np.concatenate(weights))


class Binormal:
    """The likelihood ratio of N(mu1, 1) against N(mu0, 1); its log is Gaussian in both classes."""

    # At larger distances of the means, likelihood ratios overflow float64.
    MAX_DISTANCE = 25.0
    _TAIL = 9.0  # standard deviations; the mass of the tail beyond is 1e-19

    def __init__(self, distance: float, prior: float):
        self.distance, self.prior = distance, prior

    def counts_at(self, thresholds: FloatArray) -> Counts2:
        if self.distance == 0:  # every likelihood ratio is 1
            counted = (thresholds <= 1).astype(np.float64)
            return self.prior * counted, (1.0 - self.prior) * counted
        with np.errstate(divide="ignore"):
            return self._counts_at_log(np.log(np.maximum(thresholds, 0.0)))

    def vertices(self, n_thresholds: int) -> Vertices3:
        """Vertices equally spaced in the log-likelihood ratio."""
        if self.distance == 0:
            return (
                np.array([np.inf, 1.0]),
                np.array([0.0, self.prior]),
                np.array([0.0, 1.0 - self.prior]),
            )
        reach = self.distance * (self.distance / 2 + self._TAIL)
        log_ratio = np.linspace(reach, -reach, n_thresholds)
        thresholds = np.exp(log_ratio)
        tp, fp = self._counts_at_log(log_ratio)
        thresholds[0], tp[0], fp[0] = np.inf, 0.0, 0.0
        tp[-1], fp[-1] = self.prior, 1.0 - self.prior
        # With nearly equal means some ratios round to the same float: keep the last of them.
        keep = np.append(thresholds[:-1] > thresholds[1:], True)
        return thresholds[keep], tp[keep], fp[keep]

    def _counts_at_log(self, log_ratio: FloatArray) -> Counts2:
        from scipy.special import ndtr  # SciPy is slow to import, and most uses do not need it

        half, below = self.distance / 2, -log_ratio / self.distance
        return self.prior * ndtr(half + below), (1.0 - self.prior) * ndtr(below - half)


class ScoreDistribution:
    """Calibrated probabilities X with a known distribution: TP = ∫ x dF, FP = ∫ (1 - x) dF."""

    def __init__(self, dist: Any):
        from scipy.stats import rv_continuous  # slow to import

        if not all(hasattr(dist, name) for name in ("pdf", "sf", "support")) or isinstance(
            dist, rv_continuous
        ):
            raise TypeError(
                f"dist must be a frozen continuous scipy.stats distribution, got {dist!r}"
            )
        low, high = dist.support()
        if not (0 <= low < high <= 1):
            raise ValueError(f"dist must have its support within [0, 1], got [{low}, {high}]")
        self._dist, self._low, self._high = dist, low, high
        # Quantiles split long intervals in which the survival function falls steeply.
        quantiles = dist.ppf([0.001, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999])
        self._breaks = np.concatenate([[low, high], quantiles])

    def counts_at(self, thresholds: FloatArray) -> Counts2:
        inside, place = np.unique(-np.clip(thresholds, 0.0, 1.0), return_inverse=True)
        _, tp, fp = self._counts_at(np.concatenate([[1.0], -inside]))
        # At or below the support the counts are the totals; sums over another grid may round.
        everything = thresholds <= self._low
        return (
            np.where(everything, np.inf, tp[place + 1]),
            np.where(everything, np.inf, fp[place + 1]),
        )

    def vertices(self, n_thresholds: int) -> Vertices3:
        thresholds, tp, fp = self._counts_at(np.linspace(1.0, 0.0, n_thresholds))
        thresholds[0] = np.inf
        return thresholds, tp, fp

    def _counts_at(self, descending: FloatArray) -> Vertices3:
        """Counts at descending thresholds that start at 1.

        Integration by parts gives ∫_a^b x dF = a S(a) - b S(b) + ∫_a^b S. The survival function S
        is bounded even where the density is not. It has kinks at the ends of the support, so
        intervals end there.
        """
        inside = np.clip(descending, self._low, self._high)
        grid = np.unique(np.concatenate([inside, self._breaks]))[::-1]
        upper, lower = grid[:-1], grid[1:]
        survival = self._dist.sf(grid)
        d_tp = lower * survival[1:] - upper * survival[:-1] + self._integrals(lower, upper)
        d_fp = np.diff(survival) - d_tp
        wanted = np.searchsorted(-grid, -inside)
        tp, fp = (
            np.concatenate([[0.0], np.cumsum(np.maximum(steps, 0.0))])[wanted]
            for steps in (d_tp, d_fp)
        )
        return descending, tp, fp

    def _integrals(self, lower: FloatArray, upper: FloatArray) -> FloatArray:
        """∫ S over each interval."""
        from scipy.integrate import quad, tanhsinh

        # S falls by at most 1, so on tiny intervals the trapezoidal rule is exact up to rounding.
        areas: FloatArray = (upper - lower) * (self._dist.sf(lower) + self._dist.sf(upper)) / 2
        wide = upper - lower > 1e-12
        integral = tanhsinh(self._dist.sf, lower[wide], upper[wide], atol=1e-16, rtol=1e-12)
        areas[wide] = integral.integral
        for index in np.flatnonzero(wide)[~integral.success]:  # kinks: bisect adaptively
            areas[index], error = quad(
                self._dist.sf, lower[index], upper[index], epsabs=1e-13, epsrel=1e-12, limit=1000
            )
            if error > 1e-11:
                raise ValueError(
                    f"dist could not be integrated between {lower[index]} and {upper[index]}: "
                    f"its survival function is too irregular (error {error:.1g})"
                )
        return areas
