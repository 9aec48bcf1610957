"""The registered metrics in a table, and the same facts on the page of each function.

The directive ``metrics-at-a-glance`` draws the table. Names, ranges and the direction come from the
records of the metrics, and the column "depends on π₀" from a computation. The rest is in `FACTS`,
as text that Python can evaluate after `as_python`, so that a test compares it with the functions.
"""

from __future__ import annotations

import inspect
import math
from dataclasses import dataclass

import numpy as np
from sphinx.util.docutils import SphinxDirective

from calibrated_metrics import ConfusionCurve, Metric, functions, scores
from calibrated_metrics.scores import Facts, registered_scores

SIBLINI = "[Siblini et al. 2020](https://doi.org/10.1007/978-3-030-44584-3_36)"
DAVIS = "[Davis & Goadrich 2006](https://doi.org/10.1145/1143844.1143874)"
FLACH = "Flach & Kull 2015"
RIJSBERGEN = "van Rijsbergen 1979"
MCSHERRY = "[McSherry & Najork 2008](https://doi.org/10.1007/978-3-540-78646-7_38)"
DEEKS = "[Deeks & Altman 2004](https://doi.org/10.1136/bmj.329.7458.168)"
FBETA = "(1 + β²)·TP / ((1 + β²)·TP + β²·FN + FP)"
CURVE, MATRIX = "curve", "matrix"


@dataclass(frozen=True)
class Shown:
    """What the table says of a metric, beyond what the library knows.

    `chance` is the value of constant scores for a metric of a ranking, and of decisions that
    ignore the class, with the share a of positive predictions, for a metric of a decision.
    """

    formula: str
    chance: str
    source: str = ""
    perfect: str = "1"


FACTS = {
    "average_precision": Shown("Σₖ (Recₖ − Recₖ₋₁)·Precₖ", "π₀", SIBLINI),
    "pr_auc": Shown("∫ Prec dRec; between vertices, FP is linear in TP", "π₀", DAVIS),
    "achievable_pr_auc": Shown("∫ Prec dRec of the ROC convex hull", "π₀", DAVIS),
    "prg_auc": Shown("∫ PrecG dRecG, with gain(x) = (x − π₀) / ((1 − π₀)·x)", "0", FLACH),
    "roc_auc": Shown(
        "∫ TPR dFPR",
        "0.5",
        "[Hanley & McNeil 1982](https://doi.org/10.1148/radiology.143.1.7063747)",
    ),
    "partial_average_precision": Shown(
        "mean Prec for min_recall ≤ Rec ≤ max_recall",
        "π₀",
        "[Saito & Rehmsmeier 2017](https://doi.org/10.1093/bioinformatics/btw570)",
    ),
    "partial_roc_auc": Shown(
        "(1 + (A − m²/2) / (m − m²/2)) / 2; A is the area up to FPR m = max_fpr",
        "0.5",
        "[McClish 1989](https://doi.org/10.1177/0272989X8900900307)",
    ),
    "best_fbeta": Shown("max F-beta over the thresholds", "(1 + β²)·π₀ / (1 + β²·π₀)", RIJSBERGEN),
    "precision_at_recall": Shown("max Prec where Rec ≥ recall", "π₀"),
    "recall_at_precision": Shown("max Rec where Prec ≥ p = precision", "1 if p ≤ π₀ else 0"),
    "recall_at_specificity": Shown("max TPR where FPR ≤ 1 − specificity", "0"),
    "specificity_at_recall": Shown("1 − min FPR where TPR ≥ recall", "0"),
    "precision_at_specificity": Shown(
        "Prec at the FPR f = 1 − specificity", "π₀", perfect="π₀ / (π₀ + f·(1 − π₀))"
    ),
    "precision_at_top": Shown(
        "Prec at the alert rate q = alert_rate", "π₀", MCSHERRY, "min(1, π₀ / q)"
    ),
    "recall_at_top": Shown("Rec at the alert rate q = alert_rate", "q", MCSHERRY, "min(1, q / π₀)"),
    "precision": Shown("TP / (TP + FP)", "π₀", RIJSBERGEN),
    "recall": Shown("TP / (TP + FN)", "a", RIJSBERGEN),
    "fbeta": Shown(FBETA, "(1 + β²)·a·π₀ / (a + β²·π₀)", RIJSBERGEN),
    "specificity": Shown("TN / (TN + FP)", "1 − a"),
    "npv": Shown("TN / (TN + FN)", "1 − π₀"),
    "accuracy": Shown("(TP + TN) / (TP + TN + FP + FN)", "a·π₀ + (1 − a)·(1 − π₀)"),
    "balanced_accuracy": Shown("(TP / (TP + FN) + TN / (TN + FP)) / 2", "0.5"),
    "matthews_corrcoef": Shown(
        "(TP·TN − FP·FN) / √((TP + FP)·(TP + FN)·(TN + FP)·(TN + FN))",
        "0",
        "[Matthews 1975](https://doi.org/10.1016/0005-2795(75)90109-9)",
    ),
    "cohen_kappa": Shown(
        "2·(TP·TN − FP·FN) / ((TP + FP)·(FP + TN) + (TP + FN)·(FN + TN))",
        "0",
        "[Cohen 1960](https://doi.org/10.1177/001316446002000104)",
    ),
    "net_benefit": Shown(
        "(TP − FP·p / (1 − p)) / (TP + FP + FN + TN), with p = threshold_probability",
        "a·(π₀ − (1 − π₀)·p / (1 − p))",
        "[Vickers & Elkin 2006](https://doi.org/10.1177/0272989X06295361)",
        "π₀",
    ),
    "positive_likelihood_ratio": Shown(
        "TP / (TP + FN) / (FP / (FP + TN))", "1", DEEKS, perfect="∞"
    ),
    "negative_likelihood_ratio": Shown(
        "FN / (TP + FN) / (TN / (FP + TN))", "1", DEEKS, perfect="0"
    ),
    "alert_rate": Shown("(TP + FP) / (TP + FP + FN + TN)", "a", perfect="π₀"),
    "youden_index": Shown(
        "TP / (TP + FN) − FP / (FP + TN)",
        "0",
        "[Youden 1950](https://doi.org/10.1002/1097-0142(1950)3:1%3C32::AID-CNCR2820030106%3E3.0.CO;2-3)",
    ),
    "diagnostic_odds_ratio": Shown(
        "TP·TN / (FP·FN)",
        "1",
        "[Glas et al. 2003](https://doi.org/10.1016/S0895-4356(03)00177-X)",
        perfect="∞",
    ),
}

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
        facts = FACTS[score.name]
        of_counts = f"{{py:func}}`{score.name} <calibrated_metrics.scores.{score.name}>`"
        of_labels = f" {{py:func}}`_score <calibrated_metrics.{score.name}_score>`"
        if not hasattr(functions, f"{score.name}_score"):
            of_labels = ""
        better = "" if score.greater_is_better else " (smaller is better)"
        rows.append(
            [
                f"{of_counts}{of_labels}{better}",
                facts.formula,
                bounds_of(score),
                facts.perfect,
                facts.chance,
                "yes" if depends_on_the_prior(score) else "no",
                facts.source,
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
    facts = FACTS[score.name]
    ignoring = "constant scores" if score.of == CURVE else "decisions that ignore the class"
    share = ", for the share a of positive predictions" if "a" in facts.chance else ""
    lines += [
        "",
        ".. rubric:: At a glance",
        "",
        f":Formula: {facts.formula}{fixed}",
        f":Range: {bounds_of(score)}",
        f":Perfect: {facts.perfect}",
        f":Chance: {facts.chance}, the value of {ignoring} at the prior π₀{share}",
        ":All metrics: :doc:`/reference/metrics`",
        "",
    ]


def setup(app):
    app.add_directive("metrics-at-a-glance", MetricsAtAGlance)
    app.setup_extension("sphinx.ext.autodoc")
    # After numpydoc, which rewrites the sections of the docstring.
    app.connect("autodoc-process-docstring", add_facts, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
