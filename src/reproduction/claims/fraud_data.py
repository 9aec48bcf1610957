"""Claims of Siblini et al. on the fraud data: Figure 6 and the arXiv appendices A and B."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from reproduction.claims.lookup import (
    AREA,
    F1,
    GAIN,
    UnavailableError,
    calibrated,
    calibration_difference,
    largest,
    mean_by,
    need_positives,
    not_empty,
)
from reproduction.claims.registry import (
    EXACT,
    FRAUD_ROWS,
    FRAUDS,
    QUALITATIVE,
    Above,
    AtMost,
    Claim,
    Data,
    Need,
    Tolerance,
    at_least,
    equal,
    printed,
    read_off,
)

__all__ = [
    "CALIBRATED_METRICS",
    "CLAIMS",
    "largest_drift",
    "largest_gap_in_spreads",
    "rise",
]

CALIBRATED_METRICS = tuple(calibrated(metric) for metric in (AREA, GAIN, F1))


# ------------------------------------------------------------------------------------- the data

_DATA = [
    Claim(
        "S-fraud-rows",
        "S",
        "section 4, fraud data",
        "number of transactions",
        FRAUD_ROWS,
        EXACT,
        lambda data: data["n_rows"].item(),
        ("fraud_data",),
        data=Data.FRAUD,
    ),
    Claim(
        "S-fraud-frauds",
        "S",
        "section 4, fraud data",
        "number of frauds",
        FRAUDS,
        EXACT,
        lambda data: data["n_frauds"].item(),
        ("fraud_data",),
        data=Data.FRAUD,
    ),
    Claim(
        "S-fraud-prior",
        "S",
        "section 4, fraud data",
        "prior π, the share of frauds",
        0.0017,
        printed(4),
        lambda data: (data["n_frauds"] / data["n_rows"]).item(),
        ("fraud_data",),
        data=Data.FRAUD,
    ),
    Claim(
        "A-fraud-test-rows",
        "A",
        "Figure 6",
        "number of transactions in the test set",
        85_443,
        EXACT,
        lambda comparison: comparison.eval("n_pos + n_neg_kept").max(),
        ("heuristic",),
        data=Data.FRAUD,
    ),
    Claim(
        "A-fraud-test-frauds",
        "A",
        "Figure 6",
        "number of frauds in the test set",
        147,
        EXACT,
        lambda comparison: comparison["n_pos"].max(),
        ("heuristic",),
        data=Data.FRAUD,
    ),
]


# ------------------------------------------------------------------------------------- Figure 6

_FORMULA = {
    0.00172: 0.765,
    0.00232: 0.788,
    0.00313: 0.807,
    0.00421: 0.8225,
    0.00568: 0.836,
    0.00765: 0.848,
    0.0103: 0.858,
    0.0139: 0.868,
    0.0187: 0.877,
    0.0253: 0.886,
    0.0341: 0.895,
    0.0459: 0.9035,
    0.0619: 0.912,
    0.0834: 0.921,
    0.112: 0.930,
    0.151: 0.939,
    0.204: 0.948,
    0.275: 0.9575,
    0.371: 0.967,
    0.5: 0.977,
}
_GRID_OF_FIGURE_6 = (equal("heuristic.n_priors", 20), equal("heuristic.highest_prior", 0.5))


def _at_reference_prior(column: str, order: int) -> Callable[[pd.DataFrame], float]:
    """Query the value at a reference prior by its rank; rank 0 is the prior of the data."""

    def query(comparison: pd.DataFrame) -> float:
        if len(comparison) != len(_FORMULA):
            raise UnavailableError(f"the table has {len(comparison)} reference priors, needs 20")
        return comparison.sort_values("pi0")[column].iloc[order]

    return query


def largest_gap_in_spreads(comparison: pd.DataFrame) -> float:
    """Return the largest difference of closed form and mean of the draws, in their spreads.

    The spread is the standard deviation of the draws.
    """
    gap = (comparison["mean"] - comparison["closed_form"]).abs().to_numpy()
    infinite = np.full(len(gap), np.inf)
    spreads = np.divide(gap, comparison["sd"], out=infinite, where=comparison["sd"] > 0)
    return float(np.where(gap > 1e-9, spreads, 0.0).max())  # the data's prior needs no draws


_FIGURE_6 = [
    *(
        Claim(
            f"S-fig6-formula-{pi0:g}",
            "S",
            "Figure 6",
            f"AUC-P_cR of the test set at π₀ = {pi0:g}",
            value,
            read_off(0.002),
            _at_reference_prior("closed_form", order),
            ("heuristic",),
            data=Data.FRAUD,
            needs=_GRID_OF_FIGURE_6,
        )
        for order, (pi0, value) in enumerate(_FORMULA.items())
    ),
    Claim(
        "S-fig6-smallest-reference-prior",
        "S",
        "Figure 6",
        "smallest π₀, which is the prior of the test set",
        0.00172,
        printed(5),
        _at_reference_prior("pi0", 0),
        ("heuristic",),
        data=Data.FRAUD,
        needs=_GRID_OF_FIGURE_6,
    ),
    Claim(
        "S-fig6-heuristic-is-the-formula",
        "S",
        "Figure 6",
        "the mean AUC-PR of undersampled data agrees with AUC-P_cR of all data: largest "
        "difference, in standard deviations of the draws",
        AtMost(1.0),
        QUALITATIVE,
        largest_gap_in_spreads,
        ("heuristic",),
        data=Data.FRAUD,
        needs=(at_least("heuristic.n_runs", 100),),
    ),
    Claim(
        "S-fig6-number-of-draws",
        "S",
        "Figure 6",
        "number of random draws at each of 20 values of π₀",
        1000,
        EXACT,
        lambda comparison: comparison["n_runs"].min(),
        ("heuristic",),
        needs=(*_GRID_OF_FIGURE_6, equal("heuristic.n_runs", 1000)),
    ),
]


# -------------------------------------------------------------------------- appendices A and B

_AT_THE_DATA_PRIOR = {
    "auc-pr": ("AUC-PR", AREA, 0.765),
    "auc-pr-calibrated": ("AUC-P_cR", calibrated(AREA), 0.977),
    "auc-pr-gain": ("AUC-PR Gain", GAIN, 1.000),
    "auc-pr-gain-calibrated": ("AUC-P_cR Gain", calibrated(GAIN), 0.965),
    "f1": ("F1", F1, 0.728),
    "f1-calibrated": ("F1_c", calibrated(F1), 0.765),
}
_WHEN_BALANCED = {
    "auc-pr": ("AUC-PR", AREA, 0.978),
    "auc-pr-gain": ("AUC-PR Gain", GAIN, 0.966),
    "f1": ("F1", F1, 0.765),
}
_UP_TO_BALANCED = equal("fraud_prior_sweep.highest_prior", 0.5)
_RUNS_OF_APPENDIX_A = at_least("fraud_prior_sweep.n_runs", 100)


def _mean_at_end(metric: str, end: int) -> Callable[[pd.DataFrame], float]:
    """Query the mean at the prior of the data (`end` = 0) or at the highest prior (-1)."""
    return lambda sweep: mean_by(sweep, "prior", metric=metric).iloc[end]


def rise(metric: str) -> Callable[[pd.DataFrame], float]:
    """Query the increase from the prior of the data to the highest prior."""
    return lambda sweep: _mean_at_end(metric, -1)(sweep) - _mean_at_end(metric, 0)(sweep)


def largest_drift(metrics: tuple[str, ...]) -> Callable[[pd.DataFrame], float]:
    """Query the largest difference of a mean from that at the data's prior, over all priors."""

    def query(sweep: pd.DataFrame) -> float:
        means = [mean_by(sweep, "prior", metric=metric) for metric in metrics]
        return max(largest(of_metric - of_metric.iloc[0]) for of_metric in means)

    return query


def _calibration_difference_when_balanced(sweep: pd.DataFrame) -> float:
    balanced = not_empty(sweep[sweep["n_pos"] == sweep["n_neg"]], "no run is balanced")
    return max(
        calibration_difference(balanced, metric, ["prior", "run"]) for metric in (AREA, GAIN, F1)
    )


def _of_appendix_a(
    name: str,
    statement: str,
    published: float | Above,
    tolerance: Tolerance,
    query: Callable[[pd.DataFrame], float],
    *needs: Need,
) -> Claim:
    return Claim(
        f"S-appA-{name}",
        "S",
        "arXiv appendix A",
        statement,
        published,
        tolerance,
        query,
        ("fraud_prior_sweep",),
        data=Data.FRAUD,
        needs=needs,
    )


_APPENDIX_A = [
    *(
        _of_appendix_a(
            f"{name}-0.00172",
            f"{label} at π = 0.00172",
            value,
            read_off(0.002),
            _mean_at_end(metric, 0),
        )
        for name, (label, metric, value) in _AT_THE_DATA_PRIOR.items()
    ),
    *(
        _of_appendix_a(
            f"{name}-0.5",
            f"{label} at π = 0.5, where it equals the calibrated metric",
            value,
            read_off(0.002),
            _mean_at_end(metric, -1),
            _UP_TO_BALANCED,
            _RUNS_OF_APPENDIX_A,
        )
        for name, (label, metric, value) in _WHEN_BALANCED.items()
    ),
    _of_appendix_a(
        "calibrated-are-flat",
        "the calibrated metrics do not depend on π: largest difference from their means at "
        "π = 0.00172",
        0.0,
        read_off(0.002),
        largest_drift(CALIBRATED_METRICS),
        _RUNS_OF_APPENDIX_A,
    ),
    *(
        _of_appendix_a(
            f"{name}-changes",
            f"{label} {verb} as π increases: size of the change from the prior of the data to the "
            "highest π",
            Above(0.0),
            QUALITATIVE,
            query,
            _RUNS_OF_APPENDIX_A,
        )
        for name, label, verb, query in (
            ("auc-pr", "AUC-PR", "rises", rise(AREA)),
            ("auc-pr-gain", "AUC-PR Gain", "falls", lambda sweep: -rise(GAIN)(sweep)),
            ("f1", "F1", "rises", rise(F1)),
        )
    ),
    Claim(
        "S-appA-twins-meet",
        "S",
        "arXiv appendix A",
        "at π = π₀ = 0.5, each calibrated metric equals the ordinary metric: largest difference",
        0.0,
        EXACT,
        _calibration_difference_when_balanced,
        ("fraud_prior_sweep",),
        needs=(_UP_TO_BALANCED,),
    ),
]


def _precision_after_removing_positives(numbers: pd.DataFrame) -> float:
    """Return the precision of the sample minus Prec_c of the whole population at its prior."""
    whole, sampled = (row for _, row in numbers.iterrows())
    odds = whole["prior"] / (1 - whole["prior"])
    r = odds * (1 - sampled["prior"]) / sampled["prior"]
    return sampled["precision"] - whole["tp"] / (whole["tp"] + r * whole["fp"])


def _f1_of_samples_minus_f1_of_all(sweep: pd.DataFrame) -> float:
    need_positives(sweep, 100)
    return _mean_at_end(F1, -1)(sweep) - _mean_at_end(calibrated(F1), 0)(sweep)


_APPENDIX_B = [
    Claim(
        "S-prop1-fewer-positives",
        "S",
        "arXiv appendix B, Proposition 1",
        "if positives are removed so that π becomes π₀, precision becomes Prec_c at π₀: "
        "difference on the instances of Figure 3",
        0.0,
        EXACT,
        _precision_after_removing_positives,
        ("prior_illustration_numbers",),
    ),
    Claim(
        "S-prop1-samples-of-the-fraud-data",
        "S",
        "arXiv appendix B, Proposition 1",
        "metrics of samples with prior π₀ converge to the calibrated metrics of all data: F1 of "
        "samples with prior 0.5 minus F1_c of all data at π₀ = 0.5",
        0.0,
        read_off(0.005),
        _f1_of_samples_minus_f1_of_all,
        ("fraud_prior_sweep",),
        needs=(_UP_TO_BALANCED, _RUNS_OF_APPENDIX_A),
    ),
]

CLAIMS = [*_DATA, *_FIGURE_6, *_APPENDIX_A, *_APPENDIX_B]
