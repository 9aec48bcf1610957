"""The claims of a run for the report: their order, their figures and their numbers by source."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reproduction.report.labels import Labels
from reproduction.report.results import Results

if TYPE_CHECKING:
    from reproduction.report.page import ReportFigure

__all__ = [
    "CLAIMS",
    "SOURCES",
    "Findings",
    "ReportClaim",
    "by_figure",
    "findings",
    "read_claims",
]

CLAIMS = "paper_vs_ours"
SOURCES = {
    "S": "Siblini et al.",
    "A": "code of Siblini et al.",
    "DG": "Davis and Goadrich",
    "CC": "note on calibrated classifiers",
    "H": "fraud-detection handbook",
    "ours": "our findings",
}
"""Names of the sources by the codes in the table."""

_COLUMNS = (
    "id",
    "source",
    "place",
    "statement",
    "paper_value",
    "ours",
    "tolerance",
    "tolerance_from",
    "verdict",
    "reason",
    "expected",
    "tables",
    "headline",
)


@dataclass(frozen=True)
class ReportClaim:
    """A row of the table of claims; numbers are the texts in the file."""

    id: str
    source: str
    place: str
    statement: str
    paper_value: str
    ours: str
    tolerance: str
    tolerance_from: str
    verdict: str
    reason: str
    is_broken: bool
    is_headline: bool
    tables: frozenset[str]

    @property
    def is_judged(self) -> bool:
        return self.verdict in ("holds", "differs")

    @property
    def is_yes_or_no(self) -> bool:
        """Whether the source states no number."""
        return self.paper_value in ("True", "False")

    @property
    def tone(self) -> str:
        """Class of the verdict on the page."""
        if self.is_broken:
            return "broken"
        return {"holds": "good", "differs": "bad"}.get(self.verdict, "open")

    @property
    def lack(self) -> str:
        """What a claim without verdict needs, without what the run used instead."""
        return self.reason.partition(";")[0]

    @property
    def source_name(self) -> str:
        return SOURCES.get(self.source, self.source)


def read_claims(results: Results, labels: Labels) -> list[ReportClaim]:
    """Return the claims: the broken ones, the headlines, then the others in the order of the table.

    Keys of metrics in reasons are replaced by their labels.

    Raises
    ------
    ValueError
        If the table has no rows or lacks columns.
    """
    table = results.table(CLAIMS, _COLUMNS)
    if table.empty:
        raise ValueError(f"tables/{CLAIMS}.csv has no rows")
    claims = [_claim(row, labels) for row in table.to_dict("records")]
    return sorted(claims, key=lambda claim: (not claim.is_broken, not claim.is_headline))


def _claim(row: dict[str, str], labels: Labels) -> ReportClaim:
    return ReportClaim(
        is_broken=row.pop("expected") == "False",
        is_headline=row.pop("headline") == "True",
        tables=frozenset(row.pop("tables").split()),
        reason=labels.in_text(row.pop("reason")),
        **row,
    )


# ------------------------------------------------------------------------------------- findings


@dataclass(frozen=True)
class Findings:
    """Claims of the first screen."""

    broken: list[ReportClaim]
    hold: list[ReportClaim]
    differ: list[ReportClaim]
    unchecked: list[ReportClaim]


def findings(claims: Sequence[ReportClaim]) -> Findings:
    """Return the broken claims, and the headlines by verdict."""
    headlines = [claim for claim in claims if claim.is_headline and not claim.is_broken]
    return Findings(
        broken=[claim for claim in claims if claim.is_broken],
        hold=[claim for claim in headlines if claim.verdict == "holds"],
        differ=[claim for claim in headlines if claim.verdict == "differs"],
        unchecked=[claim for claim in headlines if not claim.is_judged],
    )


# -------------------------------------------------------------------------------------- figures


def by_figure(
    claims: Iterable[ReportClaim], figures: Sequence[ReportFigure]
) -> dict[str, list[ReportClaim]]:
    """Return the claims beneath each figure, by the name of the figure.

    A claim stands beneath one figure, which has a table of the claim: a figure that the place of
    the claim names, otherwise one that has all tables of the claim. Of several such figures, the
    one whose title has most words of the statement is taken. Other claims have no figure.
    """
    beneath: dict[str, list[ReportClaim]] = {figure.name: [] for figure in figures}
    for claim in claims:
        near = [figure for figure in figures if claim.tables & set(figure.tables)]
        named = [figure for figure in near if _names(claim.place, figure.title)]
        whole = [figure for figure in near if claim.tables <= set(figure.tables)]
        if chosen := named or whole:
            statement = _words(claim.statement)
            figure = max(chosen, key=lambda each: len(statement & _words(each.title)))
            beneath[figure.name].append(claim)
    return beneath


def _names(place: str, title: str) -> bool:
    """Whether a place names a figure, table or appendix that begins the title of a figure."""
    return bool(_numbers(place) & _numbers(title.partition(":")[0]))


def _numbers(text: str) -> set[str]:
    return set(re.findall(r"(?:arXiv )?(?:Figure|Table) \d+|appendix \w", text))


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))
