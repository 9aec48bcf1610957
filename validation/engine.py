"""Draw the samples of designs, and average what is recorded of each."""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from calibrated_metrics.uncertainty import Estimate, IntervalWarning

ROUNDING = 1e-9  # of true values, which are sums over many thresholds

RNG = np.random.Generator
Labels = Mapping[str, Any]
Outcome = tuple[Labels, Mapping[str, float]]
"""What is estimated, and numbers that are averaged over the samples."""


@dataclass(frozen=True)
class Design:
    """How samples are drawn, and what is recorded of a sample.

    The labels are columns of the table. They must differ between the designs of a part, because
    they name the random streams.
    """

    labels: Labels
    outcomes: Callable[[RNG], Iterator[Outcome]]

    @property
    def name(self) -> str:
        return ", ".join(f"{key} {value}" for key, value in self.labels.items())


def measure(designs: Sequence[Design], n_samples: int, seed: int) -> pd.DataFrame:
    """A row per design and estimated quantity, with the mean of each number over the samples.

    Each sample has a random stream of its own, so rows do not depend on the other designs.
    A column `x` has its standard error in `x_error`; samples without the number are left out.
    """
    return pd.DataFrame([row for design in designs for row in _rows(design, n_samples, seed)])


def _rows(design: Design, n_samples: int, seed: int) -> Iterator[dict[str, Any]]:
    records: dict[tuple[Any, ...], list[Mapping[str, float]]] = {}
    for sample in range(n_samples):
        rng = np.random.default_rng([seed, sample, *design.name.encode()])
        for labels, record in design.outcomes(rng):
            records.setdefault(tuple(labels.items()), []).append(record)
    for key, found in records.items():
        numbers = pd.DataFrame(found).astype(float)
        labels = {**design.labels, **dict(key)}
        row = {name: np.nan if each is None else each for name, each in labels.items()}
        row["n_samples"] = len(numbers)
        for column in numbers:
            given = numbers[column].dropna()
            row[column] = given.mean()
            row[f"{column}_error"] = given.std(ddof=0) / np.sqrt(max(len(given), 1))
        if "covered" in numbers:
            row["n_given"] = int(numbers["covered"].count())
        if "error" in numbers:
            row["needed_width"] = 3.92 * numbers["error"].std(ddof=0)
        yield row


def of_interval(estimate: Estimate, true: float, *, warned: bool = False) -> dict[str, float]:
    """What is recorded of an interval; nothing but `withheld` and `error` if it is withheld."""
    low, high = estimate.low, estimate.high
    given = {} if np.isnan(low) else {
        "covered": low - ROUNDING <= true <= high + ROUNDING,
        "above": low > true + ROUNDING,
        "excludes_0": not low <= 0 <= high,
        "warned": warned,
        "width": high - low,
    }  # fmt: skip
    columns = ("covered", "above", "excludes_0", "warned", "width")
    return {
        **{column: given.get(column, np.nan) for column in columns},
        "withheld": not given,
        "error": estimate.value - true,
        "true": true,
    }


@contextmanager
def noticed() -> Iterator[Callable[[], bool]]:
    """Silence the warnings of a block; yields whether one of an interval was given."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield lambda: any(issubclass(each.category, IntervalWarning) for each in caught)
