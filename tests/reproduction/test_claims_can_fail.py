"""Every claim can fail: wrong values and NaN break it, and without a row it does not hold.

Each claim is judged on tables on which it holds, or differs for its known reason. Then its tables
are changed, and `pytest -s` prints which change breaks which claim.

- A wrong value breaks a claim if its verdict is not the expected one; the run then fails.
- With NaN in place of a value, a claim is broken.
- Without a row, a claim is broken or cannot be checked. It never holds.
"""

import dataclasses
import itertools
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from ideal_tables import KAGGLE, SIMULATED, ideal_tables

from reproduction.claims import catalogue, model_ranking
from reproduction.claims.registry import Context, Data, Verdict, judged
from reproduction.settings import Config

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # such as 0/0 of wrong values

BY_ID = {claim.id: claim for claim in catalogue.CLAIMS}
WITH_TABLES = [name for name, claim in BY_ID.items() if claim.reads]
WITHOUT_TABLES = [name for name, claim in BY_ID.items() if not claim.reads]
# A drawn curve with one point less is still the curve.
DRAWN = {"dg_fig1", "dg_fig5", "label_free"}
# With one task less, the five imbalanced tasks are as many as the published datasets.
CLOSES_WITHOUT_A_ROW = {"S-fig7-datasets-imbalanced"}

# What a reader would call wrong, from small to large.
WRONG_NUMBERS = {
    "1 % higher": lambda values: values * 1.01,
    "1 % lower": lambda values: values * 0.99,
    "one more": lambda values: values + 1 if values.dtype.kind == "i" else values,
    "10 % higher": lambda values: values * 1.1,
    "10 % lower": lambda values: values * 0.9,
    "higher by 0.05": lambda values: values + 0.05,
    "lower by 0.05": lambda values: values - 0.05,
    "in reverse order": lambda values: values[::-1],
    "halved": lambda values: values / 2,
    "doubled": lambda values: values * 2,
    "with the opposite sign": lambda values: -values,
}
WRONG_WORDS = {
    "flat": lambda values: np.full(len(values), "flat"),
    "swapped": lambda values: values[::-1],
}
WRONG_FLAGS = {"negated": lambda values: ~values}


class Change(NamedTuple):
    """A change of the cells of a column in some rows of a table."""

    table: str
    column: str
    where: str
    rows: np.ndarray
    what: str

    def __str__(self):
        return f"{self.table}.{self.column} {self.where} {self.what}"


@pytest.fixture(scope="module")
def ideal():
    return ideal_tables()


def tables_of(claim, ideal):
    fraud = SIMULATED if claim.source == "H" else KAGGLE
    every = {**ideal, "fraud_data": pd.DataFrame([fraud.as_dict()])}
    return {name: every[name] for name in claim.reads}


def judge(claim, tables):
    """Judge a claim on any data."""
    claim = dataclasses.replace(claim, needs=(), data=Data.NONE)
    return judged(claim, tables, Context(catalogue.settings_of(Config()), SIMULATED))


def is_broken(row):
    """Whether the run fails: a wrong value, or a table with NaN or without one cell of many."""
    return not row["expected"]


def is_unchecked(row):
    return row["verdict"] == Verdict.CANNOT_BE_CHECKED and bool(row["reason"])


def with_cells(table, column, rows, values):
    """A copy of the table with other cells, which may have another type."""
    is_float = table[column].dtype.kind == "f"
    changed = table[column].to_numpy(dtype=None if is_float else object, copy=True)
    changed[rows] = values
    cells = pd.Series(changed, index=table.index)
    return table.assign(**{column: cells if is_float else cells.infer_objects()})


def kinds_of_wrong_values(table, column):
    """Return the wrong values of a column; other words and flags name a row."""
    if column == "verdict":
        return WRONG_WORDS
    if column in ("all", "imbalanced", "small_prior"):
        return WRONG_FLAGS
    return WRONG_NUMBERS if table[column].dtype.kind in "fi" else {}


def some_rows(table):
    """Names of sets of rows, and the rows: all, halves, and those with each value of a column."""
    yield "everywhere", np.full(len(table), True)
    yield "at random", np.random.default_rng(0).random(len(table)) < 0.5
    yield "in the first half", np.arange(len(table)) < len(table) / 2
    for column in table:
        values = table[column].unique()
        if 1 < len(values) <= 20:
            for value in values:
                yield f"where {column} is {value}", (table[column] == value).to_numpy()


def wrong_values(tables):
    """Yield wrong values and the tables with them."""
    sets = [(name, *each) for name, table in tables.items() for each in some_rows(table)]
    # Whole columns and random rows first, and small tables, which are fast to judge.
    first = ["everywhere", "at random"]
    sets.sort(key=lambda each: (first.index(each[1]) if each[1] in first else 2, len(each[2])))
    for name, where, rows in sets:
        table = tables[name]
        for column in reversed(table.columns):  # what was measured comes last
            for what, change in kinds_of_wrong_values(table, column).items():
                values = change(table[column].to_numpy()[rows])
                changed = with_cells(table, column, rows, values)
                yield Change(name, column, where, rows, what), {**tables, name: changed}


def is_read(claim, tables, change, rows, before):
    """Return whether our value, `before` any change, depends on the changed column's cells."""
    table = tables[change.table]
    cells = table[change.column].to_numpy()[rows]
    if change.column == "verdict":
        others = [np.full(len(cells), "flat")]
    else:
        distinct = 10**9 * np.arange(1, len(cells) + 1)
        others = [~cells] if cells.dtype.kind == "b" else [cells + distinct, cells - distinct]
    changed = (with_cells(table, change.column, rows, values) for values in others)
    return any(judge(claim, {**tables, change.table: each})["ours"] != before for each in changed)


def missing_values(claim, tables, change):
    """Yield what is missing, and the tables without the cells of a change, or without one of them
    that our value depends on."""
    table = tables[change.table]
    one = a_row_that_is_read(claim, tables, change)
    for name, rows in (("the rows", change.rows), (f"row {np.flatnonzero(one)[0]}", one)):
        yield f"NaN in {name}", with_cells(table, change.column, rows, np.nan)
        if rows is change.rows or not (change.table in DRAWN or claim.id in CLOSES_WITHOUT_A_ROW):
            yield f"without {name}", table[~rows]


def a_row_that_is_read(claim, tables, change):
    """Return a changed row on which our value depends: the first one, or one by bisection."""
    cells = tables[change.table][change.column].to_numpy()
    # Only marked rows count.
    places = np.flatnonzero(change.rows & cells if cells.dtype.kind == "b" else change.rows)
    before = judge(claim, tables)["ours"]
    middle = 1
    while len(places) > 1:
        part = np.isin(np.arange(len(cells)), places[:middle])
        is_in_part = is_read(claim, tables, change, part, before)
        places = places[:middle] if is_in_part else places[middle:]
        middle = len(places) // 2
    return np.arange(len(cells)) == places[0]


@pytest.mark.parametrize("identifier", WITH_TABLES)
def test_a_claim_fails_on_wrong_values_and_does_not_hold_on_missing_ones(identifier, ideal):
    claim = BY_ID[identifier]
    tables = tables_of(claim, ideal)
    row = judge(claim, tables)
    known = Verdict.HOLDS if claim.known_gap is None else Verdict.DIFFERS
    assert (row["verdict"], row["expected"]) == (known, True), row

    breaking = (each for each, wrong in wrong_values(tables) if is_broken(judge(claim, wrong)))
    change = next(breaking, None)
    assert change is not None, f"no wrong value breaks {identifier}"
    print(f"\n{identifier}: breaks with {change}")

    for what, table in missing_values(claim, tables, change):
        row = judge(claim, {**tables, change.table: table})
        print(f"{identifier}: {row['verdict']}, {what}: {row['reason']}")
        is_ok = is_broken(row) or (is_unchecked(row) and not what.startswith("NaN"))
        assert is_ok, f"{identifier} {row['verdict']} {what}"


@pytest.mark.parametrize("identifier", WITHOUT_TABLES)
@pytest.mark.parametrize("wrong", [1.01, np.nan])
def test_a_claim_on_a_function_fails_on_its_wrong_values(identifier, wrong, monkeypatch):
    claim = BY_ID[identifier]
    assert judge(claim, {})["verdict"] == Verdict.HOLDS
    functions = [
        (model_ranking, "prg_auc_as_published", model_ranking.prg_auc_as_published),
        (model_ranking.scores, "prg_auc", model_ranking.scores.prg_auc),
    ]
    verdicts = []
    for module, name, function in functions:
        with monkeypatch.context() as patched:
            patched.setattr(module, name, lambda *given, of=function: wrong * of(*given))
            row = judge(claim, {})
            verdicts.append(is_broken(row))
    assert any(verdicts)


def test_a_table_without_rows_leaves_its_claims_unchecked(ideal):
    for claim, name in itertools.chain.from_iterable(
        itertools.product([claim], claim.reads) for claim in catalogue.CLAIMS
    ):
        tables = tables_of(claim, ideal)
        row = judge(claim, {**tables, name: tables[name].iloc[:0]})
        assert is_unchecked(row), claim.id
        assert name in row["reason"]


def test_the_order_of_the_rows_does_not_matter(ideal):
    for claim in catalogue.CLAIMS:
        tables = tables_of(claim, ideal)
        reverse = {name: table[::-1] for name, table in tables.items() if name not in DRAWN}
        before, after = judge(claim, tables), judge(claim, {**tables, **reverse})
        assert after["verdict"] == before["verdict"], claim.id
        assert after["ours"] == pytest.approx(before["ours"], abs=1e-12), claim.id
