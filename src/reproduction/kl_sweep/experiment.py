"""Figure 5: metrics against the distance of the classes, with a random prior in each run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd
from tqdm import tqdm

from reproduction.core.sweeps import measured_and_population
from reproduction.core.streams import stream
from reproduction.core.metrics import Metric
from reproduction.settings import KlSweep

__all__ = ["run"]


def run(
    settings: KlSweep, metrics: Sequence[Metric], *, seed: int, runs: Iterable[int]
) -> pd.DataFrame:
    """Measure the metrics at every distance of the classes, once per run.

    Returns
    -------
    DataFrame
        A row per distance, run and metric: `mu0`; `kl`, the Kullback-Leibler divergence
        ½ (mu1 - mu0)² in nats; `squared_distance`, (mu1 - mu0)²; `run`; the drawn `prior`;
        `n_pos`, `n_neg`, `metric`, `pi0`, `value` and `population`.
    """
    rows = []
    for run_index in tqdm(runs, desc="kl sweep", disable=None, leave=False):
        for point, mu0 in enumerate(settings.mu0):
            rng = stream(seed, "kl_sweep", run_index, point)
            prior = rng.uniform(settings.lowest_prior, settings.highest_prior)
            n_pos = min(max(round(prior * settings.n_samples), 1), settings.n_samples - 1)
            squared_distance = (settings.mu1 - mu0) ** 2
            for row in measured_and_population(
                metrics, n_pos, settings.n_samples - n_pos, settings.mu1, mu0, rng
            ):
                rows.append(
                    {
                        "mu0": mu0,
                        "kl": squared_distance / 2,
                        "squared_distance": squared_distance,
                        "run": run_index,
                        "prior": prior,
                        **row,
                    }
                )
    return pd.DataFrame(rows)
