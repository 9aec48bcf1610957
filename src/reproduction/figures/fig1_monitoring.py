"""Figure 1: AUC-PR of a monitored model follows the fraud ratio."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from reproduction.core import look
from reproduction.figures.figD11_monitoring_calibrated import BAND, draw_band_line, draw_ratio
from reproduction.core.metrics import Metric

__all__ = ["draw"]

_METRIC = Metric("average_precision")
_SCENARIO = "prior drift"


def draw(values: pd.DataFrame, data_name: str) -> Figure:
    """Draw the table `by_period` of `experiments.monitoring.run`.

    Above, AUC-PR of each week in which only the fraud ratio drifts; below, the fraud ratio.
    """
    of_metric = (values["metric"] == _METRIC.key) & values["pi0"].isna()
    rows = values[of_metric & (values["scenario"] == _SCENARIO)]
    with look.styled():
        figure, (top, bottom) = plt.subplots(
            2,
            1,
            sharex=True,
            figsize=(look.FULL_WIDTH, 3.4),
            gridspec_kw={"height_ratios": [2, 1]},
        )
        figure.suptitle(
            f"{_METRIC.family} of an unchanged model falls as frauds become rarer\n{data_name}"
        )
        draw_band_line(top, rows, _METRIC.family, look.ORDINARY)
        top.set_ylabel(_METRIC.family)
        draw_ratio(bottom, rows)
        bottom.set(xlabel="week after training", ylabel="fraud\nratio π [%]", ylim=(0, None))
        band = Patch(facecolor=look.ORDINARY["color"], alpha=look.BAND_ALPHA, label=BAND)
        handles = [*top.get_lines(), band, *bottom.get_lines()]
        figure.legend(
            handles=handles, loc="outside lower center", ncols=len(handles), frameon=False
        )
        return figure
