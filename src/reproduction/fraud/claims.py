"""Functions that claims.yaml names: the selected rows in, one number out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

__all__ = [
    "gap_to_figure_6",
    "heuristic_gap_to_reference",
    "largest_area_gap",
    "largest_drift",
    "panel_gap",
    "rise",
    "roc_distance",
    "sweep_gap_to_reference",
]

_ROOM = Path(__file__).parent


# ------------------------------------------------------------------------------------- Figure 2


def roc_distance(rows: pd.DataFrame) -> float:
    """Largest distance of a ROC curve from that of all data, times the root of the negatives drawn.

    Distances are measured across the diagonal, where both rates err alike.
    """
    curves = {
        sample: (line["x"] + line["y"], line["y"] - line["x"])
        for sample, line in rows.groupby("sample")
    }
    along, height = curves.pop("all")
    distance = max(
        np.abs(np.interp(at, along, height) - heights).max() / 2 for at, heights in curves.values()
    )
    return float(distance * np.sqrt(rows["n_neg"].min()))


def panel_gap(rows: pd.DataFrame) -> float:
    """Largest vertical distance of a PR or PR-Gain curve from the ROC curve of the same sample.

    Infinite if a curve does not run to the right. A drawn point lies between two vertices of the
    ROC curve, which bound its false positive rate, so this is 0 however few points are drawn.
    """
    if (rows.groupby(["space", "sample"])["x"].diff() < 0).any():
        return np.inf
    gaps = []
    for _, drawn in rows.groupby("sample"):
        roc = drawn[drawn["space"] == "roc"]
        if (roc["y"].diff() < 0).any():
            return np.inf
        for space in ("pr", "prg"):
            gaps.append(_distance_outside(drawn[drawn["space"] == space], roc, space))
    return max(gaps)


def _distance_outside(line: pd.DataFrame, roc: pd.DataFrame, space: str) -> float:
    odds = (line["prior"] / (1 - line["prior"])).to_numpy()
    x, y = line["x"].to_numpy(), line["y"].to_numpy()
    tpr = np.maximum(x if space == "pr" else odds / (1 - x + odds), 1e-12)
    before = np.searchsorted(roc["y"], tpr - 1e-9, side="left") - 1
    after = np.searchsorted(roc["y"], tpr + 1e-9, side="right")
    fpr = roc["x"].to_numpy()[np.clip([before, after], 0, len(roc) - 1)]
    highest, lowest = odds * tpr / (odds * tpr + fpr) if space == "pr" else 1 - fpr / tpr
    return float(np.maximum(y - highest, lowest - y).max())


def largest_area_gap(rows: pd.DataFrame) -> float:
    """Largest difference of the area in the legend from the area under the drawn points."""
    gaps = [
        (line["area"] - np.trapezoid(line["y"], line["x"])).abs().max()
        for _, line in rows.groupby(["space", "sample"])
    ]
    return max(gaps)


# ----------------------------------------------------------------------- Figure 6 and appendix A


def gap_to_figure_6(rows: pd.DataFrame) -> float:
    """Largest distance of the closed form from the published curve, interpolated between points."""
    published = pd.read_csv(_ROOM / "figure_6.csv")
    curve = np.interp(np.log(rows["pi0"]), np.log(published["pi0"]), published["closed_form"])
    return float((rows["closed_form"] - curve).abs().max())


def largest_drift(rows: pd.DataFrame) -> float:
    """Largest range over the priors among the metrics, of the means of the runs."""
    columns = [column for column in ("value", "low", "high") if column in rows]
    means = rows.groupby(["metric", "prior"])[columns].mean().groupby("metric")
    return float((means.max() - means.min()).to_numpy().max())


def rise(rows: pd.DataFrame) -> float:
    """Mean of the runs at the highest prior, minus that at the lowest."""
    means = rows.groupby("prior")["value"].mean()
    return float(means.iloc[-1] - means.iloc[0])


def heuristic_gap_to_reference(rows: pd.DataFrame) -> float:
    """Largest distance from the reference run, relative to the range of the column."""
    reference = pd.read_csv(_ROOM / "reference_heuristic.csv")
    gaps = (rows[reference.columns].reset_index(drop=True) - reference).abs()
    return float((gaps / (reference.max() - reference.min())).to_numpy().max())


def sweep_gap_to_reference(rows: pd.DataFrame) -> float:
    """Largest distance of a mean or limit from the reference run; infinite for other priors."""
    reference = pd.read_csv(_ROOM / "reference_sweep.csv", header=[0, 1], index_col=0)
    drawn = ["low", "high"] if "low" in rows else ["value"]
    means = rows.pivot_table(index="prior", columns="metric", values=drawn)
    reference = reference[drawn]
    if len(means) != len(reference) or not np.allclose(means.index, reference.index, atol=1e-4):
        return np.inf
    return float((means[reference.columns].to_numpy() - reference).abs().to_numpy().max())
