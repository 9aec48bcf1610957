"""Claims of Siblini et al. on the rank correlation of metrics: Figure 7 and arXiv appendix C.

If possible, each claim is checked twice: on the authors' stored scores, from which Figure 7 was
drawn, and on predictions fetched from OpenML, which are from other runs.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pandas as pd

from reproduction.claims.lookup import (
    AREA,
    AUC_ROC,
    BEST_F1,
    GAIN,
    UnavailableError,
    calibrated,
    not_empty,
    number,
    rows,
)
from reproduction.claims.registry import (
    QUALITATIVE,
    Above,
    Claim,
    Data,
    Need,
    Published,
    Tolerance,
    as_by_default,
    printed,
)

__all__ = ["CLAIMS", "CONVENTIONS", "CORRECTIONS", "correlation", "lead", "lowest_correlation"]

CORRECTIONS = "rank_correlation_corrections"

_FEWEST_TASKS = {"all": 100, "imbalanced": 3, "small_prior": 10}
CONVENTIONS = (as_by_default("conventions.as_published"), as_by_default("conventions.corrected"))

# Cells below the diagonal; rows and columns in the order of the paper.
_PRINTED = {
    "all": (
        (1.00,),
        (0.99, 0.99),
        (0.91, 0.91, 0.91),
        (0.91, 0.91, 0.91, 1.00),
        (0.86, 0.86, 0.86, 0.93, 0.93),
        (0.92, 0.92, 0.91, 0.86, 0.86, 0.82),
        (0.92, 0.92, 0.90, 0.86, 0.86, 0.82, 1.00),
        (0.90, 0.90, 0.91, 0.84, 0.84, 0.81, 0.96, 0.96),
        (0.94, 0.94, 0.95, 0.94, 0.94, 0.91, 0.89, 0.89, 0.90),
    ),
    "imbalanced": (
        (0.90,),
        (0.57, 0.80),
        (0.46, 0.53, 0.39),
        (0.45, 0.58, 0.50, 0.95),
        (0.34, 0.25, 0.09, 0.50, 0.46),
        (0.98, 0.90, 0.59, 0.50, 0.48, 0.35),
        (0.86, 0.96, 0.78, 0.58, 0.60, 0.29, 0.89),
        (0.54, 0.75, 0.97, 0.28, 0.39, 0.05, 0.53, 0.72),
        (0.53, 0.77, 0.98, 0.40, 0.52, 0.13, 0.55, 0.76, 0.96),
    ),
}
_TIMES_PRIOR = {"all": "1.01π", "imbalanced": "10π"}


def _keys(panel: str) -> list[str]:
    near = _TIMES_PRIOR[panel]
    return [
        *(
            key
            for metric in (AREA, GAIN, BEST_F1)
            for key in (metric, calibrated(metric, near), calibrated(metric))
        ),
        AUC_ROC,
    ]


# --------------------------------------------------------------------------------- queries


def _cells(corrections: pd.DataFrame, panel: str, conventions: str) -> pd.Series:
    """Return the mean Spearman correlations of a panel by row and column."""
    not_empty(corrections, "there are no scores")
    of_panel = rows(corrections, panel=panel, correction="all")
    return of_panel.set_index(["row", "column"])[conventions]


def correlation(
    corrections: pd.DataFrame, panel: str, one: str, other: str, conventions: str = "as_published"
) -> float:
    """Return the mean Spearman correlation of two metrics."""
    return _cell(_cells(corrections, panel, conventions), one, other)


def _cell(cells: pd.Series, one: str, other: str) -> float:
    """Return the correlation of two metrics from the output of `_cells`."""
    return number(cells.reset_index(), cells.name, row=one, column=other)


def lead(panel: str, one: str, over: tuple[str, str], conventions: str = "as_published"):
    """Query the correlation of `one` with `over[0]` minus its correlation with `over[1]`."""

    def query(corrections: pd.DataFrame, *_: pd.DataFrame) -> float:
        near, far = (correlation(corrections, panel, one, each, conventions) for each in over)
        return near - far

    return query


def lowest_correlation(panel: str, conventions: str = "as_published"):
    """Query the lowest correlation of two of the ten metrics."""
    pairs = list(combinations(_keys(panel), 2))

    def query(corrections: pd.DataFrame, *_: pd.DataFrame) -> float:
        cells = _cells(corrections, panel, conventions)
        if not set(pairs) <= set(cells.index):
            raise UnavailableError("the table lacks some of the ten metrics")
        return cells[pairs].min()

    return query


def _correlation_with(panel: str, one: str, other: str):
    return lambda corrections, *_: correlation(corrections, panel, one, other)


def _lead_of_the_area_for_f1(panel: str):
    """Query how much more best F1 correlates with AUC-PR than with AUC-ROC or AUC-PR Gain."""

    def query(corrections: pd.DataFrame, *_: pd.DataFrame) -> float:
        return min(lead(panel, BEST_F1, (AREA, other))(corrections) for other in (AUC_ROC, GAIN))

    return query


def _largest_deviation_from_print(panel: str):
    keys = _keys(panel)

    def query(corrections: pd.DataFrame, *_: pd.DataFrame) -> float:
        cells = _cells(corrections, panel, "as_published")
        deviations = [
            _cell(cells, keys[row + 1], keys[column]) - cell
            for row, line in enumerate(_PRINTED[panel])
            for column, cell in enumerate(line)
        ]
        return float(np.abs(deviations).max())

    return query


def _of_enough_tasks(panel: str, query: Callable[..., float]) -> Callable[..., float]:
    """Return a query that raises `UnavailableError` if the panel has too few tasks."""

    def guarded(corrections: pd.DataFrame, tasks: pd.DataFrame) -> float:
        n_tasks = int((tasks[panel].astype(bool) & (tasks["outcome"] == "used")).sum())
        if n_tasks < _FEWEST_TASKS[panel]:
            raise UnavailableError(
                f"needs at least {_FEWEST_TASKS[panel]} tasks in the matrix {panel!r}, "
                f"this run has {n_tasks}"
            )
        return query(corrections)

    return guarded


# ---------------------------------------------------------------------------------- claims

_OTHER_RUNS = "other runs of the tasks"


def _claims_on(data: Data, suffix: str, tolerances: dict[str, Tolerance]) -> list[Claim]:
    """Return the claims that can be checked with stored scores and with OpenML predictions."""

    def claim(
        name: str, panel: str, statement: str, published: Published, query: Callable[..., float]
    ) -> Claim:
        return Claim(
            f"S-fig7-{name}-{panel}{suffix}",
            "S",
            "Figure 7",
            f"{panel} tasks: {statement}",
            published,
            tolerances.get(name, QUALITATIVE),
            _of_enough_tasks(panel, query),
            (CORRECTIONS, "ranking_tasks"),
            data=data,
            needs=_needs_of(data),
        )

    half = calibrated(AREA)
    return [
        claim(
            "least-correlated-pair",
            "all",
            "lowest correlation of two metrics",
            0.81,
            lowest_correlation("all"),
        ),
        claim(
            "calibrated-area-and-roc",
            "imbalanced",
            "correlation of AUC-P_cR at π₀ = 0.5 with AUC-ROC",
            0.98,
            _correlation_with("imbalanced", half, AUC_ROC),
        ),
        claim(
            "calibrated-area-and-area",
            "imbalanced",
            "correlation of AUC-P_cR at π₀ = 0.5 with AUC-PR",
            0.57,
            _correlation_with("imbalanced", half, AREA),
        ),
        claim(
            "calibrated-area-is-closer-to-roc",
            "imbalanced",
            "AUC-P_cR at π₀ = 0.5 correlates much more with AUC-ROC than with AUC-PR: difference "
            "of the correlations",
            Above(0.1),
            lead("imbalanced", half, (AUC_ROC, AREA)),
        ),
        *(
            claim(
                "best-f1-is-closest-to-area",
                panel,
                "best F1 correlates more with AUC-PR than with AUC-ROC or AUC-PR Gain: smallest "
                "difference of the correlations",
                Above(0.0),
                _lead_of_the_area_for_f1(panel),
            )
            for panel in ("all", "imbalanced")
        ),
    ]


def _needs_of(data: Data) -> tuple[Need, ...]:
    """Return the settings that a claim needs. Stored scores do not depend on `ranking`."""
    if data is Data.STORED_SCORES:
        return CONVENTIONS
    limits = (as_by_default(f"ranking.{name}") for name in ("imbalanced_below", "n_models"))
    return (*CONVENTIONS, *limits, as_by_default("ranking.openml.max_tasks"))


def _share_of_balanced(datasets: pd.DataFrame) -> float:
    if len(datasets) < 100:
        raise UnavailableError(f"needs at least 100 datasets, this run has {len(datasets)}")
    return (datasets["minority_ratio"] > 0.2).mean()


CLAIMS = [
    *(
        Claim(
            f"S-fig7-matrix-{panel}",
            "S",
            "Figure 7",
            f"{panel} tasks: the 45 correlations of ten metrics, computed with the authors' "
            "conventions: largest deviation from the printed matrix",
            0.0,
            printed(2),
            _of_enough_tasks(panel, _largest_deviation_from_print(panel)),
            (CORRECTIONS, "ranking_tasks"),
            data=Data.STORED_SCORES,
            needs=CONVENTIONS,
        )
        for panel in _PRINTED
    ),
    *_claims_on(
        Data.STORED_SCORES,
        "",
        {
            name: printed(2)
            for name in (
                "least-correlated-pair",
                "calibrated-area-and-roc",
                "calibrated-area-and-area",
            )
        },
    ),
    *_claims_on(
        Data.OPENML,
        "-afresh",
        {
            "least-correlated-pair": Tolerance(0.05, _OTHER_RUNS),
            "calibrated-area-and-roc": Tolerance(0.1, _OTHER_RUNS),
            "calibrated-area-and-area": Tolerance(
                0.12, f"{_OTHER_RUNS}; half the bootstrap interval over the published five tasks"
            ),
        },
    ),
    Claim(
        "S-appC-calibrated-area-is-closer-to-roc",
        "S",
        "arXiv appendix C",
        "tasks with a small π: AUC-P_cR at π₀ = 0.5 correlates more with AUC-ROC than with "
        "AUC-PR: difference of the correlations",
        Above(0.0),
        QUALITATIVE,
        _of_enough_tasks("small_prior", lead("small_prior", calibrated(AREA), (AUC_ROC, AREA))),
        (CORRECTIONS, "ranking_tasks"),
        data=Data.OPENML,
        needs=(*_needs_of(Data.OPENML), as_by_default("ranking.small_prior_below")),
    ),
    Claim(
        "S-fig7-datasets-with-large-prior",
        "S",
        "Figure 7 and arXiv Figure 9",
        "share of OpenML's binary datasets with π > 0.2",
        Above(0.9),
        QUALITATIVE,
        _share_of_balanced,
        ("minority_ratio",),
        data=Data.OPENML,
    ),
]
