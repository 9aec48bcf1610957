"""Settings of the ranking that contradict each other, or name what does not exist, are refused."""

import pytest

from reproduction.core import settings
from reproduction.local_models.real_data import NAMES


@pytest.mark.parametrize(
    ("ranking", "message"),
    [
        ({"local": {"tasks": ["vehicle_1"]}}, "unknown task 'vehicle_1' .did you mean 'vehicle1"),
        ({"n_models": 31}, "n_models=31 must be at most 30 if local"),
        (
            {"source": "openml", "n_models": 50, "openml": {"runs_listed": 40}},
            "openml.runs_listed=40 must not be below n_models=50",
        ),
        (
            {"n_model": 5},
            "ranking.n_model: unknown key .did you mean 'n_models'",
        ),
    ],
)
def test_settings_that_cannot_be_meant_are_refused(ranking, message):
    with pytest.raises(SystemExit, match=message):
        settings.load({"ranking": ranking})


@pytest.mark.parametrize(
    ("ranking", "expected"),
    [
        ({}, False),
        ({"imbalanced_below": 0.05}, True),
        ({"local": {"files": ["a.csv"]}}, True),
        ({"source": "openml"}, True),
    ],
)
def test_the_bundled_tasks_have_no_imbalanced_panel(ranking, expected):
    assert settings.load({"ranking": ranking}).ranking.has_imbalanced is expected


def test_limits_of_requests_do_not_decide_what_is_selected():
    openml = settings.load({}).ranking.openml
    assert not openml.selecting().keys() & openml.of_server().keys()
    assert {*openml.selecting(), *openml.of_server(), "server"} == {
        *type(openml).model_fields,
        "url",
    }


def test_each_task_is_in_one_job():
    local = settings.load({"ranking": {"local": {"tasks_per_job": 5}}}).ranking.local
    blocks = local.blocks().values()
    assert sorted(name for names in blocks for name in names) == sorted(NAMES)
    assert {len(names) for names in blocks} <= {4, 5}
