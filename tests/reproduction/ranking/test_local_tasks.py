"""Tasks without network: their sizes, their priors, and that nothing but the seed changes them."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from reproduction.ranking import local_tasks
from reproduction.ranking.local_tasks import TASKS, load_task

SEED = 20200427
BUNDLED = ("breast_cancer", *(f"digits_{i}" for i in range(10)), *(f"wine_{i}" for i in range(3)))
BUNDLED += ("iris_setosa", "iris_versicolor", "iris_virginica")
PLACES = ("city_monday", "city_saturday", "town_terminals", "town_customers")
IMBALANCED = tuple(f"frauds_{place}" for place in (*PLACES, "county_terminals", "county_customers"))
VILLAGE = ("frauds_village_midweek", "frauds_village_weekend")
THINNED = (
    "frauds_city_thinned",
    "frauds_town_terminals_thinned",
    "frauds_county_customers_thinned",
)
SIMULATED = IMBALANCED + VILLAGE + THINNED
AMOUNT, WEEKEND = 0, 1  # columns of the features


@pytest.fixture(scope="module")
def tasks():
    return {name: load_task(name, seed=SEED) for name in TASKS}


def test_the_tasks_in_order():
    assert BUNDLED + SIMULATED == TASKS


@pytest.mark.parametrize("name", TASKS)
def test_every_task_is_binary_and_its_positives_are_the_minority(tasks, name):
    task = tasks[name]
    assert task.name == name
    assert task.features.dtype == np.float64
    assert task.features.shape[0] == len(task.y_true)
    assert np.isfinite(task.features).all()
    assert task.y_true.dtype == np.int8
    assert set(task.y_true) == {0, 1}
    assert task.y_true.mean() < 0.5
    assert ("simulated" in task.source) == ("simulated" in task.title) == (name in SIMULATED)


@pytest.mark.parametrize(
    ("prefix", "load"),
    [
        ("breast_cancer", load_breast_cancer),
        ("digits", load_digits),
        ("wine", load_wine),
        ("iris", load_iris),
    ],
)
def test_the_positives_of_a_bundled_task_are_those_of_its_class(tasks, prefix, load):
    data = load()
    for name in (name for name in BUNDLED if name.startswith(prefix)):
        positive = name.removeprefix(prefix).strip("_") or "malignant"
        number = positive if positive.isdigit() else list(data.target_names).index(positive)
        np.testing.assert_array_equal(tasks[name].y_true == 1, data.target == int(number))
        np.testing.assert_array_equal(tasks[name].features, data.data)


@pytest.mark.parametrize(
    ("names", "least", "greatest"),
    [(IMBALANCED, 0.004, 0.01), (VILLAGE, 0.01, 0.03), (THINNED, 0.02, 0.05)],
)
def test_priors_and_sizes_of_the_simulated_tasks(tasks, names, least, greatest):
    for name in names:
        y_true = tasks[name].y_true
        assert least <= y_true.mean() < greatest, name
        assert 1900 <= len(y_true) <= 8200
        assert y_true.sum() >= 40


def test_tasks_of_a_weekend_lie_on_one(tasks):
    for name in ("frauds_city_saturday", "frauds_village_weekend"):
        assert (tasks[name].features[:, WEEKEND] == 1).all()
    for name in ("frauds_city_monday", "frauds_village_midweek"):
        assert (tasks[name].features[:, WEEKEND] == 0).all()


def test_other_frauds_are_left_out(tasks):
    """Above 220 every genuine amount is a fraud of the first scenario."""
    for name in SIMULATED:
        task = tasks[name]
        assert task.features[task.y_true == 0, AMOUNT].max() <= 220, name


@pytest.mark.parametrize(("kind", "scenario"), [("terminals", 2), ("customers", 3)])
def test_frauds_of_terminals_and_of_customers_are_those_of_their_scenario(tasks, kind, scenario):
    task = tasks[f"frauds_county_{kind}"]
    transactions, features = local_tasks._simulated("county", SEED)
    first_day = local_tasks._TASKS[task.name].first_day
    days = transactions["day"].isin([first_day, first_day + 1])
    for label, of_label in ((1, scenario), (0, 0)):
        expected = features[days & (transactions["scenario"] == of_label)]
        np.testing.assert_array_equal(task.features[task.y_true == label], expected)


@pytest.mark.parametrize("name", THINNED)
def test_thinning_keeps_all_frauds_in_order_of_time(tasks, name):
    definition, thinned = local_tasks._TASKS[name], tasks[name]
    whole = definition._replace(n_genuine=None).task(name, SEED)
    assert (thinned.y_true == 0).sum() == definition.n_genuine < (whole.y_true == 0).sum()
    np.testing.assert_array_equal(
        thinned.features[thinned.y_true == 1], whole.features[whole.y_true == 1]
    )
    place_in_whole = {row.tobytes(): place for place, row in enumerate(whole.features)}
    places = [place_in_whole[row.tobytes()] for row in thinned.features]
    assert (np.diff(places) > 0).mean() > 0.99  # a few rows are alike
