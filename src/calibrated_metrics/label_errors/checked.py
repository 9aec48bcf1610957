"""Labels of a judge, with people's labels of a random part of the rows.

A logistic regression of the people's labels on the judge's label and a polynomial of the normal
score of the rank gives the expected share m of positives among rows like each row. A row that
people labelled counts as m + (label - m) / f positives, where f is the share of the rows with its
judge's label that people labelled; the other rows count as m. So sums over rows are unbiased
whatever the regression, and the better it predicts the people's labels, the smaller their errors
(Robins, Rotnitzky & Zhao 1994, doi:10.1080/01621459.1994.10476818; prediction-powered inference,
Angelopoulos et al. 2023, doi:10.1126/science.adi6000).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, kolmogorov, ndtri

from calibrated_metrics._numbers import FloatArray
from calibrated_metrics.drawn import BoolArray
from calibrated_metrics.uncertainty.strata import Strata

__all__ = ["LEVEL", "CheckedRows", "distance_of_scores", "doubts_of_choice"]

_PENALTIES = 0.0, 0.03, 0.1, 1.0, 3.0
"""Of half the squared coefficients: they stay finite if the judge makes no errors.

For the constant, the judge's label, and the Hermite polynomials; chosen by simulation.
"""
_MOST_LEVERAGE = 0.5
LEVEL = 0.001  # rows at random are doubted in at most this share of samples
_FEWEST = 10  # rows of a sample, for which the asymptotic p-value holds at this level
_MOST_STEPS, _LONGEST_STEP, _SMALLEST_STEP = 50, 3.0, 1e-9


class CheckedRows(NamedTuple):
    """Arrays of shape (n_rows,): what each row counts as.

    `share` is the number of positives, `expected` that of the regression, `label` the judge's, and
    `part` the share of the rows with this label that people labelled.
    """

    share: FloatArray
    expected: FloatArray
    label: BoolArray
    part: FloatArray

    @classmethod
    def of(
        cls, label: BoolArray, score: FloatArray, row: NDArray[np.intp], positive: BoolArray
    ) -> CheckedRows:
        """From labels of a judge and scores, and people's labels `positive` of the rows `row`."""
        # Mid-ranks without scipy.stats, which takes half a second to import.
        _, place, number = np.unique(score, return_inverse=True, return_counts=True)
        rank = (np.cumsum(number) - number / 2)[place] / len(score)
        normal = ndtri(rank)
        square, cube = (normal**2 - 1) / math.sqrt(2), (normal**3 - 3 * normal) / math.sqrt(6)
        constant, of_judge = np.ones_like(normal), label - label.mean()
        columns = np.column_stack([constant, of_judge, normal, square, cube])
        expected, leverage = _regression(columns, row, positive)
        code = label.astype(np.intp)
        part = (np.bincount(code[row], minlength=2) / np.bincount(code, minlength=2))[code]
        share = expected.copy()
        # As if the regression did not know the label of the row: otherwise it would be too near.
        share[row] += (positive - expected[row]) / (1 - leverage) / part[row]
        return cls(share, expected, label.copy(), part)

    def limits_of_prior(self, variance: float, level: float) -> tuple[float, float]:
        """Limits of the share of positives, as of an audit whose strata are the judge's labels."""
        code = self.label.astype(np.intp)
        number = np.bincount(code, minlength=2)
        seen = number > 0
        n = np.rint(np.bincount(code, self.part, minlength=2))[seen]
        share = np.bincount(code, self.share, minlength=2)[seen] / number[seen]
        strata = Strata(n, number[seen] / len(code), np.zeros(len(n)), variance)
        return strata.limits(np.clip(share, 0, 1), level)

    def expected_variance(self, of_pos: FloatArray, of_neg: FloatArray) -> float:
        """Expected variance of a sum, to which rows of a class contribute these.

        It is right although people, by chance, labelled no row on which the judge was wrong.
        """
        of_rows, move = self.expected * of_pos + (1 - self.expected) * of_neg, of_pos - of_neg
        centred = of_rows - of_rows.mean()
        variance = move**2 * self.expected * (1 - self.expected) / self.part
        return float((centred**2 + variance).sum())


def doubts_of_choice(label: BoolArray, score: FloatArray, row: NDArray[np.intp]) -> list[str]:
    """A remark on rows that people labelled, if their scores differ from those of other rows.

    Kolmogorov-Smirnov tests among the rows with each label of the judge, Bonferroni correction.
    """
    is_checked = np.zeros(len(label), dtype=bool)
    is_checked[row] = True
    for of_label in (label, ~label):
        checked, others = (score[of_label & each] for each in (is_checked, ~is_checked))
        if min(len(checked), len(others)) < _FEWEST:
            continue
        if distance_of_scores(checked, others)[1] < LEVEL / 2:
            return [
                "within a label of y_true, the rows of reference have other scores than the rest, "
                "so they were not drawn at random: values and intervals may be wrong"
            ]
    return []


def distance_of_scores(some: FloatArray, others: FloatArray) -> tuple[float, float]:
    """The largest difference of two distributions, and its p-value (Kolmogorov and Smirnov)."""
    at, n, m = np.concatenate([some, others]), len(some), len(others)
    parts = (np.sort(each).searchsorted(at, side="right") / len(each) for each in (some, others))
    distance = float(np.abs(np.subtract(*parts)).max())
    return distance, float(kolmogorov(math.sqrt(n * m / (n + m)) * distance))


def _regression(
    columns: FloatArray, row: NDArray[np.intp], positive: BoolArray
) -> tuple[FloatArray, FloatArray]:
    """Fitted shares of all rows, and the leverages of the labelled ones, by Newton's method."""
    x, coefficients = columns[row], np.zeros(columns.shape[1])
    penalty = np.diag(_PENALTIES)
    for _ in range(_MOST_STEPS):
        share = expit(x @ coefficients)
        weight = share * (1 - share)
        curvature = (x.T * weight) @ x + penalty
        step = np.linalg.solve(curvature, x.T @ (positive - share) - penalty @ coefficients)
        size = float(np.abs(step).max())
        coefficients += step * min(1.0, _LONGEST_STEP / max(size, _SMALLEST_STEP))
        if size < _SMALLEST_STEP:
            break
    leverage = weight * np.einsum("ij,ij->i", x @ np.linalg.inv(curvature), x)
    return expit(columns @ coefficients), np.minimum(leverage, _MOST_LEVERAGE)
