"""Exact coverage of metrics of a decision and of differences of shares: sums over all counts."""

import contextlib
from collections.abc import Iterator
from functools import partial
from itertools import product

import numpy as np
from scipy import stats

from calibrated_metrics import ConfusionMatrix, Metric
from calibrated_metrics.uncertainty import difference, interval
from validation.engine import RNG, ROUNDING, Design, Outcome

METRICS = (
    *map(Metric, ("precision", "recall", "f1", "npv", "matthews_corrcoef", "cohen_kappa")),
    Metric("net_benefit", threshold_probability=0.1),
    *map(Metric, ("positive_likelihood_ratio", "negative_likelihood_ratio")),
    *map(Metric, ("youden_index", "diagnostic_odds_ratio")),
)
SIZES = ((20, 380), (20, 20), (60, 60))
TPR = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.985, 0.99, 0.998)
EXPECTED_FP = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20)
ENDS = ("low", "high")
MOST_FP = 60  # more have a negligible probability
PAIRS = ((20, 20), (40, 40), (30, 150), (101, 105))  # rows of two samples
SHARES = (0.03, 0.08, 0.14, 0.2, 0.23, 0.3, 0.4, 0.5, 0.6, 0.77, 0.86, 0.92)


def designs() -> Iterator[Design]:
    """One design per class counts, prior and metric; nothing is random, so one sample is enough."""
    for (n_pos, n_neg), pi0, metric in product(SIZES, (None, 0.01), METRICS):
        labels = {"metric": metric.label, "n_pos": n_pos, "n_neg": n_neg, "pi0": pi0}
        yield Design(labels, partial(coverage, metric, n_pos, n_neg, pi0))
    for n_a, n_b in PAIRS:
        labels = {"metric": "recall, difference", "n_a": n_a, "n_b": n_b, "pi0": None}
        yield Design(labels, partial(two_shares, n_a, n_b))


def two_shares(n_a: int, n_b: int, _: RNG) -> Iterator[Outcome]:
    """Coverage of the difference of two shares of independent rows."""
    of_a, of_b = (
        [ConfusionMatrix(tp=tp, fn=n - tp, fp=n, tn=n) for tp in range(n + 1)] for n in (n_a, n_b)
    )
    found = [[difference("recall", a, b) for b in of_b] for a in of_a]
    low, high = (np.array([[getattr(each, end) for each in row] for row in found]) for end in ENDS)
    for a, b in product(SHARES, SHARES):
        chance = np.outer(
            stats.binom.pmf(np.arange(n_a + 1), n_a, a), stats.binom.pmf(np.arange(n_b + 1), n_b, b)
        )
        covered = (low <= a - b + ROUNDING) & (a - b - ROUNDING <= high)
        yield {"tpr": a, "tpr_b": b}, {"covered": chance[covered].sum()}


def coverage(
    metric: Metric, n_pos: int, n_neg: int, pi0: float | None, _: RNG
) -> Iterator[Outcome]:
    """Coverage at each TPR and expected number of FP, given that the metric is defined.

    The numbers of rows of the classes are fixed, so their prior is known.
    """
    most = min(n_neg, MOST_FP)
    prior = n_pos / (n_pos + n_neg) if pi0 is None else pi0
    limits = np.full((2, n_pos + 1, most + 1), np.nan)
    for tp, fp in product(range(n_pos + 1), range(most + 1)):
        matrix = ConfusionMatrix(tp=tp, fp=fp, fn=n_pos - tp, tn=n_neg - fp)
        with contextlib.suppress(ValueError):  # undefined
            estimate = interval(metric, matrix, pi0=prior)
            limits[:, tp, fp] = estimate.low, estimate.high
    known = ~np.isnan(limits[0])
    for tpr, expected_fp in product(TPR, [each for each in EXPECTED_FP if each < n_neg]):
        fpr = expected_fp / n_neg
        true = metric._value(ConfusionMatrix.from_rates(tpr=tpr, fpr=fpr, prior=prior))
        chance = np.outer(
            stats.binom.pmf(np.arange(n_pos + 1), n_pos, tpr),
            stats.binom.pmf(np.arange(most + 1), n_neg, fpr),
        )
        covered = (limits[0] <= true + ROUNDING) & (true - ROUNDING <= limits[1])
        share = (chance * covered)[known].sum() / chance[known].sum()
        yield {"tpr": tpr, "expected_fp": expected_fp}, {"covered": share}
