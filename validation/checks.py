"""Statements about the library, and whether the tables agree with them."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import yaml
from scipy import stats

ALPHA = 0.01  # probability of a false alarm of a check, at most
# Columns that are shares of samples, with the column that counts these samples.
SHARES = {
    **dict.fromkeys(("covered", "excludes_0"), "n_given"),
    **dict.fromkeys(("withheld", "missed"), "n_samples"),
}


class Check(NamedTuple):
    """A bound of a column: in every or any row that a query selects, or of their mean."""

    statement: str
    part: str
    where: str
    column: str = "covered"
    least: float | None = None
    most: float | None = None
    over: str = "every"


def _read() -> list[Check]:
    text = (Path(__file__).parent / "checks.yaml").read_text(encoding="utf-8")
    return [Check(**each) for each in yaml.safe_load(text)]


CHECKS = _read()


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
