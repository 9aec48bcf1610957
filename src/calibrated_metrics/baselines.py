"""The average precision of random scores, which is above the prior if there are few positives."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from calibrated_metrics import _numbers
from calibrated_metrics._arguments import plain_calls
from calibrated_metrics._messages import with_bar

__all__ = ["ChanceLevel", "chance_level"]

_MOST_ROWS = 10**8  # several arrays with a number for each row must fit into memory
_UNLIKELY = 40.0  # states with a probability below exp(-40) = 4e-18 are left out


class ChanceLevel(NamedTuple):
    """Average precision of random scores without ties.

    Attributes
    ----------
    expected, standard_deviation : float
        Mean and spread over all rankings.
    """

    expected: float
    standard_deviation: float


# -------------------------------------------------------------------- random rankings


@plain_calls()
def chance_level(n_pos: int, n_neg: int, *, pi0: float | None = None) -> ChanceLevel:
    """Compute the mean and standard deviation of average precision (AUC-PR) over all rankings.

    All orders of the rows are equally likely, and no scores are tied. The i-th positive then comes
    after X negatives, where X has a negative hypergeometric distribution, and contributes
    i / (i + λX) / n_pos with λ = n_pos (1 - π₀) / (π₀ n_neg), the weight of a negative. The mean
    and the variance of the sum are computed by a recursion over the number of ranks. The mean is
    above the prior, and tends to it as the number of positives grows.

    Parameters
    ----------
    n_pos, n_neg : int >= 1
        Number of rows of each class, at most 10⁸ in all. The time is proportional to it.
    pi0 : float in (0, 1), default=None
        Reference prior. None: the share of positives.

    Returns
    -------
    named tuple
        ``expected``, in (0, 1], and ``standard_deviation``.

    Notes
    -----
    Bestgen (The Prague Bulletin of Mathematical Linguistics 2015, doi:10.1515/pralin-2015-0007)
    shows that the share of positives only approximates the expected value, and computes the exact
    one. Manzhos, Ianevych & Melnyk (Modern Stochastics 2026, doi:10.15559/26-VMSTA298) give the
    expected value and variance at a cutoff. Only the abstracts were read. The recursion, and
    the reference prior, were derived here.

    Examples
    --------
    With 20 positives among 1,000 rows, random scores reach 1.3 times the prior of 0.02 on average,
    and 1.8 times a reference prior of 0.002:

    >>> from calibrated_metrics import baselines
    >>> baselines.chance_level(20, 980)
    ChanceLevel(expected=0.0263..., standard_deviation=0.0114...)
    >>> baselines.chance_level(20, 980, pi0=0.002)
    ChanceLevel(expected=0.00365..., standard_deviation=0.00735...)
    """
    n_pos, n_neg = _class_sizes(n_pos, n_neg)
    weight = _weight_of_negative(n_pos, n_neg, pi0)
    prior = n_pos / (n_pos + weight * n_neg)
    # Mean and variance of the sum of "precision - prior" over the positives of the first ranks, by
    # their number. Each of these ranks is equally likely to hold one of them, so it is enough to
    # know whether the last one does. The first entry is never reached: -1 positives.
    mean, variance = np.zeros((2, n_pos + 2))
    number = np.arange(n_pos + 1.0)
    of_positives = (1 - weight) * number
    likely = with_bar(_likely_positives(n_pos, n_neg), "ranks")
    for rank, (least, most) in enumerate(likely, start=1):
        before, same = slice(least, most), slice(least + 1, most + 1)
        share = number[before] / rank  # probability that the last rank is a positive
        jump = number[before] / (of_positives[before] + weight * rank) - prior
        jump += mean[before] - mean[same]
        moved = share * jump
        variance[same] += share * (variance[before] - variance[same]) + moved * (jump - moved)
        mean[same] += moved
    return ChanceLevel(prior + float(mean[-1]) / n_pos, math.sqrt(variance[-1]) / n_pos)


def _likely_positives(n_pos: int, n_neg: int) -> list[tuple[int, int]]:
    """Least, and one more than the greatest number of positives among the first 1, 2, … ranks.

    Numbers with a probability below 4e-18 are left out (Bernstein's inequality, which holds for
    draws without replacement: Hoeffding 1963, doi:10.1080/01621459.1963.10500830, theorem 4; here
    for the ranks drawn, or for those left if they are fewer).
    """
    n = n_pos + n_neg
    rank = np.arange(1, n + 1)
    mean = rank * (n_pos / n)
    variance = np.minimum(rank, n - rank) * (n_pos / n) * (n_neg / n)
    distance = _UNLIKELY / 3 + np.sqrt(_UNLIKELY**2 / 9 + 2 * _UNLIKELY * variance)
    least = np.maximum(np.maximum(np.floor(mean - distance), rank - n_neg), 0)
    most = np.minimum(np.minimum(np.ceil(mean + distance), rank), n_pos) + 1
    return list(zip(least.astype(np.intp).tolist(), most.astype(np.intp).tolist(), strict=True))


# ---------------------------------------------------------------------------------- checks


def _class_sizes(n_pos: int, n_neg: int) -> tuple[int, int]:
    sizes = {"n_pos": n_pos, "n_neg": n_neg}
    n_pos, n_neg = (_numbers.integer_at_least(name, n, 1) for name, n in sizes.items())
    if n_pos + n_neg > _MOST_ROWS:
        raise ValueError(f"n_pos + n_neg must be at most {_MOST_ROWS}, got {n_pos} + {n_neg}")
    return n_pos, n_neg


def _weight_of_negative(n_pos: int, n_neg: int, pi0: float | None) -> float:
    if pi0 is None:
        return 1.0
    prior = _numbers.open_unit("pi0", pi0)
    weight: float = (n_pos / n_neg) * ((1 - prior) / prior)
    if not math.isfinite(weight * n_neg):
        raise ValueError(f"pi0={pi0} gives weights outside the range of float64")
    return weight
