"""Metrics of rows whose scores are calibrated probabilities."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibrated_metrics import _arguments, _hints, _numbers
from calibrated_metrics._arguments import RandomState, plain_calls
from calibrated_metrics._numbers import FloatArray
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.confusion.counts import Vertices
from calibrated_metrics.scores.metric import Metric, MetricLike
from calibrated_metrics.uncertainty.draws import defined_values
from calibrated_metrics.uncertainty.estimate import Estimate, Settings, warn_of
from calibrated_metrics.uncertainty.units import linearise

__all__ = ["expected"]

_MANY = 1000  # expected rows of each class: draws have the same standard errors, but take longer


@plain_calls(pi0="use a Metric with pi0", **_hints.OF_METRIC)
def expected(
    metric: MetricLike,
    y_prob: ArrayLike,
    *,
    target: str = "population",
    n_resamples: int = 1000,
    confidence_level: float = 0.95,
    rng: RandomState = None,
) -> Estimate:
    """Estimate a metric of independent rows from calibrated probabilities, without labels.

    The estimate is the metric of the expected confusion matrices of the rows.

    Parameters
    ----------
    metric : str, callable or Metric
        Name of a metric, or a function of a curve. A `Metric` may have a threshold and a prior.
    y_prob : array-like of shape (n_rows,)
        Probabilities of the positive class, in [0, 1], neither all 0 nor all 1, which are
        calibrated: see `probabilities.check_calibration`.
    target : {"population", "sample"}, default="population"
        "population": the metric in the infinite-sample limit, with a normal confidence interval.
        Its standard error is that of rows drawn with replacement, or of the influence function if
        there is one and 1,000 rows of each class are expected. "sample": the metric of these rows
        once their labels are known, with a prediction interval from quantiles of drawn labels.
    n_resamples, confidence_level, rng
        As for `uncertainty.interval`.

    Returns
    -------
    uncertainty.Estimate
        Draws on which the metric is undefined are left out with a warning; if they are more than
        half of the draws, an error is raised.

    Examples
    --------
    >>> import numpy as np
    >>> from calibrated_metrics import label_free
    >>> y_prob = np.random.default_rng(0).beta(0.2, 0.3, size=2000)
    >>> label_free.expected("roc_auc", y_prob, n_resamples=200, rng=0)
    Estimate(0.9595, 95 % interval 0.9559 to 0.9632, normal)
    """
    metric = Metric(metric)
    _arguments.one_of("target", target, ("population", "sample"))
    settings = Settings.of(confidence_level, "auto", n_resamples, rng)
    probability = _numbers.probabilities("y_prob", y_prob)
    n_rows, score = len(probability), probability.astype(_numbers.float_dtype(y_prob))
    curve = ConfusionCurve.from_probabilities(score)
    value, level = metric(curve), settings.confidence_level
    normal = partial(Estimate.normal, value, bounds=metric.facts.range, confidence_level=level)
    is_mean_loss = metric.facts.loss is not None
    if is_mean_loss and target == "sample":
        raise ValueError(f'target must be "population" for the metric {metric.name!r}')
    is_large = metric.facts.has_influence and min(curve.n_pos, curve.n_neg) >= _MANY
    if target == "population" and (is_mean_loss or is_large):
        of_rows = linearise(metric, metric._prepare(_clusters_of_both_classes(score)))
        return normal(of_rows.standard_error)
    # The curve has a vertex at each probability, so a draw is counted without sorting it again.
    vertex = (-curve.thresholds).searchsorted(-probability)
    share, size = np.append(0.0, curve.thresholds[1:]), np.bincount(vertex).astype(np.float64)

    def value_of_draw(rng: np.random.Generator) -> float:
        if target == "sample":
            number = size
            pos = np.bincount(vertex, rng.random(n_rows) < probability).astype(np.float64)
        else:
            drawn = vertex.take(rng.integers(n_rows, size=n_rows))
            number = np.bincount(drawn, minlength=len(share)).astype(np.float64)
            pos = share * number
        vertices = Vertices(curve.thresholds, np.cumsum(pos), np.cumsum(number - pos))
        return metric(ConfusionCurve._of_vertices(vertices, _Counted(*vertices, score.dtype)))

    values, remarks = defined_values(value_of_draw, settings)
    warn_of(remarks)
    error = float(values.std(ddof=1))
    if target == "sample":
        low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
        return Estimate(value, low, high, error, level, "quantiles of drawn labels")
    # No quantiles here: bootstrap draws contain ties, which doubles the bias.
    return normal(error)


def _clusters_of_both_classes(score: NDArray[Any]) -> ConfusionCurve:
    """Each row as a cluster: a positive with the weight p, and a negative with 1 - p."""
    n, probability = len(score), score.astype(np.float64)
    return ConfusionCurve.from_predictions(
        np.arange(2 * n) < n,
        np.tile(score, 2),
        sample_weight=np.concatenate([probability, 1 - probability]),
        clusters=np.tile(np.arange(n), 2),
    )


class _Counted(NamedTuple):
    """Counts by descending threshold, with a threshold for each score of a dtype."""

    thresholds: FloatArray
    tp: FloatArray
    fp: FloatArray
    dtype: Any

    def counts_at(self, thresholds: FloatArray) -> tuple[FloatArray, FloatArray]:
        limits = _numbers.in_dtype(thresholds, self.dtype)
        place = (-self.thresholds).searchsorted(-limits, side="right") - 1
        return self.tp[place], self.fp[place]
