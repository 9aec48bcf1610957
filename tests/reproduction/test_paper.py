"""The paper in `paper`: its form, its references, and that no number in it can become outdated.

Each number is printed by a code block of the paper, is a setting, or belongs to a claim, which the
pipeline compares with its tables. A run with a broken claim fails, so the paper states what a run
finds as long as it agrees with the claims.
"""

import doctest
import re
from pathlib import Path

import pytest
import yaml

from calibrated_metrics import ConfusionCurve, scores
from reproduction.core import claims
from reproduction.pi_sweep.settings import Settings
from reproduction.ranking.published_gain import prg_auc_as_published
from validation import checks
from validation.thresholds import LEVEL

PAPER = Path(__file__).parents[2] / "publishing" / "paper"
_, FRONT_MATTER, BODY = (PAPER / "paper.md").read_text("utf-8").split("---\n", 2)
TEXT = " ".join(re.sub(r"```.*?```", "", BODY, flags=re.DOTALL).split())
BIBLIOGRAPHY = (PAPER / "paper.bib").read_text("utf-8")
ENTRIES = {
    key: dict(re.findall(r"^  (\w+) = \{(.*)\},?$", fields, re.MULTILINE))
    for key, fields in re.findall(
        r"^@\w+\{(\w+),\n(.*?)^\}", BIBLIOGRAPHY, re.MULTILINE | re.DOTALL
    )
}
WITHOUT_DOI = {
    "cordier2023",
    "flach2015",
    "pedregosa2011",
}  # their proceedings and journal give none


def published(identifier):
    """The published number of a claim on Figure 7."""
    (claim,) = (each for each in claims.of_room("published_ranks") if each.id == identifier)
    return claim.published


def bound(statement):
    """The range of a check of the validation."""
    (check,) = (check for check in checks.CHECKS if check.statement == statement)
    return 100 * (check.most if check.least < 0 else check.least)


SWEEP = Settings()
EXAMPLE = ConfusionCurve.from_predictions([1, 1, 0, 0, 0, 0, 0], [2, 1, 1, 1, 1, 1, 1])
PHRASES = [
    f"Mean of {SWEEP.n_runs} runs of {SWEEP.n_samples:,} points, with 95 % bands",
    f"gets an area of {prg_auc_as_published(EXAMPLE, 0.6):g}",
    f"the correct area is 1/{1 / scores.prg_auc(EXAMPLE.at_prior(0.6)):g}, and the maximum is 1.",
    f"exceeds 1 for {published('fig7-gain-above-1'):g} of 18,210 models",
    f"For {published('fig7-zeroed-runs'):,g} models, all ten metrics are exactly 0",
    "nominal 95 % intervals cover the value of the population in at least "
    f"{bound('coverage at the prior of the population, random rows'):g} % of the samples of each",
    f"With a confidence of {100 * LEVEL:g} %",
    f"in more than {bound('highest share of misses on plateaus, observed'):g} % of the samples",
    f"in more than {bound('highest share of misses on plateaus, each tested alone'):g} %.",
    f"in at most {bound('certified thresholds that miss'):g} % of the samples of each population",
    "90 % intervals of AUC-PR cover the true value in more than "
    f"{bound('coverage of 90 % intervals, AUC-PR of a month without labels'):g} % of the simulated",
]
NAMES = ["F1", "Figure 4", "Figure 7", "pull request 27574", "docs/figures/fig4_pi_sweep.png"]


@pytest.mark.parametrize("phrase", PHRASES)
def test_a_number_is_that_of_the_pipeline(phrase):
    assert phrase in TEXT


def test_there_are_no_other_numbers():
    rest = re.sub(r"@\w+", "", TEXT)
    for known in (*PHRASES, *NAMES):
        rest = rest.replace(known, "")
    assert re.findall(r"\S*\d\S*", rest) == []


def test_the_example_prints_what_it_shows():
    (block,) = re.findall(r"^```python\n(.*?)^```$", BODY, re.DOTALL | re.MULTILINE)
    example = doctest.DocTestParser().get_doctest(block, {}, "paper.md", None, 0)
    printed = []
    doctest.DocTestRunner().run(example, out=printed.append)
    assert not printed, "".join(printed)
    assert len(example.examples) == 4


def test_the_form_is_that_of_the_journal():
    data = yaml.safe_load(FRONT_MATTER)
    assert {"title", "tags", "authors", "affiliations", "date", "bibliography"} <= set(data)
    sections = re.findall(r"^# (.*)$", BODY, re.MULTILINE)
    assert sections == [
        *("Summary", "Statement of need", "State of the field", "Software design"),
        *("Research impact statement", "AI usage disclosure", "References"),
    ]
    assert 750 <= len(BODY.split()) <= 1750


def test_the_figure_exists():
    (figure,) = re.findall(r"!\[.*?\]\((.*?)\)", TEXT)
    assert (PAPER / figure).is_file()


def test_references_are_those_that_the_text_cites():
    assert set(re.findall(r"@(\w+)", TEXT)) == set(ENTRIES)


@pytest.mark.parametrize("key", ENTRIES)
def test_a_reference_is_complete_and_has_a_doi_if_there_is_one(key):
    entry = ENTRIES[key]
    assert {"author", "title", "year"} <= set(entry)
    if key in WITHOUT_DOI:
        assert entry["url"].startswith("https://")
    else:
        assert re.fullmatch(r"10\.\d{4,}/\S+", entry["doi"])
