"""Binary tasks without downloads: scikit-learn's bundled data and simulated transactions.

The bundled data sets are not very imbalanced. The tasks with a small prior therefore come from the
transaction simulator.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from reproduction.core.streams import stream, stream_seed

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class LocalTask:
    """A binary classification task, with finite features."""

    name: str
    title: str  # of the positive class and of the data
    features: np.ndarray  # float64, (n, d)
    y_true: np.ndarray  # int8, 1 for the positives, the minority class
    source: str  # of the data; it states whether they are simulated


def load_task(name: str, *, seed: int) -> LocalTask:
    """Load one of `TASKS`, which does not depend on the other tasks or on the order of loading.

    - ``breast_cancer``, ``digits_*``, ``wine_*`` and ``iris_*``: scikit-learn's real data, one
      class against the rest. The priors are between 0.09 and 0.4. They do not depend on the seed.
    - ``frauds_*``: all transactions of one or two days in a simulated population. The positives
      are either all frauds, or only the frauds of compromised terminals or customers; in the
      second case other frauds are removed. The priors are about 0.005 to 0.01 in the city, town
      and county, 0.01 to 0.025 in the village.
    - ``frauds_*_thinned``: the same for up to four days, with all positives but only a random
      sample of the genuine transactions. The priors are between 0.02 and 0.05.
    """
    return _TASKS[name].task(name, seed)


class _OneVersusRest(NamedTuple):
    """One class of a bundled scikit-learn data set against the other classes."""

    data: str
    positive: int
    title: str

    def task(self, name: str, seed: int) -> LocalTask:
        from sklearn import datasets  # slow to import

        load = getattr(datasets, f"load_{self.data}")
        features, classes = load(return_X_y=True)
        return LocalTask(
            name=name,
            title=self.title,
            features=np.asarray(features, dtype=np.float64),
            y_true=(classes == self.positive).astype(np.int8),
            source=f"scikit-learn's bundled data, sklearn.datasets.{load.__name__}",
        )


# Smaller populations have a larger share of frauds.
_PLACES = {
    "city": {"n_customers": 4000, "n_terminals": 16000, "radius": 5.0},
    "town": {"n_customers": 2000, "n_terminals": 8000, "radius": 5.0},
    "county": {"n_customers": 2000, "n_terminals": 9000, "radius": 15.0},
    "village": {"n_customers": 1500, "n_terminals": 6000, "radius": 8.0},
}
# Features of a terminal use the 37 days before a transaction, so tasks start after day 37.
_SIMULATED_DAYS = 58
_SCENARIOS = {"all frauds": (1, 2, 3), "terminal frauds": (2,), "customer frauds": (3,)}


class _Frauds(NamedTuple):
    """All frauds of some scenarios against the genuine transactions of some days."""

    positives: str
    place: str
    first_day: int
    n_days: int
    n_genuine: int | None = None  # drawn at random; None keeps all

    def task(self, name: str, seed: int) -> LocalTask:
        transactions, features = _simulated(self.place, seed)
        last_day = self.first_day + self.n_days - 1
        in_period = transactions["day"].between(self.first_day, last_day)
        is_positive = transactions["scenario"].isin(_SCENARIOS[self.positives])
        positives = np.flatnonzero(in_period & is_positive)
        genuine = np.flatnonzero(in_period & ~transactions["fraud"])
        if self.n_genuine is not None:
            rng = stream(seed, f"local_tasks {name}")
            genuine = rng.choice(genuine, size=self.n_genuine, replace=False)
        rows = np.sort(np.concatenate([positives, genuine]))
        return LocalTask(
            name=name,
            title=self._title(last_day),
            features=features[rows],
            y_true=is_positive.to_numpy(np.int8)[rows],
            source="simulated with the transaction model of the fraud-detection handbook",
        )

    def _title(self, last_day: int) -> str:
        days = f"day {last_day}" if self.n_days == 1 else f"days {self.first_day} to {last_day}"
        thinned = "" if self.n_genuine is None else f", {self.n_genuine} genuine transactions"
        return f"{self.positives} of a simulated {self.place}, {days}{thinned}"


@lru_cache(maxsize=len(_PLACES))
def _simulated(place: str, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    # Imported here, as each start of Snakemake imports this module for the names of the tasks.
    from reproduction.fraud.features import transaction_features
    from reproduction.fraud.simulator import simulate_transactions

    transactions = simulate_transactions(
        **_PLACES[place], n_days=_SIMULATED_DAYS, seed=stream_seed(seed, f"local_tasks {place}")
    )
    return transactions, transaction_features(transactions).to_numpy(np.float64)


_TASKS: dict[str, _OneVersusRest | _Frauds] = {
    "breast_cancer": _OneVersusRest("breast_cancer", 0, "malignant tumours, breast cancer"),
    **{f"digits_{i}": _OneVersusRest("digits", i, f"handwritten {i}, digits") for i in range(10)},
    **{f"wine_{i}": _OneVersusRest("wine", i, f"cultivar {i}, wine") for i in range(3)},
    "iris_setosa": _OneVersusRest("iris", 0, "setosa, iris"),
    "iris_versicolor": _OneVersusRest("iris", 1, "versicolor, iris"),
    "iris_virginica": _OneVersusRest("iris", 2, "virginica, iris"),
    # Day 0 is a Sunday. Tasks of the same place have no day in common.
    "frauds_city_monday": _Frauds("all frauds", "city", 43, n_days=1),
    "frauds_city_saturday": _Frauds("all frauds", "city", 55, n_days=1),
    "frauds_town_terminals": _Frauds("terminal frauds", "town", 40, n_days=2),
    "frauds_town_customers": _Frauds("customer frauds", "town", 46, n_days=2),
    "frauds_county_terminals": _Frauds("terminal frauds", "county", 50, n_days=2),
    "frauds_county_customers": _Frauds("customer frauds", "county", 54, n_days=2),
    "frauds_village_midweek": _Frauds("all frauds", "village", 45, n_days=2),
    "frauds_village_weekend": _Frauds("all frauds", "village", 55, n_days=2),
    "frauds_city_thinned": _Frauds("all frauds", "city", 48, 1, n_genuine=1900),
    "frauds_town_terminals_thinned": _Frauds("terminal frauds", "town", 50, 3, n_genuine=2500),
    "frauds_county_customers_thinned": _Frauds("customer frauds", "county", 44, 4, n_genuine=3500),
}

TASKS = tuple(_TASKS)
"""Names of the tasks, in a fixed order."""
