"""Each claim fails on some edited table of the smoke run."""

import re

import numpy as np
import pytest

from reproduction.core import claims, settings
from reproduction.core.io import read_table

CLAIMS = [(room, claim) for room in settings.rooms() for claim in claims.of_room(room)]


def edits_of(table, claim):
    """Tables with a column that the claim reads, but not for its selection, edited in each row."""
    rng = np.random.default_rng(0)
    keys = set(re.findall(r"\w+", f"{claim.where} {claim.minus} {claim.over} {claim.by}"))
    keys |= {"prior", "period"} - set(re.findall(r"\w+", claim.of))
    for column in table.select_dtypes("number").columns.difference(keys):
        values = table[column].astype(float)
        spread = values.max() - values.min() or 1.0
        noise = rng.normal(size=len(values)) * spread
        for edited in (values + noise, values - spread, rng.permutation(values), 0 * values):
            yield table.assign(**{column: edited})


@pytest.mark.parametrize(("room", "claim"), CLAIMS, ids=[claim.id for _, claim in CLAIMS])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of edits below 0
def test_a_claim_can_break(smoke, monkeypatch, room, claim):
    """Some claims need a larger run, but can be computed from the smaller tables."""
    claim = claim.model_copy(update={"needs": {}, "stand_in": False, "differs": None})
    monkeypatch.setattr(claims, "of_room", lambda room: [claim])
    table = read_table(smoke.folder / f"results/smoke/tables/{claim.table}.csv")
    edited = [table, *edits_of(table, claim)]
    verdicts = [claims.judge({claim.table: each}, room, {})["verdict"].item() for each in edited]
    assert "differs" in verdicts
