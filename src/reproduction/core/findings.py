"""What a table of `sweeps.bands` shows, in words: titles of figures follow their data."""

from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np
import pandas as pd

from reproduction.core.metrics import Metric

LOWEST = -1.0  # end of a panel, for a metric without a lower end, such as AUC-PR Gain
WORTH_NAMING = 0.025  # a smaller change of a metric is hard to see in a figure
_FALL = 0.002  # the width of a line on an axis from 0 to 1; a smaller fall of a mean is invisible


def changes(bands: pd.DataFrame, key: str) -> Literal["changes", "constant", "unclear"]:
    """Whether one metric changes along a sweep: the rule of titles and of claims.

    It changes if the gap between two of its bands exceeds their mean width by more than 5 % of the
    height of its panel, which the metrics of a family share. Bands that are merely disjoint occur
    by chance among many points. It is constant if all its bands lie within 10 % of this height. The
    first limit is at least 1 % and at most 5 % of the largest value, the second 5 % and a third.
    """
    of_metric = bands[bands["metric"] == key]
    in_panel = bands["metric"].str.partition("@")[0] == key.partition("@")[0]
    height = np.ptp(bands.loc[in_panel, "value"].clip(LOWEST))
    value, width = of_metric["value"], of_metric["high"] - of_metric["low"]
    largest = value.clip(LOWEST).abs().max()
    excess = (value - width).max() - (value + width).min()
    if excess > np.clip(0.05 * height, 0.01 * largest, 0.05 * largest):
        return "changes"
    room = of_metric["high"].max() - of_metric["low"].min()
    return "constant" if room <= np.clip(0.1 * height, 0.05 * largest, largest / 3) else "unclear"


def calibrated_metrics_that_change(bands: pd.DataFrame) -> int:
    """Number of calibrated metrics that change along the sweep."""
    return sum(changes(bands, key) == "changes" for key in bands["metric"].unique() if "@" in key)


def ordinary_metrics_that_stay(bands: pd.DataFrame) -> int:
    """Number of ordinary metrics that do not change along the sweep, or not beyond their bands."""
    ordinary = [key for key in bands["metric"].unique() if "@" not in key]
    return sum(changes(bands, key) != "changes" for key in ordinary)


def never_falls(rows: pd.DataFrame, x: str) -> bool:
    """Whether the mean of one metric falls from no point to the next."""
    return bool((rows.sort_values(x)["value"].diff().dropna() > -_FALL).all())


def of_cause(cause: str, changed: Sequence[str], kept: Sequence[str]) -> str:
    """A sentence on what a cause changes and what it does not."""
    text = f"{cause} {listed(changed) if changed else 'nothing'}"
    return f"{text}, but not {listed(kept)}" if changed and kept else text


def listed(names: Iterable[str]) -> str:
    """Distinct names as words: "A", "A and B", "A, B and C"."""
    *first, last = dict.fromkeys(names)
    return f"{', '.join(first)} and {last}" if first else last


def named(
    metrics: Sequence[Metric], holds: Sequence[bool], ordinary: str, calibrated: str
) -> list[str]:
    """Names of the metrics for which something holds: whole groups by their names if possible."""
    found = [metric for metric, each in zip(metrics, holds, strict=True) if each]
    names = []
    for name, is_ordinary in ((ordinary, True), (calibrated, False)):
        group = [metric for metric in metrics if (metric.pi0 is None) == is_ordinary]
        if group and all(metric in found for metric in group):
            names.append(name)
            found = [metric for metric in found if metric not in group]
    return names + [metric.label for metric in found]


def of_prior(bands: pd.DataFrame, metrics: Sequence[Metric]) -> str:
    """Which metrics change with the class prior, and which do not."""
    kinds = [changes(bands, metric.key) for metric in metrics]
    changing, constant, unclear = (
        named(metrics, [kind == each for kind in kinds], "ordinary metrics", "calibrated metrics")
        for each in ("changes", "constant", "unclear")
    )
    parts = []
    if changing:
        parts.append(f"{listed(changing)} change{ending(changing)} with the class prior")
    if constant:
        parts.append(f"{listed(constant)} stay{ending(constant)} the same")
    if unclear:
        parts.append(f"the bands of {listed(unclear)} show no clear change")
    text = "; ".join(parts)
    return text[0].upper() + text[1:]


def ending(names: Sequence[str]) -> str:
    """The ending of a verb: "s" for one metric."""
    return "" if len(names) > 1 or names[0].endswith("metrics") else "s"
