"""Which claims of a room break on edited tables?"""

from reproduction.core import claims
from reproduction.core.settings import model


def broken(room, tables):
    """Ids of the broken claims and checks, with the default settings."""
    settings = claims.needed_settings(room, model()())
    judged = claims.judge(tables, room, settings)
    return set(judged.loc[~judged["expected"], "id"])


def moved(table, rows, column, share=0.2):
    """The table with a column moved by a share of its range, at the rows that a query selects."""
    edited = table.copy()
    selected = table.query(rows).index
    assert len(selected) > 0
    values = table.loc[selected, column]
    edited.loc[selected, column] = values + share * (table[column].max() - table[column].min())
    return edited
