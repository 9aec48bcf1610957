"""Which claims stand beneath which figure, and what their sources are called."""

import dataclasses
from collections import Counter
from pathlib import Path

import pytest

from reproduction.claims.catalogue import CLAIMS
from reproduction.claims.registry import ORIGINS
from reproduction.report import ReportFigure
from reproduction.report.claims import SOURCES, ReportClaim, by_figure

FIGURES = [
    ReportFigure("sweep", "Figure 4: a sweep", "paper", "", ["sweep", "agreement"]),
    ReportFigure("all", "Figure 7: ranks, all tasks", "paper", "", ["ranks", "scores"]),
    ReportFigure("few", "Figure 7: ranks, imbalanced tasks", "paper", "", ["ranks", "scores"]),
    ReportFigure("fraud", "arXiv Figure 7 (appendix A): frauds", "paper", "", ["frauds"]),
    ReportFigure("regret", "Regret", "paper", "", ["scores"]),
]
CLAIM = ReportClaim(
    **dict.fromkeys((f.name for f in dataclasses.fields(ReportClaim)), ""),
)


def claim(place, tables, statement="a statement", **others):
    tables = frozenset(tables.split())
    return dataclasses.replace(CLAIM, place=place, tables=tables, statement=statement, **others)


@pytest.mark.parametrize(
    ("place", "tables", "statement", "figure"),
    [
        ("Figure 4", "sweep", "", "sweep"),
        ("Figure 4", "agreement other", "", "sweep"),
        ("section 3", "sweep", "", "sweep"),
        ("section 3", "sweep other", "", None),  # of several figures, and no place decides
        ("Figure 4", "other", "", None),
        ("Figure 4", "", "", None),
        ("Figure 7", "ranks", "all tasks: the lowest", "all"),
        ("Figure 7", "scores", "imbalanced tasks: the lowest", "few"),
        ("stored scores of Figure 7", "scores", "regret", "all"),
        ("arXiv appendix A", "frauds", "", "fraud"),
        ("Figure 7", "frauds other", "", None),  # the paper's Figure 7 is not the arXiv version's
    ],
)
def test_the_figure_of_a_claim(place, tables, statement, figure):
    one = claim(place, tables, statement)

    beneath = by_figure([one], FIGURES)

    assert list(beneath) == [each.name for each in FIGURES]
    assert [name for name, claims in beneath.items() if claims] == ([figure] if figure else [])


def test_every_source_has_a_name():
    assert {each.source for each in CLAIMS} == set(SOURCES)


def test_the_findings_count_the_claims_of_each_origin_apart():
    n = Counter(ORIGINS[each.source] for each in CLAIMS)
    page = Path(__file__).parents[3].joinpath("docs/reproduction/findings.md")

    assert (
        f"lists {len(CLAIMS)} claims: {n['papers']} of the papers, {n['the handbook']} of the "
        f"handbook, {n[ORIGINS['A']]} that we make about the authors' code and stored scores, and "
        f"{n['ours']} other findings of ours"
    ) in " ".join(page.read_text(encoding="utf-8").split())
