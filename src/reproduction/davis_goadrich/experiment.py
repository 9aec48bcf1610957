"""Davis & Goadrich's examples of ROC against PR space, and what a reference prior makes of them.

*The Relationship Between Precision-Recall and ROC Curves*, ICML 2006,
doi:10.1145/1143844.1143874: Table 1 and Figures 1, 5, 6 and 7. Figures 1 and 5 show data that
were not published; here are populations and thresholds that make the same point. Tables of curves
have the columns that `curves` describes, after a column that names the curve.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from calibrated_metrics import spaces
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.scores.areas import pr_auc, prg_auc, roc_auc
from reproduction.davis_goadrich.curves import (
    area_under_straight_lines,
    crossings,
    lines,
    marks,
    views,
)

__all__ = ["fig1", "fig5", "fig6", "fig6_areas", "fig7", "fig7_areas", "run", "table1"]

# Table 1: points A and B, among so many positives and negatives.
_TABLE_1 = {"tp": [0, 5, 10, 20], "fp": [0, 5, 30, 2000]}
# Figure 1: a model scores negatives by N(0, 1) and positives by N(d, sd²); d gives the area.
_ROC_AUC, _POSITIVE_SDS, _FIGURE_1_CLASSES = 0.95, (1.0, 1.5), (100, 20_000)
# Figure 5: ROC points, one per threshold.
_FPR = (0, 0.002, 0.04, 0.1, 0.15, 0.3, 0.5, 0.75, 1)
_TPR = (0, 0.15, 0.5, 0.54, 0.8, 0.84, 0.96, 0.97, 1)
_FIGURE_5_CLASSES = (100, 2000)
# Figure 6: the recall of a single point of precision 1.
_RECALL, _FIGURE_6_CLASSES = 0.02, (433, 56_164)
# Figure 7: the vertices were not published. Those of II give both published areas; those of I give
# AUC-ROC 0.8125 (published 0.813) and AUC-PR 0.520 (published 0.514).
_FIGURE_7 = {
    "I": ((0.0, 0.0, 0.75, 1.0), (0.0, 0.5, 1.0, 1.0)),
    "II": ((0.0, 0.25, 1.0), (0.0, 1.0, 1.0)),
}
_FIGURE_7_CLASSES = (20, 2000)
_MEASURES = {"roc_auc": roc_auc, "pr_auc": pr_auc, "prg_auc": prg_auc}


def run() -> tuple[pd.DataFrame, ...]:
    """Make all tables, in the order of the outputs of the rule."""
    return table1(), fig1(), fig5(), fig6(), fig6_areas(), fig7(), fig7_areas()


def table1() -> pd.DataFrame:
    """Interpolate between two confusion matrices, one true positive per step (Table 1).

    Returns
    -------
    DataFrame
        A row per TP from A to B: `tp`, `fp`, `recall`, `precision`, and a column
        `precision@pi0=...` per reference prior.
    """
    a, b, n_pos = _TABLE_1["tp"][1:]
    between = spaces.interpolated(_unlabelled(**_TABLE_1), n_pos)
    shown = (between.tp >= a) & (between.tp <= b)
    recall, precision = spaces.recall_precision(between)
    columns = {"tp": between.tp, "fp": between.fp, "recall": recall, "precision": precision}
    for pi0 in (0.5, 0.05):
        _, columns[f"precision@pi0={pi0:g}"] = spaces.recall_precision(between.at_prior(pi0))
    return pd.DataFrame({name: values[shown] for name, values in columns.items()})


def fig1() -> pd.DataFrame:
    """Two models of one AUC-ROC, told apart in PR space because the data are skewed (Figure 1).

    The curves are those of populations. `model` is "1", "2", or "both" for the part "crossing",
    which marks where the lead changes.
    """
    first, second = (_gaussian_scores(sd) for sd in _POSITIVE_SDS)
    priors = (0.5,)
    parts = [lines(first, priors, model="1"), lines(second, priors, model="2")]
    return pd.concat([*parts, crossings(first, second, priors, model="both")], ignore_index=True)


def fig5() -> pd.DataFrame:
    """A model's thresholds, their convex hull and its image in PR space (Figure 5).

    The `curve` "naive" joins all thresholds by straight lines in either space, which is wrong in PR
    space; "hull" is achievable in both. The part "threshold" marks what a curve goes through.
    """
    curve = ConfusionCurve.from_roc(_FPR, _TPR, *_FIGURE_5_CLASSES)
    hull, priors, after_zero = curve.hull(), (0.5,), slice(1, None)
    return pd.concat(
        [
            lines(curve, priors, straight=True, curve="naive"),
            lines(hull, priors, curve="hull"),
            marks("threshold", curve, priors, after_zero, curve="naive"),
            marks("threshold", hull, priors, after_zero, curve="hull"),
        ],
        ignore_index=True,
    )


def fig6() -> pd.DataFrame:
    """A single point of precision 1, interpolated correctly and incorrectly in PR space (Figure 6).

    The `curve` "straight lines" is wrong, "exact" right; the part "threshold" marks the point.
    """
    curve, priors = _of_one_point(_RECALL * _FIGURE_6_CLASSES[0]), (0.05, 0.5)
    parts = [
        lines(curve, priors, straight=True, curve="straight lines"),
        lines(curve, priors, curve="exact"),
        marks("threshold", curve, priors, slice(1, -1), curve="both"),
    ]
    return pd.concat(parts).query("space == 'pr'").reset_index(drop=True)


def fig6_areas() -> pd.DataFrame:
    """Area under Figure 6's curves, with the recall read as a share or as a whole TP.

    Returns
    -------
    DataFrame
        A row per reading and prior: `interpolation`; `tp` of the point, recall · N₊ or that to
        the next whole number; `prior`; `calibrated`; `pi0`; and `area`. "integer steps" are
        trapezoids between exact points, one more true positive each.
    """
    share = _RECALL * _FIGURE_6_CLASSES[0]
    whole = float(round(share))
    ways = [
        ("straight lines", share, area_under_straight_lines),
        ("exact", share, pr_auc),
        ("exact", whole, pr_auc),
        ("integer steps", whole, _area_by_integer_steps),
    ]
    rows = []
    for interpolation, tp, area in ways:
        for view, at_view in views(_of_one_point(tp), (0.05, 0.5)):
            if view.pop("space") == "pr":
                row = {"interpolation": interpolation, "tp": tp, **view, "area": area(at_view)}
                rows.append(row)
    return pd.DataFrame(rows)


def fig7() -> pd.DataFrame:
    """Two curves, the one better by AUC-ROC, the other by AUC-PR (Figure 7).

    `curve` is "I", "II", or "both" for the part "crossing", which marks where the lead changes.
    """
    curves, priors = _curves_of_figure_7(), (0.5,)
    parts = [lines(curve, priors, curve=name) for name, curve in curves.items()]
    return pd.concat([*parts, crossings(*curves.values(), priors, curve="both")], ignore_index=True)


def fig7_areas() -> pd.DataFrame:
    """Areas of Figure 7's curves against the prior: which of the two does each measure prefer?

    Returns
    -------
    DataFrame
        A row per measure, prior and curve: `measure`, "roc_auc", "pr_auc" or "prg_auc"; `mark`,
        "data", "reference", "grid", or "equal areas" for the prior at which the measure changes its
        preference; `prior`; `pi0`, the same except for the mark "data"; `curve`; and `area`.

    Notes
    -----
    AUC-PR prefers I at every prior, however high: with r = (1 - π₀)/π₀ small, 1 - AUC-PR is r
    times ∫ FPR/TPR dTPR, which is 0.230 for I and 0.25 for II, where 1 - AUC-ROC is ∫ FPR dTPR.
    AUC-PR Gain prefers II, as AUC-ROC does, from π₀ = 0.4 on.
    """
    curves = _curves_of_figure_7()
    priors = [("data", curves["I"].prior), ("reference", 0.5)]
    priors += [("grid", prior) for prior in np.linspace(0.001, 0.999, 100)]
    rows = []
    for measure, area in _MEASURES.items():
        for mark, prior in [*priors, *_equal_areas(*curves.values(), area)]:
            for name, curve in curves.items():
                rows.append(
                    {
                        "measure": measure,
                        "mark": mark,
                        "prior": prior,
                        "pi0": np.nan if mark == "data" else prior,
                        "curve": name,
                        "area": area(curve.at_prior(prior)),
                    }
                )
    return pd.DataFrame(rows)


def _equal_areas(
    curve: ConfusionCurve, other: ConfusionCurve, area: Callable[[ConfusionCurve], float]
) -> list[tuple[str, float]]:
    """The prior at which a measure is indifferent; none if one curve leads at both ends."""

    def lead(prior: float) -> float:
        return area(curve.at_prior(prior)) - area(other.at_prior(prior))

    lowest, highest = 1e-6, 1 - 1e-6
    if lead(lowest) * lead(highest) >= 0:
        return []
    return [("equal areas", float(brentq(lead, lowest, highest, xtol=1e-14)))]


def _unlabelled(tp: list[float], fp: list[float]) -> ConfusionCurve:
    return ConfusionCurve(np.full(len(tp), np.nan), tp, fp)


def _of_one_point(tp: float) -> ConfusionCurve:
    """Figure 6's curve of a single threshold without false positives."""
    n_pos, n_neg = _FIGURE_6_CLASSES
    return _unlabelled([0, tp, n_pos], [0, 0, n_neg])


def _area_by_integer_steps(curve: ConfusionCurve) -> float:
    return area_under_straight_lines(spaces.interpolated(curve, int(curve.n_pos)))


def _curves_of_figure_7() -> dict[str, ConfusionCurve]:
    return {
        name: ConfusionCurve.from_roc(fpr, tpr, *_FIGURE_7_CLASSES)
        for name, (fpr, tpr) in _FIGURE_7.items()
    }


def _gaussian_scores(positive_sd: float) -> ConfusionCurve:
    """Population curve of scores N(0, 1) and N(d, sd²), whose area is Φ(d / √(1 + sd²))."""
    mean = ndtri(_ROC_AUC) * np.hypot(1.0, positive_sd)
    thresholds = np.linspace(mean + 6 * positive_sd, -6.0, 501)
    fpr, tpr = ndtr(-thresholds), ndtr((mean - thresholds) / positive_sd)
    return ConfusionCurve.from_roc([0.0, *fpr, 1.0], [0.0, *tpr, 1.0], *_FIGURE_1_CLASSES)
