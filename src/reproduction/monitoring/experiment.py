"""Figure 1 and arXiv Figure 11: AUC-PR of one model by period, while its data drift."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from calibrated_metrics.comparison import by_group
from calibrated_metrics.comparison.change import explain_changes
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.scores import Metric
from calibrated_metrics.uncertainty import difference
from reproduction.core import streams
from reproduction.monitoring.drift import DRIFTS, drifted
from reproduction.monitoring.periods import trends

_METRIC = Metric("average_precision")


class Tables(NamedTuple):
    """The tables of `run`. Intervals have the level 95 %."""

    by_period: pd.DataFrame  # of `comparison.by_group`
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
    stream: pd.DataFrame, *, scenarios: Sequence[str], seed: int, pi0: float | None = None
) -> Tables:
    """Measure AUC-PR and its calibrated version in every period of every scenario.

    The reference prior is `pi0` (None: `reference_prior`), taken as known. Rows of the stream
    without a score are only used for it. The random draws of a scenario depend on its name only.
    """
    pi0 = pi0 or reference_prior(stream)
    live = stream[stream["y_score"].notna()]
    parts = []
    for name in scenarios:
        rows = live
        if name in DRIFTS:
            drift_seed = streams.stream_seed(seed, f"monitoring, drift, {name}")
            rows = drifted(live, DRIFTS[name], seed=drift_seed)
        tables = _of_scenario(rows, pi0, streams.stream(seed, f"monitoring, orders, {name}"))
        for table in tables:
            table.insert(0, "scenario", name)
        parts.append(tables)
    return Tables(*(pd.concat(each, ignore_index=True) for each in zip(*parts, strict=True)))


def _of_scenario(rows: pd.DataFrame, pi0: float, orders: np.random.Generator) -> Tables:
    columns = {"y_true": "y_true", "y_score": "y_score"}
    twins = [_METRIC, _METRIC.at(pi0)]
    values = by_group(rows, "period", **columns, metrics=twins, pi0=None)
    of_twins = pd.DataFrame({"metric": _METRIC.key, "pi0": [np.nan, pi0]})
    values["pi0"] = np.resize(of_twins["pi0"], len(values))
    values["prior"] = values["n_pos"] / (values["n_pos"] + values["n_neg"])  # of one class, too
    estimates = values[["value", "low", "high"]].to_numpy().reshape(-1, 2, 3).transpose(2, 0, 1)
    curves = {
        period: ConfusionCurve.from_predictions(of_period["y_true"], of_period["y_score"])
        for period, of_period in rows.groupby("period")
        if of_period["y_true"].nunique() == 2
    }
    differences = []
    for period, curve in curves.items():
        found = difference(_METRIC, curve, curve.at_prior(pi0), paired=True)
        line = {"period": period, "prior": curve.prior, "metric": _METRIC.key, "pi0": pi0}
        differences.append(line | {each: getattr(found, each) for each in ("value", "low", "high")})
    return Tables(
        values.drop(columns="confidence_level"),
        pd.DataFrame(differences),
        pd.concat([of_twins, trends(estimates, orders)], axis="columns"),
        pd.DataFrame(explain_changes(_METRIC, curves)).drop(columns="confidence_level"),
    )
