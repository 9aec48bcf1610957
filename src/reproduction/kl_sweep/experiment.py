"""Figure 5: metrics against the distance of the classes, with a random prior in each run."""

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
    mu0: Sequence[float],
    lowest_prior: float,
    highest_prior: float,
    seed: int,
    runs: tuple[int, int],
) -> pd.DataFrame:
    """Measure the metrics at every distance of the classes, once per run of the range `runs`.

    `kl` is the Kullback-Leibler divergence ½ (mu1 - mu0)² in nats.
    """
    rows = []
    for run_index in range(*runs):
        for point, mean in enumerate(mu0):
            rng = stream(seed, "kl_sweep", run_index, point)
            prior = rng.uniform(lowest_prior, highest_prior)
            n_pos = min(max(round(prior * n_samples), 1), n_samples - 1)
            squared = (mu1 - mean) ** 2
            place = {"mu0": mean, "kl": squared / 2, "squared_distance": squared}
            for row in measured_and_population(metrics, n_pos, n_samples - n_pos, mu1, mean, rng):
                rows.append({**place, "run": run_index, "prior": prior, **row})
    return pd.DataFrame(rows)
