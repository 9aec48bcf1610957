"""The corrections of the authors' conventions for rank correlations, and what they change."""

from __future__ import annotations

from dataclasses import dataclass

from reproduction.report.results import Results
from reproduction.report.rounding import fixed

__all__ = ["CORRECTIONS", "PANELS", "CorrectionEffect", "effects"]

PANELS = {"all": "all tasks", "imbalanced": "imbalanced tasks", "small_prior": "small priors"}

CORRECTIONS = {
    "gain_crossing": "The axis crossings of the calibrated gain curve are computed "
    "exactly; the authors’ formulas hold only for π₀ = π",
    "zeroed_runs": "Models whose metrics are all exactly 0 are left out",
    "near_ties": "Values that differ only by rounding are tied",
    "undefined_correlation": "Correlations with a constant metric are left out, not counted as 1",
    "all": "All corrections together",
    "repeated_datasets": "Sensitivity check: one task per dataset (not included in “All "
    "corrections”)",
    "repeated_models": "Sensitivity check: one run per model and task (not included in “All "
    "corrections”)",
}
"""What each correction does, by its name in the tables."""

_SUMMARY = "rank_correlation_corrections_summary"
_VISIBLE = 0.0005  # smaller changes are 0 with three decimals


@dataclass(frozen=True)
class CorrectionEffect:
    """A correction and the largest change of a correlation by it, by title of the panel."""

    text: str
    changes: list[tuple[str, str]]


def effects(results: Results) -> list[CorrectionEffect]:
    """Return the effect of each correction alone; an empty list if the run has no such table."""
    if _SUMMARY not in results:
        return []
    table = results.table(_SUMMARY, ["panel", "correction", "largest"])
    table = table[table["correction"].ne("all") & table["largest"].ne("")]
    found = []
    for name, text in CORRECTIONS.items():
        rows = table[table["correction"] == name]
        if not rows.empty:
            changes = [
                (PANELS.get(row.panel, row.panel), fixed(row.largest, 3))
                for row in rows.itertuples()
                if float(row.largest) >= _VISIBLE
            ]
            found.append(CorrectionEffect(text, changes))
    return found
