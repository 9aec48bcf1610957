"""What a table of `sweeps.bands` shows, in words: titles of figures follow their data."""

from collections.abc import Iterable, Sequence
from typing import Literal

import pandas as pd

from reproduction.core.metrics import Metric

WORTH_NAMING = 0.025  # a smaller change of a metric is hard to see in a figure
_FALL = 0.002  # the width of a line; a smaller fall of a mean is invisible


def changes(bands: pd.DataFrame) -> Literal["changes", "constant", "unclear"]:
    """Whether one metric changes along a sweep, judged by all its bands together.

    It is constant if no two points within the bands differ by more than `WORTH_NAMING`. It changes
    if some bands do not overlap and it is not constant.
    """
    if bands["high"].max() - bands["low"].min() <= WORTH_NAMING:
        return "constant"
    return "changes" if bands["low"].max() > bands["high"].min() else "unclear"


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
    kinds = [changes(bands[bands["metric"] == metric.key]) for metric in metrics]
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
        parts.append(f"the bands of {listed(unclear)} are too wide to tell")
    text = "; ".join(parts)
    return text[0].upper() + text[1:]


def ending(names: Sequence[str]) -> str:
    """The ending of a verb: "s" for one metric."""
    return "" if len(names) > 1 or names[0].endswith("metrics") else "s"
