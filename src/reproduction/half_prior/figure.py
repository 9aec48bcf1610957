"""AUC-PR at a prior of ½ in four notations, and the ordinary AUC-PR, against the class ratio."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reproduction.core import look
from reproduction.core.panels import prior_axis

_LABELS = {
    "ordinary": "AUC-PR at the prior of the test set",
    "siblini": "AUC-P$_c$R at π$_0$=0.5 (Siblini 2020)",
    "de_geest": "calibrated AP (De Geest 2016)",
    "odin": "AUPR as coded in ODIN",
    "balanced": "balanced precision (Wu 2021), averaged",
}
_OPEN = {"linestyle": "none", "markerfacecolor": "none"}
_LOOKS = {
    "ordinary": look.ORDINARY,
    "siblini": {**look.CALIBRATED[0], "marker": None},
    "de_geest": {**_OPEN, "marker": "o", "markersize": 7, "color": look.CALIBRATED[1]["color"]},
    "odin": {**_OPEN, "marker": "x", "markersize": 4, "color": "black"},
    "balanced": {**_OPEN, "marker": "D", "markersize": 10, "color": look.CALIBRATED[2]["color"]},
}
_TITLES = {
    "in": "positives: in-distribution rows (AUPR-In)",
    "out": "positives: out-of-distribution rows (AUPR-Out)",
}


def draw(table: pd.DataFrame) -> Figure:
    """Draw the table of the experiment: one panel per set of positives, one line per measure."""
    with look.styled():
        figure, panels = plt.subplots(1, 2, sharey=True, figsize=(look.FULL_WIDTH, 3.3))
        figure.suptitle("Four notations of AUC-PR at π$_0$ = ½ agree at every class ratio")
        for axes, (positives, title) in zip(panels, _TITLES.items(), strict=True):
            _draw_panel(axes, table[table["positives"] == positives])
            axes.set_title(title)
        panels[0].set_ylabel("AUC-PR")
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False)
        return figure


def _draw_panel(axes: Axes, table: pd.DataFrame) -> None:
    for measure, label in _LABELS.items():
        rows = table[table["measure"] == measure]
        axes.plot(rows["ratio"], rows["value"], label=label, **_LOOKS[measure])
    axes.axvline(1, color=look.PRIOR_PART, linestyle=":", linewidth=1)
    prior_axis(axes, "out-of-distribution rows per in-distribution row")
