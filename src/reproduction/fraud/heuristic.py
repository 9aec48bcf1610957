"""Figure 6: Jeni's undersampling heuristic against the closed form."""

from __future__ import annotations

import pandas as pd
from tqdm import tqdm

from calibrated_metrics import scores, uncertainty
from calibrated_metrics.confusion import ConfusionCurve
from reproduction.fraud.draws import n_negatives_kept
from reproduction.fraud.prior_grid import priors_up_from
from reproduction.core.streams import stream
from reproduction.fraud.undersampling import (
    expected_average_precision,
    simulated_average_precision,
)
from reproduction.settings import Heuristic

__all__ = ["run"]


def run(settings: Heuristic, curve: ConfusionCurve, *, seed: int) -> pd.DataFrame:
    """Compare average precision after undersampling to π₀ with its calibrated closed form.

    Parameters
    ----------
    curve : ConfusionCurve
        Of the test set, unit weights.

    Returns
    -------
    DataFrame
        A row per `pi0`: `n_pos`, `n_neg_kept`, `n_runs`; `mean` and `sd` of the runs; their exact
        expectation `expected`; `closed_form`; and the 95 % interval of the closed form, `low` and
        `high`, which is wider because it includes the error of the positives.
    """
    rows = []
    priors = priors_up_from(curve.prior, settings.highest_prior, settings.n_priors)
    interval = uncertainty.interval("average_precision", curve, pi0=priors)
    progress = tqdm(priors, desc="heuristic", disable=None, leave=False)
    for point, pi0 in enumerate(progress):
        rng = stream(seed, "heuristic", point)
        values = simulated_average_precision(curve, pi0, settings.n_runs, rng)
        deviations = values - values[0]  # exactly 0 at the prior, where nothing is random
        rows.append(
            {
                "pi0": pi0,
                "n_pos": int(curve.n_pos),
                "n_neg_kept": n_negatives_kept(curve, pi0),
                "n_runs": settings.n_runs,
                "mean": values[0] + deviations.mean(),
                "sd": deviations.std(ddof=1),
                "expected": expected_average_precision(curve, pi0),
                "closed_form": scores.average_precision(curve.at_prior(pi0)),
                "low": interval.low[point],
                "high": interval.high[point],
            }
        )
    return pd.DataFrame(rows)
