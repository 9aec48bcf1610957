"""Claims: the numbers of an entry are computed, and its verdict follows from them."""

import re
from pathlib import Path

import pandas as pd
import pytest
import yaml

from reproduction.core import claims, settings

TABLE = pd.DataFrame(
    {
        "metric": ["a"] * 4 + ["b"] * 4,
        "x": [1, 1, 2, 2] * 2,
        "value": [0.1, 0.3, 0.4, 0.6, 1.0, 1.0, 3.0, 3.0],
        "other": [1.0] * 8,
    }
)
SHARED = {"figure": "f", "table": "t", "read_from": "Figure 1"}
ENTRY = {"id": "c", "says": "s"}


@pytest.fixture
def judged(tmp_path, monkeypatch):
    """Function that judges entries of a room."""
    monkeypatch.setattr(claims, "_ROOMS", tmp_path)
    (tmp_path / "room").mkdir()

    def judge(*entries, table=TABLE, others=None, **configured):
        groups = [SHARED | {"claims": [ENTRY | entry for entry in entries]}]
        (tmp_path / "room" / "claims.yaml").write_text(yaml.safe_dump(groups))
        claims.of_room.cache_clear()
        tables = {"t": table, **(others or {})}
        return claims.judge(tables, "room", configured)

    yield judge
    claims.of_room.cache_clear()


@pytest.mark.parametrize(
    ("entry", "ours", "holds"),
    [
        ({"where": "metric == 'a'", "take": "mean", "published": 0.35, "within": 0.001}, 0.35, 1),
        ({"where": "metric == 'a'", "take": "mean", "published": 0.34, "within": 0.005}, 0.35, 0),
        ({"where": "metric == 'a'", "by": "x", "published": 0.3, "within": 0.1}, 0.5, 0),
        ({"where": "metric == 'a'", "by": "x", "published": 0.3, "within": 0.2}, 0.5, 1),
        ({"by": "metric", "published": {"a": 0.35, "b": 2.1}, "within": 0.05}, 2.0, 0),
        ({"by": "metric", "published": {"a": 0.35, "b": 2}, "within": 0}, 0.35, 1),
        ({"by": ["metric", "x"], "where": "x == 1", "bound": "> 0.2"}, 0.2, 0),
        ({"where": "metric == 'a'", "by": "x", "take": "smallest_step", "bound": "> 0"}, 0.3, 1),
        ({"by": ["metric", "x"], "take": "largest_step", "bound": "< 0"}, 2.0, 0),
        ({"by": ["metric", "x"], "take": "smallest_step", "bound": "> 0"}, 0.3, 1),
        ({"take": "sum", "of": "value > other", "bound": "<= 1"}, 2, 0),
        (
            {"take": "max", "where": "metric == 'b'", "minus": "metric == 'a'", "bound": "<= 2"},
            2.4,
            0,
        ),
        ({"by": "x", "where": "metric == 'b'", "over": "metric == 'a'", "bound": ">= 5"}, 5.0, 1),
        ({"of": "other - value", "take": "max", "bound": "<= 0.9"}, 0.9, 1),
    ],
)
def test_an_entry_is_computed_and_compared(judged, entry, ours, holds):
    row = judged(entry).iloc[0]
    assert row["ours"] == pytest.approx(ours)
    assert row["verdict"] == ("holds" if holds else "differs")
    assert row["expected"] == bool(holds)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"figure": "other"}, "no rule makes the figure 'other'"),
        ({"table": "other"}, "no rule makes the table 'other'"),
        ({"take": "men"}, r"take must be one of \['each', .*'men' \(did you mean 'mean'"),
        ({"where": "metrc == 'a'"}, r"the table t has no column 'metrc' \(did you mean 'metric'"),
        ({"where": "metric = 'a'"}, "metric = 'a'. is no expression: invalid syntax"),
        ({"of": "valu / x"}, "no column 'valu'"),
        ({"by": ["metric", "y"]}, "no column 'y'"),
    ],
)
def test_a_mistake_in_a_claim_is_found_before_any_job(monkeypatch, tmp_path, entry, message):
    def check(entry):
        claim = claims.Claim.model_validate(SHARED | ENTRY | {"bound": "< 9"} | entry)
        monkeypatch.setattr(claims, "of_room", lambda room: (claim,))
        claims.check_names(["pi_sweep"], ["f"], {"t": tmp_path / "t.csv"})

    check({"where": "of_a_table == 'without a file'"})
    TABLE.to_csv(tmp_path / "t.csv", index=False)
    check({"where": "metric == 'a'", "of": "abs(value - other)"})
    with pytest.raises(SystemExit, match=f"pi_sweep/claims.yaml, entry c: .*{message}"):
        check(entry)


def test_the_value_that_deviates_most_is_shown_with_its_group(judged):
    entry = {"by": ["metric", "x"], "published": 0.4}
    bound = {"by": "x", "bound": "< 4"}
    one = bound | {"where": "x == 2"}
    rows = judged(entry | {"within": 0.1}, entry | {"within": 9}, bound, one)
    assert rows["verdict"].tolist() == ["differs", "holds", "holds", "holds"]
    assert rows["ours"].tolist() == [3.0, 3.0, 1.75, 1.75]
    farthest = "farthest of 4: metric b, x 2"
    assert rows["reason"].tolist() == [farthest, farthest, "largest of 2: x 2", ""]


def test_a_function_of_the_room_may_return_several_values(judged, monkeypatch):
    functions = {"gaps": lambda rows: rows["value"] - 0.5}
    monkeypatch.setattr(claims, "_functions", lambda room: functions)
    row = judged({"take": "gaps", "by": "x", "where": "metric == 'a'", "bound": "<= 0"}).iloc[0]
    assert (row["n_values"], row["n_met"], row["verdict"]) == (4, 3, "differs")
    assert row["reason"] == ""
    assert row["ours"] == pytest.approx(0.1)


def test_missing_values_break_a_claim(judged):
    table = TABLE.assign(value=TABLE["value"].where(TABLE["x"] == 1))
    entries = [{"by": "x", "bound": "<= 9"}, {"by": "x", "published": 0.6, "within": 9.0}]
    assert not judged(*entries, table=table)["expected"].any()


def test_published_numbers_of_a_matrix(judged, tmp_path):
    entry = {"by": ["metric", "x"], "published": "matrix.csv", "within": 0.01}
    for cell, expected in (("3.0", True), ("3.5", False)):
        (tmp_path / "room" / "matrix.csv").write_text(f"metric,1,2\na,0.2,\nb,1.0,{cell}\n")
        row = judged(entry).iloc[0]
        assert row["expected"] == expected
    assert (row["paper_value"], row["ours"]) == (3.5, 3.0)
    assert row["reason"] == "farthest of 3: metric b, x 2"


def test_the_values_that_agree_are_counted(judged):
    by_x = {"where": "metric == 'a'", "by": "x"}
    cells = {"by": ["metric", "x"], "published": 0.5, "within": 0.01, "unit": "cells"}
    rows = judged(by_x | {"bound": "> 0.3"}, cells, {"bound": "> 0", "needs": {"n": 1}}, n=2)
    assert rows["n_values"].tolist() == [2, 4, 0]
    assert rows["n_met"].tolist() == [1, 1, 0]
    assert rows["unit"].tolist() == ["numbers", "cells", "numbers"]


@pytest.mark.parametrize(
    ("needs", "lacks"),
    [
        ({"n_runs": ">= 30"}, "needs n_runs >= 30, this run has 4"),
        ({"source": ["kaggle", "openml"]}, "this run has local"),
        ({"data.n_rows": 284807}, "needs data.n_rows 284807, this run has 5"),
        ({"n_runs": "<= 4", "source": "local", "data.n_rows": "> 4"}, ""),
    ],
)
def test_a_claim_that_cannot_be_checked_shows_no_number(judged, needs, lacks):
    others = {"data": pd.DataFrame({"n_rows": [5]})}
    entry = {"take": "mean", "published": 0.0, "within": 0.1, "needs": needs}
    row = judged(entry, others=others, n_runs=4, source="local").iloc[0]
    assert lacks in row["reason"]
    if lacks:
        assert row["verdict"] == "not checked"
        assert pd.isna(row["ours"])
        assert row["expected"]
    else:
        assert row["verdict"] == "differs"


@pytest.mark.parametrize(("ours", "expected"), [(1.175, True), (1.3, False)])
def test_a_known_difference_is_expected_only_as_it_is_known(judged, ours, expected):
    known = {"ours": ours, "within": 0.01, "reason": "because"}
    row = judged({"take": "mean", "bound": "<= 1", "differs": known}).iloc[0]
    assert row["verdict"] == "differs"
    assert row["expected"] == expected
    assert (row["reason"] == "because") == expected


def test_a_known_difference_that_vanished_breaks_the_claim(judged):
    known = {"ours": 2.0, "within": 0.5, "reason": "because"}
    assert not judged({"take": "mean", "bound": "<= 2", "differs": known})["expected"].any()


def test_a_broken_claim_is_one_line(judged):
    table = judged({"take": "mean", "published": 0.4, "within": 0.1}, {"id": "d", "bound": "> -1"})
    line = "BROKEN c (f): s: ours 1.175, expected 0.4 ± 0.1 (tables/t.csv)"
    with pytest.raises(SystemExit, match=f"^{re.escape(line)}$"):
        claims.require(table, "report.html")


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ({"published": 1.0}, "give either `bound`, or `published` and `within`"),
        ({"bound": "> 0", "whre": "x == 1"}, "whre"),
        ({"bound": "== 1"}, "bound"),
        ({"bound": "> 0", "needs": {"pi_sweep.n_runs": "=> 3"}}, "`needs` pi_sweep.n_runs"),
    ],
)
def test_an_invalid_entry_is_named(judged, entry, reason):
    with pytest.raises(SystemExit, match=rf"room/claims.yaml, entry c: .*{reason}"):
        judged(entry)


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ({"where": "metric == 'z'", "bound": "> 0"}, "no row of t satisfies metric == 'z'"),
        ({"over": "metric == 'z'", "bound": "> 0"}, "no row of t satisfies metric == 'z'"),
        ({"by": "metric", "published": {"a": 2.0, "z": 1.0}, "within": 9.0}, "t has no metric z"),
    ],
)
def test_a_claim_on_rows_that_a_run_does_not_have_is_not_checked(judged, entry, reason):
    (row,) = judged(entry).itertuples()
    assert (row.verdict, row.expected, row.reason) == ("not checked", True, reason)


def test_a_check_is_a_row_only_if_it_fails(judged):
    check = {"kind": "check", "take": "max"}
    assert (
        judged(check | {"bound": "< 9"}).columns.tolist()
        == judged({"bound": "< 9"}).columns.tolist()
    )
    rows = judged(check | {"bound": "< 9"}, check | {"id": "d", "bound": "< 0"})
    assert rows["id"].tolist() == ["d"]


@pytest.mark.parametrize("text", ["- {bound: '> 0'}", "- 7", "{claims: []}"])
def test_a_group_needs_claims(judged, tmp_path, text):
    (tmp_path / "room" / "claims.yaml").write_text(text)
    claims.of_room.cache_clear()
    with pytest.raises(SystemExit, match="must be a list of groups with the key claims, got"):
        claims.of_room("room")


def test_an_entry_overrides_what_its_group_shares(judged):
    others = {"u": TABLE.assign(value=7.0)}
    rows = judged({"take": "max", "bound": "> 0"}, {"table": "u", "bound": "> 0"}, others=others)
    assert rows["ours"].tolist() == [3.0, 7.0]


@pytest.mark.parametrize(
    ("stand_in", "expected"),
    [(True, True), (False, False), ("data.simulated", True), ("data.downloaded", False)],
)
def test_a_claim_checked_on_other_data_is_marked(judged, stand_in, expected):
    others = {"data": pd.DataFrame({"simulated": [True], "downloaded": [False]})}
    row = judged({"bound": "> 0", "stand_in": stand_in}, others=others).iloc[0]
    assert row["stand_in"] == expected
    unchecked = {"bound": "> 0", "stand_in": True, "needs": {"source": "openml"}}
    assert not judged(unchecked, source="local")["stand_in"].any()


def test_a_users_own_data_get_no_verdict(judged):
    judged({"bound": "> 9"})
    row = claims.judge({"t": TABLE}, "room", {}, is_own=True).iloc[0]
    assert (row["verdict"], row["reason"]) == ("not checked", "the data are your own")
    assert row["expected"]
    assert pd.isna(row["ours"])


def test_ids_are_distinct():
    ids = [claim.id for room in settings.rooms() for claim in claims.of_room(room)]
    assert len(set(ids)) == len(ids)


def test_the_page_of_statements_names_claims():
    page = Path(__file__).parents[3] / "docs" / "concepts" / "which-statement-holds.md"
    rows = re.findall(r"^\|.*\|$", page.read_text(encoding="utf-8"), re.MULTILINE)[2:]
    known = {claim.id for room in settings.rooms() for claim in claims.of_room(room)}
    for row in rows:
        evidence = row.split("|")[3]
        named = set(re.findall(r"`([^`]+)`", evidence))
        assert named <= known, row
        # A proof on this page or on that of the chance level, or values that the pages compute.
        shown = re.search(r"\]\((#|baselines\.md#|normalisations\.md\))", evidence)
        assert named or shown or "by definition" in evidence, row


def test_the_page_of_findings_counts_the_claims():
    page = Path(__file__).parents[3] / "docs" / "reproduction" / "findings.md"
    text = " ".join(page.read_text(encoding="utf-8").split())
    known = [claim for room in settings.rooms() for claim in claims.of_room(room)]
    sources = [claim.source for claim in known if claim.kind == "claim"]
    n = {source: sources.count(source) for source in set(sources)}
    assert f"compares {len(sources)} claims with our tables: {n['papers']} of the papers" in text
    assert f"and {n['ours']} findings of our own" in text
