"""Each claim and check fails on some table with an edit that a reader would see in the figure."""

import re

import numpy as np
import pytest

from reproduction.core import claims, settings
from reproduction.core.io import read_table

CLAIMS = [(room, claim) for room in settings.rooms() for claim in claims.of_room(room)]


def edits_of(table, claim):
    """Tables in which a column that the claim reads moved by a tenth, or a line or point moved.

    A line is the rows with one value in a column of text. A point moves by half of the range.
    """
    read = set(re.findall(r"\w+", claim.of))
    keys = set(re.findall(r"\w+", f"{claim.where} {claim.minus} {claim.over} {claim.by}"))
    keys |= {"prior", "period"}
    texts = table.select_dtypes(["object", "string", "bool"])
    lines = [np.ones(len(table), dtype=bool)]
    lines += [(texts[name] == value).to_numpy() for name in texts for value in texts[name].unique()]
    columns = table.select_dtypes("number").columns.difference(keys - read)
    for column in sorted(columns, key=lambda name: name not in read):  # what it reads breaks first
        values = table[column].to_numpy(dtype=float)
        for line in lines:
            for factor in (1.1, 0.9):
                yield table.assign(**{column: np.where(line, factor * values, values)})
            turned = values.copy()
            turned[line] = values[line][::-1]
            yield table.assign(**{column: turned})
        selected = table.query(claim.where).index if claim.where else table.index
        reach = (np.nanmax(values) - np.nanmin(values) or 1.0) / 2
        for place in (selected[0], selected[len(selected) // 2], selected[-1]):
            for step in (reach, -reach):
                moved = values.copy()
                moved[place] += step
                yield table.assign(**{column: moved})


def verdict(claim, table, room):
    try:
        return claims.judge({claim.table: table}, room, {})["verdict"].tolist()
    except ValueError:  # such as a room's function of a curve that does not end
        return ["differs"]


@pytest.mark.parametrize(("room", "claim"), CLAIMS, ids=[claim.id for _, claim in CLAIMS])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of edits below 0
def test_a_claim_can_break(smoke, monkeypatch, room, claim):
    """Some claims need a larger run, but can be computed from the smaller tables.

    A check that holds would be no row.
    """
    always = {"kind": "claim", "needs": {}, "stand_in": False, "differs": None}
    claim = claim.model_copy(update=always)
    monkeypatch.setattr(claims, "of_room", lambda room: [claim])
    table = read_table(smoke.folder / f"results/smoke/tables/{claim.table}.csv")
    whole = verdict(claim, table, room)
    assert "differs" in whole or any(
        "differs" in verdict(claim, each, room) for each in edits_of(table, claim)
    )
