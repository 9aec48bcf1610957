"""The directive ``play-with-the-prior``: one model at many priors, and a slider between them.

The library computes the numbers and matplotlib draws the curves when the documentation is built.
The page holds all of them, and its slider shows those of one prior.

python docs/_extensions/play_with_the_prior.py

writes the picture that opens the README and the first page of the documentation.
"""

from __future__ import annotations

import io
import re
from pathlib import Path

import matplotlib as mpl
import numpy as np
from docutils import nodes
from docutils.parsers.rst import Directive
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from calibrated_metrics import ConfusionCurve, scores, spaces, thresholds

# The test set: 2,000 of 20,000 cases are positives.
Y_TRUE = np.arange(20_000) < 2_000
Y_SCORE = np.random.default_rng(0).normal(2.5 * Y_TRUE).round(2)
CURVE = ConfusionCurve.from_predictions(Y_TRUE, Y_SCORE)
GOAL = 0.6  # the certified thresholds have at least this precision
CASES = 100_000  # the confusion matrices have this sum
STEPS = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)
PRIORS = [round(step * power, 5) for power in (1e-3, 1e-2, 1e-1) for step in STEPS][:-2]  # to 50 %
FIRST = PRIORS.index(CURVE.prior)

BLUE, ORANGE, GREY = "#0b62a4", "#d9480f", "#777777"
LOOK = {
    "axes.spines.right": False,
    "axes.spines.top": False,
    "font.family": "DejaVu Sans",
    "font.size": 11,
    "svg.hashsalt": "play",
}


def certified_threshold(pi0):
    """The certified threshold at a prior, or None."""
    return thresholds.choose_threshold(CURVE, pi0=pi0, min_precision=GOAL).threshold


FIXED = certified_threshold(CURVE.prior)


def ranking_at(pi0):
    """Metrics of all thresholds together, at a prior."""
    curve = CURVE.at_prior(pi0)
    return {"AUC-PR": scores.average_precision(curve), "AUC-ROC": scores.roc_auc(curve)}


def decisions_at(pi0, threshold):
    """Metrics and the confusion matrix of one threshold, at a prior."""
    matrix = CURVE.confusion_matrix(threshold).at_prior(pi0)
    outcomes = np.array([matrix.tp, matrix.fn, matrix.fp, matrix.tn])
    return {
        "precision": scores.precision(matrix),
        "recall": scores.recall(matrix),
        "F1": scores.fbeta(matrix),
        "outcomes": CASES * outcomes / outcomes.sum(),
    }


def percent(share: float) -> str:
    return f"{100 * share:.3g}\N{NO-BREAK SPACE}%"


def draw(ax: Axes, pi0: float) -> dict[str, object]:
    """Draw the curve, the chance level and the two thresholds at a prior; return them by name."""
    (line,) = ax.plot(*spaces.recall_precision(spaces.interpolated(CURVE.at_prior(pi0))), c=BLUE)
    drawn = {"curve": line, "chance": ax.axhline(pi0, c=BLUE, ls="--", lw=1)}
    looks = {
        "fixed": (FIXED, {"marker": "o", "mfc": "white", "ms": 9, "mew": 2}),
        "certified": (certified_threshold(pi0), {"marker": "D", "ms": 6}),
    }
    for name, (threshold, look) in looks.items():
        if threshold is not None:
            found = decisions_at(pi0, threshold)
            (drawn[name],) = ax.plot(found["recall"], found["precision"], c=ORANGE, **look)
    return drawn


def prepare(ax: Axes) -> None:
    """What is the same at all priors: the axes, the goal, and the curve at the test set's prior."""
    own = spaces.recall_precision(spaces.interpolated(CURVE))
    ax.plot(*own, c=GREY, lw=1, alpha=0.6)
    ax.axhline(GOAL, c=ORANGE, lw=0.8, ls=":")
    ax.set(xlabel="recall", ylabel="precision", xlim=(0, 1.02), ylim=(0, 1.02))


def explain(figure: Figure, ax: Axes, here: str) -> None:
    """Explain the colours and marks below the axes."""
    prior = percent(CURVE.prior)
    shown = {
        f"at {here}": {"c": BLUE},
        f"chance level at {here}": {"c": BLUE, "ls": "--", "lw": 1},
        f"at {prior}, as in the test set": {"c": GREY, "lw": 1, "alpha": 0.6},
        f"precision {percent(GOAL)}, the goal": {"c": ORANGE, "ls": ":", "lw": 0.8},
        f"threshold chosen at {prior}": {
            "c": ORANGE, "marker": "o", "mfc": "white", "ms": 8, "mew": 2, "ls": "",
        },
        f"threshold chosen at {here}": {"c": ORANGE, "marker": "D", "ms": 6, "ls": ""},
    }  # fmt: skip
    handles = [ax.plot([], [], label=label, **look)[0] for label, look in shown.items()]
    figure.legend(handles=handles, loc="outside lower center", ncols=2, fontsize=10, frameon=False)


def picture() -> str:
    """The drawing of all priors, as SVG, where the parts of each prior have its number."""
    with mpl.rc_context(LOOK):
        figure = Figure(figsize=(5, 4.9), layout="constrained")
        ax = figure.add_subplot()
        prepare(ax)
        explain(figure, ax, "π₀")
        for number, pi0 in enumerate(PRIORS):
            for name, artist in draw(ax, pi0).items():
                artist.set_gid(f"prior-{number}-{name}")
        file = io.StringIO()
        figure.savefig(file, format="svg", metadata={"Date": None}, transparent=True)
    svg = file.getvalue()
    svg = svg[svg.index("<svg") :].replace("<svg ", f'<svg role="img" aria-label="{ALT}" ', 1)
    return re.sub(r'id="prior-(\d+)-(\w+)"', _of_prior, svg)


ALT = "Precision-recall curve, chance level and two thresholds at the chosen prior"


def _of_prior(found: re.Match[str]) -> str:
    number, name = found.groups()
    hidden = "" if int(number) == FIRST else " hidden"
    return f'data-prior="{number}" data-name="{name}"{hidden}'


def table(number: int) -> str:
    """The numbers of a prior, as a table in HTML."""
    pi0 = PRIORS[number]
    chosen = [FIXED, certified_threshold(pi0)]
    found = [
        threshold if threshold is None else decisions_at(pi0, threshold) for threshold in chosen
    ]

    def row(name: str, *cells: str, span: int) -> str:
        return f'<tr><th scope="row">{name}' + "".join(f"<td colspan={span}>{c}" for c in cells)

    def outcomes(name: str, first: int) -> str:
        pairs = [
            [None, None] if one is None else one["outcomes"][first : first + 2] for one in found
        ]
        cells = ["–" if count is None else f"{count:,.0f}" for pair in pairs for count in pair]
        return row(name, *cells, span=1)

    rows = [row(name, f"{value:.3f}", span=4) for name, value in ranking_at(pi0).items()]
    rows += [
        '<tr class="heads"><th>threshold'
        f"<th colspan=2>chosen at {percent(CURVE.prior)}<th colspan=2>chosen at π₀",
        row(
            "score ≥",
            *("none" if t is None else f"{t:g}".replace("-", "−") for t in chosen),
            span=2,
        ),
    ]
    for name in ("precision", "recall", "F1"):
        rows.append(row(name, *("–" if f is None else f"{f[name]:.3f}" for f in found), span=2))
    rows += [
        f'<tr class="heads"><th>of {CASES:,} cases' + "<th>alert<th>no alert" * 2,
        outcomes("positive", 0),
        outcomes("negative", 2),
    ]
    hidden = "" if number == FIRST else " hidden"
    return f'<table class="table" data-prior="{number}"{hidden}>{"".join(rows)}</table>'


SCRIPT = """
const page = document.currentScript.parentElement;
page.querySelector("input").oninput = ({target}) => {
  for (const part of page.querySelectorAll("[data-prior]"))
    part.toggleAttribute("hidden", part.dataset.prior !== target.value);
  target.ariaValueText = page.querySelector("output:not([hidden])").textContent;
};
"""


def html() -> str:
    """The slider, the drawing and the tables."""
    numbers = range(len(PRIORS))
    shown = "".join(
        f'<output data-prior="{i}"{"" if i == FIRST else " hidden"}>{percent(PRIORS[i])}</output>'
        for i in numbers
    )
    slider = (
        f'<input type="range" max="{numbers[-1]}" value="{FIRST}" autocomplete="off" '
        f'aria-label="Prior π₀" aria-valuetext="{percent(PRIORS[FIRST])}">'
    )
    slider = f"<span>{percent(PRIORS[0])}</span>{slider}<span>{percent(PRIORS[-1])}</span>"
    return (
        '<div class="play-with-the-prior">'
        f'<label>Prior π₀ = {shown}<span class="slider">{slider}</span></label>'
        f"<div>{picture()}<div>{''.join(map(table, numbers))}</div></div>"
        f"<script>{SCRIPT}</script></div>"
    )


class PlayWithThePrior(Directive):
    """The slider with its drawing and its numbers."""

    def run(self):
        return [nodes.raw("", html(), format="html")]


def setup(app):
    app.add_directive("play-with-the-prior", PlayWithThePrior)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def still(path: Path, pi0: float = 0.01) -> None:
    """Write a picture of one prior."""
    with mpl.rc_context(LOOK):
        figure = Figure(figsize=(5.6, 4.2), layout="constrained")
        ax = figure.add_subplot()
        prepare(ax)
        draw(ax, pi0)
        own, rare = (ranking_at(prior)["AUC-PR"] for prior in (CURVE.prior, pi0))
        ax.set_title(f"AUC-PR: {own:.2f} at {percent(CURVE.prior)}, {rare:.2f} at {percent(pi0)}")
        explain(figure, ax, percent(pi0))
        figure.savefig(path, dpi=130)


if __name__ == "__main__":
    still(Path(__file__).parents[1] / "figures" / "play_with_the_prior.png")
