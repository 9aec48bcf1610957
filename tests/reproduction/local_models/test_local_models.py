"""Thirty models of many kinds, each row scored by models that have not seen it."""

import hashlib
import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from threadpoolctl import threadpool_info

from reproduction.local_models import models as local_models
from reproduction.local_models.models import models, predict
from reproduction.local_models.real_data import load_task
from reproduction.local_models.settings import MAX_LOCAL_MODELS

SEED = 20200427
NAMES = tuple(models())
RANDOM = ("logistic_l1_sgd", "forest", "boosting_stochastic", "mlp32_adam")


@pytest.fixture(scope="module")
def iris():
    return load_task("iris_versicolor")


@pytest.fixture(scope="module")
def predictions(iris):
    return predict(iris, NAMES, seed=SEED)


def digest(frame):
    return hashlib.sha256(frame["y_score"].to_numpy().tobytes()).hexdigest()


def test_the_settings_know_how_many_models_there_are():
    assert len(models()) == MAX_LOCAL_MODELS


def test_a_row_per_model_and_row_of_the_task(predictions, iris):
    n = len(iris.y_true)
    assert list(predictions["run"]) == [name for name in NAMES for _ in range(n)]
    assert list(predictions["row_id"]) == list(range(n)) * len(NAMES)
    assert list(predictions["y_true"]) == list(iris.y_true) * len(NAMES)
    folds = predictions["fold"].to_numpy().reshape(len(NAMES), -1)
    assert (folds == folds[0]).all()
    of_folds = [iris.y_true[folds[0] == fold] for fold in range(10)]
    assert {(rows.sum(), len(rows)) for rows in of_folds} == {(5, 15)}


def test_every_model_copes_with_an_imbalanced_task_without_a_warning(monkeypatch, recwarn):
    monkeypatch.setattr(local_models, "N_FOLDS", 2)
    task = load_task("abalone19")
    rows = np.flatnonzero((task.y_true == 1) | (np.arange(len(task.y_true)) % 2 == 0))
    task = replace(task, features=task.features[rows], y_true=task.y_true[rows])
    assert task.y_true.mean() < 0.02
    table = predict(task, NAMES, seed=SEED)
    assert np.isfinite(table["y_score"]).all()
    assert (table.groupby("run")["y_score"].std() > 0).all()
    assert [str(warning.message) for warning in recwarn] == []


class Probe(ClassifierMixin, BaseEstimator):
    """Notes what it is fitted to."""

    def __init__(self, seen):
        self.seen = seen

    def fit(self, features, y_true):
        self.classes_ = np.unique(y_true)
        self.seen.append({row.tobytes() for row in features})
        return self

    def decision_function(self, features):
        return np.zeros(len(features))


def test_no_row_is_scored_by_a_model_that_has_seen_it(monkeypatch):
    task, seen = load_task("breast_cancer"), []
    monkeypatch.setattr(local_models, "models", lambda: {"probe": Pipeline([("p", Probe(seen))])})
    monkeypatch.setattr(local_models, "_seeded", lambda model, name, seed: model)
    table = predict(task, ["probe"], seed=SEED)
    assert len(seen) == 10
    for fold, rows in table.groupby("fold"):
        tested = {row.tobytes() for row in task.features[rows["row_id"]]}
        assert not tested & seen[fold]
        assert len(tested) + len(seen[fold]) == len(task.y_true)


def test_another_process_gives_the_same_predictions(predictions, iris):
    """Names are not hashed with Python's hash, which differs between processes."""
    code = (
        "import hashlib\n"
        "from reproduction.local_models.models import predict\n"
        "from reproduction.local_models.real_data import load_task\n"
        f"table = predict(load_task({iris.name!r}), {RANDOM!r}, seed={SEED})\n"
        "print(hashlib.sha256(table['y_score'].to_numpy().tobytes()).hexdigest())"
    )
    variables = {**os.environ, "PYTHONHASHSEED": "1", "OMP_NUM_THREADS": "2"}
    printed = subprocess.check_output([sys.executable, "-c", code], env=variables, text=True)
    here = pd.concat([predictions[predictions["run"] == name] for name in RANDOM])
    assert printed.strip() == digest(here)


def test_random_models_have_states_of_their_own():
    drawn = []
    for name, model in models().items():
        parameters = local_models._seeded(model, name, SEED).get_params()
        drawn += {value for key, value in parameters.items() if key.endswith("random_state")}
    assert None not in drawn
    assert len(drawn) == len(set(drawn)) > 15


def test_models_are_fitted_on_one_thread(monkeypatch, iris):
    """On several, the last digits would depend on the number of cores."""
    threads = set()
    fit = LogisticRegression.fit

    def spied(self, *arguments, **options):
        threads.update(pool["num_threads"] for pool in threadpool_info())
        return fit(self, *arguments, **options)

    monkeypatch.setattr(LogisticRegression, "fit", spied)
    predict(iris, ["logistic_c1"], seed=SEED)
    assert threads == {1}


def test_ranked_tasks_come_with_a_line_on_each():
    names = ["iris_versicolor", "wine_1"]
    predictions, lines = local_models.run(names, n_models=3, seed=0)
    assert predictions.groupby("task", sort=False)["run"].nunique().to_dict() == dict.fromkeys(
        names, 3
    )
    alone, _ = local_models.run(names[1:], n_models=3, seed=0)
    of_wine = predictions[predictions["task"] == "wine_1"].reset_index(drop=True)
    pd.testing.assert_frame_equal(of_wine, alone)
    assert lines["task"].tolist() == names
    assert lines.iloc[0].to_dict() == {
        "task": "iris_versicolor",
        "name": "iris_versicolor (UCI)",
        "dataset": "iris",
        "n_pos": 50,
        "n_neg": 100,
        "prior": 50 / 150,
        "n_models": 3,
        "outcome": "used",
    }
