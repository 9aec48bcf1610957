"""Figure 1 and arXiv Figure 11: metrics of one model by period, while its data drift."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from calibrated_metrics.comparison.change import explain_changes
from calibrated_metrics.confusion import ConfusionCurve
from reproduction.core import streams
from reproduction.core.metrics import Metric, suited_to
from reproduction.monitoring.drift import DRIFTS, drifted
from reproduction.monitoring.periods import band, measured, resampled, trends

_DRAWN = Metric("average_precision")  # shown in all figures; its changes are split into two parts


class Tables(NamedTuple):
    """The tables of `run`. Bands, differences, trends and changes are of AUC-PR only."""

    by_period: pd.DataFrame  # with bootstrap bands; empty for periods of a single class
    differences: pd.DataFrame  # ordinary minus calibrated
    trends: pd.DataFrame  # of `periods.trends`
    changes: pd.DataFrame  # since the first period, from `explain_changes`


def reference_prior(stream: pd.DataFrame) -> float:
    """Mean prior of the training weeks, whose rows have no score, or the prior of the first period.

    The labels of these weeks are known when the model goes live. The prior stays fixed: with a
    running mean, the values of two weeks could not be compared. A period of a single class is not
    the first one.
    """
    history = stream[stream["y_score"].isna()]
    if history.empty:
        priors = stream.groupby("period")["y_true"].mean()
        return float(priors[priors.between(0, 1, inclusive="neither")].iloc[0])
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
    `reference_prior`), if they are suited to the scores (`suited_to`). Rows of the stream without a
    score are only used for the reference prior. The random draws of a scenario depend on its name
    only.
    """
    pi0 = pi0 or reference_prior(stream)
    live = stream[stream["y_score"].notna()]
    suited = suited_to(live["y_score"], metrics)
    others = [metric for metric in suited if metric.pi0 is None and metric != _DRAWN]
    parts = []
    for name in scenarios:
        rows = live
        if name in DRIFTS:
            drift_seed = streams.stream_seed(seed, f"monitoring, drift, {name}")
            rows = drifted(live, DRIFTS[name], seed=drift_seed)
        tables = _of_scenario(name, rows, [_DRAWN, *others], pi0, n_bootstrap, seed)
        for table in tables:
            table.insert(0, "scenario", name)
        parts.append(tables)
    return Tables(*(pd.concat(each, ignore_index=True) for each in zip(*parts, strict=True)))


def _of_scenario(
    name: str, rows: pd.DataFrame, metrics: Sequence[Metric], pi0: float, n_draws: int, seed: int
) -> Tables:
    labels = rows.groupby("period")["y_true"]
    periods = pd.DataFrame(
        {"n_pos": labels.sum(), "n_neg": labels.size() - labels.sum(), "prior": labels.mean()}
    ).reset_index()
    curves = {
        period: ConfusionCurve.from_predictions(of_period["y_true"], of_period["y_score"])
        for period, of_period in rows.groupby("period")
        if of_period["y_true"].nunique() == 2
    }
    places = np.flatnonzero(periods["period"].isin(curves))
    twins = [twin for metric in metrics for twin in (metric, replace(metric, pi0=pi0))]
    generators = [streams.stream(seed, f"monitoring, bootstrap, {name}", i + 1) for i in places]
    values = measured(twins, list(curves.values()))
    draws = resampled(twins[:2], list(curves.values()), generators, n_draws)
    low, high = band(draws[..., 0] - draws[..., 1])
    differences = {"value": values[:, 0] - values[:, 1], "low": low, "high": high}

    keys = [metric.key for metric in metrics for _ in range(2)]
    columns = pd.DataFrame({"metric": keys, "pi0": [np.nan, pi0] * len(metrics)})
    orders = streams.stream(seed, f"monitoring, orders, {name}")
    return Tables(
        _with_values(periods.merge(columns, how="cross"), places, values, draws),
        periods.loc[places, ["period", "prior"]].assign(metric=_DRAWN.key, pi0=pi0, **differences),
        pd.concat([columns[:2], trends(values[:, :2], draws, places, orders)], axis="columns"),
        pd.DataFrame(explain_changes(_DRAWN.of_library, curves)).drop(columns="confidence_level"),
    )


def _with_values(
    rows: pd.DataFrame, places: np.ndarray, values: np.ndarray, draws: np.ndarray
) -> pd.DataFrame:
    """Rows of periods and metrics with values, and bands of the metrics that were drawn."""
    n_metrics = values.shape[1]
    cells = np.full((3, len(rows) // n_metrics, n_metrics), np.nan)
    cells[0, places] = values
    cells[1:, places, : draws.shape[-1]] = band(draws)
    value, low, high = cells.reshape(3, -1)
    return rows.assign(value=value, low=low, high=high)
