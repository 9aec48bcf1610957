"""Shares of successes in independent trials: their limits and tests, and functions of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special

from calibrated_metrics._numbers import FloatArray

__all__ = [
    "STEP",
    "Tested",
    "clopper_pearson",
    "fewest_faultless",
    "fixed_sequence",
    "gradient",
    "jeffreys",
    "least_significant",
    "none_of_population",
    "tango",
    "upper_tail",
    "wilson",
]


STEP = 1e-5  # of numerical derivatives, relative to the distance of a share from 0 and 1


def jeffreys(successes: Any, trials: Any, confidence_level: float) -> tuple[FloatArray, FloatArray]:
    """Two-sided limits: the Jeffreys interval, modified at the ends. Counts may be fractions.

    Quantiles of Beta(x + 1/2, n - x + 1/2). The upper limit for x = 0 and the lower limit for x = 1
    are the exact ones; likewise for failures. Without trials the limits are 0 and 1.

    References
    ----------
    Brown, Cai & DasGupta, Statistical Science 2001, doi:10.1214/ss/1009213286, section 4.1.1, where
    the lower limit for x = 1 is 0. That excludes no ratio of two shares, although a success was
    seen.
    """
    successes, trials = np.asarray(successes, float), np.asarray(trials, float)
    tail, failures = (1 - confidence_level) / 2, trials - successes
    low = special.betaincinv(successes + 0.5, failures + 0.5, tail)
    high = special.betaincinv(successes + 0.5, failures + 0.5, 1 - tail)
    with np.errstate(divide="ignore"):
        # The shares at which n trials have no failure, or no success, with the chance `tail`.
        none, all_but_few = tail ** (1 / trials), (1 - tail) ** (1 / trials)
    low = np.select(
        [successes <= 0, failures <= 0, successes <= 1], [0, none, 1 - all_but_few], low
    )
    high = np.select(
        [failures <= 0, successes <= 0, failures <= 1], [1, 1 - none, all_but_few], high
    )
    return low, high


def clopper_pearson(successes: Any, trials: Any, tail: float) -> tuple[FloatArray, FloatArray]:
    """Limits, each with at most the error probability `tail` on its side. Counts may be fractions.

    References
    ----------
    Clopper & Pearson, Biometrika 1934, doi:10.1093/biomet/26.4.404.
    """
    successes, trials = np.broadcast_arrays(np.asarray(successes, float), np.asarray(trials, float))
    failures = np.maximum(trials - successes, 0.0)
    some, some_not = successes > 0, failures > 0
    low, high = np.zeros(successes.shape), np.ones(successes.shape)
    low[some] = special.betaincinv(successes[some], failures[some] + 1, tail)
    high[some_not] = special.betaincinv(successes[some_not] + 1, failures[some_not], 1 - tail)
    return low, high


def wilson(successes: float, trials: float, confidence_level: float) -> tuple[float, float]:
    """Two-sided limits by the score test.

    References
    ----------
    Wilson, Journal of the American Statistical Association 1927, doi:10.2307/2276774.
    """
    square = float(special.ndtri((1 + confidence_level) / 2)) ** 2
    spread = square * (successes * (trials - successes) / trials + square / 4)
    centre, reach = successes + square / 2, math.sqrt(spread)
    return (centre - reach) / (trials + square), (centre + reach) / (trials + square)


def tango(gained: float, lost: float, trials: float, level: float) -> tuple[float, float]:
    """Two-sided limits of the difference of two shares of the same trials, by the score test.

    `gained` trials are successes of the first share only, `lost` ones of the second only. At the
    difference 0 the test is McNemar's, without a continuity correction.

    References
    ----------
    Tango, Statistics in Medicine 1998,
    doi:10.1002/(SICI)1097-0258(19980430)17:8<891::AID-SIM780>3.0.CO;2-B.
    """
    z = float(special.ndtri((1 + level) / 2))
    low, high = (_most_by_tango(*each, trials, z) for each in ((lost, gained), (gained, lost)))
    return -low, high


def _most_by_tango(gained: float, lost: float, trials: float, z: float) -> float:
    """The greatest difference that a score test with the normal quantile z does not reject."""

    def excess(difference: float) -> float:
        """How far the difference lies above the estimate, less z standard errors at it."""
        # The likeliest share of lost trials, if this is the difference, solves a quadratic.
        linear = (2 * trials - gained + lost) * difference - gained - lost
        constant = -lost * difference * (1 - difference)
        root = math.sqrt(max(linear**2 - 8 * trials * constant, 0.0))
        likeliest = (root - linear) / (4 * trials)
        variance = trials * (2 * likeliest + difference * (1 - difference))
        return trials * difference - (gained - lost) - z * math.sqrt(max(variance, 0.0))

    estimate = (gained - lost) / trials
    start = estimate + _LEAST_STEP * (1 - estimate)
    return estimate if excess(start) >= 0 else float(optimize.brentq(excess, start, 1.0))


_LEAST_STEP = 1e-12  # without discordant trials, the variance at the estimate is 0


def none_of_population(trials: Any, fraction: Any, tail: float) -> FloatArray:
    """Upper limit of the share of successes if a `fraction` of a population has none.

    Without replacement, M successes are all missed with a probability of at most (1 - fraction)^M.
    For a small fraction the limit is that of an unlimited population, 1 - tail^(1 / trials). The
    fraction 0 stands for such a population.
    """
    trials, fraction = np.asarray(trials, float), np.asarray(fraction, float)
    with np.errstate(divide="ignore", invalid="ignore"):
        most = math.log(tail) / np.log1p(-fraction)  # 0 if all rows were drawn
        limit: FloatArray = np.fmin(most * fraction / trials, -np.expm1(math.log(tail) / trials))
    return limit


def gradient(values_of: Callable[[FloatArray], FloatArray], shares: FloatArray) -> FloatArray:
    """Derivatives of a function of shares; it takes arrays of shape (n_shares, n_points)."""
    step = np.diag(STEP * np.maximum(shares * (1 - shares), STEP))
    up, down = (np.clip(shares[:, np.newaxis] + move, 0, 1) for move in (step, -step))
    moved: FloatArray = np.diag(up - down)
    return (values_of(up) - values_of(down)) / moved


def upper_tail(least: Any, trials: Any, share: float) -> FloatArray:
    """P(Bin(trials, share) >= least), for arrays."""
    least, trials = np.broadcast_arrays(np.asarray(least, float), np.asarray(trials, float))
    possible = np.clip(least, 1, np.maximum(trials, 1))
    tail = special.betainc(possible, trials - possible + 1, share)
    return np.where(least <= 0, 1.0, np.where(least > trials, 0.0, tail))


def least_significant(trials: Any, share: float, alpha: float) -> Any:
    """Least number of successes with `upper_tail` at most `alpha`, or trials + 1."""
    trials = np.asarray(trials, dtype=np.float64)
    low, high = np.zeros(trials.shape), trials + 1  # insignificant, significant
    while (high - low > 1).any():
        middle = np.floor((low + high) / 2)
        significant = upper_tail(middle, trials, share) <= alpha
        low, high = np.where(significant, low, middle), np.where(significant, middle, high)
    return high.astype(np.int64)  # an array, or a number


def fewest_faultless(odds_against: float, alpha: float) -> int:
    """Fewest trials without a failure that are significant, for the odds of a failure."""
    return max(1, math.ceil(-math.log(alpha) / math.log1p(odds_against) - 1e-9))


# --------------------------------------------------------------------- tests of nested counts


class Tested(NamedTuple):
    """Result of sequences of tests.

    Attributes
    ----------
    passed : ndarray of int
        Indices of the significant counts, ascending.
    trials, successes, needed, n_starts : int
        If no count is significant: the failed test with the smallest p-value, the successes that it
        needed, and the number of sequences. Each sequence failed at once.
    """

    passed: NDArray[np.intp]
    trials: int = 0
    successes: int = 0
    needed: int = 0
    n_starts: int = 0


def fixed_sequence(
    successes: FloatArray, trials: FloatArray, share: float, n_successes: int, alpha: float
) -> Tested:
    """Binomial tests of nested counts, such as the alerts at descending thresholds.

    The tests are at numbers of trials that are geometrically spaced from both ends, so that those
    of the opposite order are the same. Sequences of tests have fixed starts and parts of `alpha`.
    Each stops at the first test that fails, so the number of its tests needs no correction. One
    that reaches the next start hands its level on to it (fallback procedure).
    docs/methods/guarantees.md gives the reasons.

    Parameters
    ----------
    successes, trials : ndarray of shape (n_counts,)
        Ascending counts; the last ones count all rows of the sample.
    share : float
        Greatest share of successes under the null hypothesis.
    n_successes : int
        Total number of successes.

    References
    ----------
    Wiens & Dmitrienko, Journal of Biopharmaceutical Statistics 2005, doi:10.1080/10543400500265660
    (the fallback procedure); Bretz et al., Statistics in Medicine 2009, doi:10.1002/sim.3495
    (graphs of levels); Angelopoulos et al., Learn then Test, arXiv:2110.01052.
    """
    n = int(trials[-1])
    starts, levels = _starts(n_successes, n, share, alpha)
    ranks = np.geomspace(1, n, _N_RANKS).round().astype(np.int64)
    ranks = np.append(ranks, n - ranks)
    ranks = np.union1d(ranks[ranks > starts[0]], starts)
    candidates = np.unique(trials.searchsorted(ranks, side="right") - 1)
    candidates = candidates[(candidates >= 0) & (trials[candidates] >= starts[0])]
    p_values = upper_tail(successes[candidates], trials[candidates], share)
    of_start = np.searchsorted(starts, trials[candidates], side="right") - 1
    level, passed, failed = 0.0, [_NO_TESTS], []
    for number, own in enumerate(levels):
        tests, level = np.flatnonzero(of_start == number), level + own
        n_passed = _n_leading(p_values[tests] <= level)
        passed.append(candidates[tests[:n_passed]])
        if n_passed < len(tests):
            failed.append((p_values[tests[n_passed]], tests[n_passed], level))
            level = 0.0
    certified = np.concatenate(passed)
    if certified.size:
        return Tested(certified)
    _, test, level = min(failed)
    at = candidates[test]
    needed = int(least_significant(trials[at], share, level))
    return Tested(certified, int(trials[at]), int(successes[at]), needed, len(failed))


_NO_TESTS = np.array([], dtype=np.intp)
_N_RANKS = 150
# Chosen by simulation, see docs/methods/guarantees.md: the ratio of starts, the level of the first
# one relative to others, and the share of all successes that the last one needs at a low level.
_RATIO, _FIRST, _LAST_NEEDS, _LOW = 1.6, 4.0, 0.75, 0.05
_TENFOLD, _POWER, _FIRST_NEEDS = 10.0, 0.9, 0.6


def _n_leading(passed: NDArray[np.bool_]) -> int:
    """Number of tests before the first that failed."""
    return len(passed) if passed.all() else int(np.argmin(passed))


@lru_cache
def _starts(n_successes: int, n: int, share: float, alpha: float) -> tuple[list[int], list[float]]:
    """Numbers of trials at which sequences start, and their parts of `alpha`.

    They go from the fewest trials with good power to those that need most of the successes.
    """
    last = _fewest_that_need(_LAST_NEEDS * n_successes, n, share, _LOW * alpha)
    first = min(_first_start(n_successes, n, share, 0.7 * alpha), n)
    n_more = int(math.log(max(last / first, 1.0)) / math.log(_RATIO))
    of_one = alpha / (_FIRST + n_more)
    first = min(_first_start(n_successes, n, share, _FIRST * of_one), n)
    starts = np.geomspace(first, max(first, last), n_more + 1).round().astype(np.int64)
    # A test of counts has less than its level, so the first start gets what the others leave.
    needed = least_significant(starts[1:], share, of_one)
    levels = upper_tail(needed, starts[1:], share)
    of_first = float(alpha - levels.sum())
    starts[0] = min(_first_start(n_successes, n, share, of_first), *starts[1:], n)
    return starts.tolist(), [of_first, *levels.tolist()]


def _first_start(n_successes: int, n: int, share: float, alpha: float) -> int:
    """About the fewest trials with power 0.9 at tenfold odds, or without a failure.

    The latter if the former need most of the successes.
    """
    tenfold = _TENFOLD * share / (1 + (_TENFOLD - 1) * share)
    end = 64
    while True:
        trials = np.unique(np.geomspace(1, end, 1000).round().astype(np.int64))
        needed = least_significant(trials, share, alpha)
        powerful = upper_tail(needed, trials, tenfold) >= _POWER
        if powerful.any():
            first = int(np.argmax(powerful))
            if needed[first] <= _FIRST_NEEDS * n_successes:
                return int(trials[first])
        if powerful.any() or end >= n:
            return fewest_faultless((1 - share) / share, alpha)
        end *= 2


def _fewest_that_need(successes: float, n: int, share: float, alpha: float) -> int:
    """Fewest trials that are significant only with this many successes, at most `n`."""
    low, high = 0, n
    while high - low > 1:
        middle = (low + high) // 2
        if least_significant(middle, share, alpha) >= successes:
            high = middle
        else:
            low = middle
    return high
