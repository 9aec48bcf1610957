"""Our own findings on data that need no network, registered so that a change is detected."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from reproduction.claims.fraud_data import (
    CALIBRATED_METRICS,
    largest_drift,
    largest_gap_in_spreads,
    rise,
)
from reproduction.claims.lookup import (
    AREA,
    AUC_ROC,
    F1,
    GAIN,
    calibrated,
    not_empty,
    number,
    rows,
    wide,
)
from reproduction.claims.model_ranking import CORRECTIONS, lead, lowest_correlation
from reproduction.claims.published_scores import change_by
from reproduction.claims.registry import (
    EXACT,
    QUALITATIVE,
    Above,
    AtMost,
    Claim,
    Need,
    Published,
    Tolerance,
    as_by_default,
    at_least,
    equal,
)

__all__ = ["CLAIMS"]


def _found(
    name: str,
    place: str,
    statement: str,
    published: Published,
    query: Callable[..., float | bool],
    *reads: str,
    tolerance: Tolerance = QUALITATIVE,
    needs: tuple[Need, ...] = (),
) -> Claim:
    return Claim(
        f"ours-{name}", "ours", place, statement, published, tolerance, query, reads, needs=needs
    )


# ------------------------------------------------------------------------------ synthetic data


_MEASURED = (AREA, GAIN, F1, *CALIBRATED_METRICS)


def _share_that_differs(agreement: pd.DataFrame) -> float:
    """Return the share of points that differ, without points of few runs or positives."""
    of_the_paper = agreement[agreement["metric"].isin(_MEASURED)]
    judged = of_the_paper[of_the_paper["verdict"].isin(["agrees", "differs"])]
    not_empty(judged, "no point has enough runs and positives")
    return (judged["verdict"] == "differs").mean()


_SYNTHETIC = [
    _found(
        f"{sweep}-agrees-with-population",
        f"Figure {figure}",
        "the mean over the runs agrees with the population value: share of the points and metrics "
        "where they differ by more than four standard errors",
        AtMost(0.02),
        _share_that_differs,
        f"{sweep}_agreement",
    )
    for figure, sweep in ((4, "pi_sweep"), (5, "kl_sweep"))
]


# --------------------------------------------------------------------------- simulated frauds

_SIMULATED = (equal("fraud.source", "simulated"), as_by_default("fraud.simulator"))
_DRAWS = (*_SIMULATED, at_least("heuristic.n_runs", 100))
_SWEEP = (
    *_SIMULATED,
    at_least("fraud_prior_sweep.n_runs", 100),
    equal("fraud_prior_sweep.highest_prior", 0.5),
)


def _largest_shortfall_of_the_expectation(comparison: pd.DataFrame) -> float:
    return (comparison["closed_form"] - comparison["expected"]).max()


def _largest_error_of_the_draws(comparison: pd.DataFrame) -> float:
    """Return the largest error of the mean of the draws, in standard errors."""
    random = comparison[comparison["sd"] > 0]
    standard_error = random["sd"] / np.sqrt(random["n_runs"])
    return ((random["mean"] - random["expected"]).abs() / standard_error).max()


_FRAUDS = [
    _found(
        "heuristic-is-the-formula",
        "Figure 6",
        "simulated frauds: the mean AUC-PR of undersampled data agrees with AUC-P_cR of all data: "
        "largest difference, in standard deviations of the draws",
        AtMost(1.0),
        largest_gap_in_spreads,
        "heuristic",
        needs=_DRAWS,
    ),
    _found(
        "heuristic-lies-above-the-formula",
        "Figure 6",
        "by Jensen's inequality, the exact expectation of AUC-PR under undersampling is not below "
        "the closed form AUC-P_cR: largest difference closed form − expectation",
        AtMost(0.0),
        _largest_shortfall_of_the_expectation,
        "heuristic",
        tolerance=EXACT,
    ),
    _found(
        "heuristic-has-its-expectation",
        "Figure 6",
        "simulated frauds: the mean AUC-PR of the draws agrees with its exact expectation: largest "
        "difference, in standard errors",
        AtMost(5.0),
        _largest_error_of_the_draws,
        "heuristic",
        needs=_DRAWS,
    ),
    _found(
        "calibrated-are-flat-on-simulated-frauds",
        "arXiv appendix A",
        "simulated frauds: the calibrated metrics do not depend on π: largest difference from "
        "their means at the prior of the data",
        AtMost(0.002),
        largest_drift(CALIBRATED_METRICS),
        "fraud_prior_sweep",
        needs=_SWEEP,
    ),
    *(
        _found(
            f"{name}-changes-on-simulated-frauds",
            "arXiv appendix A",
            f"simulated frauds: {label} {verb} as π increases: size of the change from the prior "
            "of the data to the highest π",
            Above(0.0),
            query,
            "fraud_prior_sweep",
            needs=_SWEEP,
        )
        for name, label, verb, query in (
            ("auc-pr", "AUC-PR", "rises", rise(AREA)),
            ("auc-pr-gain", "AUC-PR Gain", "falls", lambda sweep: -rise(GAIN)(sweep)),
            ("f1", "F1", "rises", rise(F1)),
        )
    ),
]


# ------------------------------------------------------------------------- models fitted here

_LOCAL = (
    equal("ranking.source", "local"),
    as_by_default("ranking.local.tasks"),
    as_by_default("ranking.n_models"),
    as_by_default("ranking.imbalanced_below"),
    as_by_default("ranking.small_prior_below"),
    as_by_default("conventions.as_published"),
    as_by_default("conventions.corrected"),
)
_HALF = calibrated(AREA)

_RANKING = [
    *(
        _found(
            f"calibrated-area-is-closer-to-roc-{panel}",
            place,
            f"local models, {tasks}: AUC-P_cR at π₀ = 0.5 correlates more with AUC-ROC than with "
            "AUC-PR: difference of the correlations",
            Above(0.0),
            lead(panel, _HALF, (AUC_ROC, AREA), "corrected"),
            CORRECTIONS,
            needs=_LOCAL,
        )
        for panel, place, tasks in (
            ("imbalanced", "Figure 7", "imbalanced tasks"),
            ("small_prior", "arXiv appendix C", "tasks with a small π"),
        )
    ),
    *(
        _found(
            f"wrong-gain-lowers-the-least-correlation-{panel}",
            "Figure 7",
            f"local models, {panel} tasks: the authors' formulas of AUC-P_cR Gain lower the "
            "smallest correlation of two metrics: difference from the corrected one",
            Above(0.1),
            lambda cells, panel=panel: (
                lowest_correlation(panel, "corrected")(cells) - lowest_correlation(panel)(cells)
            ),
            CORRECTIONS,
            needs=_LOCAL,
        )
        for panel in ("all", "imbalanced")
    ),
    _found(
        "wrong-gain-moves-cells",
        "Figure 7",
        "local models, all tasks: correcting the authors' formulas of AUC-P_cR Gain changes the "
        "correlations: largest change",
        Above(0.1),
        change_by("gain_crossing"),
        f"{CORRECTIONS}_summary",
        needs=_LOCAL,
    ),
]


# --------------------------------------------------------------------------- Davis & Goadrich


def _area_prefers_i_everywhere(areas: pd.DataFrame) -> bool:
    grid = wide(rows(areas, measure="pr_auc", mark="grid"), ["prior"], "curve", "area")
    return bool((grid["I"] > grid["II"]).all())


def _prior_of_equal_gains(areas: pd.DataFrame) -> float:
    return number(areas, "prior", measure="prg_auc", mark="equal areas", curve="I")


_CURVES = [
    _found(
        "dg-fig7-area-prefers-i",
        "DG, Figure 7",
        "AUC-PR prefers curve I at every reference prior",
        True,
        _area_prefers_i_everywhere,
        "dg_fig7_areas",
    ),
    _found(
        "dg-fig7-gain-turns",
        "DG, Figure 7",
        "reference prior from which AUC-PR Gain prefers curve II, as AUC-ROC does",
        0.4,
        _prior_of_equal_gains,
        "dg_fig7_areas",
        tolerance=EXACT,
    ),
]

CLAIMS = [*_SYNTHETIC, *_FRAUDS, *_RANKING, *_CURVES]
