"""The tables of Figure 6, arXiv appendix A and Figure 2, from a scored test set.

Each function takes the test set as a table with the columns `y_true` and `y_score`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pandas as pd

from calibrated_metrics import spaces
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.scores.areas import average_precision, prg_auc, roc_auc
from calibrated_metrics.uncertainty.estimate import IntervalWarning
from calibrated_metrics.uncertainty.interval import interval
from reproduction.core.metrics import Metric, thresholds_of, values_of
from reproduction.core.streams import stream
from reproduction.fraud.draws import n_negatives_kept, undersample
from reproduction.fraud.undersampling import expected_average_precision, simulated_average_precision

__all__ = ["curves", "heuristic", "prior_sweep", "prior_sweep_intervals"]

_N_RESAMPLES = 200  # for metrics of plug-ins; those of the paper need no draws
_N_POINTS = 500  # largest number of points of a drawn curve

_Points = tuple[np.ndarray, np.ndarray]
_SPACES: dict[str, tuple[Callable[[ConfusionCurve], _Points], Callable]] = {
    "roc": (spaces.roc, roc_auc),
    "pr": (lambda curve: spaces.recall_precision(spaces.interpolated(curve)), average_precision),
    "prg": (spaces.recall_precision_gain, prg_auc),
}


def heuristic(
    predictions: pd.DataFrame, *, n_runs: int, n_priors: int, highest_prior: float, seed: int
) -> pd.DataFrame:
    """Compare average precision after undersampling to π₀ with its calibrated closed form.

    Returns
    -------
    DataFrame
        A row per `pi0`: `n_pos`, `n_neg_kept`, `n_runs`; `mean` and `sd` of the runs; their exact
        expectation `expected`; `closed_form`; and the 95 % interval of the closed form, `low` and
        `high`, which is wider because it includes the error of the positives.
    """
    curve = _curve(predictions)
    priors = _priors(curve, highest_prior, n_priors)
    limits = interval("average_precision", curve, pi0=priors)
    rows = []
    for point, pi0 in enumerate(priors):
        rng = stream(seed, "heuristic", point)
        values = simulated_average_precision(curve, pi0, n_runs, rng)
        deviations = values - values[0]  # exactly 0 at the prior, where nothing is random
        rows.append(
            {
                "pi0": pi0,
                "n_pos": int(curve.n_pos),
                "n_neg_kept": n_negatives_kept(curve, pi0),
                "n_runs": n_runs,
                "mean": values[0] + deviations.mean(),
                "sd": deviations.std(ddof=1),
                "expected": expected_average_precision(curve, pi0),
                "closed_form": average_precision(curve.at_prior(pi0)),
                "low": limits.low[point],
                "high": limits.high[point],
            }
        )
    return pd.DataFrame(rows)


def prior_sweep(
    predictions: pd.DataFrame,
    metrics: Sequence[Metric],
    *,
    n_priors: int,
    highest_prior: float,
    seed: int,
    runs: tuple[int, int],
) -> pd.DataFrame:
    """Measure the metrics at every prior, each run on another draw of the negatives.

    Parameters
    ----------
    runs : (int, int)
        The first run, and the run after the last.

    Returns
    -------
    DataFrame
        A row per prior, run and metric: `prior`, `run`, `n_pos`, `n_neg`, `metric`, `pi0`,
        `value`.
    """
    curve, thresholds = _curve(predictions), thresholds_of(metrics)
    rows = []
    for run in range(*runs):
        for point, prior in enumerate(_priors(curve, highest_prior, n_priors)):
            rng = stream(seed, "fraud_prior_sweep", run, point)
            drawn = undersample(curve, prior, rng, thresholds=thresholds)
            values = values_of(metrics, drawn)
            for metric in metrics:
                rows.append(
                    {
                        "prior": prior,
                        "run": run,
                        "n_pos": int(drawn.n_pos),
                        "n_neg": int(drawn.n_neg),
                        "metric": metric.key,
                        "pi0": metric.pi0_at(drawn.prior),
                        "value": values[metric.key],
                    }
                )
    return pd.DataFrame(rows)


def prior_sweep_intervals(
    predictions: pd.DataFrame,
    metrics: Sequence[Metric],
    *,
    n_priors: int,
    highest_prior: float,
    seed: int,
) -> pd.DataFrame:
    """Estimate the metrics at every prior from all data, with 95 % intervals.

    The runs of the sweep differ in their negatives only. These intervals include the error of the
    positives.

    Returns
    -------
    DataFrame
        A row per prior and metric: `prior`, `metric`, `pi0`, `value`, `low`, `high`, and the
        `method`. The limits are empty where the interval is withheld.
    """
    curve = _curve(predictions)
    rows = []
    for point, prior in enumerate(_priors(curve, highest_prior, n_priors)):
        for place, metric in enumerate(metrics):
            rng = stream(seed, "fraud_prior_sweep_intervals", point, place)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", IntervalWarning)  # a withheld interval is empty
                estimate = interval(
                    metric.at_prior_of(prior),
                    curve.at_prior(prior),
                    n_resamples=_N_RESAMPLES,
                    rng=rng,
                )
            rows.append(
                {
                    "prior": prior,
                    "metric": metric.key,
                    "pi0": metric.pi0_at(prior),
                    "value": estimate.value,
                    "low": estimate.low,
                    "high": estimate.high,
                    "method": estimate.method,
                }
            )
    return pd.DataFrame(rows)


def curves(predictions: pd.DataFrame, *, pi0: float, seed: int) -> pd.DataFrame:
    """Draw one model's curves at the data's prior and at a higher one.

    Three curves in each space: of all data; of a sample whose prior is `pi0`, made by leaving out
    negatives at random; and of all data, calibrated to `pi0`, which is what the sample estimates.

    Returns
    -------
    DataFrame
        A row per point, by descending threshold: `space` ("roc", "pr" or "prg"), `sample` ("all",
        "undersampled" or "calibrated"), the `prior` that it is taken at, `pi0`, which is empty
        unless the curve is calibrated, `n_pos` and `n_neg` of the data used, the coordinates `x`
        and `y`, and the `area` under the curve (average precision in PR space).
    """
    curve = _curve(predictions)
    undersampled = undersample(curve, pi0, stream(seed, "curves_at_priors"))
    parts = [
        pd.DataFrame(
            {
                "space": space,
                "sample": sample,
                "prior": weighted.prior,
                "pi0": pi0 if sample == "calibrated" else np.nan,
                "n_pos": int(data.n_pos),
                "n_neg": int(data.n_neg),
                **_thinned(*_SPACES[space][0](weighted)),
                "area": _SPACES[space][1](weighted),
            }
        )
        for space in _SPACES
        for sample, data, weighted in _samples(curve, undersampled, pi0)
    ]
    return pd.concat(parts, ignore_index=True)


def _samples(
    curve: ConfusionCurve, undersampled: ConfusionCurve, pi0: float
) -> Iterator[tuple[str, ConfusionCurve, ConfusionCurve]]:
    """Name of each sample, its rows, and the curve that is drawn."""
    yield "all", curve, curve
    yield "undersampled", undersampled, undersampled
    yield "calibrated", curve, curve.at_prior(pi0)


def _thinned(x: np.ndarray, y: np.ndarray) -> dict[str, np.ndarray]:
    """Coordinates of at most `_N_POINTS` points of a line, with both ends, evenly along it."""
    if len(x) <= _N_POINTS:
        return {"x": x, "y": y}
    length = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(x), np.diff(y)))])
    wanted = np.linspace(0.0, length[-1], _N_POINTS)
    kept = np.unique(length.searchsorted(wanted).clip(max=len(x) - 1))
    kept[-1] = len(x) - 1
    return {"x": x[kept], "y": y[kept]}


def _curve(predictions: pd.DataFrame) -> ConfusionCurve:
    return ConfusionCurve.from_predictions(predictions["y_true"], predictions["y_score"])


def _priors(curve: ConfusionCurve, highest_prior: float, n_priors: int) -> np.ndarray:
    """Geometric grid from the prior of the data, exactly, to `highest_prior`.

    Raises
    ------
    ValueError
        If `highest_prior` is not above the data's: undersampling only raises a prior.
    """
    if highest_prior <= curve.prior:
        raise ValueError(
            f"highest_prior={highest_prior} must be above the prior of the data, {curve.prior}"
        )
    return np.geomspace(curve.prior, highest_prior, n_priors)
