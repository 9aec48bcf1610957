"""The tables of Figure 6, arXiv appendix A and Figure 2, from a scored test set."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from calibrated_metrics import spaces
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.scores.areas import average_precision, prg_auc, roc_auc
from calibrated_metrics.uncertainty.estimate import IntervalWarning
from calibrated_metrics.uncertainty.interval import interval
from reproduction.core.metrics import Metric, suited_to, thresholds_of, values_of
from reproduction.core.streams import stream
from reproduction.core.sweeps import bands
from reproduction.fraud.draws import n_negatives_kept, undersample, with_vertices_at
from reproduction.fraud.undersampling import expected_average_precision, simulated_average_precision

_N_POINTS = 500  # evenly along a drawn curve, which also has both ends of longer steps

_SPACES: dict[str, tuple[Callable, Callable]] = {  # coordinates and area of a curve
    "roc": (spaces.roc, roc_auc),
    "pr": (lambda curve: spaces.recall_precision(spaces.interpolated(curve)), average_precision),
    "prg": (spaces.recall_precision_gain, prg_auc),
}


def run(
    predictions: pd.DataFrame,
    metrics: Sequence[Metric],
    *,
    of_heuristic: Mapping[str, Any],
    of_prior_sweep: Mapping[str, Any],
    of_curves: Mapping[str, Any],
    seed: int,
) -> tuple[pd.DataFrame, ...]:
    """The table of `heuristic`, the three of `prior_sweep`, and that of `curves`.

    The test set has the columns `y_true` and `y_score`. Metrics that are not suited to the scores
    are left out (`suited_to`).
    """
    curve = ConfusionCurve.from_predictions(predictions["y_true"], predictions["y_score"])
    highest = [of_heuristic["highest_prior"], of_prior_sweep["highest_prior"], of_curves["pi0"]]
    if curve.prior >= min(highest):
        raise ValueError(
            f"the prior of the data is {curve.prior:.3g}, and dropping negatives raises it: set "
            "fraud.heuristic.highest_prior, fraud.prior_sweep.highest_prior and "
            f"fraud.curves.pi0, now {highest}, above it"
        )
    metrics = suited_to(predictions["y_score"], metrics)
    return (
        heuristic(curve, **of_heuristic, seed=seed),
        *prior_sweep(curve, metrics, **of_prior_sweep, seed=seed),
        curves(curve, **of_curves, seed=seed),
    )


def heuristic(
    curve: ConfusionCurve, *, n_runs: int, n_priors: int, highest_prior: float, seed: int
) -> pd.DataFrame:
    """Compare average precision after undersampling to π₀ with its calibrated closed form.

    The interval of the closed form is wider than the spread of the runs, because it includes the
    sampling error of the positives.
    """
    priors = np.geomspace(curve.prior, highest_prior, n_priors)
    limits = interval("average_precision", curve, pi0=priors)
    values = np.empty((n_priors, n_runs))
    for point, pi0 in enumerate(priors):
        rng = stream(seed, "heuristic", point)
        values[point] = simulated_average_precision(curve, pi0, n_runs, rng)
    deviations = values - values[:, :1]  # exactly 0 at the prior, where nothing is random
    return pd.DataFrame(
        {
            "pi0": priors,
            "n_pos": int(curve.n_pos),
            "n_neg_kept": [n_negatives_kept(curve, pi0) for pi0 in priors],
            "n_runs": n_runs,
            "mean": values[:, 0] + deviations.mean(axis=1),
            "sd": deviations.std(axis=1, ddof=1),
            "expected": [expected_average_precision(curve, pi0) for pi0 in priors],
            "closed_form": limits.value,
            "low": limits.low,
            "high": limits.high,
        }
    )


def prior_sweep(
    curve: ConfusionCurve,
    metrics: Sequence[Metric],
    *,
    n_runs: int,
    n_priors: int,
    highest_prior: float,
    seed: int,
) -> tuple[pd.DataFrame, ...]:
    """Measure the metrics at every prior, on draws of the negatives and on all data.

    The tables are the values of the runs, their `bands`, and the values of all data with 95 %
    intervals. The runs differ only in their negatives; the intervals also include the sampling
    error of the positives.
    """
    priors = list(enumerate(np.geomspace(curve.prior, highest_prior, n_priors)))
    runs, intervals = [], []
    counted = with_vertices_at(curve, thresholds_of(metrics))
    for run, (point, prior) in product(range(n_runs), priors):
        rng = stream(seed, "fraud_prior_sweep", run, point)
        drawn = undersample(counted, prior, rng)
        row = {"prior": prior, "run": run, "n_pos": int(drawn.n_pos), "n_neg": int(drawn.n_neg)}
        for metric, value in zip(metrics, values_of(metrics, drawn).values(), strict=True):
            pi0 = metric.pi0_at(drawn.prior)
            runs.append({**row, "metric": metric.key, "pi0": pi0, "value": value})
    for (point, prior), (place, metric) in product(priors, enumerate(metrics)):
        of_library = metric.at_prior_of(prior)
        rng = stream(seed, "fraud_prior_sweep_intervals", point, place)
        # A withheld interval is empty. Only metrics of plug-ins need the draws.
        with warnings.catch_warnings(action="ignore", category=IntervalWarning):
            estimate = interval(of_library, curve.at_prior(prior), n_resamples=200, rng=rng)
        row = {"prior": prior, "metric": metric.key, "pi0": metric.pi0_at(prior)}
        limits = {name: getattr(estimate, name) for name in ("value", "low", "high", "method")}
        intervals.append({**row, **limits})
    table = pd.DataFrame(runs)
    return table, bands(table, ["prior"]), pd.DataFrame(intervals)


def curves(curve: ConfusionCurve, *, pi0: float, seed: int) -> pd.DataFrame:
    """Draw one model's curves at the data's prior and at a higher one.

    There are three curves in each space: of all data; of a sample with the prior `pi0`, made by
    removing negatives at random; and of all data calibrated to `pi0`, which the curve of the sample
    estimates. The area in PR space is average precision.
    """
    samples = {
        "all": curve,
        "undersampled": undersample(curve, pi0, stream(seed, "curves_at_priors")),
        "calibrated": curve.at_prior(pi0),
    }
    parts = [
        pd.DataFrame(
            {
                "space": space,
                "sample": sample,
                "prior": drawn.prior,
                "pi0": pi0 if sample == "calibrated" else np.nan,
                "n_pos": int(used.n_pos),
                "n_neg": int(used.n_neg),
                **_thinned(*points_of(drawn)),
                "area": area_of(drawn),
            }
        )
        for space, (points_of, area_of) in _SPACES.items()
        for sample, drawn in samples.items()
        for used in [curve if sample == "calibrated" else drawn]
    ]
    return pd.concat(parts, ignore_index=True)


def _thinned(x: np.ndarray, y: np.ndarray) -> dict[str, np.ndarray]:
    """Coordinates of `_N_POINTS` points evenly along a line, and of corners before long steps."""
    if len(x) <= _N_POINTS:
        return {"x": x, "y": y}
    length = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(x), np.diff(y)))])
    wanted = np.linspace(0.0, length[-1], _N_POINTS)
    before_long_steps = np.flatnonzero(np.diff(length) > wanted[1])
    kept = np.union1d(length.searchsorted(wanted).clip(max=len(x) - 1), before_long_steps)
    kept[-1] = len(x) - 1
    return {"x": x[kept], "y": y[kept]}
