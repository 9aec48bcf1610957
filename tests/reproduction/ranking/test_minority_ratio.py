"""Distribution of the minority ratio."""

import numpy as np
import pandas as pd
import pytest

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


def test_tasks_on_one_dataset_count_once():
    tasks = pd.concat([datasets(a=0.1, b=0.3), datasets(a=0.1, b=0.4)])
    assert list(minority_ratio.run(tasks)["name"]) == ["a", "b", "b"]


def test_other_columns_and_unknown_priors_are_left_out():
    tasks = datasets(a=0.1, b=np.nan, c=0.4).assign(task=["1", "2", "3"])
    table = minority_ratio.run(tasks)
    assert list(table.columns) == COLUMNS
    assert list(table["cumulative_share"]) == [0.5, 1.0]


def test_the_order_of_the_input_does_not_matter():
    tasks = datasets(a=0.3, b=0.3, c=0.1)
    pd.testing.assert_frame_equal(minority_ratio.run(tasks[::-1]), minority_ratio.run(tasks))


def test_without_a_known_prior_the_table_is_empty():
    table = minority_ratio.run(datasets(a=np.nan))
    assert list(table.columns) == COLUMNS
    assert table.empty


@pytest.mark.parametrize("prior", [0.0, 1.0, -0.1, 1.5])
def test_a_prior_that_is_none_is_refused(prior):
    with pytest.raises(ValueError, match="dataset b: prior must be in"):
        minority_ratio.run(datasets(a=0.1, b=prior))
