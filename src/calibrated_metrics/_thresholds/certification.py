"""Statistical procedures that certify thresholds on the sample on which they are chosen.

Every procedure takes the counts of the decisions ``score >= threshold``. `share` is the share of
true alerts in the sample at which the precision at the reference prior is exactly the required one.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from calibrated_metrics import _checks
from calibrated_metrics._checks import FloatArray
from calibrated_metrics.confusion import ConfusionCurve

Ints = NDArray[np.int64]

_N_SEQUENCE_RANKS = 150  # of a fixed sequence, over all ranks of a sample
_N_BOUNDARY_RANKS = 100  # of a boundary
_TENFOLD_ODDS, _POWER = 10.0, 0.9
_NODES, _NODE_WEIGHTS = np.polynomial.legendre.leggauss(64)


_WEIGHTED = (
    "curve must count independent rows for a guarantee, but its weights differ within a class; "
    "weights that are equal within each class are a change of the prior and are allowed"
)


class Ranking(NamedTuple):
    """Counts of the decisions ``score >= threshold``, one per distinct score, descending."""

    thresholds: FloatArray
    tp: FloatArray
    fp: FloatArray

    @classmethod
    def of(cls, curve: ConfusionCurve) -> Ranking:
        """Read the counts of the rows of a curve.

        Raises
        ------
        ValueError
            If the curve does not hold independent rows.
        """
        sample = curve.sample
        if sample is None:
            raise ValueError(
                "curve must hold the labelled rows: build it with from_predictions or from_counts; "
                "a curve of vertices, a hull, a random draw or a distribution has no rows to test"
            )
        if sample.without_errors is not None:
            raise ValueError(f"curve must count rows, but {sample.without_errors}")
        if sample.weight is not None:
            raise ValueError(_WEIGHTED)
        distinct = np.unique(sample.score)[::-1]
        ranking = cls(distinct, *map(np.rint, sample.counts_at(distinct)))
        for of, counts in (("positives", ranking.tp), ("negatives", ranking.fp)):
            if counts[-1] > _checks.LARGEST_COUNT:
                raise ValueError(
                    f"curve must count at most {_checks.LARGEST_COUNT} rows of a class, but has "
                    f"{counts[-1]:g} {of}"
                )
        return ranking

    @property
    def n_pos(self) -> int:
        return int(self.tp[-1])

    @property
    def n_neg(self) -> int:
        return int(self.fp[-1])

    @property
    def alerts(self) -> FloatArray:
        return self.tp + self.fp

    @property
    def rise_ends(self) -> NDArray[np.intp]:
        """Indices of the thresholds that count more positives than the stricter one.

        They are better than all others: between two of them only false alerts are added.
        """
        return np.flatnonzero(np.diff(self.tp, prepend=0.0) > 0)


# --------------------------------------------------------------------------- binomial limits


def upper_tail(least: Any, trials: Any, share: float) -> FloatArray:
    """P(Bin(trials, share) >= least), for arrays."""
    least, trials = np.broadcast_arrays(np.asarray(least, float), np.asarray(trials, float))
    possible = np.clip(least, 1, np.maximum(trials, 1))
    tail = special.betainc(possible, trials - possible + 1, share)
    return np.where(least <= 0, 1.0, np.where(least > trials, 0.0, tail))


def least_significant(trials: Any, share: float, alpha: float) -> Any:
    """Least number of successes with `upper_tail` at most `alpha`; trials + 1 if there is none."""
    trials = np.asarray(trials, dtype=np.float64)
    low, high = np.zeros(trials.shape), trials + 1  # insignificant, significant
    while (high - low > 1).any():
        middle = np.floor((low + high) / 2)
        significant = upper_tail(middle, trials, share) <= alpha
        low, high = np.where(significant, low, middle), np.where(significant, middle, high)
    return high.astype(np.int64)  # an array, or a number


def lower_limit(successes: int, trials: int, alpha: float) -> float:
    """One-sided lower Clopper-Pearson limit of a binomial share."""
    if successes == 0:
        return 0.0
    return float(special.betaincinv(successes, trials - successes + 1, alpha))


def upper_limit(successes: int, trials: int, alpha: float) -> float:
    """One-sided upper Clopper-Pearson limit of a binomial share."""
    if successes == trials:
        return 1.0
    return float(special.betaincinv(successes + 1, trials - successes, 1 - alpha))


def fewest_faultless(false_to_true: float, alpha: float) -> int:
    """Fewest alerts that certify if all are true, for a required ratio of false to true alerts."""
    return max(1, math.ceil(-math.log(alpha) / math.log1p(false_to_true) - 1e-9))


# ------------------------------------------------------------------------------ the two tests


class Outcome(NamedTuple):
    """What a procedure certifies.

    Attributes
    ----------
    loosest : int or None
        Index of the loosest certified threshold.
    alerts, true_alerts, needed : int
        If nothing is certified: a threshold that was tested, and the true alerts it needed.
    """

    loosest: int | None
    alerts: int = 0
    true_alerts: int = 0
    needed: int = 0


def fixed_sequence(ranking: Ranking, odds: float, alpha: float) -> Outcome:
    """Binomial tests at geometrically spaced ranks, each at the full level, until the first fails.

    The first rank is the least at which the test has power 0.9 if the odds of a true alert are ten
    times those required. The ranks are fixed by the numbers of rows.
    """
    share = _share(ranking.n_pos, ranking.n_neg, odds)
    ranks = _sequence_ranks(ranking.n_pos, ranking.n_neg, share, alpha)
    alerts = ranking.alerts
    candidates = np.unique(alerts.searchsorted(ranks, side="right") - 1)
    candidates = candidates[(candidates >= 0) & (alerts[candidates] >= ranks[0])]
    passed = upper_tail(ranking.tp[candidates], alerts[candidates], share) <= alpha
    n_passed = len(passed) if passed.all() else int(np.argmin(passed))
    if n_passed:
        return Outcome(int(candidates[n_passed - 1]))
    first = candidates[0]
    needed = least_significant(alerts[first], share, alpha)
    return Outcome(None, int(alerts[first]), int(ranking.tp[first]), int(needed))


def simultaneous(ranking: Ranking, odds: float, alpha: float) -> Outcome:
    """All thresholds against the boundary; one between two of its ranks at the greater rank."""
    ranks, needed = _boundary(ranking.n_pos, ranking.n_neg, odds, alpha)
    alerts = ranking.alerts
    place = ranks.searchsorted(alerts)
    at_rank = np.append(needed, ranking.n_pos + 1)[place]  # beyond the last rank: untested
    passed = np.flatnonzero(ranking.tp >= at_rank)
    if passed.size:
        return Outcome(int(passed[-1]))
    nearest = np.argmax(ranking.tp / at_rank)
    return Outcome(None, *(int(each[nearest]) for each in (alerts, ranking.tp, at_rank)))


@lru_cache(maxsize=64)
def _sequence_ranks(n_pos: int, n_neg: int, share: float, alpha: float) -> Ints:
    total = n_pos + n_neg
    first = min(_first_rank(n_pos, total, share, alpha), total)
    ranks = np.geomspace(1, total, _N_SEQUENCE_RANKS).round().astype(np.int64)
    return np.union1d(ranks[ranks > first], [first])


class Boundary(NamedTuple):
    """Ranks, ascending, and the fewest true alerts among the top-ranked rows that certify there."""

    ranks: Ints
    needed: Ints


@lru_cache(maxsize=64)
def _boundary(n_pos: int, n_neg: int, odds: float, alpha: float) -> Boundary:
    """Boundary that a ranking whose every precision is the required one crosses with P <= alpha.

    `alpha` is spent rank by rank (Lan & DeMets, 1983). Let F be the share of the negatives that a
    threshold counts. In the least favourable ranking it counts the share ``min(1, odds F)`` of the
    positives. The number of true alerts among the top-ranked rows is then a random walk.
    """
    share = _share(n_pos, n_neg, odds)
    reserve = alpha / 100  # for counting all positives before the last rank
    last = n_pos + n_neg
    if odds > 1:
        last = n_pos + _quantile(reserve, n_neg, 1 / odds)
    first = min(_first_rank(n_pos, last, share, alpha), last)
    ranks = np.unique(np.geomspace(first, last, _N_BOUNDARY_RANKS).round().astype(np.int64))
    allowed = (alpha - reserve) * np.sqrt(np.arange(1, len(ranks) + 1) / len(ranks))
    fixed_counts = _FixedCounts(n_pos, n_neg, odds)
    needed = ranks + 1
    walk, previous, spent = _Walk(0, np.ones(1)), 0, 0.0
    for place, rank in enumerate(ranks):
        walk = walk.after(int(rank) - previous, share)
        previous = int(rank)
        weight = walk.weight_of(fixed_counts, previous, allowed[place] - spent)
        beyond = np.append(np.cumsum(weight[::-1])[::-1], 0.0)  # P(at least this many true alerts)
        crossing = int(np.argmax(beyond <= allowed[place] - spent))
        needed[place] = walk.least + crossing
        spent += beyond[crossing]
        walk = _Walk(walk.least, walk.chance[:crossing])
    return Boundary(ranks, needed)


class _Walk(NamedTuple):
    """Chances of numbers of true alerts, from `least` on, without having crossed the boundary."""

    least: int
    chance: FloatArray

    def after(self, steps: int, share: float) -> _Walk:
        spread = 10 * math.sqrt(steps * share * (1 - share)) + 30
        fewest = max(0, math.floor(steps * share - spread))
        most = min(steps, math.ceil(steps * share + spread))
        number = np.arange(fewest, most + 1)
        log_chance = (
            special.gammaln(steps + 1)
            - special.gammaln(number + 1)
            - special.gammaln(steps - number + 1)
            + number * math.log(share)
            + (steps - number) * math.log1p(-share)
        )
        chance = np.convolve(self.chance, np.exp(log_chance))
        kept = np.flatnonzero(chance > 1e-17)
        return _Walk(self.least + fewest + int(kept[0]), chance[kept[0] : kept[-1] + 1])

    def weight_of(self, fixed_counts: _FixedCounts, rank: int, allowed: float) -> FloatArray:
        """Chances that hold for random and for fixed numbers of rows in each class."""
        beyond = np.cumsum(self.chance[::-1])[::-1]
        near = slice(int(np.sum(beyond > 2 * allowed)), int(np.sum(beyond > 1e-9)))
        true_alerts = self.least + np.arange(len(self.chance))[near]
        weight = self.chance.copy()
        if true_alerts.size:
            weight[near] *= np.maximum(1.0, fixed_counts.likelihood_ratio(true_alerts, rank))
        return weight


class _FixedCounts(NamedTuple):
    """The least favourable ranking with a fixed number of rows in each class."""

    n_pos: int
    n_neg: int
    odds: float

    def likelihood_ratio(self, true_alerts: Ints, rank: int) -> FloatArray:
        """Chance of a sequence of alerts over its chance in a Bernoulli sequence.

        Every sequence with the same number of true alerts has the same ratio. It is an integral
        over the position s of the last alert: s has a gamma distribution in the Bernoulli
        sequence.
        """
        rate = self.odds * self.n_pos + self.n_neg
        spread = 10 * math.sqrt(rank) + 20
        start = max(0.0, (rank - spread) / rate)
        end = min(1.0, 1 / self.odds, (rank + spread) / rate)
        position = (start + end) / 2 + (end - start) / 2 * _NODES
        gamma = rank * math.log(rate) + special.xlogy(rank - 1, position) - math.lgamma(rank)
        counted = true_alerts[:, np.newaxis]
        log_density = (
            gamma
            + _log_remaining(counted, self.n_pos, self.odds * position)
            + _log_remaining(rank - counted, self.n_neg, position)
        )
        ratio: FloatArray = (np.exp(log_density) * _NODE_WEIGHTS).sum(axis=1)
        return ratio * ((end - start) / 2)


def _log_remaining(counted: Ints, total: int, share: FloatArray) -> FloatArray:
    """log of total!/(total - counted)! total^-counted (1 - share)^(total - counted)."""
    remaining = total - counted
    log_orders = (
        math.lgamma(total + 1)
        - special.gammaln(np.maximum(remaining, 0) + 1)
        - counted * math.log(total)
    )
    log_chance = log_orders + special.xlog1py(np.maximum(remaining, 0), -np.minimum(share, 1.0))
    possible: FloatArray = np.where(remaining < 0, -np.inf, log_chance)
    return possible


def _share(n_pos: int, n_neg: int, odds: float) -> float:
    return odds * n_pos / (odds * n_pos + n_neg)


def _quantile(chance: float, trials: int, share: float) -> int:
    """Greatest k with P(Bin(trials, share) < k) <= chance."""
    return trials - int(least_significant(trials, 1 - share, chance)) + 1


def _first_rank(n_pos: int, last: int, share: float, alpha: float) -> int:
    """About the least rank with power 0.9 at tenfold odds, or less if positives are too few."""
    tenfold = _TENFOLD_ODDS * share / (1 + (_TENFOLD_ODDS - 1) * share)
    end = 64
    while True:
        ranks = np.unique(np.geomspace(1, end, 1000).round().astype(np.int64))
        needed = least_significant(ranks, share, alpha)
        powerful = upper_tail(needed, ranks, tenfold) >= _POWER
        if powerful.any():
            first = int(np.argmax(powerful))
            if needed[first] <= n_pos:
                return int(ranks[first])
        if powerful.any() or end >= last:
            return fewest_faultless((1 - share) / share, alpha)
        end *= 2


# ------------------------------------------------------------------------------ uniform limits


def recall_limits(tp: FloatArray, n_pos: int, alpha: float) -> FloatArray:
    """Lower limits of recall that hold at all thresholds at once with probability 1 - `alpha`.

    Clopper-Pearson limits at fixed ranks of the positives, with Bonferroni's correction; between
    two ranks the limit at the stricter one holds.
    """
    ranks = _band_ranks(n_pos)
    stricter = np.append(0.0, ranks)[ranks.searchsorted(tp, side="right")]
    rank, place = np.unique(stricter, return_inverse=True)
    limits = special.betaincinv(np.maximum(rank, 1), n_pos - rank + 1, alpha / len(ranks))
    return np.where(rank == 0, 0.0, limits)[place]


def false_positive_rate_limits(fp: FloatArray, n_neg: int, alpha: float) -> FloatArray:
    """Upper limits of the false positive rate, as `recall_limits`, each from a looser rank."""
    ranks = _band_ranks(n_neg)
    looser = np.append(ranks, n_neg + 1.0)[ranks.searchsorted(fp + 1)]
    rank, place = np.unique(looser, return_inverse=True)
    limits = special.betaincinv(rank, np.maximum(n_neg - rank + 1, 1), 1 - alpha / len(ranks))
    return np.where(rank > n_neg, 1.0, limits)[place]


def _band_ranks(n: int) -> FloatArray:
    """Ranks from 1 to n, about 1.5 standard deviations of a binomial count apart."""
    n_ranks = math.ceil(math.pi * math.sqrt(n) / 1.5)
    angles = np.linspace(0, math.pi / 2, n_ranks + 1)[1:]
    return np.unique(np.ceil(n * np.sin(angles) ** 2 - 1e-9))
