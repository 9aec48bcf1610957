"""arXiv appendix A: metrics on fraud data while undersampling raises the prior."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd
from tqdm import tqdm

from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.registry import Metric, values_of
from reproduction.experiments.prior_grid import priors_up_from
from reproduction.experiments.random_streams import stream
from reproduction.experiments.reference_prior import pi0_of
from reproduction.settings import FraudPriorSweep

__all__ = ["run"]


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
    # A draw has exact counts at kept thresholds only; scores name theirs as an option.
    thresholds = {
        metric.settings["threshold"] for metric in metrics if "threshold" in metric.settings
    }
    curve = curve.keep_thresholds(*thresholds)
    priors = priors_up_from(curve.prior, settings.highest_prior, settings.n_priors)
    rows = []
    for run_index in tqdm(runs, desc="fraud prior sweep", disable=None, leave=False):
        for point, prior in enumerate(priors):
            rng = stream(seed, "fraud_prior_sweep", run_index, point)
            drawn = curve.undersample(prior, rng)
            values = values_of(metrics, drawn)
            for metric in metrics:
                rows.append(
                    {
                        "prior": prior,
                        "run": run_index,
                        "n_pos": int(drawn.n_pos),
                        "n_neg": int(drawn.n_neg),
                        "metric": metric.key,
                        "pi0": pi0_of(metric, drawn.prior),
                        "value": values[metric.key],
                    }
                )
    return pd.DataFrame(rows)
