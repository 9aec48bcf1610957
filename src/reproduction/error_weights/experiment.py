"""How AUC-ROC and AUC-PR at π₀ weigh the errors of a ranking, over the ranking and over groups.

With a(t) = π₀ TPR + (1 - π₀) FPR, the share of rows at or above a threshold t, and E₊ the mean over
the scores of positives,

    1 - AUC-ROC = E₊[FPR(t)]    and    1 - AUC-PR(π₀) = (1 - π₀) E₊[FPR(t) / a(t)].

The smallest repair moves one positive above the negative just above it, which lowers FPR at its
score by 1 / N₋. AUC-ROC rises by the same amount wherever this happens. AUC-PR rises in proportion
to -d Prec / d FPR = π₀ (1 - π₀) TPR / a². The formulas are derived here. McDermott et al., NeurIPS
2024 (arXiv:2401.06091), call such an error an atomic mistake. Only the abstract and an author's
summary were read. They say that AUROC values all repairs equally, that AUPRC values them in
descending order of the score, and that AUPRC can favour groups with more frequent positives.
"""

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri

PI0S = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 0.9, 0.99)
LEVELS = (0.01, 0.1, 0.5, 0.99)  # reference priors of the weights along the ranking
GROUP_PRIORS = (0.2, 0.02)  # of two groups with the same number of positives

_D = 2.0  # distance of the classes, in standard deviations
_GRID = np.linspace(-16.0, 16.0, 8001)  # scores, in units of the log-likelihood ratio


def run() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Make the tables of `weights` and of `groups`."""
    return weights(), groups()


def weights() -> pd.DataFrame:
    """Value of the smallest repair along the ranking, relative to its value at a recall of ½."""
    recall = np.linspace(0.02, 0.98, 49)
    fpr = ndtr(ndtri(recall) - _D)
    at_half = ndtr(-_D)
    rates = {"recall": recall, "fpr": fpr}
    tables = [pd.DataFrame({"metric": "roc_auc", "pi0": np.nan, **rates, "weight": 1.0})]
    for pi0 in LEVELS:
        relative = repair_value(recall, fpr, pi0) / repair_value(0.5, at_half, pi0)
        table = {"metric": "average_precision", "pi0": pi0, **rates, "weight": relative}
        tables.append(pd.DataFrame(table))
    return pd.concat(tables, ignore_index=True)


def repair_value(tpr, fpr, pi0: float):
    """Decrease of precision at π₀ per increase of the false positive rate, at given rates."""
    return pi0 * (1 - pi0) * tpr / (pi0 * tpr + (1 - pi0) * fpr) ** 2


def groups() -> pd.DataFrame:
    """Mean value of a repair in the group with rare positives, relative to the other group.

    The model separates the classes equally well in both groups. Its scores are the log-odds of
    calibrated probabilities, which contain the prior of the group, or the log-likelihood ratio,
    which puts each group at the same prior.
    """
    rows = []
    log_odds = np.log(np.divide(GROUP_PRIORS, 1 - np.array(GROUP_PRIORS)))
    for scores, shifts in (("probability", log_odds), ("one prior", np.zeros(2))):
        both = _Population(shifts)
        equal = both.relative_value(np.ones_like(_GRID))
        rows.append((scores, "roc_auc", np.nan, both.prior, equal))
        for pi0 in PI0S:
            value = both.relative_value(repair_value(both.tpr, both.fpr, pi0))
            rows.append((scores, "average_precision", pi0, both.prior, value))
    return pd.DataFrame(rows, columns=["scores", "metric", "pi0", "prior", "relative_value"])


class _Population:
    """Two groups in one ranking; the scores of a group are log-likelihood ratios plus a shift."""

    def __init__(self, shifts: np.ndarray):
        middle = _D**2 / 2
        n_neg = [(1 - prior) / prior for prior in GROUP_PRIORS]  # per positive
        self.prior = 2 / (2 + sum(n_neg))
        means = [(middle + shift, 0.5) for shift in shifts]
        of_negatives = [
            (shift - middle, n / sum(n_neg)) for shift, n in zip(shifts, n_neg, strict=True)
        ]
        self.tpr, self.fpr = _rate(means), _rate(of_negatives)
        self.densities = [_density(mean) for mean, _ in means]
        pos = sum(share * _density(mean) for mean, share in means) * self.prior
        neg = sum(share * _density(mean) for mean, share in of_negatives) * (1 - self.prior)
        self.next_is_negative = neg / (pos + neg)

    def relative_value(self, value: np.ndarray) -> float:
        """Mean value of a repair in the second group, divided by that in the first group.

        A positive can be repaired if the next row above it is a negative.
        """
        repairs = [density * self.next_is_negative for density in self.densities]
        first, second = (np.sum(each * value) / np.sum(each) for each in repairs)
        return float(second / first)


def _density(mean: float) -> np.ndarray:
    """Normal density at each score."""
    return np.exp(-(((_GRID - mean) / _D) ** 2) / 2) / np.sqrt(2 * np.pi) / _D


def _rate(parts: list[tuple[float, float]]) -> np.ndarray:
    """Share of a class at or above each score; parts are means and shares."""
    return sum(share * ndtr((mean - _GRID) / _D) for mean, share in parts)
