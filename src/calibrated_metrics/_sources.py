"""What a curve is built from: labelled scores, a score distribution, two Gaussians.

A source gives the curve's vertices once, and the exact counts above any threshold later.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from calibrated_metrics import _checks

_Vertices = tuple[np.ndarray, np.ndarray, np.ndarray]  # thresholds, tp, fp


class SortedScores(NamedTuple):
    """Ascending finite scores of one class; `weight_from[i]` is the weight of scores[i:]."""

    scores: np.ndarray
    weight: np.ndarray | None  # None: unit weights
    weight_from: np.ndarray | None

    @classmethod
    def of(cls, scores: np.ndarray, weight: np.ndarray | None = None) -> SortedScores:
        if weight is None:
            return cls(np.sort(scores), None, None)
        order = np.argsort(scores)
        weight = weight[order]
        return cls(scores[order], weight, np.append(np.cumsum(weight[::-1])[::-1], 0.0))

    def weight_of_all_from(self, index):
        """Weight of the scores at `index` and after it."""
        if self.weight_from is None:
            return len(self.scores) - index
        return self.weight_from[index]

    def weight_above(self, threshold: float) -> float:
        return float(self.weight_of_all_from(self.scores.searchsorted(threshold, side="right")))


class Sample:
    """Scores of the positives and of the negatives, sorted apart."""

    def __init__(self, positives: SortedScores, negatives: SortedScores):
        for scores in (positives.scores, negatives.scores):
            # NaN sorts last, so the two ends tell whether all are finite.
            for end in (scores[0], scores[-1]):
                if not np.isfinite(end):
                    raise ValueError(f"y_score must be finite, got {end}")
        self.positives, self.negatives = positives, negatives

    @classmethod
    def of_predictions(cls, y_true, y_score, pos_label, sample_weight) -> Sample:
        y_score = _checks.real_vector("y_score", y_score)
        y_true = _checks.vector("y_true", y_true)
        if sample_weight is not None:
            sample_weight = _checks.weights(sample_weight)
        _checks.same_length(y_true=y_true, y_score=y_score, sample_weight=sample_weight)
        if sample_weight is None:
            positive = _checks.is_positive(y_true, pos_label)
            return cls(
                SortedScores.of(np.compress(positive, y_score)),
                SortedScores.of(np.compress(~positive, y_score)),
            )
        weighty = sample_weight > 0
        y_score, sample_weight = y_score[weighty], sample_weight[weighty]
        positive = _checks.is_positive(y_true[weighty], pos_label)
        return cls(
            SortedScores.of(y_score[positive], sample_weight[positive]),
            SortedScores.of(y_score[~positive], sample_weight[~positive]),
        )

    @classmethod
    def merged(cls, parts: list[tuple[Sample, float]]) -> Sample:
        """Take disjoint samples together; each brings a factor on its negatives' weights."""
        return cls(
            _merged([(sample.positives, 1.0) for sample, _ in parts]),
            _merged([(sample.negatives, factor) for sample, factor in parts]),
        )

    def counts_above(self, threshold: float) -> tuple[float, float]:
        return self.positives.weight_above(threshold), self.negatives.weight_above(threshold)

    def vertices(self) -> _Vertices:
        """One vertex before and one at each distinct positive score, and both ends."""
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
        before, at = slice(2 * m - 1, None, -2), slice(2 * m, 0, -2)  # cuts ascend, vertices not
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


def _first_of_ties(ascending: np.ndarray) -> np.ndarray | None:
    """Index of the first of each run of equal scores, None when no two are equal."""
    new = ascending[1:] != ascending[:-1]
    if new.all():
        return None
    return np.concatenate([[0], np.flatnonzero(new) + 1])


def _merged(parts: list[tuple[SortedScores, float]]) -> SortedScores:
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

    # Beyond this distance of the means a likelihood ratio overflows a float64.
    MAX_DISTANCE = 25.0
    _TAIL = 9.0  # standard deviations; the mass beyond is 1e-19

    def __init__(self, distance: float, prior: float):
        self.distance, self.prior = distance, prior

    def counts_above(self, threshold: float) -> tuple[float, float]:
        if threshold <= 0:
            return self.prior, 1.0 - self.prior
        if self.distance == 0:  # every likelihood ratio is 1
            return (self.prior, 1.0 - self.prior) if threshold < 1 else (0.0, 0.0)
        tp, fp = self._counts_above_log(np.log(threshold))
        return float(tp), float(fp)

    def vertices(self, n_thresholds: int) -> _Vertices:
        """Equally spaced in the log-likelihood ratio."""
        if self.distance == 0:
            return (
                np.array([np.inf, 1.0]),
                np.array([0.0, self.prior]),
                np.array([0.0, 1.0 - self.prior]),
            )
        reach = self.distance * (self.distance / 2 + self._TAIL)
        log_ratio = np.linspace(reach, -reach, n_thresholds)
        thresholds = np.exp(log_ratio)
        tp, fp = self._counts_above_log(log_ratio)
        thresholds[0], tp[0], fp[0] = np.inf, 0.0, 0.0
        tp[-1], fp[-1] = self.prior, 1.0 - self.prior
        # Means nearly equal: ratios that round to the same float are one vertex, the last of them.
        keep = np.append(thresholds[:-1] > thresholds[1:], True)
        return thresholds[keep], tp[keep], fp[keep]

    def _counts_above_log(self, log_ratio):
        half, below = self.distance / 2, -log_ratio / self.distance
        return self.prior * ndtr(half + below), (1.0 - self.prior) * ndtr(below - half)


class ScoreDistribution:
    """Calibrated probabilities X with a known distribution: TP = ∫ x dF, FP = ∫ (1 - x) dF."""

    def __init__(self, dist):
        from scipy.stats import rv_continuous  # takes longer to load than all the rest

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
        # Where the mass is: a long interval with a steep descent in it is integrated in parts.
        quantiles = dist.ppf([0.001, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999])
        self._breaks = np.concatenate([[low, high], quantiles])

    def counts_above(self, threshold: float) -> tuple[float, float]:
        _, tp, fp = self._counts_at(np.array([1.0, np.clip(threshold, 0.0, 1.0)]))
        return float(tp[-1]), float(fp[-1])

    def vertices(self, n_thresholds: int) -> _Vertices:
        thresholds, tp, fp = self._counts_at(np.linspace(1.0, 0.0, n_thresholds))
        thresholds[0] = np.inf
        return thresholds, tp, fp

    def _counts_at(self, descending: np.ndarray) -> _Vertices:
        """Counts at descending thresholds that start at 1.

        By parts, ∫_a^b x dF = a S(a) - b S(b) + ∫_a^b S, whose integrand is bounded even where
        the density is not. S has kinks at the ends of the support, so intervals stop there.
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

    def _integrals(self, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
        """∫ S over each interval."""
        from scipy.integrate import quad, tanhsinh

        # S descends by at most 1, so the trapezoid of a tiny interval is exact to rounding.
        areas = (upper - lower) * (self._dist.sf(lower) + self._dist.sf(upper)) / 2
        wide = upper - lower > 1e-12
        integral = tanhsinh(self._dist.sf, lower[wide], upper[wide], atol=1e-16, rtol=1e-12)
        areas[wide] = integral.integral
        for index in np.flatnonzero(wide)[~integral.success]:  # kinks: halve until none matters
            areas[index], error = quad(
                self._dist.sf, lower[index], upper[index], epsabs=1e-13, epsrel=1e-12, limit=1000
            )
            if error > 1e-11:
                raise ValueError(
                    f"dist could not be integrated between {lower[index]} and {upper[index]}: "
                    f"its survival function is too irregular (error {error:.1g})"
                )
        return areas
