"""Figures are closed after each test."""

import matplotlib.pyplot as plt
import pytest

from reproduction.core import claims


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.fixture
def verdicts(monkeypatch):
    """Function of a room and its tables: verdicts on their claims, whatever run these need."""
    of_room = claims.of_room

    def judge(room, **tables):
        always = {"needs": {}, "stand_in": False}
        known = [c.model_copy(update=always) for c in of_room(room) if c.table in tables]
        monkeypatch.setattr(claims, "of_room", lambda room: known)
        return claims.judge(tables, room, {}).set_index("id")["verdict"]

    return judge
