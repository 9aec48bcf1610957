"""Why a monitored metric changed: prior part and model part of each week."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.container import Container
from matplotlib.figure import Figure

from calibrated_metrics.displays import ChangeDisplay
from reproduction.figures import style

__all__ = ["draw"]

_SCENARIOS = ("prior drift", "likelihood drift")
_LEVEL = 0.95  # of the intervals in the tables


def draw(
    changes: pd.DataFrame,
    values: pd.DataFrame,
    data_name: str,
    *,
    scenarios: Sequence[str] = _SCENARIOS,
) -> Figure:
    """Draw the tables `changes` and `by_period` of `experiments.monitoring.run`.

    A column of panels per scenario: above, the metric of each week; below, the two parts of its
    change since the first week.
    """
    values = values[values["pi0"].isna()]
    with style.styled():
        figure, grid = plt.subplots(
            2,
            len(scenarios),
            squeeze=False,
            sharex=True,
            sharey="row",
            figsize=(style.FULL_WIDTH, 3.9),
        )
        figure.suptitle(data_name)
        for axes, name in zip(grid.T, scenarios, strict=True):
            of_scenario = (table[table["scenario"] == name] for table in (changes, values))
            handles = _draw_scenario(axes, *of_scenario)
            axes[0].set_title(name)
        for axes in grid[:, 1:].flat:
            axes.set_ylabel("")
        figure.legend(
            handles=handles, loc="outside lower center", ncols=len(handles), frameon=False
        )
        return figure


def _draw_scenario(
    axes: Sequence[Axes], changes: pd.DataFrame, values: pd.DataFrame
) -> list[Artist | Container]:
    """Draw the panels of a scenario and return the entries of the legend."""
    changes = changes.assign(confidence_level=_LEVEL)
    display = ChangeDisplay.from_changes(changes, values=values, ax=list(axes))
    display.reference_.set_label("reference, week 1")
    for each in axes:
        each.get_legend().remove()
        each.grid(visible=False, axis="x")
    axes[1].set(xlabel="week", ylabel="change since week 1")
    return [display.line_, display.reference_, display.interval_, *display.bars_.values()]
