"""Figures of the ranked models: replication of Figure 7, arXiv Figures 9 and 10, and others."""

import textwrap
from collections.abc import Sequence
from functools import partial

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from reproduction.core import look
from reproduction.core.metrics import Metric
from reproduction.ranking import matrices
from reproduction.ranking.matrices import Matrix, Scale, decimals, square
from reproduction.ranking.panels import CORRECTIONS, FEWEST_TASKS, used_tasks

_FEW = 50  # rows of a class: metrics of a tenth of them are noisy
_GUIDE = 0.2
_GUIDE_LABEL = f"{_GUIDE:g}: the paper finds more than 90 % of data sets above"


@look.styled()
def draw_rank_correlation(
    table: pd.DataFrame,
    ranked: pd.DataFrame,
    metrics: Sequence[Metric],
    panel: str,
    tasks: str,
    models: str,
) -> Figure:
    """Draw a table of `experiment.run` as a lower triangle; `tasks` and `models` are titles.

    `ranked` is the table of the tasks, from which the title takes the least number of positives.
    """
    used = used_tasks(ranked, panel)
    least, most = table["n_tasks"].min(), table["n_tasks"].max()
    if not most:
        return matrices.empty(f"{tasks}\n{models}", _why_empty(used, panel))
    n_used = f"{most}" if least == most else f"{least} to {most}"
    subtitle = f"{models}\n{n_used} of {table['n_tasks_of_panel'].max()} tasks"
    subtitle += f", from {table['n_sources'].max()} sources{_rarest(used)}"
    values, low, high = (
        square(table, "row", "column", each, metrics) for each in ("spearman", "low", "high")
    )
    below = np.tri(len(metrics), k=-1, dtype=bool)
    notes = {
        (row, column): f"[{decimals(low[row, column])}, {decimals(high[row, column])}]"
        for row, column in np.argwhere(below & ~np.isnan(high)).tolist()
    }
    scale = matrices.correlation_scale(values)
    matrix = _lower_triangle(values, metrics, scale, decimals, notes=notes)
    finding = _least_alike(np.where(below, values, np.nan), low, high, metrics)
    return matrices.draw(f"{tasks}{finding}\n{subtitle}", [[matrix]])


def _why_empty(used: pd.DataFrame, panel: str) -> str:
    if len(used) < FEWEST_TASKS[panel]:
        return f"Not drawn: at least {FEWEST_TASKS[panel]} tasks are needed (here: {len(used)})."
    return "Not drawn: no correlation is defined, because all models are alike."


def _rarest(ranked: pd.DataFrame) -> str:
    """The least number of rows of a class, if it is small."""
    least = int(ranked[["n_pos", "n_neg"]].min(axis=None))
    few = f"; the smallest class has {least} rows, all folds together"
    return few if least < _FEW else ""


def _lower_triangle(
    values: np.ndarray, metrics: Sequence[Metric], scale: Scale, text, **others
) -> Matrix:
    labels = [metric.label for metric in metrics]
    return Matrix(values, labels, scale, np.tri(len(metrics), dtype=bool), text, **others)


def _least_alike(
    values: np.ndarray, low: np.ndarray, high: np.ndarray, metrics: Sequence[Metric]
) -> str:
    """The lowest correlation, and its pair of metrics if no other pair can be as low.

    Another pair can be as low unless its interval lies above that of the lowest. `values` are NaN
    outside the lower triangle.
    """
    if np.isnan(values).all():
        return ""
    row, column = np.unravel_index(np.nanargmin(values), values.shape)
    lowest = decimals(values[row, column])
    if np.isnan(high[row, column]):  # a single task
        return f"\nLowest correlation: {lowest}"
    is_defined = ~np.isnan(values)
    n_as_low = int((is_defined & ~(low > high[row, column])).sum()) - 1
    if n_as_low:
        return f"\nLowest correlation: {lowest} (pairs whose intervals overlap its own: {n_as_low})"
    pair = f"{metrics[column].label} and {metrics[row].label}"
    return f"\n{pair} rank models least alike ({lowest})"


# -------------------------------------------------------------------------------- corrections


@look.styled()
def draw_corrections(
    table: pd.DataFrame,
    metrics: Sequence[Metric],
    imbalanced_metrics: Sequence[Metric],
    panels: dict[str, str],
    models: str,
) -> Figure:
    """Draw the table of `corrections.run`, one row of matrices per panel.

    Each row shows the matrix by the authors' conventions and its change by all corrections.
    `panels` has the titles of the rows; `models` is part of the title.
    """
    cells = table[table["correction"] == "all"]
    if cells.empty:
        return matrices.empty(models)
    correlations = matrices.correlation_scale(cells["as_published"])
    most = cells["change"].abs().fillna(0.0).max()
    change = Scale("change", -(most or 1.0), most or 1.0, "PuOr")
    n_decimals = 3 if change.most < 0.1 else 2
    rows = []
    for panel, of_panel in cells.groupby("panel", sort=False):
        own = imbalanced_metrics if panel == "imbalanced" else metrics
        row = []
        for column, title, scale, n_digits in (
            ("as_published", "Authors' conventions", correlations, 2),
            ("change", "Change by the corrections", change, n_decimals),
        ):
            values = square(of_panel, "row", "column", column, own)
            text = partial(_short, n_decimals=n_digits)
            title = f"{panels[panel]}\n{title}"
            row.append(_lower_triangle(values, own, scale, text, title=title))
        rows.append(row)
    alone = table[table["correction"] != "all"]
    return matrices.draw(f"{_largest_changes(alone, panels, n_decimals)}\n{models}", rows)


def _largest_changes(alone: pd.DataFrame, panels: dict[str, str], n_decimals: int) -> str:
    """The largest change per panel by the correction that changes most, and by the others."""
    sizes = alone.assign(change=alone["change"].abs().fillna(0.0))
    largest = sizes.pivot_table("change", "correction", "panel", aggfunc="max")
    strongest = largest.max(axis=1).idxmax()
    others = largest.drop(index=strongest).max(axis=None)
    of_panels = ", ".join(
        f"{decimals(largest.loc[strongest, panel], n_decimals)} ({title.lower()})"
        for panel, title in panels.items()
        if panel in largest
    )
    return (
        f"Largest change of a rank correlation by {CORRECTIONS[strongest]}: {of_panels}; "
        f"by another correction: {'below 0.001' if others < 0.001 else decimals(others, 3)}"
    )


def _short(value: float, n_decimals: int) -> str:
    """A number without the 0 before the decimal point; 0 if it rounds to 0."""
    text = decimals(value, n_decimals)
    return text.replace("0.", ".", 1) if float(text.replace("−", "-")) else "0"


# ------------------------------------------------------------------------------------- regret


@look.styled()
def draw_selection_regret(
    table: pd.DataFrame,
    ranked: pd.DataFrame,
    metrics: Sequence[Metric],
    panel: str,
    tasks: str,
    models: str,
) -> Figure:
    """Draw a table of `regret.run`: mean and 90th percentile over the tasks."""
    n_tasks = table["n_tasks"].max()
    if not n_tasks:
        return matrices.empty(f"{tasks}\n{models}", _why_empty(used_tasks(ranked, panel), panel))
    mean, p90 = (square(table, "chosen_by", "judged_by", each, metrics) for each in ("mean", "p90"))
    labels = [metric.label for metric in metrics]
    shown, scale = np.ones(mean.shape, dtype=bool), _scale_of_regret(mean, p90)
    title = f"{tasks}{_largest(table, metrics)}\n{models}, {n_tasks} tasks"
    rows = [
        [Matrix(mean, labels, scale, shown, _regret, "Mean over tasks")],
        [Matrix(p90, labels, scale, shown, _regret, "90th percentile over tasks")],
    ]
    return matrices.draw(title, rows, row_axis="model chosen by", column_axis="judged by")


def _largest(table: pd.DataFrame, metrics: Sequence[Metric]) -> str:
    """The largest mean, with its median and largest regret, as a mean may come from few tasks."""
    worst = table.loc[table["mean"].idxmax()]
    if not worst["mean"] > 0:
        return ""
    labels = {metric.key: metric.label for metric in metrics}
    chosen, judged = labels[worst["chosen_by"]], labels[worst["judged_by"]]
    median = "below 0.005" if 0 < worst["median"] < 0.005 else _regret(worst["median"])
    share = 100 * worst["largest"] / (worst["mean"] * worst["n_tasks"])
    return (
        f"\nChoosing by {chosen} loses {_regret(worst['mean'])} of {judged} on average; "
        f"the median is {median}, and one task has {share:.0f} % of the sum"
    )


def _scale_of_regret(*values: np.ndarray) -> Scale:
    """Colour scale up to the largest regret, unless it is much larger than most regrets."""
    positive = np.concatenate([each[each > 0] for each in values])
    label = "regret (units of the column metric)"
    if not len(positive):
        return Scale(label, 0.0, 1.0, "OrRd")
    most, largest = 4 * np.quantile(positive, 0.75), positive.max()
    extend = "max" if largest > most else "neither"
    return Scale(label, 0.0, min(most, largest), "OrRd", extend)


def _regret(value: float) -> str:
    if value >= 10:
        return f"{value:.0f}"
    return decimals(value) if value else "0"


# ------------------------------------------------------------------------------ minority ratio


@look.styled()
def draw_minority_ratio(table: pd.DataFrame, datasets: str) -> Figure:
    """Draw the table of `minority_ratio.run` as a staircase; `datasets` is in the title."""
    if table.empty:
        return matrices.empty(datasets)
    figure, axes = plt.subplots(figsize=(look.SINGLE_WIDTH, 2.8))
    above = (table["minority_ratio"] > _GUIDE).mean()
    figure.suptitle(
        f"{100 * above:.1f} % of {len(table)} minority ratios are above {_GUIDE:g}\n"
        f"{textwrap.fill(datasets, 55)}"
    )
    axes.step(
        [0.0, *table["minority_ratio"], 0.5],
        [0.0, *table["cumulative_share"], 1.0],
        where="post",
        color=look.CATEGORIES[1]["color"],
    )
    guide = {"color": "0.45", "linestyle": "--", "linewidth": 0.9}
    axes.axvline(_GUIDE, label=_GUIDE_LABEL, **guide)
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0))
    axes.set(
        xlim=(0, 0.5),
        ylim=(0, 1.01),
        xlabel="minority ratio (share of the smaller class)",
        ylabel="cumulative share",
    )
    return figure
