"""Figure 1 and arXiv Figure 11: AUC-PR of one model by period, while its data drift."""

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

_METRIC = Metric("average_precision")


class Tables(NamedTuple):
    """The tables of `run`."""

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
    scenarios: Sequence[str],
    n_bootstrap: int,
    seed: int,
    pi0: float | None = None,
) -> Tables:
    """Measure AUC-PR and its calibrated version in every period of every scenario.

    The reference prior is `pi0` (None: `reference_prior`). Rows of the stream without a score are
    only used for it. The random draws of a scenario depend on its name only.
    """
    pi0 = pi0 or reference_prior(stream)
    live = stream[stream["y_score"].notna()]
    parts = []
    for name in scenarios:
        rows = live
        if name in DRIFTS:
            drift_seed = streams.stream_seed(seed, f"monitoring, drift, {name}")
            rows = drifted(live, DRIFTS[name], seed=drift_seed)
        tables = _of_scenario(name, rows, pi0, n_bootstrap, seed)
        for table in tables:
            table.insert(0, "scenario", name)
        parts.append(tables)
    return Tables(*(pd.concat(each, ignore_index=True) for each in zip(*parts, strict=True)))


def _of_scenario(name: str, rows: pd.DataFrame, pi0: float, n_draws: int, seed: int) -> Tables:
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
    twins = [_METRIC, replace(_METRIC, pi0=pi0)]
    generators = [streams.stream(seed, f"monitoring, bootstrap, {name}", i + 1) for i in places]
    values = measured(twins, list(curves.values()))
    draws = resampled(twins, list(curves.values()), generators, n_draws)
    low, high = band(draws[..., 0] - draws[..., 1])
    differences = {"value": values[:, 0] - values[:, 1], "low": low, "high": high}

    cells = np.full((3, len(periods), 2), np.nan)  # values, and the limits of their bands
    cells[:, places] = values, *band(draws)
    value, low, high = cells.reshape(3, -1)
    columns = pd.DataFrame({"metric": _METRIC.key, "pi0": [np.nan, pi0]})
    orders = streams.stream(seed, f"monitoring, orders, {name}")
    return Tables(
        periods.merge(columns, how="cross").assign(value=value, low=low, high=high),
        periods.loc[places, ["period", "prior"]].assign(metric=_METRIC.key, pi0=pi0, **differences),
        pd.concat([columns, trends(values, draws, places, orders)], axis="columns"),
        pd.DataFrame(explain_changes(_METRIC.of_library, curves)).drop(columns="confidence_level"),
    )
