"""Exact scores of a ranking, slowly and straight from the definitions.

Everything is a `fractions.Fraction`; only the logarithms of the interpolated area are `Decimal`
numbers of 80 digits. Sources: Siblini et al. (2020) for the calibrated metrics, Davis & Goadrich
(2006) for interpolation and the achievable curve, Flach & Kull (2015) for the gains.

Calibration is done in two ways, which must agree to the last digit:

- `Ranking.by_formula`: the counts stay, precision is TP / (TP + r FP) and the prior is pi0, with
  r = pi (1 - pi0) / (pi0 (1 - pi));
- `Ranking.by_reweighting`: the samples are taken again, negatives weighing r times as much, and
  everything else is ordinary.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from typing import NamedTuple

DIGITS = 80


@dataclass(frozen=True)
class Ranking:
    """Confusion matrices ``(TP, FP)`` from (0, 0) to (all positives, all negatives).

    A false positive counts `ratio`-fold in precision; `prior` stands for pi in both gains.
    """

    points: tuple[tuple[Fraction, Fraction], ...]
    ratio: Fraction = Fraction(1)
    prior_override: Fraction | None = None
    samples: tuple[tuple[bool, Fraction, Fraction], ...] = ()

    @classmethod
    def of_samples(cls, positive, scores, weights=None) -> Ranking:
        weights = [1] * len(scores) if weights is None else weights
        samples = tuple(
            (bool(label), Fraction(score), Fraction(weight))
            for label, score, weight in zip(positive, scores, weights, strict=True)
            if weight != 0
        )
        return cls._of(samples)

    @classmethod
    def _of(cls, samples) -> Ranking:
        points = [(Fraction(0), Fraction(0))]
        by_score = sorted(samples, key=lambda sample: -sample[1])
        for _, tied in itertools.groupby(by_score, key=lambda sample: sample[1]):
            tp, fp = points[-1]
            for label, _, weight in tied:
                tp, fp = (tp + weight, fp) if label else (tp, fp + weight)
            points.append((tp, fp))
        return cls(tuple(points), samples=samples)

    @classmethod
    def of_counts(cls, thresholds, pos, neg) -> Ranking:
        """The ranking of the weight of each class at each score."""
        labels = [True] * len(pos) + [False] * len(neg)
        return cls.of_samples(labels, [*thresholds, *thresholds], [*pos, *neg])

    @classmethod
    def of_points(cls, points) -> Ranking:
        return cls(tuple((Fraction(tp), Fraction(fp)) for tp, fp in points))

    @property
    def n_pos(self) -> Fraction:
        return self.points[-1][0]

    @property
    def n_neg(self) -> Fraction:
        return self.points[-1][1]

    @property
    def prior(self) -> Fraction:
        if self.prior_override is not None:
            return self.prior_override
        return self.n_pos / (self.n_pos + self.n_neg)

    def ratio_at(self, pi0) -> Fraction:
        pi, pi0 = self.prior, Fraction(pi0)
        return pi * (1 - pi0) / (pi0 * (1 - pi))

    def by_formula(self, pi0) -> Ranking:
        if pi0 is None:
            return self
        return Ranking(self.points, self.ratio_at(pi0), Fraction(pi0), self.samples)

    def by_reweighting(self, pi0) -> Ranking:
        if pi0 is None:
            return self
        ratio = self.ratio_at(pi0)
        if not self.samples:
            return Ranking(tuple((tp, fp * ratio) for tp, fp in self.points))
        return self._of(
            tuple(
                (label, score, weight if label else weight * ratio)
                for label, score, weight in self.samples
            )
        )

    # ------------------------------------------------------------------ rates of one matrix

    def recall_of(self, tp) -> Fraction:
        return tp / self.n_pos

    def precision_of(self, tp, fp) -> Fraction:
        return tp / (tp + self.ratio * fp)

    def fbeta_of(self, tp, fp, beta) -> Fraction:
        if tp == 0:
            return Fraction(0)
        beta2 = Fraction(beta) ** 2
        precision, recall = self.precision_of(tp, fp), self.recall_of(tp)
        return (1 + beta2) * precision * recall / (beta2 * precision + recall)

    def gains_of(self, tp, fp) -> tuple[Fraction, Fraction]:
        """Return (recall gain, precision gain)."""
        return self.gain(self.recall_of(tp)), self.gain(self.precision_of(tp, fp))

    def gain(self, rate) -> Fraction:
        return (rate - self.prior) / ((1 - self.prior) * rate)

    def segments(self):
        return itertools.pairwise(self.points)

    def matrix_at(self, threshold) -> Matrix:
        """The confusion matrix of the decision ``score >= threshold``."""
        counted = [sample for sample in self.samples if sample[1] >= threshold]
        tp = sum((weight for label, _, weight in counted if label), Fraction(0))
        fp = sum((weight for label, _, weight in counted if not label), Fraction(0))
        return Matrix(tp, self.ratio * fp, self.n_pos - tp, self.ratio * (self.n_neg - fp))


class Matrix(NamedTuple):
    """Weights of the four outcomes of a decision."""

    tp: Fraction
    fp: Fraction
    fn: Fraction
    tn: Fraction

    @classmethod
    def of(cls, *outcomes) -> Matrix:
        return cls(*map(Fraction, outcomes))

    @property
    def prior(self) -> Fraction:
        return (self.tp + self.fn) / sum(self)

    def at_prior(self, pi0) -> Matrix:
        """The matrix whose negatives weigh r times as much, r = pi (1 - pi0) / (pi0 (1 - pi))."""
        odds, target = self.prior / (1 - self.prior), Fraction(pi0) / (1 - Fraction(pi0))
        ratio = odds / target
        return Matrix(self.tp, ratio * self.fp, self.fn, ratio * self.tn)


# ------------------------------------------------------------------------------------- scores


def average_precision(ranking: Ranking) -> Fraction:
    area = Fraction(0)
    for (tp_before, _), (tp, fp) in ranking.segments():
        gained = ranking.recall_of(tp) - ranking.recall_of(tp_before)
        if gained:
            area += gained * ranking.precision_of(tp, fp)
    return area


def pr_auc(ranking: Ranking) -> Decimal:
    areas = [_segment_area(ranking, a, b) for a, b in ranking.segments()]
    with localcontext(Context(prec=DIGITS)):
        return sum(areas, Decimal(0)) / to_decimal(ranking.n_pos)


def _segment_area(ranking: Ranking, start, end) -> Decimal:
    """∫ t / (t + r FP(t)) dt with FP linear in t, from one TP to the next.

    The denominator is c t + e, so the integral is (b - a)/c - e/c² ln((c b + e)/(c a + e)).
    """
    (a, fp_start), (b, fp_end) = start, end
    if a == b:
        return Decimal(0)
    per_tp = ranking.ratio * (fp_end - fp_start) / (b - a)
    c, e = 1 + per_tp, ranking.ratio * fp_start - per_tp * a
    # At most so many digits are common to the two terms.
    cancelled = len(str(int(c + (a + abs(e)) / (b - a))))
    with localcontext(Context(prec=DIGITS + 2 * cancelled)):
        if e == 0:
            return to_decimal((b - a) / c)
        log = to_decimal((c * b + e) / (c * a + e)).ln()
        return to_decimal((b - a) / c) - to_decimal(e / c**2) * log


def hull(ranking: Ranking) -> Ranking:
    """Upper convex hull of the ROC points: points on or below a chord are dropped."""
    kept = []
    for tp, fp in ranking.points:
        while len(kept) >= 2 and _turn(kept[-2], kept[-1], (tp, fp)) <= 0:
            kept.pop()
        kept.append((tp, fp))
    return Ranking(tuple(kept), ranking.ratio, ranking.prior_override)


def _turn(a, b, c) -> Fraction:
    """Positive where the ROC slope falls from a-b to b-c."""
    return (b[0] - a[0]) * (c[1] - b[1]) - (c[0] - b[0]) * (b[1] - a[1])


def achievable_pr_auc(ranking: Ranking) -> Decimal:
    return pr_auc(hull(ranking))


def prg_points(ranking: Ranking) -> list[tuple[Fraction, Fraction]]:
    """(recall gain, precision gain) from recall gain 0 on.

    Recall is the prior where recall gain is 0; FP is linear in TP up to there.
    """
    tp_zero = ranking.prior * ranking.n_pos
    points = []
    for (tp_start, fp_start), (tp, fp) in ranking.segments():
        if tp_start <= tp_zero < tp:
            share = (tp_zero - tp_start) / (tp - tp_start)
            points.append(ranking.gains_of(tp_zero, fp_start + share * (fp - fp_start)))
        if tp > tp_zero:
            points.append(ranking.gains_of(tp, fp))
    assert points[0][0] == 0
    assert points[-1][0] == 1
    return points


def prg_auc(ranking: Ranking) -> Fraction:
    return sum(
        (
            (x1 - x0) * (y0 + y1) / 2
            for (x0, y0), (x1, y1) in itertools.pairwise(prg_points(ranking))
        ),
        Fraction(0),
    )


def roc_auc(ranking: Ranking) -> Fraction:
    area = sum(
        (
            (fp - fp_start) * (tp + tp_start) / 2
            for (tp_start, fp_start), (tp, fp) in ranking.segments()
        ),
        Fraction(0),
    )
    return area / (ranking.n_pos * ranking.n_neg)


def mann_whitney(ranking: Ranking) -> Fraction:
    """Chance that a positive outscores a negative, ties half: another way to the ROC area."""
    wins = Fraction(0)
    for label, score, weight in ranking.samples:
        for other_label, other_score, other_weight in ranking.samples:
            if label and not other_label and score >= other_score:
                wins += weight * other_weight / (2 if score == other_score else 1)
    return wins / (ranking.n_pos * ranking.n_neg)


def best_fbeta(ranking: Ranking, beta=1) -> Fraction:
    return max(ranking.fbeta_of(tp, fp, beta) for tp, fp in ranking.points)


def partial_average_precision(ranking: Ranking, min_recall=0, max_recall=1) -> Fraction:
    low, high = Fraction(min_recall), Fraction(max_recall)
    area = Fraction(0)
    for (tp_before, _), (tp, fp) in ranking.segments():
        start, end = (min(max(ranking.recall_of(t), low), high) for t in (tp_before, tp))
        if end > start:
            area += (end - start) * ranking.precision_of(tp, fp)
    return area / (high - low)


def partial_roc_auc(ranking: Ranking, max_fpr) -> Fraction:
    most = Fraction(max_fpr)
    points = [(fp / ranking.n_neg, tp / ranking.n_pos) for tp, fp in ranking.points]
    area, chance = _area_up_to(points, most), most**2 / 2
    return (1 + (area - chance) / (most - chance)) / 2


def recall_at_top(ranking: Ranking, alert_rate) -> Fraction:
    return _height_at(_gains(ranking), Fraction(alert_rate))


def precision_at_top(ranking: Ranking, alert_rate) -> Fraction:
    """True positives per alert: recall times the prior is their share of all cases."""
    return recall_at_top(ranking, alert_rate) * ranking.prior / Fraction(alert_rate)


def _gains(ranking: Ranking) -> list[tuple[Fraction, Fraction]]:
    """(alert rate, recall) at each point."""
    rates = [(tp / ranking.n_pos, fp / ranking.n_neg) for tp, fp in ranking.points]
    pi = ranking.prior
    return [(pi * tpr + (1 - pi) * fpr, tpr) for tpr, fpr in rates]


def _area_up_to(points, end) -> Fraction:
    """Area under straight lines between points, up to an abscissa."""
    area = Fraction(0)
    for (x0, y0), (x1, y1) in itertools.pairwise(points):
        if x0 < end and x1 > x0:
            x = min(x1, end)
            y = y0 + (x - x0) / (x1 - x0) * (y1 - y0)
            area += (x - x0) * (y0 + y) / 2
    return area


def _height_at(points, x) -> Fraction:
    for (x0, y0), (x1, y1) in itertools.pairwise(points):
        if x0 <= x <= x1 and x1 > x0:
            return y0 + (x - x0) / (x1 - x0) * (y1 - y0)
    raise ValueError(f"{x} is not between {points[0][0]} and {points[-1][0]}")


SLACK = 1 - Fraction(1e-12)  # a recall or a precision that differs by a rounding error is reached


def precision_at_recall(ranking: Ranking, recall) -> Fraction:
    least = Fraction(recall) * SLACK
    return max(
        ranking.precision_of(tp, fp) for tp, fp in ranking.points if ranking.recall_of(tp) >= least
    )


def recall_at_precision(ranking: Ranking, precision) -> Fraction:
    least = Fraction(precision) * SLACK
    return max(
        (
            ranking.recall_of(tp)
            for tp, fp in ranking.points
            if tp > 0 and ranking.precision_of(tp, fp) >= least
        ),
        default=Fraction(0),
    )


def recall_at_specificity(ranking: Ranking, specificity) -> Fraction:
    least, (_, n_neg) = Fraction(specificity) * SLACK, ranking.points[-1]
    return max(ranking.recall_of(tp) for tp, fp in ranking.points if 1 - fp / n_neg >= least)


def precision_at_specificity(ranking: Ranking, specificity) -> Fraction:
    fpr = 1 - Fraction(specificity)
    points = [(fp / ranking.n_neg, tp / ranking.n_pos) for tp, fp in ranking.points]
    recall = _height_at(points, min(1, fpr * (2 - SLACK)))
    tp, fp = ranking.prior * recall, (1 - ranking.prior) * fpr
    return tp / (tp + fp)


def specificity_at_recall(ranking: Ranking, recall) -> Fraction:
    least, (_, n_neg) = Fraction(recall) * SLACK, ranking.points[-1]
    return max(1 - fp / n_neg for tp, fp in ranking.points if ranking.recall_of(tp) >= least)


def matthews_corrcoef(tp, fp, fn, tn) -> Fraction | None:
    """To 80 digits; None where it is 0/0."""
    square = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    if square == 0:
        return None
    determinant = tp * tn - fp * fn
    with localcontext(Context(prec=DIGITS)):
        size = to_decimal(determinant**2 / square).sqrt()
    return Fraction(size) if determinant > 0 else -Fraction(size)


def cohen_kappa(tp, fp, fn, tn) -> Fraction | None:
    """Agreement beyond that of independent labels and predictions; None where it is 0/0."""
    total = tp + fp + fn + tn
    agreement = (tp + tn) / total
    chance = ((tp + fp) * (tp + fn) + (tn + fp) * (tn + fn)) / total**2
    return None if chance == 1 else (agreement - chance) / (1 - chance)


# ----------------------------------------------------------------------------- undersampling


def expected_average_precision(positive, scores, n_kept: int) -> Fraction:
    """Mean of average precision over every set of `n_kept` negatives."""
    positives = [(True, score) for label, score in zip(positive, scores, strict=True) if label]
    negatives = [(False, score) for label, score in zip(positive, scores, strict=True) if not label]
    total = Fraction(0)
    for kept in itertools.combinations(negatives, n_kept):
        labels, values = zip(*positives, *kept, strict=True)
        total += average_precision(Ranking.of_samples(labels, values))
    return total / math.comb(len(negatives), n_kept)


def expected_precision(tp: int, fp: int, n_neg: int, n_kept: int) -> Fraction:
    """Mean of TP / (TP + X), X being how many of `n_kept` out of `n_neg` are among the `fp`."""
    ways = 0
    total = Fraction(0)
    for count in range(max(0, n_kept - (n_neg - fp)), min(fp, n_kept) + 1):
        n_sets = math.comb(fp, count) * math.comb(n_neg - fp, n_kept - count)
        ways += n_sets
        total += Fraction(n_sets * tp, tp + count)
    assert ways == math.comb(n_neg, n_kept)
    return total / ways


# -------------------------------------------------------------------------------- comparison


def to_decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


def error(value: float, exact) -> float:
    """Absolute error where the exact value is at most 1 in size, relative error above."""
    if value == exact:  # also if both are infinite
        return 0.0
    if not math.isfinite(value):
        return math.inf
    exact = Fraction(exact)
    return float(abs(Fraction(value) - exact) / max(1, abs(exact)))


def relative_error(value: float, exact) -> float:
    if not math.isfinite(value):
        return math.inf
    exact = Fraction(exact)
    return float(abs(Fraction(value) - exact) / abs(exact))
