"""Imbalanced tasks from simulated transactions."""

import numpy as np
import pytest

from reproduction.local_models import simulated_frauds
from reproduction.local_models.tasks import load_task

SEED = 20200427
AMOUNT = 0  # column of the features


@pytest.fixture(scope="module")
def tasks():
    return {name: load_task(name, seed=SEED) for name in simulated_frauds.NAMES}


@pytest.mark.parametrize("name", simulated_frauds.NAMES)
def test_tasks_are_imbalanced_and_named_as_simulated(tasks, name):
    task = tasks[name]
    assert task.is_simulated
    assert "simulated" in task.source == task.title
    assert task.y_true.sum() == 32
    assert len(task.y_true) == 3600
    assert np.isfinite(task.features).all()
    # Above 220, each genuine amount would be a fraud of the first scenario.
    assert task.features[task.y_true == 0, AMOUNT].max() <= 220


def test_frauds_are_those_of_the_scenarios_of_late_days(monkeypatch, tasks):
    simulated = []
    simulate = "reproduction.fraud.simulator.simulate_transactions"

    def spied(**settings):
        simulated.append(original(**settings))
        return simulated[-1]

    from reproduction.fraud.features import transaction_features
    from reproduction.fraud.simulator import simulate_transactions as original

    monkeypatch.setattr(simulate, spied)
    for name, scenario in (("frauds_county_terminals", 2), ("frauds_city_customers", 3)):
        task = load_task(name, seed=SEED)
        np.testing.assert_array_equal(task.features, tasks[name].features)
        transactions = simulated[-1]
        features = transaction_features(transactions).to_numpy(np.float64)
        late = transactions["day"] >= 43
        for label, of_label in ((1, scenario), (0, 0)):
            rows = features[late & (transactions["scenario"] == of_label)]
            possible = {row.tobytes() for row in rows}
            drawn = {row.tobytes() for row in task.features[task.y_true == label]}
            assert drawn <= possible
            assert len(drawn) > 0.99 * (task.y_true == label).sum()  # a few rows are alike


def test_each_task_has_its_own_population(tasks):
    first, second = tasks["frauds_city_customers"], tasks["frauds_city_terminals"]
    rows = [{row.tobytes() for row in each.features} for each in (first, second)]
    assert not rows[0] & rows[1]


def test_another_seed_gives_other_transactions(tasks):
    other = load_task("frauds_city", seed=1)
    assert not np.array_equal(other.features, tasks["frauds_city"].features)
