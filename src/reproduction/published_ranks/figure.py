"""Figure 7 in the form of the paper, with its printed correlations and ours in each cell."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from reproduction.core import look

_COLOURS = {"all": "green", "imbalanced": "blue"}
_PRIORS = ("", r"$_{\pi_0≈\pi}$", r"$_{\pi_0=0.5}$")
_LABELS = [f"{name}{prior}" for name in ("AUC-PR", "AUC-PR Gain", "F1 score") for prior in _PRIORS]
_LABELS.append("AUC-ROC")


@look.styled()
def draw(table: pd.DataFrame, models: pd.DataFrame, panel: str, tasks: str) -> Figure:
    """Draw a table of `experiment.run`; `tasks` is the title, `models` its table of models.

    A cell has the printed value and, below it, ours, in red if it rounds to another value.
    """
    import seaborn as sns  # slow to import

    ours, printed = (
        table[name].to_numpy().reshape(len(_LABELS), -1) for name in ("spearman", "printed")
    )
    printed = np.fmax(np.fmax(printed, printed.T), np.where(np.eye(len(ours)), 1.0, np.nan))
    is_met = [[float(f"{value:.2g}") for value in row] for row in ours] == printed
    figure, axes = plt.subplots(figsize=(look.FULL_WIDTH, 5.2))
    sns.heatmap(
        ours,
        cmap=sns.light_palette(_COLOURS[panel]),  # the palette and the texts of the authors' code
        annot=printed,
        fmt=".2g",
        annot_kws={"size": 8.5, "va": "bottom"},
        linewidths=0.5,
        xticklabels=_LABELS,
        yticklabels=_LABELS,
        ax=axes,
    )
    for (row, column), text in zip(np.ndindex(ours.shape), list(axes.texts), strict=True):
        colour = text.get_color() if is_met[row, column] else "red"
        place = {"ha": "center", "va": "top", "size": 5.5, "color": colour}
        axes.text(column + 0.5, row + 0.56, f"{ours[row, column]:.4f}", **place)
    axes.grid(False)
    axes.tick_params(length=0)
    below = np.tri(len(ours), k=-1, dtype=bool)
    (row,) = models[models["panel"] == panel].itertuples()
    moved = (table["corrected"] - table["spearman"]).abs().max()
    wrong = (
        f"\n{row.zeroed:,} models are 0 in all ten metrics; without them and undefined "
        f"correlations, cells change by up to {moved:.3f}"
    )
    figure.suptitle(
        f"{tasks}: {is_met[below].sum()} of {below.sum()} printed correlations (large) equal ours "
        f"(small) when rounded; mean {row.mean_correlation:.2f}\n"
        f"Authors' stored scores of {row.n_models:,} models on {row.n_tasks} tasks; "
        f"{row.gain_above_1} values of AUC-PR Gain (π$_0$=0.5) exceed its maximum of 1"
        f"{wrong if row.zeroed else ''}"
    )
    return figure
