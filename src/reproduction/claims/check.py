"""Every claim of the sources against the tables of a run."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from reproduction.claims import (
    calibrated_classifier,
    davis_goadrich,
    findings,
    fraud_data,
    handbook,
    model_ranking,
    prior_shift,
    published_scores,
    synthetic_data,
)
from reproduction.claims.registry import (
    SETTINGS_OF_DATA,
    Claim,
    Context,
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
    "tables_read",
    "write",
]

_LOGGER = logging.getLogger(__name__)

CLAIMS: tuple[Claim, ...] = (
    *prior_shift.CLAIMS,
    *synthetic_data.CLAIMS,
    *fraud_data.CLAIMS,
    *model_ranking.CLAIMS,
    *published_scores.CLAIMS,
    *davis_goadrich.CLAIMS,
    *calibrated_classifier.CLAIMS,
    *handbook.CLAIMS,
    *findings.CLAIMS,
)


class ClaimsError(Exception):
    """Claims that are registered to hold do not; the message names them."""


def tables_read() -> set[str]:
    """Names of the tables that the claims look at."""
    return {name for claim in CLAIMS for name in claim.reads}


def settings_of(config: Config) -> dict[str, Any]:
    """The settings that the claims look at, by their dotted names."""
    needed = {need.setting for claim in CLAIMS for need in claim.needs}
    return {name: setting_of(config, name) for name in sorted(needed.union(SETTINGS_OF_DATA))}


def read_tables(paths: Iterable[str | Path]) -> dict[str, pd.DataFrame]:
    """Tables by the names of their files, those that claims look at."""
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
        Tables of the run by name, as of `read_tables`; others than those do not matter.
    context : Context
        What the run has used.
    claims : iterable of Claim

    Returns
    -------
    DataFrame
        A row per claim, in order: `id`; `source`, "S", "A", "DG", "CC", "H" or "ours"; `place`;
        `statement`; `paper_value`; `ours`, missing where the tables do not have it; `tolerance`
        and `tolerance_from`; `verdict`, "holds", "differs", "needs network data" or "cannot be
        checked with this data"; `reason`, empty where it holds; and `expected`, False for a
        difference that is not registered.
    """
    tables = {**tables, "fraud_data": pd.DataFrame([context.fraud.as_dict()])}
    judgements = pd.DataFrame([judged(claim, tables, context) for claim in claims])
    return judgements.astype({"paper_value": object, "ours": object, "tolerance": float})


def broken(table: pd.DataFrame) -> list[str]:
    """Ids of the claims that are registered to hold, or to differ in another way, and do not."""
    return list(table.loc[~table["expected"], "id"])


def write(table: pd.DataFrame, path: str | Path, *, if_broken: str | Path) -> None:
    """Write the table of claims; with a broken one write it elsewhere, to be read, and raise.

    Parameters
    ----------
    table : DataFrame
        Of `run`.
    path : path-like
        Of the table if no claim is broken.
    if_broken : path-like
        Of the table if one is; else this file is removed.

    Raises
    ------
    ClaimsError
        Naming every broken claim.
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
        "\n".join([f"broken are {len(lines)} of {len(table)} claims, see {if_broken}:", *lines])
    )
