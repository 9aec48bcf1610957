"""Davis & Goadrich's examples of ROC and PR space, also at a reference prior.

*The Relationship Between Precision-Recall and ROC Curves*, ICML 2006, doi:10.1145/1143844.1143874:
Table 1 and Figures 1, 5, 6 and 7. The data of Figures 1 and 5 were not published, so we use other
populations and thresholds that show the same effects. The first column of a table of curves is the
name of the curve; `curves` describes the others.
"""

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from calibrated_metrics import spaces
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.scores.areas import pr_auc, prg_auc, roc_auc
from reproduction.davis_goadrich.curves import crossings, lines, marks

# Table 1: points A and B as (TP, FP), and numbers of positives and negatives.
_A, _B, _TABLE_1_CLASSES = (5, 5), (10, 30), (20, 2000)
# Figure 1: a model scores negatives by N(0, 1) and positives by N(d, sd²); d gives the area.
_ROC_AUC, _POSITIVE_SDS = 0.95, (1.0, 1.5)
_FIGURE_1_CLASSES = {"n_pos": 100, "n_neg": 20_000}
# Figure 5: ROC points, one per threshold.
_FPR = (0, 0.002, 0.04, 0.1, 0.15, 0.3, 0.5, 0.75, 1)
_TPR = (0, 0.15, 0.5, 0.54, 0.8, 0.84, 0.96, 0.97, 1)
_FIGURE_5_CLASSES = {"n_pos": 100, "n_neg": 2000}
# Figure 6: the recall of a single point with precision 1.
_RECALL, _FIGURE_6_CLASSES = 0.02, (433, 56_164)
_FIGURE_6_PRIORS = (0.05, 0.5)
# Figure 7: the vertices were not published. Our vertices of II give both published areas; those of
# I give AUC-ROC 0.8125 (published: 0.813) and AUC-PR 0.520 (published: 0.514).
_FIGURE_7_CLASSES = {"n_pos": 20, "n_neg": 2000}
_FIGURE_7 = {
    "I": ConfusionCurve.from_roc(tpr=(0, 0.5, 1, 1), fpr=(0, 0, 0.75, 1), **_FIGURE_7_CLASSES),
    "II": ConfusionCurve.from_roc(tpr=(0, 1, 1), fpr=(0, 0.25, 1), **_FIGURE_7_CLASSES),
}
_MEASURES = {"roc_auc": roc_auc, "pr_auc": pr_auc, "prg_auc": prg_auc}


def run() -> tuple[pd.DataFrame, ...]:
    """Make all tables, in the order of the outputs of the rule."""
    return table1(), fig1(), fig5(), fig6(), fig7(), fig7_areas()


def table1() -> pd.DataFrame:
    """Interpolate between two confusion matrices, one true positive per step (Table 1).

    One row per TP from A to B, and one column `precision@pi0=...` per reference prior.
    """
    tp, fp = np.transpose([(0, 0), _A, _B, _TABLE_1_CLASSES])
    known = ConfusionCurve(np.full(len(tp), np.nan), tp, fp)
    between = spaces.interpolated(known, _TABLE_1_CLASSES[0])
    recall, precision = spaces.recall_precision(between)
    table = pd.DataFrame(
        {"tp": between.tp, "fp": between.fp, "recall": recall, "precision": precision}
    )
    for pi0 in (0.5, 0.05):
        _, table[f"precision@pi0={pi0:g}"] = spaces.recall_precision(between.at_prior(pi0))
    return table[table["tp"].between(_A[0], _B[0])]


def fig1() -> pd.DataFrame:
    """Two models with the same AUC-ROC that differ in PR space, as the data are skewed (Figure 1).

    The curves are those of populations. `model` is "1", "2", or "both" for the part "crossing",
    which marks where the better curve changes.
    """
    first, second = (_gaussian_scores(sd) for sd in _POSITIVE_SDS)
    tables = [lines(first), lines(second), crossings(first, second)]
    return _named("model", ["1", "2", "both"], tables)


def fig5() -> pd.DataFrame:
    """A model's thresholds, their convex hull and its image in PR space (Figure 5).

    The `curve` "naive" joins all thresholds by straight lines in either space, which is wrong in PR
    space; "exact" joins them correctly, and "hull" is their convex hull. The part "threshold" marks
    the points of a curve.
    """
    curve = ConfusionCurve.from_roc(tpr=_TPR, fpr=_FPR, **_FIGURE_5_CLASSES)
    tables = [lines(curve, straight=True), lines(curve.hull()), lines(curve)]
    for each in (curve, curve.hull()):
        tables.append(marks("threshold", each, vertices=slice(1, None)))
    return _named("curve", ["naive", "hull", "exact", "naive", "hull"], tables)


def fig6() -> pd.DataFrame:
    """A single point of precision 1, interpolated correctly and incorrectly in PR space (Figure 6).

    The `curve` "straight lines" is wrong, "exact" right; the part "threshold" marks the point.
    """
    n_pos, n_neg = _FIGURE_6_CLASSES
    curve = ConfusionCurve([np.nan] * 3, [0, _RECALL * n_pos, n_pos], [0, 0, n_neg])
    tables = [
        lines(curve, _FIGURE_6_PRIORS, straight=True),
        lines(curve, _FIGURE_6_PRIORS),
        marks("threshold", curve, _FIGURE_6_PRIORS),
    ]
    table = _named("curve", ["straight lines", "exact", "both"], tables)
    return table[table["space"] == "pr"]


def fig7() -> pd.DataFrame:
    """Two curves, one better by AUC-ROC, the other by AUC-PR (Figure 7).

    `curve` is "I", "II", or "both" for the part "crossing", which marks where the better curve
    changes.
    """
    curves = _FIGURE_7.values()
    return _named("curve", [*_FIGURE_7, "both"], [*map(lines, curves), crossings(*curves)])


def fig7_areas() -> pd.DataFrame:
    """Areas of Figure 7's curves against the prior, to show which curve each measure prefers.

    The mark of a prior is "data", "reference", "grid", or "equal areas" if the measure changes its
    preference there.

    AUC-PR prefers I at every prior: with r = (1 - π₀)/π₀ small, 1 - AUC-PR is r times ∫ FPR/TPR
    dTPR, which is 0.230 for I and 0.25 for II, where 1 - AUC-ROC is ∫ FPR dTPR. AUC-PR Gain prefers
    II, as AUC-ROC does, from π₀ = 0.4 on.
    """
    priors = [("data", _FIGURE_7["I"].prior), ("reference", 0.5)]
    priors += [("grid", prior) for prior in np.linspace(0.001, 0.999, 100)]
    rows = []
    for measure in _MEASURES:
        equal = [("equal areas", prior) for prior in _priors_of_equal_areas(measure)]
        for mark, prior in [*priors, *equal]:
            pi0 = np.nan if mark == "data" else prior
            for curve, area in _areas(measure, prior).items():
                rows.append((measure, mark, prior, pi0, curve, area))
    return pd.DataFrame(rows, columns=["measure", "mark", "prior", "pi0", "curve", "area"])


def _areas(measure: str, prior: float) -> dict[str, float]:
    """A measure of each of Figure 7's curves."""
    return {name: _MEASURES[measure](curve.at_prior(prior)) for name, curve in _FIGURE_7.items()}


def _priors_of_equal_areas(measure: str) -> list[float]:
    """The prior at which both areas are equal; none if the same curve is better at both ends."""

    def lead(prior: float) -> float:
        areas = _areas(measure, prior)
        return areas["I"] - areas["II"]

    ends = 1e-6, 1 - 1e-6
    return [brentq(lead, *ends, xtol=1e-14)] if lead(ends[0]) * lead(ends[1]) < 0 else []


def _named(column: str, names: list[str], tables: list[pd.DataFrame]) -> pd.DataFrame:
    """One table, after a column that names the curve of each part."""
    return pd.concat(tables, keys=names, names=[column]).reset_index(column)


def _gaussian_scores(positive_sd: float) -> ConfusionCurve:
    """Population curve of scores N(0, 1) and N(d, sd²), whose area is Φ(d / √(1 + sd²))."""
    mean = ndtri(_ROC_AUC) * np.hypot(1.0, positive_sd)
    thresholds = np.linspace(mean + 6 * positive_sd, -6.0, 501)
    fpr, tpr = ndtr(-thresholds), ndtr((mean - thresholds) / positive_sd)
    rates = {"tpr": [0.0, *tpr, 1.0], "fpr": [0.0, *fpr, 1.0]}
    return ConfusionCurve.from_roc(**rates, **_FIGURE_1_CLASSES)
