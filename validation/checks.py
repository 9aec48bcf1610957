"""Statements about the library, and whether the tables agree with them."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

ALPHA = 0.01  # probability of a false alarm of a check, at most
# Columns that are shares of samples, with the column that counts these samples.
SHARES = {
    **dict.fromkeys(("covered", "excludes_0"), "n_given"),
    **dict.fromkeys(("withheld", "missed"), "n_samples"),
}
INDEPENDENT = "rows in ['independent', 'random counts', 'rounded scores']"
CERTIFIED = "method == 'certified' and prior != 'estimate taken as known'"
BY_SIZE = f"{CERTIFIED} and goal == 'precision' and prior == 'known' and data == 'ordinary'"
ONLY_PRIOR = "rows == 'independent' and drift == 'none'"
OF_PRIOR = "estimate == 'prior'"
OF_TAIL = "drift == '0.3 % of the negatives score as positives'"


class Check(NamedTuple):
    """A bound of a column: in every or any row that a query selects, or of their mean."""

    statement: str
    part: str
    where: str
    column: str = "covered"
    least: float | None = None
    most: float | None = None
    over: str = "every"


CHECKS = [
    *(
        Check(f"coverage, {rows}, {metrics}", "intervals", query, least=least)
        for rows, metrics, least in (
            ("independent rows", "all metrics", 0.93),
            ("few negatives", "AUC-ROC", 0.93),
            ("rare errors", "AUC-PR and AUC-ROC", 0.93),
            ("strata", "all metrics but NPV", 0.93),
            ("strata", "NPV", 0.88),
            ("weights", "all metrics but NPV", 0.92),
            ("weights", "NPV", 0.9),
            ("clusters", "all metrics", 0.92),
        )
        for query in [
            (INDEPENDENT if rows == "independent rows" else f"rows == '{rows}'")
            + {"NPV": " and metric == 'NPV'", "all metrics but NPV": " and metric != 'NPV'"}.get(
                metrics, ""
            )
        ]
    ),
    Check("mean coverage, independent rows", "intervals", INDEPENDENT, least=0.94, over="mean"),
    Check(
        *("lowest coverage if clusters are ignored", "intervals", "rows == 'clusters ignored'"),
        **{"most": 0.8, "over": "any"},
    ),
    Check("coverage, bootstrap errors", "bootstrap", "n_samples > 0", least=0.9),
    Check("coverage, paired differences", "differences", "rows == 'two models'", least=0.92),
    Check("coverage, two samples", "differences", "rows == 'two samples'", least=0.93),
    Check(
        *("paired differences of equal models that exclude 0", "differences", "abs(true) < 1e-12"),
        **{"column": "excludes_0", "most": 0.06},
    ),
    Check("exact coverage, decisions", "decisions", "tpr > 0", "coverage", least=0.93),
    Check("coverage, limits of precision at a recall", "bands", "recall > 0", least=0.92),
    *(
        Check(
            f"coverage, {part.replace('_', ' ')} of a change",
            *("changes", f"rows in ['independent', 'strata'] and part == '{part}'"),
            least=0.93,
        )
        for part in ("total", "prior_part", "model_part")
    ),
    Check(
        *("model parts that exclude 0 if only the prior changed, clusters", "changes"),
        *("rows == 'clusters'", "excludes_0"),
        most=0.06,
    ),
    Check(
        *("highest share of such model parts if clusters are ignored", "changes"),
        *("rows == 'clusters ignored'", "excludes_0"),
        **{"least": 0.15, "over": "any"},
    ),
    Check("certified thresholds that miss", "thresholds", CERTIFIED, "missed", most=0.1),
    *(
        Check(
            f"highest share of misses on plateaus, {method}",
            *("thresholds", f"method == '{method}' and data == 'plateau'", "missed"),
            **{"least": least, "over": "any"},
        )
        for method, least in (("observed", 0.8), ("each tested alone", 0.2))
    ),
    *(
        Check(
            f"mean recall relative to the best threshold, {n_pos} positives",
            *("thresholds", f"{BY_SIZE} and n_pos == {n_pos}", "relative"),
            **{"least": least, "over": "mean"},
        )
        for n_pos, least in ((150, 0.7), (600, 0.85))
    ),
    *(
        Check(
            f"{name}, {estimate} of a month without labels",
            *("months", f"{ONLY_PRIOR} and estimate == '{estimate}'", column, least, most),
        )
        for estimate in ("prior", "AUC-PR")
        for name, column, least, most in (
            ("coverage of 90 % intervals", "covered", 0.85, None),
            ("relative bias", "error", -0.05, 0.05),
        )
    ),
    Check(
        *("coverage of 90 % intervals, months without labels, clusters", "months"),
        "rows == 'clusters' and estimate != 'AUC-PR at the old prior'",
        least=0.85,
    ),
    *(
        Check(f"label shift refuted, {name}", "months", f"{query} and {OF_PRIOR}", "withheld", *at)
        for name, query, at in (
            ("only the prior changed", ONLY_PRIOR, (None, 0.08)),
            ("only the prior changed, clusters", "rows == 'clusters'", (None, 0.08)),
            ("negatives move by 0.1 sd", "drift == 'negatives +0.1 sd'", (0.9, None)),
            ("0.3 % of the negatives score as positives", OF_TAIL, (None, 0.4)),
        )
    ),
]


def judged(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """A row per check: the value of the row that is worst for it, its error, and the verdict.

    A check is out of its range if a test at the level `ALPHA`, divided by the number of rows,
    rejects that the true values are within.
    """
    rows = []
    for check in CHECKS:
        chosen = tables[check.part].query(check.where).dropna(subset=[check.column])
        value, error, p_value = _worst(chosen, check) if len(chosen) else (np.nan, np.nan, 1.0)
        verdict = "in range" if p_value >= ALPHA else "out of range"
        rows.append(
            {
                **{"statement": check.statement, "least": check.least, "most": check.most},
                **{"rows": len(chosen), "value": value, "simulation_error": error},
                "verdict": verdict if len(chosen) else "not measured",
            }
        )
    return pd.DataFrame(rows)


def failed(checks: pd.DataFrame, *, tiny: bool) -> list[str]:
    """Statements out of range; in a run that is not tiny, also those without a value."""
    accepted = ["in range", "not measured"] if tiny else ["in range"]
    return list(checks.loc[~checks["verdict"].isin(accepted), "statement"])


def _worst(chosen: pd.DataFrame, check: Check) -> tuple[float, float, float]:
    """Value, standard error and p-value of the decisive row."""
    if check.over == "mean":
        # Rows share samples, so the error of the mean is taken to be the mean error.
        columns = [check.column, f"{check.column}_error", "n_samples"]
        chosen = chosen[columns].mean().to_frame().T
    p_values = _p_values(chosen, check)
    order = np.lexsort((_slack(chosen[check.column], check), p_values))
    at = order[-1 if check.over == "any" else 0]
    n_tests = len(chosen) if check.over == "every" else 1
    row = chosen.iloc[at]
    return row[check.column], row[f"{check.column}_error"], p_values[at] * n_tests


def _slack(values: pd.Series, check: Check) -> pd.Series:
    """Distance from the nearer bound; negative out of the range."""
    least = -np.inf if check.least is None else check.least
    most = np.inf if check.most is None else check.most
    return np.minimum(values - least, most - values)


def _p_values(chosen: pd.DataFrame, check: Check) -> np.ndarray:
    """Of binomial tests of shares, otherwise of t tests; values without an error are exact."""
    values, errors = (chosen[f"{check.column}{end}"].to_numpy() for end in ("", "_error"))
    least = -np.inf if check.least is None else check.least
    most = np.inf if check.most is None else check.most
    if check.column in SHARES and check.over != "mean":
        n = chosen[SHARES[check.column]].to_numpy()
        hits = np.round(values * n)
        return np.minimum(
            stats.binom.cdf(hits, n, max(least, 0.0)), stats.binom.sf(hits - 1, n, min(most, 1.0))
        )
    excess = -_slack(values, check)
    with np.errstate(divide="ignore", invalid="ignore"):
        p_values = stats.t.sf(excess / errors, chosen["n_samples"] - 1)
    return np.where(errors > 0, p_values, np.where(excess > 0, 0.0, 1.0))
