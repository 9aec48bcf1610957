"""Figure 1 and arXiv Figure 11: metrics of one model, period by period, while its data drift."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from calibrated_metrics.comparison.change import explain_changes
from calibrated_metrics.confusion import ConfusionCurve
from reproduction.core.metrics import Metric
from reproduction.core.streams import stream as random_stream
from reproduction.core.streams import stream_seed
from reproduction.monitoring.drift import DRIFTS, drifted
from reproduction.monitoring.periods import band, measured, resampled, trends

__all__ = ["Tables", "reference_prior", "run"]

_LEVEL = 0.95  # of bands and intervals
_DRAWN = Metric("average_precision")  # in all figures; its changes are split into two parts
_ROUNDING = 1e-12  # AUC-ROC is the same at every prior up to its last digits


class Tables(NamedTuple):
    """The tables of `run`, with a row per scenario and metric, and per period but in `trends`.

    - `by_period`: `value` and its 95 % bootstrap band from `low` to `high`; `pi0` is NaN for the
      ordinary metric;
    - `differences`: ordinary minus calibrated, divided by `scale`, with its band. The scale is the
      largest absolute difference of the metric in any scenario and period, or 1 if all are 0;
    - `trends`: the fields of `periods.Trend`;
    - `changes`: the rows of `explain_changes`: the change of AUC-PR since the first period, its
      prior part and its model part.
    """

    by_period: pd.DataFrame
    differences: pd.DataFrame
    trends: pd.DataFrame
    changes: pd.DataFrame


def reference_prior(stream: pd.DataFrame) -> float:
    """Mean prior of the training weeks, whose rows have no score, or the prior of the first period.

    The labels of these weeks are known when the model goes live, so the prior can be computed
    then. It stays fixed: a running mean would calibrate each week to another prior, and the values
    of two weeks could not be compared.
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
    """Measure metrics and their calibrated twins in every period of every scenario.

    The stream has at least 5 periods. Rows without a score are history, from which only the
    reference prior comes. The metrics without a reference prior and AUC-PR are measured, each also
    at `pi0` (None: `reference_prior`). Names of scenarios that are not in `DRIFTS` stand for the
    stream as it is. The random draws of a scenario depend on its name only.
    """
    ordinary = [metric for metric in metrics if metric.pi0 is None]
    if _DRAWN not in ordinary:
        ordinary.insert(0, _DRAWN)
    pi0 = pi0 or reference_prior(stream)
    live = stream[stream["y_score"].notna()]
    parts = []
    for name in scenarios:
        curves = _curve_by_period(_with_drift(live, name, seed))
        tables = _of_scenario(name, curves, ordinary, pi0, n_bootstrap, seed)
        for table in tables:
            table.insert(0, "scenario", name)
        parts.append(tables)
    tables = Tables(*(pd.concat(each, ignore_index=True) for each in zip(*parts, strict=True)))
    return tables._replace(differences=_normalised(tables.differences))


def _with_drift(live: pd.DataFrame, scenario: str, seed: int) -> pd.DataFrame:
    if scenario not in DRIFTS:
        return live
    drift_seed = stream_seed(seed, f"monitoring, drift, {scenario}")
    return drifted(live, DRIFTS[scenario], seed=drift_seed)


def _curve_by_period(rows: pd.DataFrame) -> dict[object, ConfusionCurve]:
    return {
        period: ConfusionCurve.from_predictions(of_period["y_true"], of_period["y_score"])
        for period, of_period in rows.groupby("period")
    }


def _of_scenario(
    name: str,
    curves: dict[object, ConfusionCurve],
    ordinary: Sequence[Metric],
    pi0: float,
    n_bootstrap: int,
    seed: int,
) -> Tables:
    """Tables of a scenario; differences are not yet divided by their scale."""
    columns = [twin for metric in ordinary for twin in (metric, replace(metric, pi0=pi0))]
    places = range(1, len(curves) + 1)
    generators = [random_stream(seed, f"monitoring, bootstrap, {name}", each) for each in places]
    values = measured(columns, list(curves.values()))
    draws = resampled(columns, list(curves.values()), generators, n_bootstrap)

    periods = pd.DataFrame(
        [(each, int(curve.n_pos), int(curve.n_neg), curve.prior) for each, curve in curves.items()],
        columns=["period", "n_pos", "n_neg", "prior"],
    )
    names = pd.DataFrame({"metric": [metric.key for metric in ordinary], "pi0": pi0})
    twins = names.loc[names.index.repeat(2)].reset_index(drop=True)
    twins.loc[::2, "pi0"] = np.nan
    of_metrics = trends(values, draws, _LEVEL, random_stream(seed, f"monitoring, orders, {name}"))
    changes = explain_changes(_DRAWN.of_library, curves, confidence_level=_LEVEL)
    differences = (each[..., 0::2] - each[..., 1::2] for each in (values, draws))
    return Tables(
        _with_band(periods.merge(twins, how="cross"), values, draws),
        _with_band(periods[["period", "prior"]].merge(names, how="cross"), *differences),
        pd.concat([twins, pd.DataFrame(of_metrics)], axis="columns"),
        pd.DataFrame(changes).drop(columns="confidence_level"),
    )


def _with_band(rows: pd.DataFrame, values: np.ndarray, draws: np.ndarray) -> pd.DataFrame:
    low, high = band(draws, _LEVEL)
    return rows.assign(value=values.ravel(), low=low.ravel(), high=high.ravel())


def _normalised(differences: pd.DataFrame) -> pd.DataFrame:
    largest = differences["value"].abs().groupby(differences["metric"]).transform("max")
    scale = largest.where(largest > _ROUNDING, 1.0)
    columns = ["value", "low", "high"]
    scaled = {column: differences[column] / scale for column in columns}
    return differences.assign(scale=scale, **scaled)
