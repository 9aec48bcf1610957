"""Claims of Davis & Goadrich (ICML 2006) on ROC space and PR space."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from reproduction.claims.lookup import UnavailableError, largest, number, rows
from reproduction.claims.registry import (
    EXACT,
    QUALITATIVE,
    Above,
    AtMost,
    Claim,
    KnownGap,
    Published,
    Tolerance,
    printed,
)

__all__ = ["CLAIMS"]

_Query = Callable[[pd.DataFrame], float | bool]


def _of(
    name: str,
    place: str,
    statement: str,
    published: Published,
    tolerance: Tolerance,
    query: _Query,
    reads: str,
    known_gap: KnownGap | None = None,
) -> Claim:
    return Claim(
        f"DG-{name}",
        "DG",
        place,
        statement,
        published,
        tolerance,
        query,
        (reads,),
        known_gap=known_gap,
    )


# -------------------------------------------------------------------------------------- Table 1

_TABLE_1 = {5: 0.500, 6: 0.375, 7: 0.318, 8: 0.286, 9: 0.265, 10: 0.250}
_FP = (5, 10, 15, 20, 25, 30)
_RECALL = (0.25, 0.30, 0.35, 0.40, 0.45, 0.50)


def _error_of_column(column: str, published: tuple[float, ...]) -> _Query:
    return lambda table: largest(table[column].to_numpy() - published)


_CLAIMS_ON_TABLE_1 = [
    *(
        _of(
            f"table1-precision-{tp}",
            "Table 1",
            f"interpolated precision at TP = {tp}",
            precision,
            printed(3),
            lambda table, tp=tp: number(table, "precision", tp=float(tp)),
            "dg_table1",
        )
        for tp, precision in _TABLE_1.items()
    ),
    _of(
        "table1-fp",
        "Table 1",
        "FP of the six points is 5, 10, 15, 20, 25 and 30: largest error",
        0.0,
        EXACT,
        _error_of_column("fp", _FP),
        "dg_table1",
    ),
    _of(
        "table1-recall",
        "Table 1",
        "recall of the six points is 0.25, 0.30, 0.35, 0.40, 0.45 and 0.50: largest error",
        0.0,
        EXACT,
        _error_of_column("recall", _RECALL),
        "dg_table1",
    ),
]


# ------------------------------------------------------------------------------------- Figure 6


def _area_of_figure_6(interpolation: str, tp: float) -> _Query:
    return lambda areas: number(areas, "area", interpolation=interpolation, tp=tp, calibrated=False)


def _excess_of_straight_lines(areas: pd.DataFrame) -> float:
    straight, exact = (
        _area_of_figure_6(interpolation, 8.66)(areas)
        for interpolation in ("straight lines", "exact")
    )
    return straight - exact


_CLAIMS_ON_FIGURE_6 = [
    _of(
        "fig6-straight-lines",
        "Figure 6",
        "area under the PR curve by linear interpolation through precision 1 at recall 0.02",
        0.50,
        printed(2),
        _area_of_figure_6("straight lines", 8.66),
        "dg_fig6_areas",
        KnownGap(
            0.51375,
            5e-6,
            "linear interpolation gives 0.02 + 0.98 (1 + 433/56597) / 2 = 0.514; the published "
            "0.50 is probably a rough value",
        ),
    ),
    *(
        _of(
            f"fig6-{name}",
            "Figure 6",
            f"area under the PR curve by the correct interpolation, {way}",
            0.031,
            printed(3),
            _area_of_figure_6(interpolation, tp),
            "dg_fig6_areas",
            KnownGap(
                ours,
                5e-6,
                "no interpretation of recall 0.02 and no integration method gives 0.031; the "
                "closest value is 0.0303, by trapezoids with integer steps from TP = 9",
            ),
        )
        for name, way, interpolation, tp, ours in (
            ("exact", "integrated exactly from TP = 0.02 · 433", "exact", 8.66, 0.02866),
            ("exact-whole-tp", "integrated exactly from TP = 9", "exact", 9.0, 0.02947),
            (
                "integer-steps",
                "evaluated by trapezoids with integer steps from TP = 9",
                "integer steps",
                9.0,
                0.03028,
            ),
        )
    ),
    _of(
        "fig6-straight-lines-flatter",
        "Figure 6",
        "linear interpolation in PR space overestimates the area: difference",
        Above(0.4),
        QUALITATIVE,
        _excess_of_straight_lines,
        "dg_fig6_areas",
    ),
]


# ------------------------------------------------------------------------------------- Figure 7

_FIGURE_7 = {
    ("roc_auc", "I"): 0.813,
    ("roc_auc", "II"): 0.875,
    ("pr_auc", "I"): 0.514,
    ("pr_auc", "II"): 0.038,
}
_AREAS = {"roc_auc": "AUC-ROC", "pr_auc": "AUC-PR"}


def _area_of_figure_7(measure: str, curve: str) -> _Query:
    return lambda areas: number(areas, "area", measure=measure, curve=curve, mark="data")


def _area_of_curve_i_gap(measure: str, curve: str) -> KnownGap | None:
    if (measure, curve) != ("pr_auc", "I"):
        return None
    return KnownGap(
        0.51984,
        5e-6,
        "the paper does not print the vertices of curve I; (0, 0), (0, ½), (¾, 1), (1, 1) give "
        "the published AUC-ROC, and an AUC-PR of 0.520",
    )


def _measures_disagree(areas: pd.DataFrame) -> bool:
    leads = [
        _area_of_figure_7(measure, "I")(areas) - _area_of_figure_7(measure, "II")(areas)
        for measure in _AREAS
    ]
    return bool(leads[0] < 0 < leads[1])


_CLAIMS_ON_FIGURE_7 = [
    *(
        _of(
            f"fig7-{_AREAS[measure].lower()}-{curve}",
            "Figure 7",
            f"{_AREAS[measure]} of curve {curve}",
            area,
            printed(3),
            _area_of_figure_7(measure, curve),
            "dg_fig7_areas",
            _area_of_curve_i_gap(measure, curve),
        )
        for (measure, curve), area in _FIGURE_7.items()
    ),
    _of(
        "fig7-measures-disagree",
        "Figure 7",
        "curve II is better by AUC-ROC, curve I by AUC-PR",
        True,
        QUALITATIVE,
        _measures_disagree,
        "dg_fig7_areas",
    ),
]


# ------------------------------------------------------------------ theorems and other figures


def _points(table: pd.DataFrame, space: str, **where) -> tuple[np.ndarray, np.ndarray, float]:
    """Return the coordinates x and y at the prior of the data, and that prior."""
    found = rows(table, space=space, calibrated=False, **where)
    return found["x"].to_numpy(), found["y"].to_numpy(), found["prior"].iloc[0]


def _error_of_mapped_points(table: pd.DataFrame) -> float:
    """Return the largest error of PR points that are computed from the points in ROC space."""
    errors = []
    for curve in ("naive", "hull"):
        fpr, tpr, prior = _points(table, "roc", part="threshold", curve=curve)
        recall, precision, _ = _points(table, "pr", part="threshold", curve=curve)
        if len(fpr) != len(recall):
            return np.inf
        mapped = prior * tpr / (prior * tpr + (1 - prior) * fpr)
        errors += [largest(recall - tpr), largest(precision - mapped)]
    return max(errors)


def _n_recalls_with_different_leaders(table: pd.DataFrame) -> int:
    """Return the number of recalls where different models lead in ROC space and in PR space."""
    crossing = rows(table, part="crossing", space="pr", calibrated=False)["x"].to_numpy()
    recalls = np.linspace(0.01, 0.99, 99)
    # The plotted lines are not accurate enough to tell which model leads next to a crossing.
    recalls = recalls[np.abs(recalls[:, np.newaxis] - crossing).min(axis=1) > 0.005]
    fpr, precision = [], []
    for model in ("1", "2"):
        x, y, _ = _points(table, "roc", part="line", model=model)
        fpr.append(np.interp(recalls, y, x))
        x, y, _ = _points(table, "pr", part="line", model=model)
        precision.append(np.interp(recalls, x, y))
    leads_in_roc, leads_in_pr = fpr[0] < fpr[1], precision[0] > precision[1]
    if leads_in_roc.all() or not leads_in_roc.any():
        raise UnavailableError("one model dominates the other")
    return int((leads_in_roc != leads_in_pr).sum())


def _excess_of_thresholds_over_the_hull(table: pd.DataFrame) -> float:
    """Return the largest distance of a threshold above the convex hull mapped to PR space."""
    recall, precision, _ = _points(table, "pr", part="threshold", curve="naive")
    x, y, _ = _points(table, "pr", part="line", curve="hull")
    return float((precision - np.interp(recall, x, y)).max())


def _area(table: pd.DataFrame, space: str, **where) -> float:
    return rows(table, space=space, part="line", calibrated=False, **where)["area"].iloc[0]


def _excess_of_naive_area(table: pd.DataFrame) -> float:
    return _area(table, "pr", curve="naive") - _area(table, "pr", curve="hull")


def _gain_in_difference(table: pd.DataFrame) -> float:
    """Return the difference of the models' areas in PR space minus that in ROC space."""
    differences = {
        space: abs(_area(table, space, model="1") - _area(table, space, model="2"))
        for space in ("roc", "pr")
    }
    return differences["pr"] - differences["roc"]


_THEOREMS = [
    _of(
        "theorem-3.1",
        "Theorem 3.1",
        "a curve contains the same points in ROC space and in PR space: largest error of the PR "
        "points computed from the ROC points",
        0.0,
        EXACT,
        _error_of_mapped_points,
        "dg_fig5",
    ),
    _of(
        "theorem-3.2",
        "Theorem 3.2",
        "the model that leads in ROC space also leads in PR space at the same recall: number of "
        "recalls at which it does not",
        0,
        EXACT,
        _n_recalls_with_different_leaders,
        "dg_fig1",
    ),
    _of(
        "corollary-3.1",
        "Corollary 3.1 and Figure 5",
        "the convex hull in ROC space, mapped to PR space, is the achievable PR curve: largest "
        "distance of a threshold above it",
        AtMost(0.0),
        Tolerance(0.001, "the finite number of points of the drawn curve"),
        _excess_of_thresholds_over_the_hull,
        "dg_fig5",
    ),
    _of(
        "section-4-straight-lines",
        "section 4",
        "linear interpolation between thresholds in PR space overestimates the achievable area: "
        "difference",
        Above(0.0),
        QUALITATIVE,
        _excess_of_naive_area,
        "dg_fig5",
    ),
    _of(
        "fig1-skew",
        "Figure 1",
        "models with similar ROC curves can have very different PR curves on skewed data: "
        "difference of AUC-PR minus difference of AUC-ROC (on our own data)",
        Above(0.1),
        QUALITATIVE,
        _gain_in_difference,
        "dg_fig1",
    ),
]

CLAIMS = [*_CLAIMS_ON_TABLE_1, *_CLAIMS_ON_FIGURE_6, *_CLAIMS_ON_FIGURE_7, *_THEOREMS]
