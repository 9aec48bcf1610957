"""AUC-PR at a prior of ½ by four formulas, and the ordinary AUC-PR, against the class ratio."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from reproduction.core import look
from reproduction.core.panels import prior_axis

_LABELS = {
    "ordinary": "AUC-PR at the prior of the test set",
    "siblini": "AUC-P$_c$R at π$_0$=0.5 (Siblini 2020)",
    "de_geest": "calibrated AP, negatives of a tie first",
    "de_geest_high": "calibrated AP, positives of a tie first",
    "odin": "AUPR as coded in ODIN",
    "straight": "straight lines (QSARtuna, SparseChem)",
}
_OPEN = {"linestyle": "none", "markerfacecolor": "none"}
_ROW_BY_ROW = {**_OPEN, "markersize": 7, "color": look.CALIBRATED[1]["color"]}
_LOOKS = {
    "ordinary": look.ORDINARY,
    "siblini": {**look.CALIBRATED[0], "marker": None},
    "de_geest": {**_ROW_BY_ROW, "marker": "o"},
    "de_geest_high": {**_ROW_BY_ROW, "marker": "^"},
    "odin": {**_OPEN, "marker": "x", "markersize": 4, "color": "black"},
    "straight": {**_OPEN, "marker": "D", "markersize": 9, "color": look.CALIBRATED[2]["color"]},
}
_TITLES = {
    "in": "positives: in-distribution\n(AUPR-In)",
    "out": "positives: out-of-distribution\n(AUPR-Out)",
    "out_tied": "out-of-distribution,\nscores rounded to even numbers",
}


@look.styled()
def draw(table: pd.DataFrame) -> Figure:
    """Draw the table of the experiment: one panel per set of positives, one line per measure."""
    figure, panels = plt.subplots(1, 3, sharey=True, figsize=(look.FULL_WIDTH, 3.6))
    at_half = table[table["measure"] != "ordinary"]
    reach = at_half.groupby(["positives", "ratio"])["value"].agg(np.ptp)
    figure.suptitle(
        f"Formulas of AUC-PR at π$_0$ = ½ differ by up to {reach.drop('out_tied').max():.3f}, "
        f"with tied scores by up to {reach['out_tied'].max():.2f}"
    )
    for axes, (positives, title) in zip(panels, _TITLES.items(), strict=True):
        of_panel = table[table["positives"] == positives]
        for place, (measure, label) in enumerate(_LABELS.items()):
            rows = of_panel[of_panel["measure"] == measure]
            # Marks of formulas that agree would hide each other, so each has points of its own.
            is_line = _LOOKS[measure].get("linestyle") != "none"
            every = 1 if is_line else (place % 4, 4)
            axes.plot(rows["ratio"], rows["value"], label=label, markevery=every, **_LOOKS[measure])
        axes.axvline(1, label="classes of the same size", **look.PRIOR)
        axes.margins(x=0.08)
        prior_axis(axes, "outliers per inlier")
        axes.set_title(title)
    panels[0].set_ylabel("AUC-PR")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3)
    return figure
