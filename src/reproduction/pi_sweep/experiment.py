"""Figure 4: metrics of one model as the class prior decreases."""

from collections.abc import Sequence

import pandas as pd

from reproduction.core.metrics import Metric
from reproduction.core.streams import stream
from reproduction.core.sweeps import measured_and_population


def run(
    metrics: Sequence[Metric],
    *,
    n_samples: int,
    mu1: float,
    mu0: float,
    priors: Sequence[float],
    seed: int,
    runs: tuple[int, int],
) -> pd.DataFrame:
    """Measure the metrics at every prior, once per run of the range `runs`."""
    rows = []
    for run_index in range(*runs):
        for point, prior in enumerate(priors):
            rng = stream(seed, "pi_sweep", run_index, point)
            n_pos = round(prior * n_samples)
            for row in measured_and_population(metrics, n_pos, n_samples - n_pos, mu1, mu0, rng):
                rows.append({"prior": prior, "run": run_index, **row})
    return pd.DataFrame(rows)
