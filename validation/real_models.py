"""Coverage and width on scores of real models, which have ties and irregular distributions.

The out-of-fold scores of a model for a data set are the population. A sample has as many rows of
each class, drawn with replacement.
"""

from collections.abc import Iterator, Sequence
from functools import cache, partial
from itertools import combinations

import numpy as np
import pandas as pd
from sklearn.datasets import load_digits

from calibrated_metrics import ConfusionCurve, Metric
from reproduction.local_models.models import predict
from reproduction.local_models.real_data import LocalTask, load_task
from validation.engine import RNG, Design
from validation.intervals import designed
from validation.samples import AREAS, AVERAGE_PRECISION, Sample

DIGIT = "digits, 8 against the rest"
TASKS = (DIGIT, "breast_cancer", "pima", "saheart", "vehicle1", "yeast1", "winequality_red")
MODELS = ("logistic_c1", "forest", "knn25_weighted", "boosting_hist")
SEED = 0


def designs() -> Iterator[Design]:
    asked = [*((metric, None) for metric in AREAS), (AVERAGE_PRECISION, 0.01)]
    for task in TASKS:
        for model in MODELS:
            draw = partial(_sample, task, [model])
            yield designed("real models", f"{task}, {model}", draw, asked)
        for pair in combinations(MODELS, 2):
            draw = partial(_sample, task, pair)
            yield designed("two models, real", f"{task}, {' − '.join(pair)}", draw, asked[:2])


def _sample(task: str, models: Sequence[str], rng: RNG) -> Sample:
    """A sample of the rows of a task, with the true value or the true difference."""
    rows, y_true = _scores(task), _task(task).y_true == 1
    drawn = [rng.choice(np.flatnonzero(y_true == each), (y_true == each).sum()) for each in (0, 1)]
    sample, curves, wholes = np.concatenate(drawn), [], []
    for model in models:
        score = rows.loc[rows["run"] == model, "y_score"].to_numpy()
        wholes.append(ConfusionCurve.from_predictions(y_true, score))
        curves.append(ConfusionCurve.from_predictions(y_true[sample], score[sample]))

    def true_value(metric: Metric, pi0: float | None) -> float:
        first, *others = (float(metric.at(pi0)(whole)) for whole in wholes)
        return first - sum(others)

    return Sample(tuple(curves), true_value, float(y_true.mean()))


@cache
def _scores(task: str) -> pd.DataFrame:
    return predict(_task(task), list(MODELS), seed=SEED)


def _task(name: str) -> LocalTask:
    if name != DIGIT:
        return load_task(name)
    digits = load_digits()
    return LocalTask(name, name, digits.data, (digits.target == 8).astype(np.int8), name)
