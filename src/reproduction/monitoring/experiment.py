"""Figure 1 and arXiv Figure 11: metrics of one model, week by week, while its data drift."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd
from tqdm import tqdm

from calibrated_metrics import _checks, comparison
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.uncertainty import IntervalWarning
from reproduction.monitoring.stream import SCENARIOS, Drift, drifted
from reproduction.monitoring.periods import resample_periods
from reproduction.core.streams import stream, stream_seed
from reproduction.core.metrics import Metric

__all__ = [
    "EXPLAINED",
    "METRICS",
    "Monitoring",
    "historical_prior",
    "of_ordinary",
    "ordinary",
    "run",
]

METRICS = (
    Metric("average_precision"),
    Metric("prg_auc"),
    Metric("fbeta", options={"threshold": 0.5}),
)
"""The monitored metrics; each has a calibrated twin."""

EXPLAINED = Metric("average_precision")
"""The metric of both figures, whose changes are split into prior part and model part."""

_LEVEL = 0.95  # of bands and intervals
_ROUNDING = 1e-12  # AUC-ROC is the same at every prior up to its last digits


class Monitoring(NamedTuple):
    """The tables of `run`.

    Attributes
    ----------
    by_period : DataFrame
        A row per scenario, period and metric: `scenario`, `period`, `n_pos`, `n_neg`, `prior`,
        `metric`, `pi0` (NaN for the ordinary metric), `value`, and its 95 % bootstrap band from
        `low` to `high`.
    differences : DataFrame
        A row per scenario, period and ordinary metric: `scenario`, `period`, `prior`, `metric`,
        `pi0`, and ordinary minus calibrated, divided by `scale`, as `value`, with its band. The
        scale is the largest absolute difference of the metric in any scenario and period, or 1
        where there is none.
    trends : DataFrame
        A row per scenario and metric: `scenario`, `metric`, `pi0`, `mean` over the periods, the
        least-squares `slope` per period, its 95 % bootstrap interval from `low` to `high`,
        `p_value` and `verdict`: "falls", "rises" or "flat".
    changes : DataFrame
        A row per scenario and period after the first: `scenario` and the columns of
        `calibrated_metrics.comparison.explain_changes`: the change of AUC-PR since the first
        period, its prior part and its model part.
    """

    by_period: pd.DataFrame
    differences: pd.DataFrame
    trends: pd.DataFrame
    changes: pd.DataFrame


def ordinary(metrics: Sequence[Metric]) -> list[Metric]:
    """The metrics without a reference prior; monitoring chooses its own."""
    return [metric for metric in metrics if metric.pi0 is None]


def historical_prior(scored: pd.DataFrame) -> float:
    """Mean fraud ratio of the training weeks, with equal weights.

    The frauds of these weeks are known when the model goes live, so the prior can be computed
    then. It stays fixed: a running mean would calibrate each week to another prior, and the values
    of two weeks could not be compared.

    Parameters
    ----------
    scored : DataFrame
        As returned by `data.fraud_stream.scored_stream`.

    Returns
    -------
    float in (0, 1)

    Raises
    ------
    ValueError
        If there is no week before period 1, or no fraud in those weeks.
    """
    history = scored[scored["period"] < 1]
    if history.empty:
        raise ValueError("scored must hold the training weeks, periods below 1; it has none")
    weekly = history.groupby("period")["y_true"].mean()
    return _checks.open_unit("the mean fraud ratio of the training weeks", float(weekly.mean()))


def of_ordinary(
    scored: pd.DataFrame, *, metrics: Sequence[Metric], n_bootstrap: int, seed: int
) -> Monitoring:
    """`run` with the metrics of a set that have no reference prior of their own."""
    return run(scored, metrics=ordinary(metrics), n_bootstrap=n_bootstrap, seed=seed)


def run(
    scored: pd.DataFrame,
    *,
    seed: int,
    metrics: Sequence[Metric] = METRICS,
    scenarios: Mapping[str, Drift | None] = SCENARIOS,
    n_bootstrap: int = 500,
) -> Monitoring:
    """Measure metrics and their calibrated twins in every period of every scenario.

    The reference prior of the twins is `historical_prior`, in all scenarios. Bands come from
    stratified bootstrap draws of a period, the same draws for a metric and its twin. The verdict
    on a trend is that of `reproduction.monitoring.periods.Trend`.

    Parameters
    ----------
    scored : DataFrame
        As returned by `data.fraud_stream.scored_stream`, with at least 5 periods.
    seed : int
        Of the drifts, the bootstrap and the permutations.
    metrics : sequence of Metric
        Without reference priors.
    scenarios : mapping of str to Drift or None
        Drift of each scenario, None for no drift. The random draws of a scenario depend on its
        name, not on the other scenarios.
    n_bootstrap : int, default=500
        Draws per period, at least 2.

    Returns
    -------
    Monitoring

    Raises
    ------
    ValueError
        For a metric with a reference prior, too few draws or periods, a stream without history.

    References
    ----------
    Siblini, Fréry, He-Guelton, Oblé, Wang, "Master your Metrics with Calibration", IDA 2020,
    doi:10.1007/978-3-030-44584-3_36, Figure 1 and section 5; arXiv:1909.02827, Figure 11.
    """
    _checks.integer_at_least("n_bootstrap", n_bootstrap, 2)
    live = scored[scored["period"] >= 1]
    twins = _calibrated_twins(metrics, historical_prior(scored))
    parts = []
    for name, drift in tqdm(scenarios.items(), desc="monitoring", disable=None, leave=False):
        table = live if drift is None else drifted(live, drift, seed=_drift_seed(seed, name))
        measured = _Scenario(name, table, twins, n_bootstrap, seed)
        parts.append(
            (measured.by_period(), measured.differences(), measured.trends(), measured.changes())
        )
    by_period, differences, trends, changes = (
        pd.concat(tables, ignore_index=True) for tables in zip(*parts, strict=True)
    )
    return Monitoring(by_period, _normalised(differences), trends, changes)


def _calibrated_twins(metrics: Sequence[Metric], pi0: float) -> list[tuple[Metric, Metric]]:
    for metric in metrics:
        if metric.pi0 is not None:
            raise ValueError(
                f"metrics must have no reference prior of their own, got {metric.key}: "
                "each is calibrated to the historical one"
            )
    return [(metric, replace(metric, pi0=pi0)) for metric in metrics]


def _drift_seed(seed: int, scenario: str) -> np.random.SeedSequence:
    return stream_seed(seed, f"monitoring, drift, {scenario}")


class _Scenario:
    """All metrics in all periods of a scenario, and on bootstrap draws of each.

    Columns of the measured values are pairs: the metric, then its calibrated twin.
    """

    def __init__(
        self,
        name: str,
        table: pd.DataFrame,
        twins: Sequence[tuple[Metric, Metric]],
        n_draws: int,
        seed: int,
    ):
        self._name, self._twins = name, twins
        self._curves = _curve_by_period(table)
        self._periods = resample_periods(
            self._curves,
            [metric for pair in twins for metric in pair],
            n_draws=n_draws,
            generators=[
                stream(seed, f"monitoring, bootstrap, {name}", each) for each in self._curves
            ],
        )
        self._orders = stream(seed, f"monitoring, orders, {name}")

    def by_period(self) -> pd.DataFrame:
        low, high = self._periods.bands(_LEVEL)
        rows = []
        for place, (period, curve) in enumerate(self._curves.items()):
            for column, (ordinary, of_column) in enumerate(self._columns()):
                rows.append(
                    {
                        "scenario": self._name,
                        "period": period,
                        "n_pos": int(curve.n_pos),
                        "n_neg": int(curve.n_neg),
                        "prior": curve.prior,
                        "metric": ordinary.key,
                        "pi0": of_column.pi0,
                        "value": self._periods.value[place, column],
                        "low": low[place, column],
                        "high": high[place, column],
                    }
                )
        return pd.DataFrame(rows).astype({"pi0": float})

    def differences(self) -> pd.DataFrame:
        """Ordinary minus calibrated."""
        periods = self._periods
        differences = replace(
            periods,
            metrics=periods.metrics[0::2],
            value=periods.value[:, 0::2] - periods.value[:, 1::2],
            draws=periods.draws[..., 0::2] - periods.draws[..., 1::2],
        )
        low, high = differences.bands(_LEVEL)
        rows = []
        for place, (period, curve) in enumerate(self._curves.items()):
            for pair, (ordinary, calibrated) in enumerate(self._twins):
                rows.append(
                    {
                        "scenario": self._name,
                        "period": period,
                        "prior": curve.prior,
                        "metric": ordinary.key,
                        "pi0": calibrated.pi0,
                        "value": differences.value[place, pair],
                        "low": low[place, pair],
                        "high": high[place, pair],
                    }
                )
        return pd.DataFrame(rows)

    def trends(self) -> pd.DataFrame:
        trends = self._periods.trends(_LEVEL, self._orders)
        rows = [
            {
                "scenario": self._name,
                "metric": ordinary.key,
                "pi0": of_column.pi0,
                "mean": trend.mean,
                "slope": trend.slope,
                "low": trend.low,
                "high": trend.high,
                "p_value": trend.p_value,
                "verdict": trend.verdict,
            }
            for (ordinary, of_column), trend in zip(self._columns(), trends, strict=True)
        ]
        return pd.DataFrame(rows).astype({"pi0": float})

    def changes(self) -> pd.DataFrame:
        """Changes since the first period, and their two parts."""
        # The library warns of the bias in periods with few positives, which the caption states.
        with warnings.catch_warnings(action="ignore", category=IntervalWarning):
            rows = comparison.explain_changes(
                EXPLAINED.of_library, self._curves, confidence_level=_LEVEL
            )
        table = pd.DataFrame(rows).drop(columns="confidence_level")
        table.insert(0, "scenario", self._name)
        return table

    def _columns(self) -> list[tuple[Metric, Metric]]:
        """For each measured column, the ordinary metric and the one in the column."""
        return [(pair[0], metric) for pair in self._twins for metric in pair]


def _curve_by_period(table: pd.DataFrame) -> dict[int, ConfusionCurve]:
    return {
        int(period): ConfusionCurve.from_predictions(rows["y_true"], rows["y_score"])
        for period, rows in table.groupby("period")
    }


def _normalised(differences: pd.DataFrame) -> pd.DataFrame:
    largest = differences["value"].abs().groupby(differences["metric"]).transform("max")
    scale = largest.where(largest > _ROUNDING, 1.0)
    columns = ["value", "low", "high"]
    scaled = {column: differences[column] / scale for column in columns}
    return differences.assign(scale=scale, **scaled)
