"""Reference values for AUC-PR, the area under a precision-recall curve: chance and least value.

With few positives, random scores have an average precision above the prior. It is never 0.
"""

from __future__ import annotations

import itertools
import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from calibrated_metrics import _arguments, _numbers
from calibrated_metrics._arguments import RandomState, plain_calls
from calibrated_metrics._messages import with_bar
from calibrated_metrics._numbers import FloatArray
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.confusion.data import CurveLike, as_curve
from calibrated_metrics.rows import Rows
from calibrated_metrics.scores import average_precision

__all__ = ["ChanceLevel", "ChanceTest", "chance_level", "chance_test", "least_average_precision"]

_ALL_RANKINGS = 100_000  # up to this number, all rankings are evaluated
_MOST_ROWS = 10**8  # several arrays with a number for each row must fit into memory
_MOST_POSITIVES = 2**20  # in all rankings, up to which all are evaluated
_BATCH = 2**16  # number of positives in the rankings that are drawn at once
_SPARSE = 20  # with fewer than one positive in 20 rows, sorting their ranks is faster than marking
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


class ChanceTest(NamedTuple):
    """Average precision of a curve, tested against random rankings.

    Attributes
    ----------
    value : float
        Average precision.
    p_value : float in (0, 1]
        Probability of this or a higher value by chance.
    is_exact : bool
        Whether all rankings were counted, not a sample of them.
    """

    value: float
    p_value: float
    is_exact: bool


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


@plain_calls()
def chance_test(
    curve: CurveLike,
    *,
    pi0: float | None = None,
    pos_label: Any = None,
    n_resamples: int = 9999,
    rng: RandomState = None,
) -> ChanceTest:
    """Test whether average precision (AUC-PR) is higher than by chance.

    Under the null hypothesis, each assignment of the labels to the scores is equally likely. Scores
    may be tied. Few assignments are all evaluated: up to 100,000, and up to a million positives in
    all of them. If there are more, `n_resamples` are drawn, and the observed one is added to them,
    which keeps the test valid (Phipson & Smyth 2010, doi:10.2202/1544-6115.1585).

    Parameters
    ----------
    curve : ConfusionCurve or pair (y_true, y_score)
        Independent rows without weights, or with weights that are equal within each class; at most
        10⁸ rows.
    pi0 : float in (0, 1), default=None
        Reference prior. None: the prior of the curve.
    pos_label : scalar, default=None
        Label of the positives. None: 1 for a pair, and the own label of a curve or matrix.
    n_resamples : int >= 1, default=9999
        Number of random assignments. The least p-value is 1 / (n_resamples + 1).
    rng : None, int or numpy.random.Generator, default=None
        Random state of the assignments.

    Returns
    -------
    named tuple
        ``value``, the average precision; ``p_value``, one-sided, in (0, 1]; ``is_exact``, whether
        all assignments were evaluated. Rows with weights that differ within a class, clusters or
        strata are not exchangeable and raise ``ValueError``.

    Examples
    --------
    >>> from calibrated_metrics import baselines
    >>> y_true, y_score = [1, 0, 1, 0, 0, 0], [0.9, 0.8, 0.7, 0.4, 0.2, 0.1]
    >>> baselines.chance_test((y_true, y_score))
    ChanceTest(value=0.833..., p_value=0.133..., is_exact=True)
    """
    curve, n_pos, n_neg = _of_alike_rows(as_curve("curve", curve, pos_label), pi0)
    _class_sizes(n_pos, n_neg)
    n_resamples = _numbers.integer_at_least("n_resamples", n_resamples, 1)
    generator = _arguments.generator("rng", rng)
    counted = _counted_with(curve.rows)
    weight = (curve.n_neg / n_neg) / (curve.n_pos / n_pos)
    value = average_precision(curve)
    least = value * (1 - _numbers.ROUNDING)
    n_rankings = special.comb(n_pos + n_neg, n_pos)
    if n_rankings <= min(_ALL_RANKINGS, _MOST_POSITIVES / n_pos):
        every = np.array(list(itertools.combinations(range(n_pos + n_neg), n_pos)))
        p_value = float((_average_precisions(every, counted, weight) >= least).mean())
        return ChanceTest(value, p_value, True)
    n_higher, size = 0, max(_BATCH // n_pos, 1)
    for done in with_bar(range(0, n_resamples, size), "batches of rankings"):
        ranks = np.empty((min(size, n_resamples - done), n_pos), dtype=np.int64)
        for ranking in ranks:
            drawn = generator.choice(n_pos + n_neg, n_pos, replace=False, shuffle=False)
            ranking[:] = _sorted(drawn, n_pos + n_neg)
        n_higher += int((_average_precisions(ranks, counted, weight) >= least).sum())
    return ChanceTest(value, (1 + n_higher) / (1 + n_resamples), False)


def _sorted(drawn: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """Distinct numbers below n, ascending."""
    if _SPARSE * len(drawn) < n:
        return np.sort(drawn)
    is_drawn = np.zeros(n, dtype=bool)  # marks take less time than a sort of many numbers
    is_drawn[drawn] = True
    return np.flatnonzero(is_drawn)


def _counted_with(sample: Rows) -> NDArray[np.int64]:
    """By descending score: the number of rows whose score is at least that of the row."""
    _, tie = np.unique(-sample.score, return_inverse=True)
    size = np.bincount(tie, sample.counts).astype(np.int64)
    return np.repeat(np.cumsum(size), size)


def _average_precisions(
    positives: NDArray[np.int64], counted: NDArray[np.int64], weight: float
) -> FloatArray:
    """Average precision of rankings: ranks of their positives, ascending, (n_rankings, n_pos)."""
    predicted, tp = counted[positives], np.arange(1, positives.shape[1] + 1)
    if (np.diff(counted) == 0).any():  # ties are counted at once
        ends = np.ones(predicted.shape, dtype=bool)
        ends[:, :-1] = predicted[:, 1:] != predicted[:, :-1]
        tp = np.where(ends, tp, positives.shape[1])
        tp = np.minimum.accumulate(tp[:, ::-1], axis=1)[:, ::-1]
    found: FloatArray = (tp / (tp + weight * (predicted - tp))).mean(axis=1)
    return found


# --------------------------------------------------------------------------- least value


@plain_calls()
def least_average_precision(n_pos: int, n_neg: int, *, pi0: float | None = None) -> float:
    """Compute the average precision of the worst ranking: all negatives come first.

    It is the mean of i / (i + n_pos (1 - π₀) / π₀) for i = 1 to n_pos. No ranking has a lower
    value, with or without ties. With many positives it tends to 1 + (1 - π₀) log(1 - π₀) / π₀,
    which is the least value of `scores.pr_auc` for any number of rows.

    Parameters
    ----------
    n_pos, n_neg : int >= 1
        Number of rows of each class, at most 10⁸ in all.
    pi0 : float in (0, 1), default=None
        Reference prior. None: the share of positives.

    Returns
    -------
    float in (0, 1)

    Notes
    -----
    Source: Boyd, Santos Costa, Davis & Page, *Unachievable Region in Precision-Recall Space*, ICML
    2012, arXiv:1206.4667, who show that the unachievable region depends on the prior alone (read:
    the abstract). The formulas were derived here.

    Examples
    --------
    >>> from calibrated_metrics import baselines
    >>> baselines.least_average_precision(20, 980)
    0.0105...
    >>> baselines.least_average_precision(20, 980, pi0=0.5)
    0.319...
    """
    n_pos, n_neg = _class_sizes(n_pos, n_neg)
    rank = np.arange(1.0, n_pos + 1)
    return float((rank / (rank + _weight_of_negative(n_pos, n_neg, pi0) * n_neg)).mean())


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


def _of_alike_rows(curve: ConfusionCurve, pi0: float | None) -> tuple[ConfusionCurve, int, int]:
    """A curve at a prior, and its numbers of rows, if the rows of a class are alike."""
    curve = curve if pi0 is None else curve.at_prior(pi0)
    sample = curve.rows
    sample.require_alike("curve")
    n_pos, n_neg = (int(sample.counts[rows].sum()) for rows in (sample.positive, ~sample.positive))
    return curve, n_pos, n_neg
