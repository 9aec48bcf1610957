"""The documentation in a real browser, on a screen and on a phone."""

import json
from pathlib import Path

import browser
import pytest
import visits
from workers import once

WIDTHS = [1440, 390]
SEARCHES = {  # words, and the titles that are among the first ten results
    "prevalence": {"Glossary", "The class prior", "PPV and NPV at a prevalence"},
    "AUPRC": {"Glossary", "Does a normalisation remove the prior?"},
    "class imbalance": {"Class imbalance and resampling", "Which statement holds?"},
}
ANSWERS = {  # a title that is the first or second result, and the words that lead to it
    "50 alerts a day": ["precision at k", "top k"],
    "A decision curve": ["calibration curve", "standardised net benefit", "standardized"],
    "A figure or a table": ["ROC curve", "LaTeX", "export"],
    "AUC-PR per month": ["missing values"],
    "Glossary": ["p-value", "lift"],
    "Class imbalance and resampling": ["SMOTE", "resampling", "imbalance", "downsampling"],
    "Data larger than memory": ["SQLite"],
    "How many labels do I need?": ["sample size"],
    "How-to": ["text labels"],
    "More than two classes": ["micro average", "macro F1", "user's accuracy", "one-hot"],
    "Only alerts are reviewed": ["partial verification", "land cover"],
    "Prior or model? Drift": ["drift"],
    "Scores from cross-validation": ["cross-validation", "Nadeau"],
    "Several sites": ["several sites", "meta-analysis"],
    "Thresholds with a guarantee": ["Youden", "cost", "threshold"],
    "Which of two models?": ["McNemar", "DeLong", "non-inferiority", "Demšar"],
    "scikit-learn and other tools": ["isolation forest"],
}
FIRST = {  # words, and the title of the first result
    "AUCPR": "Start",
    "PR AUC": "Start",
    "MLflow": "Start",
    "GitHub Actions": "Start",
    "forest plot": "A figure or a table",
    "seaborn": "A figure or a table",
    "alert budget": "50 alerts a day",
    "alerts a day": "50 alerts a day",
    "two models": "Which of two models?",
    "imbalanced": "Class imbalance and resampling",
    "precision at a fixed FPR": "Thresholds with a guarantee",
    "multi-label": "More than two classes",
    "R package": "What this library does not do",
}
WORDS = {words: title for title, several in ANSWERS.items() for words in several}
NOTE = '"[PST]: '  # prefix of the theme's messages about colours and positions
VISIT = Path(__file__).with_name("visit.html").read_text(encoding="utf-8")

pytestmark = browser.needs_browser


def visit(folder, pages, profile):
    """What the browser sees on each page at each width, what a search finds, and the console."""
    task = {"pages": pages, "widths": WIDTHS, "searches": [*SEARCHES, *WORDS, *FIRST]}
    seen, console = visits.visit(folder, VISIT.replace("TASK", json.dumps(task)), profile)
    return seen, [line for line in console if NOTE not in line]


@pytest.fixture(scope="module")
def visited(site, shared_folder):
    """What one visit of all pages saw, for all workers."""

    def visit_all(folder):
        folder.mkdir()
        seen = visit(site.folder, site.pages, folder)
        (folder / "seen.json").write_text(json.dumps(seen), encoding="utf-8")

    return json.loads((once(shared_folder / "visited", visit_all) / "seen.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def seen(visited):
    return visited[0]["pages"]


def test_every_page_was_seen_at_each_width(seen, site):
    assert {(one["page"], one["width"]) for one in seen} == {
        (page, width) for page in site.pages for width in WIDTHS
    }


def test_the_console_is_quiet(visited):
    # The browser's own pages complain of a slow machine or network.
    assert [line for line in visited[1] if "source: chrome://" not in line] == []


def test_no_page_is_wider_than_its_window(seen):
    assert [(one["page"], one["width"], one["widest"]) for one in seen if one["overflow"] > 0] == []


def test_code_and_tables_fit_on_a_screen(seen):
    """On a phone they scroll within the page."""
    assert [(one["page"], one["cut"]) for one in seen if one["width"] == 1440 and one["cut"]] == []


def test_every_control_has_a_name(seen):
    assert [(one["page"], one["unnamed"]) for one in seen if one["unnamed"]] == []


def test_every_picture_is_drawn_in_its_own_shape(seen):
    images = [
        (one["page"], one["width"], image)
        for one in seen
        for image in one["images"]
        if not image["address"].endswith("logo.svg")
    ]
    assert len(images) > 60
    for page, width, image in images:
        assert image["naturalWidth"] > 100, (page, width, image)
        assert image["width"] >= 200, (page, width, image)
        shape = image["width"] / image["height"]
        assert shape == pytest.approx(image["naturalWidth"] / image["naturalHeight"], rel=0.02)


@pytest.mark.parametrize("words", SEARCHES)
def test_a_search_finds_the_pages_of_these_words(visited, words):
    found = visited[0]["found"][words][:10]
    assert all(any(title in each for each in found) for title in SEARCHES[words]), found


@pytest.mark.parametrize("words", WORDS)
def test_a_search_leads_to_the_page_that_answers(visited, words):
    found = visited[0]["found"][words]
    assert any(WORDS[words] in each for each in found[:2]), found[:5]


@pytest.mark.parametrize("words", FIRST)
def test_a_search_finds_this_page_first(visited, words):
    found = visited[0]["found"][words]
    assert found
    assert FIRST[words] in found[0], found[:5]


def test_a_page_that_is_not_right_is_noticed(tmp_path):
    page = (
        '<!DOCTYPE html><p style="width: 900px">a</p><img src="none.png"><script>oh()</script>'
        '<input type="range"><div class="bd-article">'
        '<pre style="width: 90px; overflow: auto">too long for 90 px</pre>'
    )
    (tmp_path / "page.html").write_text(page, encoding="utf-8")
    (tmp_path / "search.html").write_text('<!DOCTYPE html><p class="search-summary">found')

    seen, console = visit(tmp_path, ["page.html"], tmp_path)

    assert [one["overflow"] > 0 for one in seen["pages"]] == [False, True]
    assert [one["cut"] for one in seen["pages"]] == [["too long for 90 px"]] * 2
    assert [one["unnamed"] for one in seen["pages"]] == [['<input type="range">']] * 2
    assert [image["naturalWidth"] for image in seen["pages"][0]["images"]] == [0]
    assert "oh is not defined" in str(console)
