"""Binary tasks without downloads: real data sets, and imbalanced simulated transactions."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from reproduction.local_models import real_data, simulated_frauds

TASKS = (*real_data.NAMES, *simulated_frauds.NAMES)
"""Names of the tasks, in a fixed order."""


@dataclass(frozen=True, eq=False)
class LocalTask:
    """A binary classification task, with finite features."""

    name: str
    title: str
    features: np.ndarray  # float64, (n, d)
    y_true: np.ndarray  # int8, 1 for the positives
    source: str  # of the data; tasks of one source are not independent
    is_simulated: bool = False


def load_task(name: str, *, seed: int) -> LocalTask:
    """Load one of `TASKS`, which does not depend on the other tasks. Real data ignore the seed."""
    if name in simulated_frauds.NAMES:
        features, y_true, title = simulated_frauds.draw(name, seed)
        return LocalTask(name, title, features, y_true, source=title, is_simulated=True)
    features, y_true, source, publication = real_data.read(name)
    return LocalTask(name, f"{name} ({publication})", features, y_true, source)


def name_of_file(path: str) -> str:
    """Name of the task of a user's file."""
    return Path(path.removesuffix(".gz")).stem
