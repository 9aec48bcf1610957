"""Thirty classifiers of different types, and their cross-validated scores on a local task."""

from __future__ import annotations

import logging
import time
import warnings
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import pandas as pd
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.ensemble import (
    AdaBoostClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, Perceptron, RidgeClassifier, SGDClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from reproduction.ranking.local_tasks import LocalTask, entry_named, load_task
from reproduction.ranking.predictions import USED, describe

__all__ = ["models", "predict", "run"]

logger = logging.getLogger(__name__)


def models() -> dict[str, Pipeline]:
    """Return the thirty models by name, not fitted, in a fixed order.

    They are linear models, discriminant analyses, nearest neighbours, trees, forests, boosting,
    naive Bayes, support vector machines and neural networks. Some of them are weak (a stump, one
    neighbour, a perceptron), so that the ranking has a wide range. If a fit is random, `predict`
    sets the ``random_state``.
    """
    return {
        "logistic_c0.001": _scaled(LogisticRegression(C=0.001, max_iter=1000)),
        "logistic_c1": _scaled(LogisticRegression(C=1.0, max_iter=1000)),
        "logistic_balanced": _scaled(LogisticRegression(class_weight="balanced", max_iter=1000)),
        "logistic_l1_sgd": _scaled(
            SGDClassifier(loss="log_loss", penalty="l1", alpha=1e-3, max_iter=20, tol=None)
        ),
        "perceptron": _scaled(Perceptron(max_iter=20, tol=None)),
        "ridge_balanced": _scaled(RidgeClassifier(alpha=1000.0, class_weight="balanced")),
        "svm_linear_l1": _scaled(LinearSVC(penalty="l1", dual=False, C=0.1)),
        "svm_poly2": _scaled(SVC(kernel="poly", degree=2, C=0.1)),
        "svm_rbf": _scaled(SVC(C=1.0)),
        "svm_rbf_narrow": _scaled(SVC(C=10.0, gamma=0.2)),
        "lda": _scaled(LinearDiscriminantAnalysis()),
        "qda": _scaled(QuadraticDiscriminantAnalysis(reg_param=0.1)),
        "knn1": _scaled(KNeighborsClassifier(1, algorithm="brute")),
        "knn5": _scaled(KNeighborsClassifier(5, algorithm="brute")),
        "knn25_weighted": _scaled(KNeighborsClassifier(25, weights="distance", algorithm="brute")),
        "knn25_unscaled": _unscaled(KNeighborsClassifier(25, algorithm="brute")),
        "tree_stump": _unscaled(DecisionTreeClassifier(max_depth=1)),
        "tree_depth4": _unscaled(DecisionTreeClassifier(max_depth=4)),
        "tree_leaf20": _unscaled(DecisionTreeClassifier(min_samples_leaf=20)),
        "tree_full": _unscaled(DecisionTreeClassifier()),
        "forest": _unscaled(RandomForestClassifier(40)),
        "forest_depth3_balanced": _unscaled(
            RandomForestClassifier(40, max_depth=3, class_weight="balanced")
        ),
        "extra_trees_leaf5": _unscaled(ExtraTreesClassifier(50, min_samples_leaf=5)),
        "boosting_hist": _unscaled(HistGradientBoostingClassifier(max_iter=40, max_leaf_nodes=15)),
        "boosting_stochastic": _unscaled(
            GradientBoostingClassifier(n_estimators=40, max_depth=2, subsample=0.5)
        ),
        "adaboost": _unscaled(AdaBoostClassifier(n_estimators=20)),
        "gaussian_nb": _unscaled(GaussianNB()),
        "bernoulli_nb": _scaled(BernoulliNB(binarize=0.0)),
        "mlp8": _scaled(MLPClassifier((8,), solver="lbfgs", max_iter=30)),
        "mlp32_adam": _scaled(
            MLPClassifier((32,), batch_size=50, learning_rate_init=0.01, max_iter=5)
        ),
    }


def predict(task: LocalTask, names: Sequence[str], *, seed: int, n_folds: int = 10) -> pd.DataFrame:
    """Score each row of a task out of fold, by stratified cross-validation.

    Parameters
    ----------
    task : LocalTask
    names : sequence of str
        Names of `models`. The predictions of a model do not depend on the others.
    seed : int
        Seed of the folds and of the random models.
    n_folds : int, default=10
        At most the number of positives. All models use the same folds.

    Returns
    -------
    DataFrame
        A row per model and row of the task, in the order of `names` and of the task, with the
        columns of `no_predictions`. The score is the probability of the positive class, or the
        ``decision_function`` of models without ``predict_proba``.

    Raises
    ------
    ValueError
        If a name is unknown, there are more folds than positives, or a score is not finite.
    """
    known = models()
    folds = _folds(task, n_folds, seed)
    tables = []
    with threadpool_limits(1):  # so that the last digits do not depend on the number of cores
        for name in names:
            start = time.perf_counter()
            model = _seeded(entry_named("model", name, known), name, seed)
            y_score = _out_of_fold_scores(model, task, folds)
            _check_finite(y_score, name, task)
            tables.append(_table(task, name, folds, y_score))
            logger.info("%s: %s, %.1f s", task.name, name, time.perf_counter() - start)
    return pd.concat(tables, ignore_index=True)


def run(name: str, *, n_models: int, seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the predictions of `n_models` models on a task, and the description of the task.

    The models, at most 30, are spread evenly over the list of `models`. The description is that of
    `predictions.describe`.
    """
    task = load_task(name, seed=seed)
    names = list(models())
    chosen = [names[place * len(names) // n_models] for place in range(n_models)]
    predictions = predict(task, chosen, seed=seed)
    line = describe(predictions, task=name, name=task.title, dataset=task.source, outcome=USED)
    return predictions, line


def _scaled(classifier) -> Pipeline:
    return make_pipeline(StandardScaler(), classifier)


def _unscaled(classifier) -> Pipeline:
    return make_pipeline(classifier)


def _folds(task: LocalTask, n_folds: int, seed: int) -> np.ndarray:
    """Return the fold in which each row is tested, shape (n,)."""
    n_pos = int(task.y_true.sum())
    if n_folds > n_pos:
        raise ValueError(
            f"n_folds must be at most the {n_pos} positives of task {task.name!r}, got {n_folds}"
        )
    splitter = StratifiedKFold(
        n_folds, shuffle=True, random_state=_random_state(seed, f"folds of {task.name}")
    )
    folds = np.empty(len(task.y_true), dtype=np.int64)
    for fold, (_, tested) in enumerate(splitter.split(task.features, task.y_true)):
        folds[tested] = fold
    return folds


def _seeded(model: Pipeline, name: str, seed: int) -> Pipeline:
    state = _random_state(seed, f"model {name}")
    open_states = [key for key in model.get_params() if key.endswith("__random_state")]
    return model.set_params(**dict.fromkeys(open_states, state))


def _random_state(seed: int, name: str) -> int:
    key = zlib.crc32(f"local_models {name}".encode())
    return int(np.random.SeedSequence(seed, spawn_key=(key,)).generate_state(1)[0])


def _out_of_fold_scores(model: Pipeline, task: LocalTask, folds: np.ndarray) -> np.ndarray:
    y_score = np.empty(len(folds))
    with _expected_warnings_ignored(model):
        for fold in range(folds.max() + 1):
            tested = folds == fold
            model.fit(task.features[~tested], task.y_true[~tested])
            y_score[tested] = _scores(model, task.features[tested])
    return y_score


@contextmanager
def _expected_warnings_ignored(model: Pipeline) -> Iterator[None]:
    with warnings.catch_warnings():
        if isinstance(model[-1], MLPClassifier):
            # The number of iterations is small on purpose; a ranked model need not converge.
            warnings.simplefilter("ignore", ConvergenceWarning)
        yield


def _scores(model: Pipeline, features: np.ndarray) -> np.ndarray:
    if hasattr(model, "predict_proba"):
        return model.predict_proba(features)[:, 1]
    return model.decision_function(features)


def _check_finite(y_score: np.ndarray, name: str, task: LocalTask) -> None:
    finite = np.isfinite(y_score)
    if not finite.all():
        row = int(np.argmin(finite))
        raise ValueError(
            f"model {name!r} must give finite scores, gave {y_score[row]} "
            f"for row {row} of task {task.name!r}"
        )


def _table(task: LocalTask, name: str, folds: np.ndarray, y_score: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "task": task.name,
            "run": name,
            "repeat": 0,
            "fold": folds,
            "row_id": np.arange(len(folds)),
            "y_true": task.y_true,
            "y_score": y_score,
        }
    )
