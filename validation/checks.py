"""Statements about the library, and whether the tables agree with them."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import yaml
from scipy import stats

WIDE, ENOUGH = 1.3, 30  # width over needed width, and rows of the smaller class
FEWEST = 30  # samples of a share
ALPHA = 0.01  # probability of a false alarm of a check, at most
# Shares of samples, and the column that counts these samples.
SHARES = dict(covered="n_given", excludes_0="n_given", withheld="n_samples", missed="n_samples")


class Check(NamedTuple):
    """A range of a column: in every or any row that a query selects, or of their mean."""

    part: str
    statement: str
    where: str
    column: str = "covered"
    least: float = -np.inf
    most: float = np.inf
    over: str = "every"


ENTRIES = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))
CHECKS = [Check(part, **entry) for part, entries in ENTRIES.items() for entry in entries]


def judged(tables: Mapping[str, pd.DataFrame], checks: Sequence[Check]) -> pd.DataFrame:
    """One row per check: the value of its worst row, the error of this value, and the verdict.

    A check is out of its range if a test at the level `ALPHA`, divided by the number of rows,
    rejects the null hypothesis that the true values are in the range.
    """
    rows = []
    for check in checks:
        chosen = tables[check.part].query(check.where).dropna(subset=[check.column])
        if check.column in SHARES:  # of few samples, if most intervals are withheld
            n = chosen[SHARES[check.column]]
            chosen = chosen[n >= chosen["n_samples"].clip(upper=FEWEST)]
        value, error, p_value = _worst(chosen, check) if len(chosen) else (np.nan, np.nan, 1.0)
        verdict = "in range" if p_value >= ALPHA else "out of range"
        rows.append(
            {
                "part": check.part,
                "statement": check.statement,
                "least": check.least,
                "most": check.most,
                "rows": len(chosen),
                "mean": chosen[check.column].mean(),
                "value": value,
                "simulation_error": error,
                "verdict": verdict if len(chosen) else "not measured",
            }
        )
    return pd.DataFrame(rows).replace([-np.inf, np.inf], np.nan)


def wide(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Where intervals are wider than needed although each class has enough rows."""
    found = [pd.DataFrame(columns=["part", "rows", "metric", "cells", "width"])]
    for part, table in tables.items():
        if {"relative_width", "metric"} <= set(table):
            kind = "rows" if "rows" in table else "method"
            enough = table.get("smaller_class", ENOUGH) >= ENOUGH
            chosen = table[enough & (table["n_given"] > table["n_samples"] / 2)]
            is_wide = (chosen["relative_width"] > WIDE) & np.isfinite(chosen["relative_width"])
            width = chosen[is_wide].groupby([kind, "metric"])
            rows = width["relative_width"].agg(cells="count", width="max").reset_index()
            found.append(rows.rename(columns={kind: "rows"}).assign(part=part))
    return pd.concat(found, ignore_index=True)


def verdict(judged: pd.DataFrame, wide: pd.DataFrame, tiny: bool) -> str:
    """A table in Markdown for each part. A tiny run does not need to measure all checks.

    Raises
    ------
    SystemExit
        If a check is out of its range or not measured; the message names it.
    """
    accepted = ["in range", "not measured"] if tiny else ["in range"]
    failed = judged[~judged["verdict"].isin(accepted)]
    if len(failed):
        raise SystemExit("\n".join(failed["verdict"] + ": " + failed["statement"]))
    return "\n".join([*_tables(judged), *_of_widths(wide)])


def _of_widths(wide: pd.DataFrame) -> Iterator[str]:
    yield "## Wider than needed\n"
    yield "| rows | largest width / needed width, and number of designs |\n|---|---|"
    for (part, rows), group in wide.groupby(["part", "rows"], sort=False):
        metrics = (f"{each.metric} {each.width:.2f} ({each.cells})" for each in group.itertuples())
        yield f"| {part.replace('_', ' ')}: {rows} | {', '.join(metrics)} |"


def _tables(judged: pd.DataFrame) -> Iterator[str]:
    """Lines of docs/methods/coverage.md: the range of each check, and its worst row."""
    for part, rows in judged.groupby("part", sort=False):
        yield f"## {part.replace('_', ' ').capitalize()}\n"
        yield "| statement | designs and metrics | range | mean | worst |\n|---|---|---|---|---|"
        for row in rows.itertuples():
            ends = [
                f"{sign} {end:g}"
                for sign, end in (("≥", row.least), ("≤", row.most))
                if np.isfinite(end)
            ]
            value = f"{row.mean:.3f} | {row.value:.3f}" if row.rows else f"| {row.verdict}"
            yield f"| {row.statement} | {row.rows} | {', '.join(ends)} | {value} |"
        yield ""


def _worst(chosen: pd.DataFrame, check: Check) -> tuple[float, float, float]:
    """Value, standard error and p-value of the decisive row."""
    if check.over == "mean":
        # Rows share samples, so the mean error is used as the error of the mean.
        columns = [check.column, f"{check.column}_error", "n_samples"]
        chosen = chosen[columns].mean().to_frame().T
    excess = np.maximum(check.least - chosen[check.column], chosen[check.column] - check.most)
    p_values = _p_values(chosen, check, excess)
    at = np.lexsort((-excess, p_values))[-1 if check.over == "any" else 0]
    row = chosen.iloc[at]
    n_tests = len(chosen) if check.over == "every" else 1
    return row[check.column], row[f"{check.column}_error"], p_values[at] * n_tests


def _p_values(chosen: pd.DataFrame, check: Check, excess: pd.Series) -> np.ndarray:
    """P-values of binomial tests (shares) or t tests; values without an error are exact."""
    if check.column in SHARES and check.over != "mean" and chosen["n_samples"].max() > 1:
        n = chosen[SHARES[check.column]].to_numpy()
        hits = np.round(chosen[check.column] * n)
        too_few = stats.binom.cdf(hits, n, max(check.least, 0.0))
        return np.minimum(too_few, stats.binom.sf(hits - 1, n, min(check.most, 1.0)))
    errors = chosen[f"{check.column}_error"]
    with np.errstate(divide="ignore", invalid="ignore"):
        p_values = stats.t.sf(excess / errors, chosen["n_samples"] - 1)
    return np.where(errors > 0, p_values, excess <= 0)
