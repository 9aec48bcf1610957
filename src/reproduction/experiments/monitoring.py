"""Figure 1 and arXiv Figure 11: metrics of one model, week by week, while its data drift."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd
from tqdm import tqdm

from calibrated_metrics import _checks
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.registry import Metric, thresholds_of, values_of
from reproduction.data.fraud_stream import SCENARIOS, Drift, drifted
from reproduction.experiments.random_streams import stream, stream_seed

__all__ = ["METRICS", "Monitoring", "historical_prior", "of_ordinary", "ordinary", "run"]

METRICS = (
    Metric("average_precision"),
    Metric("prg_auc"),
    Metric("fbeta", options={"threshold": 0.5}),
)
"""The monitored metrics; each has a calibrated twin."""

_LEVEL = 0.95  # of bands and intervals
_N_PERMUTATIONS = 9_999
_ROUNDING = 1e-12  # AUC-ROC is the same at every prior up to its last digits
_FEWEST_PERIODS = 5  # with fewer, no permutation test reaches 1 - _LEVEL


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
    """

    by_period: pd.DataFrame
    differences: pd.DataFrame
    trends: pd.DataFrame


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
    stratified bootstrap draws of a period, the same draws for a metric and its twin. A metric
    "falls" or "rises" if its slope over the periods is significant at 5 % in two tests: the
    bootstrap interval, which accounts for the small number of frauds in a period, excludes 0, and a
    permutation test of the periods, which accounts for the variation between weeks, rejects a
    constant mean. Otherwise it is "flat".

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
    _checks.integer_at_least("number of periods", int(live["period"].nunique()), _FEWEST_PERIODS)
    twins = _calibrated_twins(metrics, historical_prior(scored))
    parts = []
    for name, drift in tqdm(scenarios.items(), desc="monitoring", disable=None, leave=False):
        table = live if drift is None else drifted(live, drift, seed=_drift_seed(seed, name))
        measured = _Measured(name, table, twins, n_bootstrap, seed)
        parts.append((measured.by_period(), measured.differences(), measured.trends()))
    by_period, differences, trends = (
        pd.concat(tables, ignore_index=True) for tables in zip(*parts, strict=True)
    )
    return Monitoring(by_period, _normalised(differences), trends)


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


class _Measured:
    """All metrics in all periods of a scenario, and on bootstrap draws of each.

    Arrays are of shape (n_periods, n_metrics), draws of shape (n_draws, n_periods, n_metrics).
    """

    def __init__(
        self,
        scenario: str,
        table: pd.DataFrame,
        twins: Sequence[tuple[Metric, Metric]],
        n_draws: int,
        seed: int,
    ):
        self._scenario = scenario
        self._twins = twins
        self._metrics = [metric for pair in twins for metric in pair]
        self._curves = _curve_by_period(table)
        self._of_periods = np.array([self._of(curve) for curve in self._curves.values()])
        thresholds = thresholds_of(self._metrics)
        draws = np.empty((n_draws, *self._of_periods.shape))
        for place, (period, curve) in enumerate(self._curves.items()):
            rng = stream(seed, f"monitoring, bootstrap, {scenario}", period)
            for draw in draws:
                draw[place] = self._of(curve.resample(rng, thresholds=thresholds))
        self._of_draws = draws
        self._orders = stream(seed, f"monitoring, orders, {scenario}").permuted(
            np.tile(np.arange(len(self._curves)), (_N_PERMUTATIONS, 1)), axis=1
        )

    def _of(self, curve: ConfusionCurve) -> list[float]:
        values = values_of(self._metrics, curve)
        return [values[metric.key] for metric in self._metrics]

    def by_period(self) -> pd.DataFrame:
        low, high = _band(self._of_draws)
        rows = []
        for place, (period, curve) in enumerate(self._curves.items()):
            for column, (ordinary, of_column) in enumerate(self._columns()):
                rows.append(
                    {
                        "scenario": self._scenario,
                        "period": period,
                        "n_pos": int(curve.n_pos),
                        "n_neg": int(curve.n_neg),
                        "prior": curve.prior,
                        "metric": ordinary.key,
                        "pi0": of_column.pi0,
                        "value": self._of_periods[place, column],
                        "low": low[place, column],
                        "high": high[place, column],
                    }
                )
        return pd.DataFrame(rows).astype({"pi0": float})

    def differences(self) -> pd.DataFrame:
        """Ordinary minus calibrated."""
        values, draws = (
            each[..., 0::2] - each[..., 1::2] for each in (self._of_periods, self._of_draws)
        )
        low, high = _band(draws)
        rows = []
        for place, (period, curve) in enumerate(self._curves.items()):
            for pair, (ordinary, calibrated) in enumerate(self._twins):
                rows.append(
                    {
                        "scenario": self._scenario,
                        "period": period,
                        "prior": curve.prior,
                        "metric": ordinary.key,
                        "pi0": calibrated.pi0,
                        "value": values[place, pair],
                        "low": low[place, pair],
                        "high": high[place, pair],
                    }
                )
        return pd.DataFrame(rows)

    def trends(self) -> pd.DataFrame:
        slopes = _slopes(self._of_periods)
        low, high = _band(_slopes(self._of_draws))
        rows = []
        for column, (ordinary, of_column) in enumerate(self._columns()):
            values = self._of_periods[:, column]
            p_value = self._p_value(slopes[column], values)
            rows.append(
                {
                    "scenario": self._scenario,
                    "metric": ordinary.key,
                    "pi0": of_column.pi0,
                    "mean": values.mean(),
                    "slope": slopes[column],
                    "low": low[column],
                    "high": high[column],
                    "p_value": p_value,
                    "verdict": _verdict(low[column], high[column], p_value),
                }
            )
        return pd.DataFrame(rows).astype({"pi0": float})

    def _p_value(self, slope: float, values: np.ndarray) -> float:
        """Two-sided p-value of the slope under random permutations of the periods."""
        slopes = _slopes(values[self._orders][..., None])
        # The observed order must count as at least as steep as itself, despite rounding.
        as_steep = np.count_nonzero(np.abs(slopes) >= abs(slope) * (1 - 1e-9))
        return (1 + as_steep) / (1 + _N_PERMUTATIONS)

    def _columns(self) -> list[tuple[Metric, Metric]]:
        """For each column of the arrays, the ordinary metric and the one in the column."""
        return [(pair[0], metric) for pair in self._twins for metric in pair]


def _curve_by_period(table: pd.DataFrame) -> dict[int, ConfusionCurve]:
    return {
        int(period): ConfusionCurve.from_predictions(rows["y_true"], rows["y_score"])
        for period, rows in table.groupby("period")
    }


def _band(draws: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Ends of the middle 95 % along the first axis."""
    low, high = np.quantile(draws, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2], axis=0)
    return low, high


def _slopes(values: np.ndarray) -> np.ndarray:
    """Least-squares slopes of shape (..., n_metrics) of values (..., n_periods, n_metrics)."""
    n_periods = values.shape[-2]
    centred = np.arange(n_periods) - (n_periods - 1) / 2
    # Differences from the first period give a constant metric a slope of exactly 0.
    changes = values - values[..., :1, :]
    return (centred[:, None] * changes).sum(axis=-2) / (centred**2).sum()


def _verdict(low: float, high: float, p_value: float) -> str:
    if p_value > 1 - _LEVEL or low <= 0 <= high:
        return "flat"
    return "falls" if high < 0 else "rises"


def _normalised(differences: pd.DataFrame) -> pd.DataFrame:
    largest = differences["value"].abs().groupby(differences["metric"]).transform("max")
    scale = largest.where(largest > _ROUNDING, 1.0)
    columns = ["value", "low", "high"]
    scaled = {column: differences[column] / scale for column in columns}
    return differences.assign(scale=scale, **scaled)
