"""Binary tasks without downloads."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from reproduction.local_models import real_data

TASKS = real_data.NAMES
"""Names of the tasks, in a fixed order."""


@dataclass(frozen=True, eq=False)
class LocalTask:
    """A binary classification task, with finite features."""

    name: str
    title: str
    features: np.ndarray  # float64, (n, d)
    y_true: np.ndarray  # int8, 1 for the positives
    source: str  # of the data; tasks of one source are not independent


def load_task(name: str) -> LocalTask:
    """Load one of `TASKS`."""
    features, y_true, source, publication = real_data.read(name)
    return LocalTask(name, f"{name} ({publication})", features, y_true, source)


def name_of_file(path: str) -> str:
    """Name of the task of a user's file."""
    return Path(path.removesuffix(".gz")).stem
