"""Davis & Goadrich's examples of ROC against PR space, and what a reference prior makes of them.

*The Relationship Between Precision-Recall and ROC Curves*, ICML 2006,
doi:10.1145/1143844.1143874: Table 1 and Figures 1, 5, 6 and 7. Figures 1 and 5 show data that
were not published; here are populations and thresholds that make the same point.

Tables of curves have the columns `space` ("roc" or "pr"); `prior`, the one that precision is
measured at; `calibrated`, False where that is the prior of the data; `pi0`, the reference prior
where the curve is calibrated; `part`, "line" or the kind
of point that is marked; `x`, `y`; and `area` under the line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from calibrated_metrics import scores, spaces
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.dominance import compare

__all__ = [
    "fig1",
    "fig5",
    "fig6",
    "fig6_areas",
    "fig7",
    "fig7_areas",
    "prior_of_equal_areas",
    "run",
    "table1",
]

_PUBLISHED_TABLE_1 = (0.5, 0.375, 0.318, 0.286, 0.265, 0.25)
_PUBLISHED_FIGURE_6 = {"straight lines": 0.50, "exact": 0.031, "integer steps": 0.031}
_PUBLISHED_FIGURE_7 = {
    ("roc_auc", "I"): 0.813,
    ("roc_auc", "II"): 0.875,
    ("pr_auc", "I"): 0.514,
    ("pr_auc", "II"): 0.038,
}
_HULLS_OF_FIGURE_7 = {
    "I": ((0.0, 0.0, 0.75, 1.0), (0.0, 0.5, 1.0, 1.0)),
    "II": ((0.0, 0.25, 1.0), (0.0, 1.0, 1.0)),
}
_PLOTTED_POINTS = 400


def table1(
    start: tuple[int, int] = (5, 5),
    end: tuple[int, int] = (10, 30),
    n_pos: int = 20,
    n_neg: int = 2000,
    *,
    reference_priors: Sequence[float] = (0.5, 0.05),
) -> pd.DataFrame:
    """Interpolate between two confusion matrices, one true positive per step (Table 1).

    Parameters
    ----------
    start, end : (TP, FP)
        The two points, A and B in the paper.
    n_pos, n_neg : int
    reference_priors : sequence of float in (0, 1)

    Returns
    -------
    DataFrame
        A row per TP from A to B: `tp`, `fp`, `recall`, `precision`; `published_precision`, NaN
        for other points than the published ones; and a column `precision@pi0=...` per reference
        prior. Its name states the reference prior, so the table has no column `pi0`.

    References
    ----------
    Davis & Goadrich, ICML 2006, Table 1, doi:10.1145/1143844.1143874.
    """
    between = spaces.interpolated(
        _unlabelled([0, start[0], end[0], n_pos], [0, start[1], end[1], n_neg]), n_pos
    )
    shown = (between.tp >= start[0]) & (between.tp <= end[0])
    recall, precision = spaces.recall_precision(between)
    table = pd.DataFrame(
        {
            "tp": between.tp[shown],
            "fp": between.fp[shown],
            "recall": recall[shown],
            "precision": precision[shown],
        }
    )
    is_published = (start, end, n_pos, n_neg) == ((5, 5), (10, 30), 20, 2000)
    table["published_precision"] = _PUBLISHED_TABLE_1 if is_published else np.nan
    for pi0 in reference_priors:
        _, calibrated = spaces.recall_precision(between.at_prior(pi0))
        table[f"precision@pi0={pi0:g}"] = calibrated[shown]
    return table


def fig1(
    roc_auc: float = 0.95,
    positive_sds: tuple[float, float] = (1.0, 1.5),
    n_pos: int = 100,
    n_neg: int = 20_000,
    *,
    reference_priors: Sequence[float] = (0.5,),
) -> pd.DataFrame:
    """Two models of one AUC-ROC, told apart in PR space because the data are skewed (Figure 1).

    Parameters
    ----------
    roc_auc : float in (0.5, 1)
        Area of both models.
    positive_sds : tuple of two floats > 0
        A model scores negatives by N(0, 1) and positives by N(d, sd²); d follows from the area.
    n_pos, n_neg : int
        The skew of the data; the curves are those of the populations.
    reference_priors : sequence of float in (0, 1)

    Returns
    -------
    DataFrame
        `model` ("1", "2", or "both") and the columns of all tables of curves. The part "crossing"
        marks where the lead changes: the same confusion matrix in each space.

    References
    ----------
    Davis & Goadrich, ICML 2006, Figure 1 and Theorem 3.2, doi:10.1145/1143844.1143874.
    """
    first, second = (_gaussian_scores(roc_auc, sd, n_pos, n_neg) for sd in positive_sds)
    return pd.concat(
        [
            _lines(first, reference_priors, model="1"),
            _lines(second, reference_priors, model="2"),
            _crossings(first, second, reference_priors, model="both"),
        ],
        ignore_index=True,
    )


def fig5(
    fpr: Sequence[float] = (0, 0.002, 0.04, 0.1, 0.15, 0.3, 0.5, 0.75, 1),
    tpr: Sequence[float] = (0, 0.15, 0.5, 0.54, 0.8, 0.84, 0.96, 0.97, 1),
    n_pos: int = 100,
    n_neg: int = 2000,
    *,
    reference_priors: Sequence[float] = (0.5,),
) -> pd.DataFrame:
    """A model's thresholds, their convex hull and its image in PR space (Figure 5).

    Parameters
    ----------
    fpr, tpr : sequence of float, from (0, 0) to (1, 1)
        ROC points, one per threshold.
    n_pos, n_neg : int
    reference_priors : sequence of float in (0, 1)

    Returns
    -------
    DataFrame
        `curve` and the columns of all tables of curves. "naive" joins all thresholds by straight
        lines in either space, which is wrong in PR space; "hull" is achievable in both. The part
        "threshold" marks what a curve goes through.

    References
    ----------
    Davis & Goadrich, ICML 2006, Figure 5 and Corollary 3.1, doi:10.1145/1143844.1143874.
    """
    curve = ConfusionCurve.from_roc(fpr, tpr, n_pos, n_neg)
    hull = curve.hull()
    return pd.concat(
        [
            _lines(curve, reference_priors, straight=True, curve="naive"),
            _lines(hull, reference_priors, curve="hull"),
            _marks("threshold", curve, reference_priors, curve="naive"),
            _marks("threshold", hull, reference_priors, curve="hull"),
        ],
        ignore_index=True,
    )


def fig6(
    recall: float = 0.02,
    n_pos: int = 433,
    n_neg: int = 56_164,
    *,
    reference_priors: Sequence[float] = (0.05, 0.5),
) -> pd.DataFrame:
    """A single point of precision 1, interpolated correctly and incorrectly in PR space (Figure 6).

    Parameters
    ----------
    recall : float in (0, 1)
        Of the point.
    n_pos, n_neg : int
    reference_priors : sequence of float in (0, 1)

    Returns
    -------
    DataFrame
        `curve` and the columns of all tables of curves, `space` being "pr" throughout. "straight
        lines" is wrong, "exact" right; the part "threshold" marks the point, in both.

    References
    ----------
    Davis & Goadrich, ICML 2006, Figure 6, doi:10.1145/1143844.1143874.
    """
    curve = _of_one_point(recall * n_pos, n_pos, n_neg)
    table = pd.concat(
        [
            _lines(curve, reference_priors, straight=True, curve="straight lines"),
            _lines(curve, reference_priors, curve="exact"),
            _marks("threshold", curve, reference_priors, slice(1, -1), curve="both"),
        ],
        ignore_index=True,
    )
    return table[table["space"] == "pr"].reset_index(drop=True)


def fig6_areas(
    recall: float = 0.02,
    n_pos: int = 433,
    n_neg: int = 56_164,
    *,
    reference_priors: Sequence[float] = (0.05, 0.5),
) -> pd.DataFrame:
    """Area under Figure 6's curves, with the recall read as a share or as a whole TP.

    Parameters
    ----------
    recall, n_pos, n_neg, reference_priors
        Of `fig6`.

    Returns
    -------
    DataFrame
        A row per reading and prior: `interpolation`; `tp` of the point, recall * n_pos or that to
        the next whole number; `prior`; `calibrated`; `pi0`; `area`; and `published`, NaN for other
        than the published data and at a reference prior. "integer steps" are trapezoids between
        exact points, one more true positive each.

    References
    ----------
    Davis & Goadrich, ICML 2006, Figure 6, doi:10.1145/1143844.1143874.
    """
    is_published = (recall, n_pos, n_neg) == (0.02, 433, 56_164)
    share, whole = recall * n_pos, float(round(recall * n_pos))
    ways = [
        ("straight lines", share, _area_under_straight_lines),
        ("exact", share, scores.pr_auc),
        ("exact", whole, scores.pr_auc),
        ("integer steps", whole, _area_by_integer_steps),
    ]
    rows = []
    for interpolation, tp, area in ways:
        curve = _of_one_point(tp, n_pos, n_neg)
        for view, at_view in _pr_views(curve, reference_priors):
            known = is_published and not view["calibrated"]
            rows.append(
                {
                    "interpolation": interpolation,
                    "tp": tp,
                    "prior": view["prior"],
                    "calibrated": view["calibrated"],
                    "pi0": view["pi0"],
                    "area": area(at_view),
                    "published": _PUBLISHED_FIGURE_6[interpolation] if known else np.nan,
                }
            )
    return pd.DataFrame(rows)


def fig7(
    n_pos: int = 20, n_neg: int = 2000, *, reference_priors: Sequence[float] = (0.5,)
) -> pd.DataFrame:
    """Two curves, the one better by AUC-ROC, the other by AUC-PR (Figure 7).

    Parameters
    ----------
    n_pos, n_neg : int
    reference_priors : sequence of float in (0, 1)

    Returns
    -------
    DataFrame
        `curve` ("I", "II" or "both") and the columns of all tables of curves. The part "crossing"
        marks where the lead changes.

    Notes
    -----
    The vertices were not published. Those of II give both published areas exactly; those of I
    give AUC-ROC 0.8125 (published 0.813) and AUC-PR 0.520 (published 0.514).

    References
    ----------
    Davis & Goadrich, ICML 2006, Figure 7, doi:10.1145/1143844.1143874.
    """
    curves = _curves_of_figure_7(n_pos, n_neg)
    return pd.concat(
        [
            *(_lines(curve, reference_priors, curve=name) for name, curve in curves.items()),
            _crossings(*curves.values(), reference_priors, curve="both"),
        ],
        ignore_index=True,
    )


def fig7_areas(
    n_pos: int = 20,
    n_neg: int = 2000,
    *,
    reference_priors: Sequence[float] = (0.5,),
    n_priors: int = 100,
) -> pd.DataFrame:
    """Areas of Figure 7's curves against the prior: which of the two does each measure prefer?

    Parameters
    ----------
    n_pos, n_neg : int
    reference_priors : sequence of float in (0, 1)
    n_priors : int
        Equally spaced from 0.001 to 0.999.

    Returns
    -------
    DataFrame
        A row per measure, prior and curve: `measure`, "roc_auc", "pr_auc" or "prg_auc"; `mark`,
        "data", "reference", "grid", or "equal areas" for the prior at which the measure changes its
        preference; `prior`; `pi0`, the same except for the mark "data"; `curve`; `area`; and
        `published`, NaN but for the published data.

    Notes
    -----
    AUC-PR prefers I at every prior, however high: with r = (1 - π₀)/π₀ small, 1 - AUC-PR is r
    times ∫ FPR/TPR dTPR, which is 0.230 for I and 0.25 for II, where 1 - AUC-ROC is ∫ FPR dTPR.
    AUC-PR Gain prefers II, as AUC-ROC does, from π₀ = 0.4 on.

    References
    ----------
    Davis & Goadrich, ICML 2006, Figure 7, doi:10.1145/1143844.1143874.
    """
    curves = _curves_of_figure_7(n_pos, n_neg)
    priors = [
        ("data", curves["I"].prior),
        *(("reference", pi0) for pi0 in reference_priors),
        *(("grid", pi0) for pi0 in np.linspace(0.001, 0.999, n_priors)),
    ]
    is_published = (n_pos, n_neg) == (20, 2000)
    rows = []
    for measure in ("roc_auc", "pr_auc", "prg_auc"):
        area = getattr(scores, measure)
        change = prior_of_equal_areas(*curves.values(), area)
        turns = [] if change is None else [("equal areas", change)]
        for mark, prior in priors + turns:
            for name, curve in curves.items():
                published = _PUBLISHED_FIGURE_7.get((measure, name), np.nan)
                rows.append(
                    {
                        "measure": measure,
                        "mark": mark,
                        "prior": prior,
                        "pi0": np.nan if mark == "data" else prior,
                        "curve": name,
                        "area": area(curve.at_prior(prior)),
                        "published": published if is_published and mark == "data" else np.nan,
                    }
                )
    return pd.DataFrame(rows)


def prior_of_equal_areas(
    curve: ConfusionCurve,
    other: ConfusionCurve,
    area: Callable[[ConfusionCurve], float] = scores.pr_auc,
) -> float | None:
    """Reference prior at which a measure is indifferent between two curves.

    Parameters
    ----------
    curve, other : ConfusionCurve
    area : callable of a curve, default=scores.pr_auc

    Returns
    -------
    float in (1e-6, 1 - 1e-6), or None where one curve has the greater area at both ends
    """

    def lead(pi0: float) -> float:
        return area(curve.at_prior(pi0)) - area(other.at_prior(pi0))

    lowest, highest = 1e-6, 1 - 1e-6
    if lead(lowest) * lead(highest) >= 0:
        return None
    return float(brentq(lead, lowest, highest, xtol=1e-14))


# ------------------------------------------------------------------------------------- curves


def _unlabelled(tp: Sequence[float], fp: Sequence[float]) -> ConfusionCurve:
    return ConfusionCurve(np.full(len(tp), np.nan), tp, fp)


def _of_one_point(tp: float, n_pos: int, n_neg: int) -> ConfusionCurve:
    """Of a single threshold without false positives."""
    return _unlabelled([0, tp, n_pos], [0, 0, n_neg])


def _curves_of_figure_7(n_pos: int, n_neg: int) -> dict[str, ConfusionCurve]:
    return {
        name: ConfusionCurve.from_roc(fpr, tpr, n_pos, n_neg)
        for name, (fpr, tpr) in _HULLS_OF_FIGURE_7.items()
    }


def _gaussian_scores(roc_auc: float, positive_sd: float, n_pos: int, n_neg: int) -> ConfusionCurve:
    """Population curve of scores N(0, 1) and N(d, sd²), whose area is Φ(d / √(1 + sd²))."""
    mean = ndtri(roc_auc) * np.hypot(1.0, positive_sd)
    thresholds = np.linspace(mean + 6 * positive_sd, -6.0, 501)
    fpr, tpr = ndtr(-thresholds), ndtr((mean - thresholds) / positive_sd)
    return ConfusionCurve.from_roc([0.0, *fpr, 1.0], [0.0, *tpr, 1.0], n_pos, n_neg)


# ------------------------------------------------------------------------------ rows of tables


def _pr_views(
    curve: ConfusionCurve, reference_priors: Sequence[float]
) -> Iterator[tuple[dict, ConfusionCurve]]:
    """The columns that name a view, and the curve in it: the data's own prior comes first."""
    at_data = {"space": "pr", "prior": curve.prior, "calibrated": False, "pi0": np.nan}
    yield at_data, curve
    for pi0 in reference_priors:
        yield {**at_data, "prior": pi0, "calibrated": True, "pi0": pi0}, curve.at_prior(pi0)


def _views(
    curve: ConfusionCurve, reference_priors: Sequence[float]
) -> Iterator[tuple[dict, ConfusionCurve]]:
    yield {"space": "roc", "prior": curve.prior, "calibrated": False, "pi0": np.nan}, curve
    yield from _pr_views(curve, reference_priors)


def _lines(
    curve: ConfusionCurve,
    reference_priors: Sequence[float],
    /,
    *,
    straight: bool = False,
    **names: str,
) -> pd.DataFrame:
    """The curve in every view; in PR space exact, or `straight` from vertex to vertex."""
    tables = []
    for view, at_view in _views(curve, reference_priors):
        if view["space"] == "roc":
            x, y = spaces.roc(at_view)
            area = scores.roc_auc(at_view)
        elif straight:
            x, y = spaces.recall_precision(at_view)
            area = _area_under_straight_lines(at_view)
        else:
            x, y = spaces.recall_precision(spaces.interpolated(at_view, _PLOTTED_POINTS))
            area = scores.pr_auc(at_view)
        tables.append(_rows(names, view, "line", x, y, area))
    return pd.concat(tables)


def _marks(
    part: str,
    curve: ConfusionCurve,
    reference_priors: Sequence[float],
    vertices: slice = slice(1, None),
    /,
    **names: str,
) -> pd.DataFrame:
    """Vertices of the curve in every view."""
    tables = []
    for view, at_view in _views(curve, reference_priors):
        space = spaces.roc if view["space"] == "roc" else spaces.recall_precision
        x, y = (coordinate[vertices] for coordinate in space(at_view))
        tables.append(_rows(names, view, part, x, y, np.nan))
    return pd.concat(tables)


def _crossings(
    first: ConfusionCurve,
    second: ConfusionCurve,
    reference_priors: Sequence[float],
    /,
    **names: str,
) -> pd.DataFrame:
    crossings = compare(first, second).crossings
    through = ConfusionCurve.from_roc(
        [0.0, *(crossing.fpr for crossing in crossings), 1.0],
        [0.0, *(crossing.tpr for crossing in crossings), 1.0],
        first.n_pos,
        first.n_neg,
    )
    return _marks("crossing", through, reference_priors, slice(1, -1), **names)


def _rows(
    names: Mapping[str, str],
    view: Mapping[str, object],
    part: str,
    x: np.ndarray,
    y: np.ndarray,
    area: float,
) -> pd.DataFrame:
    return pd.DataFrame({**names, **view, "part": part, "x": x, "y": y, "area": area})


def _area_under_straight_lines(curve: ConfusionCurve) -> float:
    recall, precision = spaces.recall_precision(curve)
    return float(np.trapezoid(precision, recall))


def _area_by_integer_steps(curve: ConfusionCurve) -> float:
    return _area_under_straight_lines(spaces.interpolated(curve, int(curve.n_pos)))


def run() -> list[pd.DataFrame]:
    """Make all tables, in the order of `TABLES`."""
    return [make() for make in TABLES.values()]


TABLES = {
    "dg_table1": table1,
    "dg_fig1": fig1,
    "dg_fig5": fig5,
    "dg_fig6": fig6,
    "dg_fig6_areas": fig6_areas,
    "dg_fig7": fig7,
    "dg_fig7_areas": fig7_areas,
}
"""Function of each table, by the name of the table."""
