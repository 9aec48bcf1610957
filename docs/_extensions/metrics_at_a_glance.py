"""The registered metrics in a table, and the same facts on the page of each function.

The directive ``metrics-at-a-glance`` draws the table. Names, ranges and the direction come from the
records of the metrics, and the column "depends on π₀" from a computation. Formulas are text that
Python can evaluate after `as_python`, so that a test compares them with the functions.
"""

from __future__ import annotations

import inspect
import math

import numpy as np
from sphinx.util.docutils import SphinxDirective

from calibrated_metrics import ConfusionCurve, Metric, functions, scores
from calibrated_metrics.scores import Facts, registered_scores

CURVE, MATRIX = "curve", "matrix"

# An example of each required option, and a curve whose metrics depend on the prior if any does.
OPTIONS = {
    "max_fpr": 0.3,
    "recall": 0.7,
    "precision": 0.7,
    "specificity": 0.7,
    "alert_rate": 0.3,
    "threshold_probability": 0.2,
    "threshold": 0.5,
}
EXAMPLE = ConfusionCurve.from_counts(np.arange(9) / 8, np.arange(1, 10), np.arange(9, 0, -1))


def as_python(text: str) -> str:
    """A formula of the table as a Python expression."""
    signs = {
        "π₀": "pi0",
        "−": "-",
        "·": "*",
        "²": "**2",
        "β": "beta",
        "√": "sqrt",
        "∞": "inf",
        "≤": "<=",
    }
    for sign, replacement in signs.items():
        text = text.replace(sign, replacement)
    return text.partition(", with ")[0]


def options_of(score: Facts) -> dict[str, float]:
    """The options of a score: its defaults, and examples for those without."""
    return {
        name: OPTIONS[name] if default is inspect.Parameter.empty else default
        for name, default in [*score.options.items(), *_THRESHOLD[score.of]]
    }


_THRESHOLD = {"curve": [], "matrix": [("threshold", inspect.Parameter.empty)]}


def depends_on_the_prior(score: Facts) -> bool:
    low, high = (Metric(score.name, pi0, **options_of(score))(EXAMPLE) for pi0 in (0.1, 0.4))
    return not math.isclose(low, high, rel_tol=1e-9)


def bounds_of(score: Facts) -> str:
    """The range as an interval. A ratio can be ∞, but no metric is −∞."""
    ends = [f"{bound:g}".replace("inf", "∞").replace("-", "−") for bound in score.range]
    left = "(" if score.range[0] == -math.inf else "["
    return f"{left}{ends[0]}, {ends[1]}]"


def scores_of(kind: str) -> list[Facts]:
    """The library's own scores of a curve or of a matrix."""
    every = registered_scores().values()
    return [score for score in every if score.of == kind and score.name in scores.__all__]


def table_of(kind: str) -> str:
    """A Markdown table of the scores of a curve or of a matrix."""
    perfect = "perfect ranking" if kind == CURVE else "perfect decisions"
    chance = "constant scores" if kind == CURVE else "decisions that ignore the class"
    heads = ["metric", "formula", "range", perfect, chance, "depends on π₀", "source"]
    rows = [heads, ["---"] * len(heads)]
    for score in scores_of(kind):
        of_counts = f"{{py:func}}`{score.name} <calibrated_metrics.scores.{score.name}>`"
        of_labels = f" {{py:func}}`_score <calibrated_metrics.{score.name}_score>`"
        if not hasattr(functions, f"{score.name}_score"):
            of_labels = ""
        better = "" if score.greater_is_better else " (smaller is better)"
        rows.append(
            [
                f"{of_counts}{of_labels}{better}",
                score.formula,
                bounds_of(score),
                score.perfect,
                score.chance,
                "yes" if depends_on_the_prior(score) else "no",
                score.source,
            ]
        )
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


class MetricsAtAGlance(SphinxDirective):
    """The table of all metrics of a curve or of a matrix."""

    required_arguments = 1

    def run(self):
        return self.parse_text_to_nodes(table_of(self.arguments[0]))


def _documented(name: str) -> tuple[Facts, str] | None:
    """The score behind a public function, and what to say of an option that it fixes."""
    module, _, function = name.removeprefix("calibrated_metrics.").rpartition(".")
    if module not in ("scores", "functions"):
        return None
    known = registered_scores()
    if module == "scores":
        return (known[function], "") if function in known else None
    base = function.removesuffix("_score").replace("f1", "fbeta")
    fixed = ", with β = 1" if "f1" in function else ""
    return (known[base], fixed) if base in known and function.endswith("_score") else None


def add_facts(app, what, name, obj, options, lines):
    """Append the facts of the table to the page of a function."""
    found = _documented(name)
    if found is None:
        return
    score, fixed = found
    ignoring = "constant scores" if score.of == CURVE else "decisions that ignore the class"
    share = ", for the share a of positive predictions" if "a" in score.chance else ""
    lines += [
        "",
        ".. rubric:: At a glance",
        "",
        f":Formula: {score.formula}{fixed}",
        f":Range: {bounds_of(score)}",
        f":Perfect: {score.perfect}",
        f":Chance: {score.chance}, the value of {ignoring} at the prior π₀{share}",
        ":All metrics: :doc:`/reference/metrics`",
        "",
    ]


def setup(app):
    app.add_directive("metrics-at-a-glance", MetricsAtAGlance)
    app.setup_extension("sphinx.ext.autodoc")
    # After numpydoc, which rewrites the sections of the docstring.
    app.connect("autodoc-process-docstring", add_facts, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
