"""A month without labels: errors and intervals of the estimated prior and AUC-PR, and drifts."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import PercentFormatter
from matplotlib.transforms import ScaledTranslation

from reproduction.core import look

__all__ = ["draw"]

_NO_DRIFT = "none"
_NAMES = {"prior": "prior", "average_precision": "AUC-PR"}
_COLORS = [look["color"] for look in (look.CALIBRATED[0], look.ORDINARY, *look.CALIBRATED[1:])]
_MARKERS = "os^Dv"
_REFERENCE = {"color": "black", "linestyle": ":", "linewidth": 1.0, "zorder": 1}
_ROW = 0.27  # inches per estimator or drift
_SPREAD = 0.5  # part of a row over which its markers are spread


def draw(table: pd.DataFrame, distribution: str) -> Figure:
    """Draw the table of `experiments.unlabelled_months.summary` for one distribution of scores.

    Above, months in which only the prior changed: bias, coverage and width of each estimator.
    Below, months that also drift: how often the fit test refutes label shift, and the bias of both
    estimates. A marker per number of labelled rows and new prior.
    """
    table = table[table["distribution"] == distribution]
    without, first = table[table["drift"] == _NO_DRIFT], table["estimator"].iloc[0]
    tested = table[table["drift"] != _NO_DRIFT]["estimator"].unique()
    drifts = table[table["estimator"].isin(tested)]
    of_prior, of_score = (drifts[drifts["quantity"] == each] for each in _NAMES)
    estimators = [
        f"{_NAMES[quantity]}: {estimator}"
        for quantity, estimator in _distinct(without, ["quantity", "estimator"])
    ]
    names = [name for (name,) in _distinct(drifts, ["drift"])]
    with look.styled():
        figure, grid = plt.subplots(
            2,
            3,
            sharey="row",
            figsize=(look.FULL_WIDTH, 1.8 + _ROW * (len(estimators) + len(names))),
            gridspec_kw={"height_ratios": [len(estimators), len(names)]},
        )
        for axes, column, title in zip(
            grid[0],
            ("bias", "coverage", "width"),
            ("bias", "coverage of 90 % intervals", "width of the intervals"),
            strict=True,
        ):
            _draw_cells(axes, without, ["quantity", "estimator"], column)
            axes.set_title(title)
        for axes, rows, column, title in (
            (grid[1, 0], drifts[drifts["estimator"] == first], "withheld", "label shift refuted"),
            (grid[1, 1], of_prior, "bias", "bias of the prior"),
            (grid[1, 2], of_score, "bias", "bias of AUC-PR"),
        ):
            _draw_cells(axes, rows, ["drift"], column)
            axes.set_title(title)
        _label_rows(grid[0], "If only the prior changes", estimators)
        drift_labels = ["no drift" if name == _NO_DRIFT else name for name in names]
        _label_rows(grid[1], "If the scores also drift", drift_labels)
        for axes in (grid[0, 0], grid[1, 1], grid[1, 2]):
            axes.axvline(0, **_REFERENCE)
        grid[0, 1].axvline(0.9, **_REFERENCE)
        grid[0, 1].set_xlim(-0.05, 1.05)
        grid[1, 0].set_xlim(-0.05, 1.05)
        grid[0, 2].set_xlim(left=0)
        for axes in grid.flat:
            axes.xaxis.set_major_formatter(PercentFormatter(1.0, symbol=" %"))
            axes.grid(visible=False, axis="y")
        for axes, label in (
            (grid[0, 0], "of the true value"),
            (grid[0, 1], "of the months"),
            (grid[0, 2], "of the true value"),
            (grid[1, 0], "of the months"),
            (grid[1, 1], "of the true value"),
            (grid[1, 2], "of the true value"),
        ):
            axes.set_xlabel(label)
        figure.legend(
            handles=_legend_handles(without),
            loc="outside lower center",
            ncols=2,
            frameon=False,
        )
        return figure


def _distinct(rows: pd.DataFrame, columns: Sequence[str]) -> list[tuple]:
    return list(rows[columns].drop_duplicates().itertuples(index=False, name=None))


def _draw_cells(axes: Axes, rows: pd.DataFrame, keys: list[str], column: str) -> None:
    """A row of markers per distinct key: one per number of labelled rows and new prior."""
    cells = _distinct(rows, ["n_labelled", "new_prior"])
    offsets = np.linspace(-_SPREAD / 2, _SPREAD / 2, len(cells)) if len(cells) > 1 else [0.0]
    for place, key in enumerate(_distinct(rows, keys)):
        of_key = rows[(rows[keys] == list(key)).all(axis=1)].set_index(["n_labelled", "new_prior"])
        for cell, offset in zip(cells, offsets, strict=True):
            value = of_key.loc[cell, column]
            error = of_key.loc[cell].get(f"{column}_error", np.nan)
            low, high = value - 2 * error, value + 2 * error
            if column == "coverage":
                low, high = max(low, 0.0), min(high, 1.0)
            look = _look(cell, cells)
            axes.plot([low, high], 2 * [place + offset], color=look["color"], linewidth=0.8)
            axes.plot(value, place + offset, **look)
            if column in ("coverage", "width") and np.isnan(value) and offset == offsets[0]:
                axes.annotate(
                    "withheld", (0.5, place), xycoords=("axes fraction", "data"), fontsize=6.5,
                    ha="center", va="center", color="0.35",
                )  # fmt: skip


def _look(cell: tuple, cells: list[tuple]) -> dict:
    sizes, priors = (list(dict.fromkeys(values)) for values in zip(*cells, strict=True))
    return {
        "color": _COLORS[sizes.index(cell[0]) % len(_COLORS)],
        "marker": _MARKERS[priors.index(cell[1]) % len(_MARKERS)],
        "linestyle": "none",
    }


def _label_rows(row: Sequence[Axes], heading: str, labels: Sequence[str]) -> None:
    for axes in row:
        axes.set_yticks(range(len(labels)), labels)
        axes.set_ylim(len(labels) - 0.5, -0.5)
        axes.tick_params(axis="y", length=0)
        for place in range(0, len(labels), 2):
            axes.axhspan(place - 0.5, place + 0.5, color="0.95", linewidth=0, zorder=0)
    above_the_labels = ScaledTranslation(-6 / 72, 6 / 72, row[0].figure.dpi_scale_trans)
    row[0].text(
        *(0, 1, heading),
        transform=row[0].transAxes + above_the_labels,
        ha="right",
        fontsize=8.5,
        fontweight="bold",
    )


def _legend_handles(rows: pd.DataFrame) -> list[Line2D]:
    cells = _distinct(rows, ["n_labelled", "new_prior"])
    expected = rows.set_index(["n_labelled", "new_prior"])["n_pos"].groupby(level=[0, 1]).first()
    old = rows["prior"].iloc[0]
    return [
        Line2D(
            [],
            [],
            **_look(cell, cells),
            label=f"{cell[0]:,} labelled rows ({expected[cell]:.0f} positives), "
            f"prior {old:g} → {cell[1]:g}",
        )
        for cell in cells
    ]
