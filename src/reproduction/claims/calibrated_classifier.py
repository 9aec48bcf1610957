"""Claims of the note on label-free metrics of a calibrated classifier."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from reproduction.claims.lookup import largest, rows, wide
from reproduction.claims.registry import (
    EXACT,
    QUALITATIVE,
    AtMost,
    Claim,
    Need,
    Tolerance,
    at_least,
)

__all__ = ["CLAIMS"]

_COMPUTATIONS = ("labels", "scores", "distribution")


# ---------------------------------------------------------------------------- definitions

# ∫ x f(x) dx and ∫ f(x) dx from t to 1, for two densities f.
_UNIFORM = (lambda t: (1 - t**2) / 2, lambda t: 1 - t)
_LINEAR = (lambda t: 2 * (1 - t**3) / 3, lambda t: 1 - t**2)

_CLOSED_FORMS = {"U(0, 1)": _UNIFORM, "F(x) = x²": _LINEAR}
_MEASURES: dict[str, Callable] = {
    "accuracy": lambda tp, fp, fn, tn: tp + tn,
    "precision": lambda tp, fp, fn, tn: tp / (tp + fp),
    "recall": lambda tp, fp, fn, tn: tp / (tp + fn),
    "f1": lambda tp, fp, fn, tn: 2 * tp / (2 * tp + fp + fn),
}


def _error_of_integrals(distribution: str) -> Callable[[pd.DataFrame], float]:
    tp_above, mass_above = _CLOSED_FORMS[distribution]

    def query(table: pd.DataFrame) -> float:
        errors = []
        for name, measure in _MEASURES.items():
            found = rows(table, distribution=distribution, computation="distribution", metric=name)
            t = found["threshold"].to_numpy()
            tp, fp = tp_above(t), mass_above(t) - tp_above(t)
            fn = tp_above(0.0) - tp
            errors.append(largest(found["value"] - measure(tp, fp, fn, 1 - tp - fp - fn)))
        return max(errors)

    return query


# ------------------------------------------------------------------------ Tables 1 and 2

_SIZE_OF_THE_NOTE = (
    at_least("label_free.n_samples", 1000),
    at_least("label_free.n_thresholds", 201),
)


def _number_of(column: str) -> Callable[[pd.DataFrame], int]:
    return lambda table: table[column].nunique()


def _roughness(curve: pd.DataFrame) -> float:
    """Return the sum of the absolute second differences of a metric over the thresholds."""
    return np.abs(np.diff(curve.sort_values("threshold")["value"], 2)).sum()


def _share_in_order_of_smoothness(table: pd.DataFrame) -> float:
    labels, scores, distribution = (
        rows(table, computation=computation)
        .groupby(["distribution", "metric"])[["threshold", "value"]]
        .apply(_roughness)
        for computation in _COMPUTATIONS
    )
    return ((labels > scores) & (scores > distribution)).mean()


# ------------------------------------------------------------------------ convergence

_SPREAD_OF_SIZES = Need(
    "label_free.sizes",
    "to span a factor of at least 100",
    lambda sizes: max(sizes) >= 100 * min(sizes),
)
_CONVERGENCE = (at_least("label_free.n_runs", 100), _SPREAD_OF_SIZES)


def _slope_farthest_from_minus_half(computation: str) -> Callable[[pd.DataFrame], float]:
    def query(rates: pd.DataFrame) -> float:
        slopes = rows(rates, computation=computation)["slope"]
        return slopes[(slopes + 0.5).abs().idxmax()]

    return query


def _largest_error_ratio(errors: pd.DataFrame) -> float:
    """Return the largest ratio of the error without labels to the error with labels."""
    by_computation = wide(errors, ["distribution", "metric", "n_samples"], "computation", "rmse")
    return (by_computation["scores"] / by_computation["labels"]).max()


CLAIMS = [
    *(
        Claim(
            f"CC-integrals-{name}",
            "CC",
            "definition",
            "TP and FP are the integrals of x f(x) and (1−x) f(x) above the threshold, FN and TN "
            f"those below it; scores ~ {distribution}: largest error of four metrics over all "
            "thresholds",
            0.0,
            EXACT,
            _error_of_integrals(distribution),
            ("label_free",),
        )
        for name, distribution in (("uniform", "U(0, 1)"), ("linear", "F(x) = x²"))
    ),
    *(
        Claim(
            f"CC-number-of-{name}",
            "CC",
            place,
            statement,
            published,
            EXACT,
            _number_of(column),
            ("label_free",),
        )
        for name, place, statement, published, column in (
            (
                "distributions",
                "Tables 1 and 2",
                "number of distributions, one per row",
                4,
                "distribution",
            ),
            ("computations", "Table 1", "number of computations, one per column", 3, "computation"),
            ("metrics", "Table 2", "number of metrics, one per column", 4, "metric"),
        )
    ),
    Claim(
        "CC-ever-smoother",
        "CC",
        "Tables 1 and 2",
        "metrics as functions of the threshold are smoother when computed from scores than from "
        "labels, and smoothest from the distribution: share of the pairs of a distribution and a "
        "metric",
        1.0,
        EXACT,
        _share_in_order_of_smoothness,
        ("label_free",),
        needs=_SIZE_OF_THE_NOTE,
    ),
    *(
        Claim(
            f"CC-converges-{computation}",
            "CC",
            "text",
            f"metrics computed from the {computation} of a sample converge to those of the "
            "distribution as n^(−1/2): the exponent that is farthest from −1/2",
            -0.5,
            Tolerance(0.1, "four standard errors of a slope from 200 runs at six sample sizes"),
            _slope_farthest_from_minus_half(computation),
            ("label_free_rates",),
            needs=_CONVERGENCE,
        )
        for computation in ("labels", "scores")
    ),
    Claim(
        "CC-scores-are-nearer",
        "CC",
        "text",
        "metrics computed from scores are closer to those of the distribution than metrics "
        "computed from labels: largest ratio of their root mean square errors",
        AtMost(1.0),
        QUALITATIVE,
        _largest_error_ratio,
        ("label_free_convergence",),
        needs=_CONVERGENCE,
    ),
]
