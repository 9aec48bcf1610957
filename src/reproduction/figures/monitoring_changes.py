"""Why a monitored metric changed: prior part and model part of each week."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.legend_handler import HandlerTuple

from reproduction.core import look
from reproduction.figures.figD11_monitoring_calibrated import draw_band_line
from reproduction.core.panels import band_patches

__all__ = ["draw"]

_SCENARIOS = ("prior drift", "likelihood drift")
_LOOKS = {
    "prior_part": {"color": look.PRIOR_PART, "linestyle": "-", "marker": "o"},
    "model_part": {"color": look.MODEL_PART, "linestyle": "--", "marker": "s"},
}
_GUIDE = {"color": "black", "linestyle": "--", "linewidth": 0.8}


def draw(
    changes: pd.DataFrame,
    values: pd.DataFrame,
    data_name: str,
    *,
    scenarios: Sequence[str] = _SCENARIOS,
) -> Figure:
    """Draw the tables `changes` and `by_period` of `experiments.monitoring.run`.

    A column of panels per scenario: above, the metric of each week; below, the two parts of its
    change since the first week, each with its 95 % intervals.
    """
    values = values[values["pi0"].isna() & values["metric"].isin(changes["metric"])]
    with look.styled():
        figure, grid = plt.subplots(
            2,
            len(scenarios),
            squeeze=False,
            sharex=True,
            sharey="row",
            figsize=(look.FULL_WIDTH, 4.0),
        )
        figure.suptitle(
            "The prior part explains the fall of AUC-PR if the fraud ratio falls, the model part "
            f"if the frauds change\n{data_name}"
        )
        for axes, name in zip(grid.T, scenarios, strict=True):
            of_scenario = (table[table["scenario"] == name] for table in (changes, values))
            _draw_scenario(*axes, *of_scenario)
            axes[0].set_title(name)
        grid[0, 0].set_ylabel("AUC-PR")
        grid[1, 0].set_ylabel("change since week 1")
        _legend(figure, grid[0, 0], grid[1, 0])
        return figure


def _draw_scenario(top: Axes, bottom: Axes, changes: pd.DataFrame, values: pd.DataFrame) -> None:
    draw_band_line(top, values, "AUC-PR", {**look.ORDINARY, "linestyle": "-"})
    top.axhline(values["value"].iloc[0], label="value in week 1", **_GUIDE)
    bottom.axhline(0.0, color="black", linewidth=0.6)
    for part, look in _LOOKS.items():
        columns = {f"{part}_low": "low", f"{part}_high": "high", part: "value"}
        rows = changes[["period", *columns]].rename(columns=columns)
        draw_band_line(bottom, rows, part.replace("_", " "), look)
    bottom.set_xlabel("week")


def _legend(figure: Figure, top: Axes, bottom: Axes) -> None:
    lines = [line for axes in (top, bottom) for line in axes.get_legend_handles_labels()[0]]
    band = band_patches(look.ORDINARY, *_LOOKS.values())
    figure.legend(
        [*lines, band],
        [*(line.get_label() for line in lines), "95 % interval of a week"],
        loc="outside lower center",
        ncols=len(lines) + 1,
        frameon=False,
        handler_map={tuple: HandlerTuple(ndivide=None)},
    )
