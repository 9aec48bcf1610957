"""Distribution of the minority ratio."""

import numpy as np
import pandas as pd

from reproduction.ranking import minority_ratio

COLUMNS = ["name", "minority_ratio", "cumulative_share"]


def datasets(**priors):
    return pd.DataFrame({"name": list(priors), "prior": list(priors.values())})


def test_sorted_ratios_and_their_cumulative_share():
    table = minority_ratio.run(datasets(b=0.5, a=0.125, d=0.75, c=0.25))
    assert list(table.columns) == COLUMNS
    assert list(table["name"]) == ["a", "c", "d", "b"]
    assert list(table["minority_ratio"]) == [0.125, 0.25, 0.25, 0.5]
    assert list(table["cumulative_share"]) == [0.25, 0.75, 0.75, 1.0]


def test_tasks_on_one_dataset_count_once_and_unknown_ones_are_left_out():
    tasks = pd.concat([datasets(a=0.1, b=0.3, c=np.nan), datasets(a=0.1, b=0.4)])
    assert list(minority_ratio.run(tasks)["name"]) == ["a", "b", "b"]


def test_without_a_known_prior_the_table_is_empty():
    table = minority_ratio.run(datasets(a=np.nan))
    assert list(table.columns) == COLUMNS
    assert table.empty
