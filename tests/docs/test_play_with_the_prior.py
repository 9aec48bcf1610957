"""The page with a slider of the prior shows what the library computes, in a real browser."""

import json
import re
from pathlib import Path

import browser
import numpy as np
import play_with_the_prior as play
import pytest
import visits
from workers import once

from calibrated_metrics import functions, thresholds

VISIT = Path(__file__).with_name("play.html").read_text(encoding="utf-8")
PAGE = Path(play.__file__).parents[1].joinpath("play.md").read_text(encoding="utf-8")
MOVES = [0, 7, 10, 15, 20, len(play.PRIORS) - 1]  # positions of the slider
EVERY = [play.FIRST, *MOVES]
y_true, y_score = play.Y_TRUE, play.Y_SCORE


@pytest.fixture(scope="module")
def visited(site, shared_folder):
    def visit(folder):
        folder.mkdir()
        page = VISIT.replace("TASK", json.dumps(MOVES)).replace("START", str(play.FIRST))
        seen = visits.visit(site.folder, page, folder)
        (folder / "seen.json").write_text(json.dumps(seen), encoding="utf-8")

    return json.loads((once(shared_folder / "played", visit) / "seen.json").read_text("utf-8"))


@pytest.fixture
def shown(visited):
    """Each prior, and what the page shows at it; first on a screen, then on a phone."""
    widths = np.repeat([1440, 390], len(EVERY)).tolist()
    assert [seen["width"] for seen in visited[0]] == widths
    priors = [play.PRIORS[place] for place in 2 * EVERY]
    return list(zip(priors, visited[0], strict=True))


def chosen(pi0):
    """The thresholds of the two columns."""
    curve, goal = play.CURVE, {"min_precision": 0.6}
    priors = (0.1, pi0)
    return [thresholds.choose_threshold(curve, pi0=each, **goal).threshold for each in priors]


def in_axes(seen, name):
    """Recall and precision of the points of a line, or of a mark."""
    low, high = (getattr(np.reshape(seen["axes"], (-1, 2)), end)(axis=0) for end in ("min", "max"))
    x, y = ((np.reshape(seen["drawn"][name], (-1, 2)) - low) / (high - low)).T
    return 1.02 * x, 1.02 * (1 - y)


@browser.needs_browser
def test_the_slider_moves_the_prior(shown):
    for pi0, seen in shown:
        assert [float(text.removesuffix("\xa0%")) / 100 for text in seen["prior"]] == [
            pytest.approx(pi0, rel=0.005)
        ]
        assert seen["right"] <= seen["width"]


@browser.needs_browser
def test_the_numbers_are_those_of_the_library(shown):
    for pi0, seen in shown:
        rows = {row[0]: row[1:] for row in seen["rows"]}
        assert float(rows["AUC-PR"][0]) == pytest.approx(
            functions.average_precision_score(y_true, y_score, pi0=pi0), abs=5.1e-4
        )
        assert float(rows["AUC-ROC"][0]) == pytest.approx(
            functions.roc_auc_score(y_true, y_score), abs=5.1e-4
        )
        for column, threshold in enumerate(chosen(pi0)):
            counts = rows["positive"][2 * column :][:2] + rows["negative"][2 * column :][:2]
            if threshold is None:
                assert rows["score ≥"][column] == "none"
                assert {rows["precision"][column], rows["F1"][column], *counts} == {"–"}
                continue
            y_pred = y_score >= threshold
            assert float(rows["score ≥"][column].replace("−", "-")) == pytest.approx(threshold)
            for name, score in (("precision", "precision"), ("recall", "recall"), ("F1", "f1")):
                value = getattr(functions, f"{score}_score")(y_true, y_pred, pi0=pi0)
                assert float(rows[name][column]) == pytest.approx(value, abs=5.1e-4), name
            tpr, fpr = y_pred[y_true].mean(), y_pred[~y_true].mean()
            expected = [pi0 * tpr, pi0 * (1 - tpr), (1 - pi0) * fpr, (1 - pi0) * (1 - fpr)]
            found = [int(count.replace(",", "")) for count in counts]
            assert found == pytest.approx(100_000 * np.array(expected), abs=0.51)


@browser.needs_browser
def test_the_picture_is_that_of_the_prior(shown):
    for pi0, seen in shown:
        fixed, certified = chosen(pi0)
        marks = {"fixed": fixed} | ({} if certified is None else {"certified": certified})
        assert set(seen["drawn"]) == {"curve", "chance", *marks}
        assert in_axes(seen, "chance")[1] == pytest.approx(pi0, abs=1e-3)
        recall, precision = in_axes(seen, "curve")
        assert precision[-1] == pytest.approx(pi0, abs=1e-3)
        assert np.trapezoid(precision, recall) == pytest.approx(
            functions.pr_auc_score(y_true, y_score, pi0=pi0), abs=3e-3
        )
        for name, threshold in marks.items():
            y_pred = y_score >= threshold
            assert in_axes(seen, name) == pytest.approx(
                (
                    functions.recall_score(y_true, y_pred),
                    functions.precision_score(y_true, y_pred, pi0=pi0),
                ),
                abs=1e-3,
            )


@browser.needs_browser
def test_the_console_is_quiet(visited):
    assert [line for line in visited[1] if "play.html" in line and "[PST]" not in line] == []


def test_the_text_of_the_page_gives_these_numbers():
    assert round(7 * play.decisions_at(0.01, play.FIXED)["precision"]) == 1  # six of seven
    own, rare = play.ranking_at(0.1), play.ranking_at(0.01)
    text = " ".join(PAGE.split())
    assert f"stays at {own['AUC-ROC']:.2f}. AUC-PR falls from {own['AUC-PR']:.2f} to" in text
    assert f"to {rare['AUC-PR']:.2f}," in text
    certified = [pi0 for pi0 in play.PRIORS if play.certified_threshold(pi0) is not None]
    assert min(certified) == 0.004
    assert certified == play.PRIORS[-len(certified) :]


def test_the_page_is_light_and_the_same_at_each_build():
    page = play.html()
    assert len(page.encode()) < 400_000
    assert page == play.html()
    assert not re.search(r'(?:src|href)="(?!#)', page)
