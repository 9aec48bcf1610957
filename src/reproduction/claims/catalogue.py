"""All claims, and what a run needs to know of them. This module does not import pandas."""

from __future__ import annotations

import hashlib
from typing import Any

from reproduction.claims import (
    calibrated_classifier,
    davis_goadrich,
    findings,
    handbook,
    model_ranking,
    siblini,
)
from reproduction.claims.registry import SETTINGS_OF_DATA, claims_of, setting_of
from reproduction.settings import Config

__all__ = ["CLAIMS", "settings_of", "statements_hash", "tables_read"]

CLAIMS = claims_of(
    siblini, model_ranking, davis_goadrich, calibrated_classifier, handbook, findings
)
"""All claims, in the order of the table."""


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
