"""Claims of Siblini et al. on metrics and the prior: definitions, Figures 1 to 3, section 5."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from reproduction.claims.lookup import (
    AREA,
    GAIN,
    UnavailableError,
    largest,
    need_positives,
    not_empty,
    rows,
)
from reproduction.claims.registry import (
    EXACT,
    QUALITATIVE,
    Above,
    AtMost,
    Claim,
    Published,
    Tolerance,
    as_by_default,
    at_least,
)

__all__ = ["CLAIMS"]

_Numbers = pd.DataFrame


# ---------------------------------------------------------------------------- definitions


def _calibrated_precision(tp, fp, prior, pi0):
    r = prior * (1 - pi0) / (pi0 * (1 - prior))
    return tp / (tp + r * fp)


def _error_of_calibrated_precision(numbers: _Numbers, table1: pd.DataFrame) -> float:
    of_numbers = numbers["precision_calibrated"] - _calibrated_precision(
        numbers["tp"], numbers["fp"], numbers["prior"], numbers["pi0"]
    )
    of_table1 = table1["precision@pi0=0.5"] - _calibrated_precision(
        table1["tp"], table1["fp"], 20 / 2020, 0.5
    )
    return largest(np.concatenate([of_numbers, of_table1]))


def _error_of_calibrated_f1(numbers: _Numbers) -> float:
    precision, recall = numbers["precision_calibrated"], numbers["recall"]
    return largest(numbers["f1_calibrated"] - 2 * precision * recall / (precision + recall))


def _change_of_precision_gain(numbers: _Numbers) -> float:
    ordinary, calibrated = (
        (numbers[precision] - numbers[prior]) / ((1 - numbers[prior]) * numbers[precision])
        for precision, prior in (("precision", "prior"), ("precision_calibrated", "pi0"))
    )
    return largest(calibrated - ordinary)


def _change_at_the_own_prior(numbers: _Numbers) -> float:
    at_own_prior = numbers[numbers["pi0"] == numbers["prior"]]
    return largest(at_own_prior["precision_calibrated"] - at_own_prior["precision"])


def _largest_gain(*tables: pd.DataFrame) -> float:
    measured = pd.concat([table[["metric", "value"]] for table in tables])
    gains = measured[measured["metric"].str.match(rf"{GAIN}(@|$)")]
    return not_empty(gains, "no AUC-PR Gain was measured")["value"].max()


_DEFINITIONS = [
    Claim(
        "S-precision-calibrated",
        "S",
        "section 3, definition",
        "Prec_c = TP / (TP + r FP) with r = π(1−π₀) / (π₀(1−π)): largest error",
        0.0,
        EXACT,
        _error_of_calibrated_precision,
        ("prior_illustration_numbers", "dg_table1"),
    ),
    Claim(
        "S-f1-calibrated",
        "S",
        "section 3, definition",
        "F1_c is F1 with Prec_c in place of precision: largest error",
        0.0,
        EXACT,
        _error_of_calibrated_f1,
        ("prior_illustration_numbers",),
    ),
    Claim(
        "S-precision-gain-calibrated",
        "S",
        "section 3, definition",
        "calibration does not change precision gain: largest change",
        0.0,
        EXACT,
        _change_of_precision_gain,
        ("prior_illustration_numbers",),
    ),
    Claim(
        "S-calibrated-at-own-prior",
        "S",
        "section 3, definition",
        "calibration at π₀ = π does not change precision: largest change",
        0.0,
        EXACT,
        _change_at_the_own_prior,
        ("prior_illustration_numbers",),
    ),
    Claim(
        "S-gain-at-most-1",
        "S",
        "section 3, AUC-PR Gain",
        "AUC-PR Gain, calibrated or not, is at most 1: largest value",
        AtMost(1.0),
        EXACT,
        _largest_gain,
        ("pi_sweep", "kl_sweep", "fraud_prior_sweep", "monitoring"),
    ),
]


# ------------------------------------------------------------------------ Figures 1 and D.11

_STREAM = (
    *(
        as_by_default(f"monitoring.{name}")
        for name in ("n_customers", "n_terminals", "radius", "train_start_day", "train_weeks")
    ),
    as_by_default("monitoring.delay_weeks"),
    as_by_default("monitoring.n_periods"),
    at_least("monitoring.n_bootstrap", 100),
)


def _trend(trends: pd.DataFrame, scenario: str, kind: str) -> pd.DataFrame:
    """Return the row of AUC-PR; `kind` is "ordinary" or "calibrated"."""
    found = rows(trends, scenario=scenario, metric=AREA)
    return found[found["pi0"].isna() == (kind == "ordinary")]


def _all_fall(scenario: str, *kinds: str) -> Callable[[pd.DataFrame], bool]:
    return lambda trends: all(
        _trend(trends, scenario, kind)["verdict"].item() == "falls" for kind in kinds
    )


def _relative_slope(trends: pd.DataFrame) -> float:
    """Return the slope of AUC-P_cR relative to that of AUC-PR, as an absolute value."""
    ordinary, calibrated = (
        _trend(trends, "prior drift", kind)["slope"].item() for kind in ("ordinary", "calibrated")
    )
    return abs(calibrated / ordinary)


def _has_the_sign_of_the_shift(differences: pd.DataFrame) -> bool:
    found = rows(differences, metric=AREA)
    return bool((np.sign(found["value"]) == np.sign(found["prior"] - found["pi0"])).all())


def _correlation_with_the_prior(differences: pd.DataFrame) -> float:
    found = rows(differences, metric=AREA, scenario="prior drift")
    return found["prior"].corr(found["value"], method="spearman")


def _of_the_stream(
    name: str,
    place: str,
    statement: str,
    published: Published,
    query: Callable[[pd.DataFrame], float | bool],
    reads: str,
) -> Claim:
    return Claim(
        f"S-monitoring-{name}",
        "S",
        place,
        f"{statement} (on a simulated stream, because the paper's stream is private)",
        published,
        QUALITATIVE,
        query,
        (reads,),
        needs=_STREAM,
    )


_MONITORING = [
    _of_the_stream(
        "auc-pr-follows-the-prior",
        "Figure 1",
        "AUC-PR falls if only the fraud ratio falls",
        True,
        _all_fall("prior drift", "ordinary"),
        "monitoring_trends",
    ),
    _of_the_stream(
        "calibrated-is-flat",
        "arXiv Figure 11",
        "AUC-P_cR at the historical prior is flat if only the fraud ratio falls: its slope "
        "relative to that of AUC-PR",
        AtMost(0.5),
        _relative_slope,
        "monitoring_trends",
    ),
    _of_the_stream(
        "likelihood-drift-falls-in-both",
        "arXiv Figure 11",
        "AUC-PR and AUC-P_cR both fall if the frauds change",
        True,
        _all_fall("likelihood drift", "ordinary", "calibrated"),
        "monitoring_trends",
    ),
    _of_the_stream(
        "both-drifts-fall-in-both",
        "arXiv Figure 11",
        "AUC-PR and AUC-P_cR both fall if the frauds change and the fraud ratio falls",
        True,
        _all_fall("both drifts", "ordinary", "calibrated"),
        "monitoring_trends",
    ),
    _of_the_stream(
        "difference-follows-the-prior",
        "Figure 1, right panel",
        "AUC-PR − AUC-P_cR grows with π: rank correlation",
        Above(0.8),
        _correlation_with_the_prior,
        "monitoring_differences",
    ),
    _of_the_stream(
        "difference-vanishes-at-the-reference",
        "Figure 1, right panel",
        "AUC-PR − AUC-P_cR is positive in weeks with π > π₀ and negative in weeks with π < π₀",
        True,
        _has_the_sign_of_the_shift,
        "monitoring_differences",
    ),
]


# ---------------------------------------------------------------------------- Figures 2 and 3


def _area(curves: pd.DataFrame, space: str, sample: str) -> float:
    if rows(curves, space="roc", sample="all")["area"].iloc[0] == 1:
        raise UnavailableError("the model makes no errors")
    return rows(curves, space=space, sample=sample)["area"].iloc[0]


def _change_of_area(space: str) -> Callable[[pd.DataFrame], float]:
    """Query the change of the area from the prior of the data to a higher prior."""
    return lambda curves: _area(curves, space, "calibrated") - _area(curves, space, "all")


def _difference_of_sample_and_calibration(curves: pd.DataFrame) -> float:
    need_positives(curves, 100)
    return _area(curves, "pr", "undersampled") - _area(curves, "pr", "calibrated")


def _change(column: str) -> Callable[[_Numbers], float]:
    """Query the change of a column when half of the positives are removed."""
    return lambda numbers: numbers[column].iloc[1] - numbers[column].iloc[0]


_CURVES_AND_INSTANCES = [
    Claim(
        "S-fig2-roc",
        "S",
        "Figure 2",
        "the ROC curve does not depend on the prior: change of its area",
        0.0,
        EXACT,
        _change_of_area("roc"),
        ("curves_at_priors",),
    ),
    Claim(
        "S-fig2-pr",
        "S",
        "Figure 2",
        "the PR curve rises with the prior: change of its area",
        Above(0.0),
        QUALITATIVE,
        _change_of_area("pr"),
        ("curves_at_priors",),
        needs=(as_by_default("curves_at_priors.pi0"),),
    ),
    Claim(
        "S-fig2-prg",
        "S",
        "Figure 2",
        "the PR-Gain curve depends on the prior too: absolute change of its area",
        Above(0.0),
        QUALITATIVE,
        lambda curves: abs(_change_of_area("prg")(curves)),
        ("curves_at_priors",),
        needs=(as_by_default("curves_at_priors.pi0"),),
    ),
    Claim(
        "S-sec5-anticipation",
        "S",
        "section 5",
        "calibration predicts AUC-PR on data with another prior: AUC-PR of a sample with that "
        "prior minus the predicted value",
        0.0,
        Tolerance(0.05, "one random draw of the negatives"),
        _difference_of_sample_and_calibration,
        ("curves_at_priors",),
        needs=(as_by_default("curves_at_priors.pi0"),),
    ),
    *(
        Claim(
            f"S-fig3-{name}",
            "S",
            "Figure 3",
            f"{statement} when half of the positives are removed: change",
            published,
            tolerance,
            _change(column),
            ("prior_illustration_numbers",),
        )
        for name, statement, column, published, tolerance in (
            ("recall", "recall does not change", "recall", 0.0, EXACT),
            ("fpr", "the false positive rate does not change", "fpr", 0.0, EXACT),
            ("precision", "precision falls", "precision", AtMost(-0.1), QUALITATIVE),
        )
    ),
    Claim(
        "S-sec5-two-populations",
        "S",
        "section 5",
        "at a common π₀, two populations with different priors have the same precision: "
        "difference on the instances of Figure 3",
        0.0,
        EXACT,
        _change("precision_calibrated"),
        ("prior_illustration_numbers",),
    ),
]

CLAIMS = [*_DEFINITIONS, *_MONITORING, *_CURVES_AND_INSTANCES]
