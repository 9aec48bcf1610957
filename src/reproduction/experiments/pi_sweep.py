"""Figure 4: how metrics of one model change while the class prior falls."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
from tqdm import tqdm

from reproduction.experiments.binormal import measured_and_population
from reproduction.experiments.random_streams import stream
from reproduction.metrics import Metric
from reproduction.settings import PiSweep

__all__ = ["run"]


def run(
    settings: PiSweep, metrics: Sequence[Metric], *, seed: int, runs: Iterable[int]
) -> pd.DataFrame:
    """Measure the metrics at every prior, once per run.

    Returns
    -------
    DataFrame
        A row per prior, run and metric: `prior`, `run`, `n_pos`, `n_neg`, `metric`, `pi0`,
        `value` and `population`, the value of an infinite sample with the same class ratio.
    """
    rows = []
    for run_index in tqdm(runs, desc="pi sweep", disable=None, leave=False):
        for point, prior in enumerate(settings.priors):
            rng = stream(seed, "pi_sweep", run_index, point)
            n_pos = _n_pos(settings, prior, rng)
            n_neg = settings.n_samples - n_pos
            for row in measured_and_population(
                metrics, n_pos, n_neg, settings.mu1, settings.mu0, rng
            ):
                rows.append({"prior": prior, "run": run_index, **row})
    return pd.DataFrame(rows)


def _n_pos(settings: PiSweep, prior: float, rng: np.random.Generator) -> int:
    if settings.class_counts == "bernoulli":
        n_pos = int(rng.binomial(settings.n_samples, prior))
    else:
        n_pos = round(prior * settings.n_samples)
    if not 0 < n_pos < settings.n_samples:
        raise ValueError(
            f"pi_sweep: {settings.n_samples} points at prior {prior} hold {n_pos} positives; "
            "both classes must be present, so raise n_samples"
        )
    return n_pos
