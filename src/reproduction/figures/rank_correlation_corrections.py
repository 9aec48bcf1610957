"""Rank correlations by the authors' and the corrected conventions, and their difference."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pandas as pd
from matplotlib.figure import Figure

from reproduction.figures import matrices, style
from reproduction.ranking.matrices import Matrix, Scale, square
from reproduction.core.metrics import Metric

__all__ = ["draw"]

_NAMES = {
    "all": "All tasks",
    "imbalanced": "Imbalanced tasks",
    "small_prior": "Tasks with a small prior",
}
_COLUMNS = ("as_published", "corrected", "change")


def draw(
    table: pd.DataFrame,
    metrics: Sequence[Metric],
    imbalanced_metrics: Sequence[Metric],
    models: str,
    titles: Sequence[str],
) -> Figure:
    """Draw the table of `experiments.rank_correlation.corrections`, a row of matrices per panel.

    Each row shows the matrix by the authors' conventions, with all corrections, and the change.

    Parameters
    ----------
    table : DataFrame
        `panel`, `correction`, `row`, `column`, `as_published`, `corrected`, `change`.
    metrics : sequence of Metric
        Of the panels "all" and "small_prior".
    imbalanced_metrics : sequence of Metric
        Of the panel "imbalanced".
    models : str
        For the title: the origin of the models.
    titles : sequence of str
        What the matrices by the authors' conventions and the corrected ones are called.
    """
    with style.styled():
        cells = table[table["correction"] == "all"]
        if cells.empty:
            return matrices.empty(models)
        correlations = matrices.correlation_scale(cells["as_published"], cells["corrected"])
        change = matrices.symmetric_scale("change", cells["change"], "PuOr")
        n_decimals = 3 if change.most < 0.1 else 2
        rows = [
            _row(
                cells[cells["panel"] == panel],
                imbalanced_metrics if panel == "imbalanced" else metrics,
                [f"{_NAMES[panel]}\n{heading}" for heading in (*titles, "Change")],
                [correlations, correlations, change],
                [2, 2, n_decimals],
            )
            for panel in cells["panel"].unique()
        ]
        most = matrices.decimals(cells["change"].abs().max(), n_decimals)
        title = f"The corrections change rank correlations by up to {most}\n{models}"
        return matrices.draw(title, rows, numbered=True)


def _row(
    cells: pd.DataFrame,
    metrics: Sequence[Metric],
    titles: Sequence[str],
    scales: Sequence[Scale],
    n_decimals: Sequence[int],
) -> list[Matrix]:
    labels = [metric.label for metric in metrics]
    shown = matrices.lower_triangle(len(metrics))
    return [
        Matrix(
            square(cells, "row", "column", name, metrics),
            labels,
            scale,
            shown,
            partial(_short, n_decimals=n),
            title,
        )
        for name, title, scale, n in zip(_COLUMNS, titles, scales, n_decimals, strict=True)
    ]


def _short(value: float, n_decimals: int) -> str:
    """Decimals without a 0 before the point; 0 if they are all 0."""
    text = matrices.decimals(value, n_decimals)
    return text.replace("0.", ".", 1) if float(text.replace("−", "-")) else "0"
