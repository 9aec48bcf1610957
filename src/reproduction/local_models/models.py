"""Thirty classifiers of different types, and their cross-validated scores on a local task."""

import warnings
from collections.abc import Sequence

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

from reproduction.core.streams import stream_seed
from reproduction.local_models.real_data import LocalTask, load_task
from reproduction.ranking.predictions import describe

N_FOLDS = 10
# With its default tolerance, lbfgs stops before the optimum, at a point that depends on the version
# of scikit-learn. The networks, SGD and the perceptron stop early on purpose; tighter tolerances of
# the support vector machines change no printed digit of a mean correlation.
_CONVERGED = {"solver": "newton-cholesky", "tol": 1e-12}


def models() -> dict[str, Pipeline]:
    """The thirty models by name, not fitted, in a fixed order.

    They are of many kinds. Some are weak (a stump, one neighbour, a perceptron), so that the models
    differ widely. `predict` sets the ``random_state`` of models with a random fit.
    """
    return {
        "logistic_c0.001": _scaled(LogisticRegression(C=0.001, **_CONVERGED)),
        "logistic_c1": _scaled(LogisticRegression(C=1.0, **_CONVERGED)),
        "logistic_balanced": _scaled(LogisticRegression(class_weight="balanced", **_CONVERGED)),
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
        # The distances of `brute` are rounded differently on other processors, which changes votes.
        "knn1": _scaled(KNeighborsClassifier(1, algorithm="kd_tree")),
        "knn5": _scaled(KNeighborsClassifier(5, algorithm="kd_tree")),
        "knn25_weighted": _scaled(
            KNeighborsClassifier(25, weights="distance", algorithm="kd_tree")
        ),
        "knn25_unscaled": make_pipeline(KNeighborsClassifier(25, algorithm="kd_tree")),
        "tree_stump": make_pipeline(DecisionTreeClassifier(max_depth=1)),
        "tree_depth4": make_pipeline(DecisionTreeClassifier(max_depth=4)),
        "tree_leaf20": make_pipeline(DecisionTreeClassifier(min_samples_leaf=20)),
        "tree_full": make_pipeline(DecisionTreeClassifier()),
        "forest": make_pipeline(RandomForestClassifier(10)),
        "forest_depth3_balanced": make_pipeline(
            RandomForestClassifier(10, max_depth=3, class_weight="balanced")
        ),
        "extra_trees_leaf5": make_pipeline(ExtraTreesClassifier(10, min_samples_leaf=5)),
        "boosting_hist": make_pipeline(
            HistGradientBoostingClassifier(max_iter=20, max_leaf_nodes=15)
        ),
        "boosting_stochastic": make_pipeline(
            GradientBoostingClassifier(n_estimators=20, max_depth=2, subsample=0.5)
        ),
        "adaboost": make_pipeline(AdaBoostClassifier(n_estimators=10)),
        "gaussian_nb": make_pipeline(GaussianNB()),
        "bernoulli_nb": _scaled(BernoulliNB(binarize=0.0)),
        "mlp8": _scaled(MLPClassifier((8,), solver="lbfgs", max_iter=30)),
        "mlp32_adam": _scaled(
            MLPClassifier((32,), batch_size=50, learning_rate_init=0.01, max_iter=3)
        ),
    }


def chosen_models(n_models: int) -> list[str]:
    """Names of `n_models` models, at most 30, spread evenly over the list of `models`."""
    known = list(models())
    return [known[place * len(known) // n_models] for place in range(n_models)]


def run(names: Sequence[str], *, n_models: int, seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Predictions of `n_models` models on some tasks, and the descriptions of these tasks."""
    parts, chosen = [], chosen_models(n_models)
    for task in map(load_task, names):
        predictions = predict(task, chosen, seed=seed)
        line = describe(predictions, task=task.name, name=task.title, dataset=task.source)
        parts.append((predictions, line))
    predictions, lines = (pd.concat(each, ignore_index=True) for each in zip(*parts, strict=True))
    return predictions, lines


def predict(
    task: LocalTask, names: Sequence[str], *, seed: int, may_fail: bool = False
) -> pd.DataFrame:
    """Score each row of a task out of fold, by stratified cross-validation in `N_FOLDS` folds.

    All models use the same folds, and the predictions of a model do not depend on the others. With
    `may_fail`, a model that cannot be fitted to the task is left out, with a warning. The columns
    are those of `no_predictions`. The score is the probability of the positive class, or the
    ``decision_function`` of models without ``predict_proba``.
    """
    state = _random_state(seed, f"folds of {task.name}")
    splitter = StratifiedKFold(N_FOLDS, shuffle=True, random_state=state)
    folds = np.empty(len(task.y_true), dtype=np.int64)  # in which each row is tested
    for fold, (_, tested) in enumerate(splitter.split(task.features, task.y_true)):
        folds[tested] = fold
    known, tables = models(), []
    with threadpool_limits(1):  # so that the last digits do not depend on the number of cores
        for name in names:
            model = _seeded(known[name], name, seed)
            columns = {"task": task.name, "run": name, "repeat": 0, "fold": folds}
            columns |= {"row_id": np.arange(len(folds)), "y_true": task.y_true}
            try:
                columns["y_score"] = _out_of_fold_scores(model, task, folds)
            except ValueError as error:
                if not may_fail:
                    raise
                warnings.warn(f"{name} cannot be fitted to {task.name}: {error}", stacklevel=2)
            else:
                tables.append(pd.DataFrame(columns))
    return pd.concat(tables, ignore_index=True)


def _scaled(classifier) -> Pipeline:
    return make_pipeline(StandardScaler(), classifier)


def _seeded(model: Pipeline, name: str, seed: int) -> Pipeline:
    state = _random_state(seed, f"model {name}")
    open_states = [key for key in model.get_params() if key.endswith("__random_state")]
    return model.set_params(**dict.fromkeys(open_states, state))


def _random_state(seed: int, name: str) -> int:
    return int(stream_seed(seed, f"local_models {name}").generate_state(1)[0])


def _out_of_fold_scores(model: Pipeline, task: LocalTask, folds: np.ndarray) -> np.ndarray:
    y_score = np.empty(len(folds))
    with warnings.catch_warnings():
        # The number of iterations is small on purpose: the networks need not converge.
        warnings.filterwarnings("ignore", "", ConvergenceWarning, r"sklearn\.neural_network")
        for fold in range(folds.max() + 1):
            tested = folds == fold
            model.fit(task.features[~tested], task.y_true[~tested])
            if hasattr(model, "predict_proba"):
                y_score[tested] = model.predict_proba(task.features[tested])[:, 1]
            else:
                y_score[tested] = model.decision_function(task.features[tested])
    return y_score
