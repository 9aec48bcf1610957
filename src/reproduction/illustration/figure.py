"""Figure 3: ranked instances, a threshold, and the effect of fewer positives."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reproduction.core import findings, look

_POSITIVE, _NEGATIVE = look.CATEGORIES[0]["color"], look.CATEGORIES[1]["color"]
_MARK = {"linestyle": "none", "markersize": 8, "markeredgewidth": 1.3}
_MARKS = {
    "positive": {"marker": "o", "markerfacecolor": _POSITIVE, "markeredgecolor": _POSITIVE},
    "negative": {"marker": "s", "markerfacecolor": "white", "markeredgecolor": _NEGATIVE},
    "removed positive": {"marker": "x", "markeredgecolor": "0.55"},
}
_THRESHOLD = {"color": "black", "linewidth": 1.0, "linestyle": "--"}

_TITLE = "{population}: {n_pos} positives, {n_neg} negatives, π = {prior:.2f}"
_GROUPS = {
    "within one class": {"recall": "recall {tp} / {n_pos}", "fpr": "FPR {fp} / {n_neg}"},
    "across the classes": {"precision": "precision {tp} / {n_predicted}", "f1": "F1"},
    "calibrated to π$_0$ = {pi0:.2f}": {
        "precision_calibrated": "precision$_c$",
        "f1_calibrated": "F1$_c$",
    },
}
_LABELS = {name: label for labels in _GROUPS.values() for name, label in labels.items()}
_CHANGED = {"color": look.ORDINARY["color"], "fontweight": "bold"}

# Heights within a panel: instances lie at 0, their numbers below.
_TOP, _SIDE, _FLOOR, _VALUE, _NAME, _RULE, _GROUP = 1.1, 0.72, -0.5, -1.0, -1.58, -1.85, -2.12
_BOTTOM = -2.3


@look.styled()
def draw(instances: pd.DataFrame, numbers: pd.DataFrame) -> Figure:
    """Draw the tables `instances` and `numbers` of the experiment.

    For each population, the figure shows the instances by descending score, on a grey background
    above the threshold, and the numbers below, bold if they differ between the populations.
    """
    size = (look.FULL_WIDTH, 0.6 + 1.6 * len(numbers))
    figure, panels = plt.subplots(len(numbers), 1, squeeze=False, figsize=size)
    changed = {name for name in _LABELS if len(set(map(_shown, numbers[name]))) > 1}
    for axes, (_, row) in zip(panels.flat, numbers.iterrows(), strict=True):
        axes.set_axis_off()
        _draw_instances(axes, instances[instances["population"] == row["population"]])
        _write_numbers(axes, row, changed)
        axes.set_title(_TITLE.format_map(row), loc="left")
    figure.suptitle(_finding(changed))
    handles = [Line2D([], [], label=kind, **_MARK, **mark) for kind, mark in _MARKS.items()]
    handles.append(Line2D([], [], label="threshold", **_THRESHOLD))
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
    return figure


def _finding(changed: set[str]) -> str:
    """Which numbers change, and which do not."""
    names = {key: label.partition(" {")[0] for key, label in _LABELS.items()}
    moved = [name for key, name in names.items() if key in changed]
    kept = [name for key, name in names.items() if key not in changed]
    return findings.of_cause("Fewer positives change", moved, kept)


def _draw_instances(axes: Axes, instances: pd.DataFrame) -> None:
    scores, present, positive = instances["score"], instances["present"], instances["y_true"] == 1
    kinds = (positive & present, ~positive & present, ~present)
    left, right = scores.max() + 0.7, scores.min() - 0.7
    axes.set(xlim=(left, right), ylim=(_BOTTOM, _TOP))
    axes.fill_between([left, 0], _FLOOR, _TOP, color="0.92", linewidth=0)
    axes.plot([0, 0], [_FLOOR, _TOP], **_THRESHOLD)
    axes.plot([left, right], [0, 0], color="0.6", linewidth=0.8, zorder=1)
    for of_kind, mark in zip(kinds, _MARKS.values(), strict=True):
        axes.plot(scores[of_kind], 0 * scores[of_kind], **_MARK, **mark)
    for x, side, text in (
        (left, "left", " higher score"),
        (0, "right", "predicted positive  "),
        (0, "left", "  predicted negative"),
        (right, "right", "lower score "),
    ):
        axes.text(x, _SIDE, text, ha=side, va="center", fontsize=7, color="0.3")


def _write_numbers(axes: Axes, row: pd.Series, changed: set[str]) -> None:
    width = 1 / len(_GROUPS)
    centred = {"ha": "center", "va": "center", "transform": axes.get_yaxis_transform()}
    for group, (title, labels) in enumerate(_GROUPS.items()):
        middle = (group + 0.5) * width
        for shift, (name, label) in zip((-0.22, 0.22), labels.items(), strict=True):
            place = middle + shift * width
            weight = _CHANGED if name in changed else {}
            axes.text(place, _VALUE, _shown(row[name]), fontsize=11, **centred, **weight)
            axes.text(place, _NAME, label.format_map(row), fontsize=7.5, **centred)
        ends = (middle - 0.42 * width, middle + 0.42 * width)
        axes.hlines(_RULE, *ends, color="0.6", linewidth=0.6, transform=centred["transform"])
        axes.text(middle, _GROUP, title.format_map(row), fontsize=7, color="0.3", **centred)


def _shown(number: float) -> str:
    return f"{number:.2f}"
