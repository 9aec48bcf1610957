"""Helpers to draw samples of intervals, differences, changes and months."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from calibrated_metrics import ConfusionCurve, Metric, audit
from calibrated_metrics.label_errors import LabelsWithErrors
from validation.engine import RNG
from validation.populations import Population, binormal

N_RESAMPLES = 100  # of bootstraps
AREAS = AVERAGE_PRECISION, ROC_AUC = Metric("average_precision"), Metric("roc_auc")
GAIN, BEST_F1 = Metric("prg_auc"), Metric("best_fbeta")

Curves = tuple[ConfusionCurve | LabelsWithErrors, ...]
TrueValue = Callable[[Metric, float | None], float]
"""A function of a metric and its reference prior; None: the prior of the population."""


class Sample(NamedTuple):
    """A curve, or the curves of two models or samples; and the prior, if it is known."""

    curves: Curves
    true_value: TrueValue
    prior: float | None = None


def decisions(threshold: float, *names: str) -> list[Metric]:
    """Metrics of the decision at a threshold; by default precision, recall, F1 and NPV."""
    names = names or ("precision", "recall", "f1", "npv")
    return [Metric(name, threshold=threshold) for name in names]


def true_at(prior: float, *populations: Population) -> TrueValue:
    """The value of a population, or the difference between two, by default at this prior."""

    def true_value(metric: Metric, pi0: float | None) -> float:
        first, *second = (each.value(metric, pi0 or prior) for each in populations)
        return first - sum(second)

    return true_value


def smaller_class(curves: Curves) -> int:
    """Rows of the smaller class, in the smaller sample."""
    rows = [each.rows if isinstance(each, ConfusionCurve) else each.labelled for each in curves]
    labels = [each.positive for each in rows]
    return min(min(np.count_nonzero(each), np.count_nonzero(~each)) for each in labels)


def correlated(rng: RNG, common: Any, share: float) -> np.ndarray:
    """Standard normal numbers with this share of their variance in common."""
    return np.sqrt(share) * common + np.sqrt(1 - share) * rng.normal(size=len(common))


def heavy_sizes(rng: RNG, n_customers: int) -> np.ndarray:
    """Numbers of rows of customers, 3 to 300: few customers have most rows."""
    return np.minimum(3 * (1 + rng.pareto(1.2, n_customers)), 300).astype(int)


def audited(
    cuts: Sequence[float], sizes: Sequence[int], prior: float, distance: float, rng: RNG
) -> Sample:
    """An audit: labels of some of 100,000 rows, drawn in strata of the scores."""
    y_true = rng.random(100_000) < prior
    score = binormal(distance).draw_of(rng, y_true)
    stratum = np.searchsorted(np.quantile(score, cuts), score, side="right")
    members = [np.flatnonzero(stratum == each) for each in range(len(sizes))]
    rows = [rng.choice(each, n, replace=False) for each, n in zip(members, sizes, strict=True)]
    chosen = np.concatenate(rows)
    design = {
        "score": score[chosen],
        "stratum": stratum[chosen],
        "n_rows": np.bincount(stratum)[stratum[chosen]],
    }
    curve = audit.curve(design, y_true[chosen], target="these rows")
    whole = ConfusionCurve.from_predictions(y_true, score)
    return Sample((curve,), lambda metric, pi0: metric.at(pi0)(whole))
