"""arXiv appendix A: metrics on fraud data while undersampling raises the prior."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence

import pandas as pd
from tqdm import tqdm

from calibrated_metrics import uncertainty
from calibrated_metrics.confusion import ConfusionCurve
from reproduction.fraud.draws import undersample
from reproduction.fraud.prior_grid import priors_up_from
from reproduction.core.streams import stream
from reproduction.core.metrics import Metric, thresholds_of, values_of
from reproduction.settings import FraudPriorSweep

__all__ = ["intervals", "run"]

_N_RESAMPLES = 200  # for metrics of plug-ins; those of the paper need no draws


def run(
    settings: FraudPriorSweep,
    metrics: Sequence[Metric],
    curve: ConfusionCurve,
    *,
    seed: int,
    runs: Iterable[int],
) -> pd.DataFrame:
    """Measure the metrics at every prior, each run on another draw of the negatives.

    Parameters
    ----------
    curve : ConfusionCurve
        Of the test set, unit weights.

    Returns
    -------
    DataFrame
        A row per prior, run and metric: `prior`, `run`, `n_pos`, `n_neg`, `metric`,
        `pi0`, `value`.
    """
    thresholds = thresholds_of(metrics)
    priors = priors_up_from(curve.prior, settings.highest_prior, settings.n_priors)
    rows = []
    for run_index in tqdm(runs, desc="fraud prior sweep", disable=None, leave=False):
        for point, prior in enumerate(priors):
            rng = stream(seed, "fraud_prior_sweep", run_index, point)
            drawn = undersample(curve, prior, rng, thresholds=thresholds)
            values = values_of(metrics, drawn)
            for metric in metrics:
                rows.append(
                    {
                        "prior": prior,
                        "run": run_index,
                        "n_pos": int(drawn.n_pos),
                        "n_neg": int(drawn.n_neg),
                        "metric": metric.key,
                        "pi0": metric.pi0_at(drawn.prior),
                        "value": values[metric.key],
                    }
                )
    return pd.DataFrame(rows)


def intervals(
    settings: FraudPriorSweep, metrics: Sequence[Metric], curve: ConfusionCurve, *, seed: int
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
    rows = []
    priors = priors_up_from(curve.prior, settings.highest_prior, settings.n_priors)
    for point, prior in enumerate(priors):
        for place, metric in enumerate(metrics):
            rng = stream(seed, "fraud_prior_sweep_intervals", point, place)
            with warnings.catch_warnings():
                # A withheld interval is an empty field.
                warnings.simplefilter("ignore", uncertainty.IntervalWarning)
                estimate = uncertainty.interval(
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
