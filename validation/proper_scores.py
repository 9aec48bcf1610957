"""Coverage of the Brier score and the log loss of probabilities, and of their differences."""

from collections.abc import Iterator
from functools import cache, partial
from itertools import product

import numpy as np
from scipy import special, stats

from calibrated_metrics import ConfusionCurve, Metric
from validation.engine import RNG, Design
from validation.intervals import designed
from validation.samples import Sample, correlated

ASKED = list(product((Metric("brier_score"), Metric("log_loss")), (None, 0.15)))
COMMON = 0.7  # share of the variance of the scores that two models have in common
_QUANTILES = stats.norm.ppf((np.arange(20_000) + 0.5) / 20_000)


def designs() -> Iterator[Design]:
    for n_pos, prior, distance, slope in product(
        (12, 40, 200), (0.05, 0.4), (1.0, 2.0), (1.0, 2.0)
    ):
        name = f"prior {prior:g}, {n_pos} positives, d′ = {distance:g}, slope {slope:g}"
        model = (distance, prior, slope)
        yield designed("one model", name, partial(_drawn, n_pos, prior, [model]), ASKED)
        other = (0.8 * distance, prior, 1.0)
        yield designed("two models", name, partial(_drawn, n_pos, prior, [model, other]), ASKED)


def _drawn(n_pos: int, prior: float, models: list[tuple[float, float, float]], rng: RNG) -> Sample:
    """Random rows with the probabilities of each model, at the prior of the population."""
    y_true = rng.random(round(n_pos / prior)) < prior
    common = rng.normal(size=len(y_true))
    curves = []
    for distance, *rest in models:
        normal = correlated(rng, common, COMMON) if len(models) > 1 else common
        probability = _probability(normal + distance * y_true, distance, *rest)
        curves.append(ConfusionCurve.from_predictions(y_true, probability))

    def true_value(metric: Metric, pi0: float | None) -> float:
        first, *second = (_value(metric, *model, pi0 or prior) for model in models)
        return first - sum(second)

    return Sample(tuple(curves), true_value)


def _probability(score: np.ndarray, distance: float, prior: float, slope: float) -> np.ndarray:
    """Calibrated if the slope is 1, else too extreme."""
    return special.expit(slope * (distance * score - distance**2 / 2 + special.logit(prior)))


@cache
def _value(metric: Metric, distance: float, prior: float, slope: float, pi0: float) -> float:
    y_true = np.repeat([True, False], len(_QUANTILES))
    score = np.tile(_QUANTILES, 2) + distance * y_true
    curve = ConfusionCurve.from_predictions(y_true, _probability(score, distance, prior, slope))
    return float(metric.at(pi0)(curve))
