"""Thirty models of many kinds, each row scored by models that have not seen it."""

import hashlib
import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from threadpoolctl import threadpool_info

from calibrated_metrics import scores
from calibrated_metrics.confusion import ConfusionCurve
from reproduction.ranking import local_models
from reproduction.ranking.local_models import models, predict
from reproduction.ranking.local_tasks import TASKS, LocalTask, load_task
from reproduction.ranking.settings import MAX_LOCAL_MODELS

SEED = 20200427
NAMES = tuple(models())
RANDOM = ("logistic_l1_sgd", "forest", "boosting_stochastic", "mlp32_adam")


@pytest.fixture(scope="module")
def iris():
    return load_task("iris_versicolor", seed=SEED)


@pytest.fixture(scope="module")
def predictions(iris):
    return predict(iris, NAMES, seed=SEED)


def noise(n=300):
    """Labels that the features say nothing about."""
    rng = np.random.default_rng(0)
    y_true = (np.arange(n) % 3 == 0).astype(np.int8)
    return LocalTask("noise", "noise", rng.normal(size=(n, 5)), y_true, "drawn")


class Probe(ClassifierMixin, BaseEstimator):
    """Scores every row by `score`, and notes what it is fitted to."""

    def __init__(self, score=0.5, seen=None):
        self.score = score
        self.seen = seen

    def fit(self, features, y_true):
        self.classes_ = np.unique(y_true)
        if self.seen is not None:
            self.seen.append({row.tobytes() for row in features})
        return self

    def decision_function(self, features):
        return np.full(len(features), self.score)


def only_model(monkeypatch, estimator):
    monkeypatch.setattr(local_models, "models", lambda: {"probe": make_pipeline(estimator)})


def digest(frame):
    return hashlib.sha256(frame["y_score"].to_numpy().tobytes()).hexdigest()


# ------------------------------------------------------------------------------- the models


def test_there_are_thirty_pipelines():
    assert len(set(NAMES)) == 30
    assert all(isinstance(model, Pipeline) for model in models().values())


def test_the_models_are_of_many_kinds():
    kinds = {type(model[-1]).__module__.split(".")[1] for model in models().values()}
    assert kinds == {
        "discriminant_analysis",
        "ensemble",
        "linear_model",
        "naive_bayes",
        "neighbors",
        "neural_network",
        "svm",
        "tree",
    }
    assert len({type(model[-1]) for model in models().values()}) >= 18


def test_no_model_runs_in_several_jobs():
    for name, model in models().items():
        jobs = {value for key, value in model.get_params().items() if key.endswith("n_jobs")}
        assert jobs <= {None, 1}, name


# -------------------------------------------------------------------------- the predictions


def test_a_row_per_model_and_row_of_the_task(predictions, iris):
    n = len(iris.y_true)
    assert list(predictions.columns) == [
        "task",
        "run",
        "repeat",
        "fold",
        "row_id",
        "y_true",
        "y_score",
    ]
    assert (predictions["task"] == iris.name).all()
    assert list(predictions["run"]) == [name for name in NAMES for _ in range(n)]
    assert list(predictions["row_id"]) == list(range(n)) * len(NAMES)
    assert list(predictions["y_true"]) == list(iris.y_true) * len(NAMES)
    assert (predictions["repeat"] == 0).all()
    assert predictions.index.equals(pd.RangeIndex(len(predictions)))


def test_all_models_share_the_folds(predictions):
    folds = predictions["fold"].to_numpy().reshape(len(NAMES), -1)
    assert (folds == folds[0]).all()
    assert set(folds[0]) == set(range(10))


def test_probabilities_are_those_of_the_positives(predictions):
    probabilities = predictions[predictions["run"] == "forest"]
    assert probabilities["y_score"].between(0, 1).all()
    means = probabilities.groupby("y_true")["y_score"].mean()
    assert means[1] > means[0]


def test_the_models_rank_the_rows_in_many_ways(predictions):
    y_score = predictions["y_score"].to_numpy().reshape(len(NAMES), -1)
    correlations = spearmanr(y_score, axis=1).statistic[np.triu_indices(len(NAMES), k=1)]
    assert (correlations < 0.9).mean() > 0.5


def test_there_are_strong_models_and_weak_ones(predictions):
    areas = {
        run: scores.roc_auc(ConfusionCurve.from_predictions(rows["y_true"], rows["y_score"]))
        for run, rows in predictions.groupby("run")
    }
    assert max(areas.values()) > 0.98
    assert min(areas.values()) < 0.85


@pytest.mark.parametrize("name", TASKS)
def test_every_fold_of_every_task_has_both_classes(name):
    task = load_task(name, seed=SEED)
    n_pos = predict(task, ["gaussian_nb"], seed=SEED).groupby("fold")["y_true"].agg(["sum", "size"])
    assert len(n_pos) == 10
    assert (n_pos["sum"] >= 3).all()
    assert (n_pos["sum"] < n_pos["size"]).all()
    assert np.ptp(n_pos["sum"]) <= 1


def test_every_model_copes_with_an_imbalanced_task(recwarn):
    task = load_task("frauds_county_terminals", seed=SEED)
    rows = np.flatnonzero((task.y_true == 1) | (np.arange(len(task.y_true)) % 3 == 0))
    task = replace(task, features=task.features[rows], y_true=task.y_true[rows])
    assert task.y_true.mean() < 0.02
    table = predict(task, NAMES, seed=SEED, n_folds=2)
    assert np.isfinite(table["y_score"]).all()
    assert (table.groupby("run")["y_score"].std() > 0).all()
    assert [str(warning.message) for warning in recwarn] == []


# ------------------------------------------------------------------------------ out of fold


def test_no_row_is_scored_by_a_model_that_has_seen_it(monkeypatch):
    task, seen = noise(), []
    monkeypatch.setattr(
        local_models, "models", lambda: {"probe": Pipeline([("probe", Probe(seen=seen))])}
    )
    monkeypatch.setattr(local_models, "_seeded", lambda model, name, seed: model)
    table = predict(task, ["probe"], seed=SEED)
    assert len(seen) == 10
    for fold, rows in table.groupby("fold"):
        tested = {row.tobytes() for row in task.features[rows["row_id"]]}
        assert not tested & seen[fold]
        assert len(tested) + len(seen[fold]) == len(task.y_true)


# ------------------------------------------------------------------------------ determinism


def test_the_same_seed_gives_the_same_predictions(iris):
    first, again = (predict(iris, NAMES, seed=SEED, n_folds=2) for _ in range(2))
    pd.testing.assert_frame_equal(again, first, check_exact=True)


def test_a_model_does_not_depend_on_the_others(predictions, iris):
    some = predict(iris, reversed(RANDOM), seed=SEED)
    assert list(some["run"].unique()) == list(reversed(RANDOM))
    for name in RANDOM:
        alone, among = (frame[frame["run"] == name] for frame in (some, predictions))
        assert digest(alone) == digest(among)


def test_another_process_gives_the_same_predictions(predictions, iris):
    """Names are not hashed with Python's hash, which differs between processes."""
    code = (
        "import hashlib\n"
        "from reproduction.ranking.local_models import predict\n"
        "from reproduction.ranking.local_tasks import load_task\n"
        f"table = predict(load_task({iris.name!r}, seed={SEED}), {RANDOM!r}, seed={SEED})\n"
        "print(hashlib.sha256(table['y_score'].to_numpy().tobytes()).hexdigest())"
    )
    printed = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONHASHSEED": "1", "OMP_NUM_THREADS": "2"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    here = pd.concat([predictions[predictions["run"] == name] for name in RANDOM])
    assert printed == digest(here)


def test_another_seed_gives_other_folds_and_models(predictions, iris):
    other = predict(iris, ["forest"], seed=SEED + 1)
    here = predictions[predictions["run"] == "forest"]
    assert (other["fold"].to_numpy() != here["fold"].to_numpy()).any()
    assert digest(other) != digest(here)


def test_random_models_have_states_of_their_own():
    states = {
        name: {
            value
            for key, value in local_models._seeded(model, name, SEED).get_params().items()
            if key.endswith("random_state")
        }
        for name, model in models().items()
    }
    assert all(None not in found for found in states.values())
    drawn = [state for found in states.values() for state in found]
    assert len(drawn) == len(set(drawn)) > 15


def test_models_are_fitted_on_one_thread(monkeypatch, iris):
    """On several, the last digits would depend on the number of cores."""
    threads = set()
    fit = LogisticRegression.fit

    def spied(self, *arguments, **options):
        threads.update(pool["num_threads"] for pool in threadpool_info())
        return fit(self, *arguments, **options)

    monkeypatch.setattr(LogisticRegression, "fit", spied)
    predict(iris, ["logistic_c1"], seed=SEED, n_folds=2)
    assert threads == {1}


# ------------------------------------------------------------------------ warnings, messages


def test_networks_do_not_warn_that_they_were_stopped_early(iris, recwarn):
    predict(iris, ["mlp8", "mlp32_adam"], seed=SEED, n_folds=2)
    assert [str(warning.message) for warning in recwarn] == []


def test_other_models_may_warn(monkeypatch, iris):
    only_model(monkeypatch, LogisticRegression(max_iter=1))
    with pytest.warns(ConvergenceWarning):
        predict(iris, ["probe"], seed=SEED, n_folds=2)


# ------------------------------------------------------------------------------- bad requests


@pytest.mark.parametrize("score", [np.nan, np.inf])
def test_scores_that_are_not_finite_are_refused_by_name(monkeypatch, iris, score):
    only_model(monkeypatch, Probe(score=score))
    with pytest.raises(
        ValueError, match=f"'probe' must give finite scores, gave {score} for row 0 of task 'iris_"
    ):
        predict(iris, ["probe"], seed=SEED)


def test_an_unknown_model_is_refused_with_the_nearest_name(iris):
    with pytest.raises(ValueError, match=r"unknown model 'knn_5' .did you mean 'knn5'"):
        predict(iris, ["lda", "knn_5"], seed=SEED)


def test_a_ranked_task_comes_with_a_line_on_it():
    predictions, line = local_models.run("iris_setosa", n_models=3, seed=0)

    assert predictions["run"].nunique() == 3
    assert line.to_dict("records") == [
        {
            "task": "iris_setosa",
            "name": load_task("iris_setosa", seed=0).title,
            "dataset": load_task("iris_setosa", seed=0).source,
            "n_pos": 50,
            "n_neg": 100,
            "prior": 50 / 150,
            "n_models": 3,
            "outcome": "used",
        }
    ]


def test_folds_need_positives(iris):
    with pytest.raises(ValueError, match="n_folds must be at most the 50 positives"):
        predict(iris, ["lda"], seed=SEED, n_folds=51)


def test_the_settings_know_how_many_models_there_are():
    assert len(models()) == MAX_LOCAL_MODELS
