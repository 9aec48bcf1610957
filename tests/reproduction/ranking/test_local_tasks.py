"""Tasks without network: their sizes, their priors, and that nothing but the seed changes them."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from reproduction.ranking import local_tasks
from reproduction.ranking.local_tasks import TASKS, load_task

SEED = 20200427
BUNDLED_POSITIVES = {
    "breast_cancer": (569, 212),
    "digits_0": (1797, 178),
    "digits_1": (1797, 182),
    "digits_2": (1797, 177),
    "digits_3": (1797, 183),
    "digits_4": (1797, 181),
    "digits_5": (1797, 182),
    "digits_6": (1797, 181),
    "digits_7": (1797, 179),
    "digits_8": (1797, 174),
    "digits_9": (1797, 180),
    "wine_0": (178, 59),
    "wine_1": (178, 71),
    "wine_2": (178, 48),
    "iris_setosa": (150, 50),
    "iris_versicolor": (150, 50),
    "iris_virginica": (150, 50),
}
IMBALANCED = (
    "frauds_city_monday",
    "frauds_city_saturday",
    "frauds_town_terminals",
    "frauds_town_customers",
    "frauds_county_terminals",
    "frauds_county_customers",
)
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


def assert_same_task(one, other):
    np.testing.assert_array_equal(one.features, other.features)
    np.testing.assert_array_equal(one.y_true, other.y_true)
    assert (one.name, one.title, one.source) == (other.name, other.title, other.source)


def test_the_tasks_in_order():
    assert (*BUNDLED_POSITIVES, *SIMULATED) == TASKS


@pytest.mark.parametrize("name", TASKS)
def test_every_task_is_binary_and_its_positives_are_the_minority(tasks, name):
    task = tasks[name]
    n = len(task.y_true)
    assert task.name == name
    assert task.features.dtype == np.float64
    assert task.features.shape[0] == n
    assert task.features.ndim == 2
    assert np.isfinite(task.features).all()
    assert task.y_true.dtype == np.int8
    assert set(task.y_true) == {0, 1}
    assert 0 < task.y_true.mean() < 0.5


def test_titles_tell_the_tasks_apart(tasks):
    assert len({task.title for task in tasks.values()}) == len(TASKS)


# ---------------------------------------------------------------------------------- bundled


@pytest.mark.parametrize("name", BUNDLED_POSITIVES)
def test_sizes_of_the_bundled_data(tasks, name):
    task = tasks[name]
    assert (len(task.y_true), task.y_true.sum()) == BUNDLED_POSITIVES[name]


def test_the_positives_of_breast_cancer_are_malignant(tasks):
    data = load_breast_cancer()
    np.testing.assert_array_equal(
        tasks["breast_cancer"].y_true == 1, data.target_names[data.target] == "malignant"
    )


def test_the_positives_of_iris_are_of_the_named_species(tasks):
    data = load_iris()
    for species in data.target_names:
        positive = tasks[f"iris_{species}"].y_true == 1
        np.testing.assert_array_equal(positive, data.target_names[data.target] == species)


@pytest.mark.parametrize(("prefix", "load"), [("digits", load_digits), ("wine", load_wine)])
def test_the_positives_of_a_class_are_those_of_its_number(tasks, prefix, load):
    features, classes = load(return_X_y=True)
    for number in np.unique(classes):
        task = tasks[f"{prefix}_{number}"]
        np.testing.assert_array_equal(task.y_true == 1, classes == number)
        np.testing.assert_array_equal(task.features, features)


def test_bundled_data_do_not_depend_on_the_seed(tasks):
    assert_same_task(load_task("wine_1", seed=1), tasks["wine_1"])


# -------------------------------------------------------------------------------- simulated


@pytest.mark.parametrize(
    ("names", "least", "greatest"),
    [(IMBALANCED, 0.004, 0.01), (VILLAGE, 0.01, 0.03), (THINNED, 0.02, 0.05)],
)
def test_priors_of_the_simulated_tasks(tasks, names, least, greatest):
    for name in names:
        assert least <= tasks[name].y_true.mean() < greatest, name


@pytest.mark.parametrize("name", SIMULATED)
def test_sizes_of_the_simulated_tasks(tasks, name):
    task = tasks[name]
    assert 1900 <= len(task.y_true) <= 8200
    assert task.y_true.sum() >= 40
    assert task.features.shape[1] == 15


@pytest.mark.parametrize("name", SIMULATED)
def test_simulated_tasks_say_so(tasks, name):
    assert "simulated" in tasks[name].source
    assert "simulated" in tasks[name].title


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
    np.testing.assert_array_equal(
        task.features[task.y_true == 1], features[days & (transactions["scenario"] == scenario)]
    )
    np.testing.assert_array_equal(
        task.features[task.y_true == 0], features[days & (transactions["scenario"] == 0)]
    )


@pytest.mark.parametrize("name", THINNED)
def test_thinning_keeps_all_frauds_in_order_of_time(tasks, name):
    definition = local_tasks._TASKS[name]
    whole = definition._replace(n_genuine=None).task(name, SEED)
    thinned = tasks[name]
    assert thinned.y_true.sum() == whole.y_true.sum()
    assert (thinned.y_true == 0).sum() == definition.n_genuine < (whole.y_true == 0).sum()
    np.testing.assert_array_equal(
        thinned.features[thinned.y_true == 1], whole.features[whole.y_true == 1]
    )
    place_in_whole = {row.tobytes(): place for place, row in enumerate(whole.features)}
    places = [place_in_whole[row.tobytes()] for row in thinned.features]
    assert (np.diff(places) > 0).mean() > 0.99  # a few rows are alike


def test_a_task_does_not_depend_on_those_loaded_before(tasks):
    local_tasks._simulated.cache_clear()
    for name in reversed(SIMULATED[:4]):
        assert_same_task(load_task(name, seed=SEED), tasks[name])


def test_what_a_caller_does_to_a_task_leaves_the_next_alone(tasks):
    spoiled = load_task("frauds_village_midweek", seed=SEED)
    spoiled.features[:] = 0
    assert_same_task(load_task("frauds_village_midweek", seed=SEED), tasks[spoiled.name])


# ------------------------------------------------------------------------------- bad requests


@pytest.mark.parametrize(
    ("name", "nearest"),
    [("digit_3", "digits_3"), ("breast-cancer", "breast_cancer"), ("fraud_city", "frauds_city")],
)
def test_an_unknown_task_is_refused_with_the_nearest_name(name, nearest):
    with pytest.raises(ValueError, match=f"unknown task '{name}' .did you mean '{nearest}"):
        load_task(name, seed=0)
