"""Coverage of intervals from cross-validation: pooled out-of-fold scores, and the mean of folds.

The true value is that of a model on new rows: the mean over the models of the folds, or the value
of the model that is trained on all rows.
"""

from collections.abc import Iterator
from functools import partial
from itertools import product

import numpy as np
from scipy import stats
from sklearn.base import ClassifierMixin, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

from calibrated_metrics import ConfusionCurve
from calibrated_metrics.uncertainty import Estimate, interval
from validation.engine import RNG, Design, Outcome, of_interval
from validation.samples import AVERAGE_PRECISION, ROC_AUC

N_FEATURES, DISTANCE = 10, 2.0  # the means of the classes are this far apart in one feature
NEW = 10_000, 20_000  # new positives and negatives
FOREST = RandomForestClassifier(30, min_samples_leaf=5, random_state=0)
LOGISTIC = LogisticRegression()
ASKED = ((AVERAGE_PRECISION, None), (AVERAGE_PRECISION, 0.01), (ROC_AUC, None))


def designs() -> Iterator[Design]:
    sizes = ((300, 0.1), (600, 0.1), (1000, 0.1), (2000, 0.05))
    for (n, prior), n_folds in product(sizes, (5, 10)):
        yield _designed("logistic regression", LOGISTIC, n, prior, n_folds)
    for n, prior in ((600, 0.1), (2000, 0.05)):
        yield _designed("forest", FOREST, n, prior, 5)


def _designed(name: str, model: ClassifierMixin, n: int, prior: float, n_folds: int) -> Design:
    labels = {"model": name, "n_rows": n, "prior": prior, "n_folds": n_folds}
    return Design(labels, partial(outcomes, model, n, prior, n_folds))


def outcomes(
    model: ClassifierMixin, n: int, prior: float, n_folds: int, rng: RNG
) -> Iterator[Outcome]:
    """Intervals of each metric by both methods, about both true values."""
    y_true = rng.random(n) < prior
    rows, new_true = features(y_true, rng), np.arange(sum(NEW)) < NEW[0]
    new_rows = features(new_true, rng)
    pooled, folds, new_curves = np.empty(n), [], []
    for train, test in StratifiedKFold(n_folds).split(rows, y_true):
        fitted = clone(model).fit(rows[train], y_true[train])
        pooled[test] = fitted.predict_proba(rows[test])[:, 1]
        folds.append(ConfusionCurve.from_predictions(y_true[test], pooled[test]))
        new_curves.append(_curve_of(fitted, new_true, new_rows))
    whole = ConfusionCurve.from_predictions(y_true, pooled)
    final = _curve_of(clone(model).fit(rows, y_true), new_true, new_rows)
    for metric, pi0 in ASKED:
        at_new = metric.at(prior if pi0 is None else pi0)
        found = {
            "pooled": interval(metric, whole, pi0=pi0),
            "mean of folds": mean_of_folds([metric.at(pi0)(each) for each in folds]),
        }
        true = {
            "models of the folds": float(np.mean([at_new(each) for each in new_curves])),
            "model of all rows": float(at_new(final)),
        }
        for method, about in product(found, true):
            labels = {"metric": metric.label, "pi0": pi0, "method": method, "about": about}
            record = of_interval(found[method], true[about])
            yield labels, {**record, "smaller_class": y_true.sum()}


def features(y_true: np.ndarray, rng: RNG) -> np.ndarray:
    rows = rng.normal(size=(len(y_true), N_FEATURES))
    rows[:, 0] += DISTANCE * y_true
    return rows


def mean_of_folds(values: list[float]) -> Estimate:
    """The mean of the values of the folds, with a t interval as if they were independent."""
    n = len(values)
    mean, error = float(np.mean(values)), float(np.std(values, ddof=1)) / np.sqrt(n)
    reach = stats.t.ppf(0.975, n - 1) * error
    return Estimate(mean, mean - reach, mean + reach, error, 0.95, "mean of folds")


def _curve_of(fitted: ClassifierMixin, y_true: np.ndarray, rows: np.ndarray) -> ConfusionCurve:
    return ConfusionCurve.from_predictions(y_true, fitted.predict_proba(rows)[:, 1])
