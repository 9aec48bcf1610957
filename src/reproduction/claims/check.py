"""Compare every claim of the sources with the tables of a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas as pd

from reproduction.claims.catalogue import CLAIMS, tables_read
from reproduction.claims.registry import Claim, Context, Verdict, judged
from reproduction.files import read_csv

__all__ = ["ClaimsError", "broken", "counts", "raise_if_broken", "read_tables", "run"]


class ClaimsError(Exception):
    """Some claims differ unexpectedly; the message lists them."""


def read_tables(paths: Iterable[str | Path]) -> dict[str, pd.DataFrame]:
    """Read the tables that the claims need, by the names of their files."""
    wanted = tables_read()
    return {
        path.stem: read_csv(path, low_memory=False)
        for path in map(Path, paths)
        if path.stem in wanted
    }


def run(
    tables: Mapping[str, pd.DataFrame], context: Context, claims: Iterable[Claim] = CLAIMS
) -> pd.DataFrame:
    """Judge every claim; return a row per claim, in order, with the columns of `judged`.

    `tables` is the output of `read_tables`. Claims read the fraud data of the context as the table
    `fraud_data`. Without a value, `ours` is missing.
    """
    tables = {**tables, "fraud_data": pd.DataFrame([context.fraud.as_dict()])}
    judgements = pd.DataFrame([judged(claim, tables, context) for claim in claims])
    return judgements.astype({"paper_value": object, "ours": object, "tolerance": float})


def broken(table: pd.DataFrame) -> list[str]:
    """Return the ids of the claims that differ and should hold, or differ in a new way."""
    return list(table.loc[~table["expected"], "id"])


def counts(table: pd.DataFrame) -> pd.DataFrame:
    """Count the claims by `origin`: `claims`, `holds`, `differs`, and `checked`, those two."""
    verdicts = table["verdict"].groupby(table["origin"], sort=False)
    numbers = verdicts.agg(
        claims="size",
        holds=lambda found: (found == Verdict.HOLDS).sum(),
        differs=lambda found: (found == Verdict.DIFFERS).sum(),
    )
    return numbers.assign(checked=numbers["holds"] + numbers["differs"])


def raise_if_broken(table: pd.DataFrame, report: str | Path) -> None:
    """Raise `ClaimsError` if a claim in the output of `run` is broken.

    The message lists all broken claims and names the report, which shows them.
    """
    failed = table[table["id"].isin(broken(table))]
    lines = [
        f"  {row.id}: {row.statement}: published {row.paper_value}, ours {row.ours} ({row.reason})"
        for row in failed.itertuples()
    ]
    if lines:
        raise ClaimsError(
            "\n".join([f"{len(lines)} of {len(table)} claims are broken, see {report}:", *lines])
        )
