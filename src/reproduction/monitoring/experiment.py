"""Figure 1 and arXiv Figure 11: metrics of one model by period, while its data drift."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from calibrated_metrics.comparison.change import explain_changes
from calibrated_metrics.confusion import ConfusionCurve
from reproduction.core import streams
from reproduction.core.metrics import Metric
from reproduction.monitoring.drift import DRIFTS, drifted
from reproduction.monitoring.periods import band, measured, resampled, trends

_DRAWN = Metric("average_precision")  # shown in all figures; its changes are split into two parts


class Tables(NamedTuple):
    """The tables of `run`. They have one row per scenario, metric and (except `trends`) period."""

    by_period: pd.DataFrame  # with bootstrap bands; `pi0` is NaN for ordinary metrics
    differences: pd.DataFrame  # ordinary minus calibrated, divided by the largest one, `scale`
    trends: pd.DataFrame  # of `periods.trends`
    changes: pd.DataFrame  # of AUC-PR since the first period, from `explain_changes`


def reference_prior(stream: pd.DataFrame) -> float:
    """Mean prior of the training weeks, whose rows have no score, or the prior of the first period.

    The labels of these weeks are known when the model goes live. The prior stays fixed: with a
    running mean, the values of two weeks could not be compared.
    """
    history = stream[stream["y_score"].isna()]
    if history.empty:
        history = stream[stream["period"] == stream["period"].min()]
    return float(history.groupby("period")["y_true"].mean().mean())


def run(
    stream: pd.DataFrame,
    *,
    metrics: Sequence[Metric],
    scenarios: Sequence[str],
    n_bootstrap: int,
    seed: int,
    pi0: float | None = None,
) -> Tables:
    """Measure metrics and their calibrated versions in every period of every scenario.

    AUC-PR and the metrics without a reference prior are measured, each also at `pi0` (None:
    `reference_prior`). Rows of the stream without a score are only used for the reference prior.
    The random draws of a scenario depend on its name only.
    """
    ordinary = [metric for metric in metrics if metric.pi0 is None]
    if _DRAWN not in ordinary:
        ordinary.insert(0, _DRAWN)
    pi0 = pi0 or reference_prior(stream)
    live = stream[stream["y_score"].notna()]
    parts = []
    for name in scenarios:
        rows = live
        if name in DRIFTS:
            drift_seed = streams.stream_seed(seed, f"monitoring, drift, {name}")
            rows = drifted(live, DRIFTS[name], seed=drift_seed)
        tables = _of_scenario(name, rows, ordinary, pi0, n_bootstrap, seed)
        for table in tables:
            table.insert(0, "scenario", name)
        parts.append(tables)
    tables = Tables(*(pd.concat(each, ignore_index=True) for each in zip(*parts, strict=True)))
    return tables._replace(differences=_normalised(tables.differences))


def _of_scenario(
    name: str, rows: pd.DataFrame, metrics: Sequence[Metric], pi0: float, n_draws: int, seed: int
) -> Tables:
    """Tables of a scenario; differences are not yet divided by their scale."""
    curves = {
        period: ConfusionCurve.from_predictions(of_period["y_true"], of_period["y_score"])
        for period, of_period in rows.groupby("period")
    }
    columns = [twin for metric in metrics for twin in (metric, replace(metric, pi0=pi0))]
    places = range(1, len(curves) + 1)
    generators = [streams.stream(seed, f"monitoring, bootstrap, {name}", each) for each in places]
    values = measured(columns, list(curves.values()))
    draws = resampled(columns, list(curves.values()), generators, n_draws)

    periods = pd.DataFrame(
        [(each, int(curve.n_pos), int(curve.n_neg), curve.prior) for each, curve in curves.items()],
        columns=["period", "n_pos", "n_neg", "prior"],
    )
    keys = [metric.key for metric in metrics for _ in range(2)]
    twins = pd.DataFrame({"metric": keys, "pi0": [np.nan, pi0] * len(metrics)})
    of_metrics = trends(values, draws, streams.stream(seed, f"monitoring, orders, {name}"))
    differences = (each[..., 0::2] - each[..., 1::2] for each in (values, draws))
    return Tables(
        _with_band(periods.merge(twins, how="cross"), values, draws),
        _with_band(periods[["period", "prior"]].merge(twins[1::2], how="cross"), *differences),
        pd.concat([twins, of_metrics], axis="columns"),
        pd.DataFrame(explain_changes(_DRAWN.of_library, curves)).drop(columns="confidence_level"),
    )


def _with_band(rows: pd.DataFrame, values: np.ndarray, draws: np.ndarray) -> pd.DataFrame:
    low, high = band(draws)
    return rows.assign(value=values.ravel(), low=low.ravel(), high=high.ravel())


def _normalised(differences: pd.DataFrame) -> pd.DataFrame:
    largest = differences["value"].abs().groupby(differences["metric"]).transform("max")
    scale = largest.where(largest > 1e-12, 1.0)  # AUC-ROC differs only by rounding
    scaled = differences[["value", "low", "high"]].div(scale, axis="index")
    return differences.assign(scale=scale, **scaled)
