"""Compare every claim of the sources with the tables of a run."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from reproduction.claims import (
    calibrated_classifier,
    davis_goadrich,
    findings,
    handbook,
    model_ranking,
    siblini,
)
from reproduction.claims.registry import (
    SETTINGS_OF_DATA,
    Claim,
    Context,
    claims_of,
    judged,
    setting_of,
)
from reproduction.files import write_csv
from reproduction.settings import Config

__all__ = [
    "CLAIMS",
    "ClaimsError",
    "broken",
    "read_tables",
    "run",
    "settings_of",
    "statements_hash",
    "tables_read",
    "write",
]

_LOGGER = logging.getLogger(__name__)

CLAIMS = claims_of(
    siblini, model_ranking, davis_goadrich, calibrated_classifier, handbook, findings
)
"""All claims, in the order of the table."""


class ClaimsError(Exception):
    """Some claims differ unexpectedly; the message lists them."""


def tables_read() -> set[str]:
    """Return the names of the tables that the claims read."""
    return {name for claim in CLAIMS for name in claim.reads}


def settings_of(config: Config) -> dict[str, Any]:
    """Return the settings that the claims depend on, by their dotted names."""
    needed = {need.setting for claim in CLAIMS for need in claim.needs}
    return {name: setting_of(config, name) for name in sorted(needed.union(SETTINGS_OF_DATA))}


def statements_hash() -> str:
    """Return a hash of the statements, which are docstrings and so not part of `code_hash`."""
    statements = "\n".join(claim.statement for claim in CLAIMS)
    return hashlib.sha256(statements.encode()).hexdigest()[:16]


def read_tables(paths: Iterable[str | Path]) -> dict[str, pd.DataFrame]:
    """Read the tables that the claims need, by the names of their files."""
    wanted = tables_read()
    return {
        path.stem: pd.read_csv(path, low_memory=False)
        for path in map(Path, paths)
        if path.stem in wanted
    }


def run(
    tables: Mapping[str, pd.DataFrame], context: Context, claims: Iterable[Claim] = CLAIMS
) -> pd.DataFrame:
    """Judge every claim.

    Parameters
    ----------
    tables : mapping of str to DataFrame
        Tables of the run by name, the output of `read_tables`. Other tables are ignored.
    context : Context
        Settings and fraud data of the run. Claims read the latter as the table `fraud_data`.
    claims : iterable of Claim

    Returns
    -------
    DataFrame
        A row per claim, in order, with the columns of `judged`. Without a value, `ours` is missing.
    """
    tables = {**tables, "fraud_data": pd.DataFrame([context.fraud.as_dict()])}
    judgements = pd.DataFrame([judged(claim, tables, context) for claim in claims])
    return judgements.astype({"paper_value": object, "ours": object, "tolerance": float})


def broken(table: pd.DataFrame) -> list[str]:
    """Return the ids of the claims that differ and should hold, or differ in a new way."""
    return list(table.loc[~table["expected"], "id"])


def write(table: pd.DataFrame, path: str | Path, *, if_broken: str | Path) -> None:
    """Write the table of claims, or raise if a claim is broken.

    Parameters
    ----------
    table : DataFrame
        The output of `run`.
    path : path-like
        File for the table if no claim is broken.
    if_broken : path-like
        File for the table if a claim is broken; otherwise this file is removed.

    Raises
    ------
    ClaimsError
        If a claim is broken. The message lists all broken claims.
    """
    failed = table[~table["expected"]]
    if failed.empty:
        Path(if_broken).unlink(missing_ok=True)
        write_csv(table, path)
        _LOGGER.info("claims by verdict: %s", table["verdict"].value_counts().to_dict())
        return
    write_csv(table, if_broken)
    lines = [
        f"  {row.id}: {row.statement}: published {row.paper_value}, ours {row.ours} ({row.reason})"
        for row in failed.itertuples()
    ]
    raise ClaimsError(
        "\n".join([f"{len(lines)} of {len(table)} claims are broken, see {if_broken}:", *lines])
    )
