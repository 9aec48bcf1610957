"""The sentences of the papers, their verdicts, and the score that README states.

default_run.csv has the verdicts of a default run. After such a run, store them again and print the
score with: python tests/reproduction/report/test_sentences.py
"""

from pathlib import Path

import pandas as pd
import pytest

from reproduction.core import claims, settings
from reproduction.core.io import read_table
from reproduction.report import sentences

ROOT = Path(__file__).parents[3]
STORED = Path(__file__).parent / "default_run.csv"
COLUMNS = ["id", "source", "figure", "paper_value", "n_values", "n_met", "unit", "verdict"]
COLUMNS += ["reason", "expected", "stand_in"]
SENTENCES = pd.read_csv(sentences.PATH, keep_default_na=False)
KNOWN = {claim.id: claim for room in settings.rooms() for claim in claims.of_room(room)}


def judged(monkeypatch, tmp_path, *rows):
    """Sentences, each with the ids in `rows`, judged by three claims."""
    file = tmp_path / "sentences.csv"
    columns = ["source", "place", "sentence", "claims", "verdict", "reason"]
    found = [("paper", "Figure 1", "s", *row) for row in rows]
    pd.DataFrame(found, columns=columns).to_csv(file, index=False)
    monkeypatch.setattr(sentences, "PATH", file)
    of_claims = {
        "id": ["good", "far", "open", "bad"],
        "verdict": ["holds", "differs", "not checked", "differs"],
        "reason": [None, "noise", "needs n", "because"],
        "expected": [True, True, True, False],
        "stand_in": [True, False, False, False],
    }
    return sentences.judged(pd.DataFrame(of_claims))


@pytest.mark.parametrize(
    ("ids", "verdict", "reason"),
    [
        ("good", "holds", ""),
        ("good good", "holds", ""),
        ("far", "differs", "noise"),
        ("good far", "holds in part", "noise"),
        ("good open", "holds in part", "needs n"),
        ("far open", "differs", "noise; needs n"),
        ("open", "not checked", "needs n"),
        ("good bad", "broken", "because"),
        ("of_a_room_that_did_not_run", "not checked", "this run does not have it"),
    ],
)
def test_a_sentence_has_the_verdict_of_its_claims(monkeypatch, tmp_path, ids, verdict, reason):
    (row,) = judged(monkeypatch, tmp_path, (ids, "", "")).itertuples()
    assert (row.verdict, row.reason) == (verdict, reason)
    assert row.stand_in == ("good" in ids)


def test_a_sentence_without_claims_keeps_the_verdict_of_the_file(monkeypatch, tmp_path):
    row = judged(monkeypatch, tmp_path, ("", "not checked", "advice")).iloc[0]
    assert (row["verdict"], row["reason"], row["stand_in"]) == ("not checked", "advice", False)


def test_sentences_name_claims_and_each_claim_of_a_paper_has_a_sentence():
    named = {id for ids in SENTENCES["claims"] for id in ids.split()}
    assert named <= KNOWN.keys()
    of_papers = {id for id, claim in KNOWN.items() if claim.source == "papers"}
    assert {id for id in of_papers if KNOWN[id].kind == "claim"} <= named


def test_a_sentence_that_no_claim_judges_states_the_reason():
    for row in SENTENCES.itertuples():
        kinds = {KNOWN[id].kind for id in row.claims.split()}
        assert bool(row.verdict) == bool(row.reason) == (kinds != {"claim"}), row.sentence
        assert row.verdict in ("", "by construction", "not checked")
        assert row.verdict == "by construction" or "check" not in kinds, row.sentence


def test_the_score_counts_numbers_and_sentences():
    of_claims = pd.DataFrame(
        [
            ("a", "papers", "fig7_rank_correlation_all", None, 45, 44, "cells", "differs"),
            ("b", "papers", "fig7_rank_correlation_imbalanced", None, 45, 45, "cells", "holds"),
            ("c", "papers", "dg_table1", 0.5, 6, 6, "numbers", "holds"),
            ("d", "papers", "figA7_fraud", 0.5, 0, 0, "numbers", "not checked"),
            ("e", "papers", "fig2_curves", "> 0", 1, 1, "numbers", "holds"),
            ("g", "papers", "fig6_heuristic", "< 0.1", 20, 19, "dots", "differs"),
            ("f", "ours", "fig2_curves", 1.0, 1, 1, "numbers", "holds"),
        ],
        columns=COLUMNS[:8],
    )
    met = sentences.numbers_met(of_claims)
    assert met.to_numpy().tolist() == [
        ["Figure 7", "cells", 89, 90],
        ["Table 1 of Davis & Goadrich", "numbers", 6, 6],
        ["Figure 6", "dots", 19, 20],
    ]
    verdicts = ["holds"] * 3 + ["holds in part", "by construction", "not checked", "not checked"]
    of_sentences = pd.DataFrame({"verdict": verdicts, "claims": ["x"] * 6 + [""]})
    text = sentences.score(of_claims, of_sentences.assign(stand_in=[True] + [False] * 6))
    assert text == (
        "Published numbers reproduced: 89 of 90 cells of Figure 7, 19 of 20 dots of Figure 6, "
        "6 of 6 others. Of 7 sentences of the papers, 3 hold (1 of them on stand-in data), "
        "1 hold in part, 0 differ, 1 are true by construction, 1 need other data, and "
        "1 were not checked."
    )


def default_score():
    stored = pd.read_csv(STORED)
    return sentences.score(stored, sentences.judged(stored))


def test_the_stored_verdicts_are_those_of_the_claims():
    stored = pd.read_csv(STORED).set_index("id")
    assert set(stored.index) == {id for id, claim in KNOWN.items() if claim.kind == "claim"}
    assert stored["expected"].all()
    for id, verdict in stored.loc[stored["verdict"] != "not checked", "verdict"].items():
        assert (verdict == "differs") == (KNOWN[id].differs is not None), id


@pytest.mark.parametrize("page", ["README.md", "docs/reproduction/findings.md"])
def test_pages_state_the_score_of_the_default_run(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    assert default_score() in " ".join(text.split())


if __name__ == "__main__":
    run = read_table(ROOT / "results/tables/paper_vs_ours.csv")
    run[COLUMNS].to_csv(STORED, index=False)
    print(default_score())
