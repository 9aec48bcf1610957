"""Draw the samples of designs, and average the recorded numbers."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from calibrated_metrics.uncertainty import Estimate, IntervalWarning

NEEDED = 2 * 1.96  # standard deviations of the estimates: the width of a centred 95 % interval
ROUNDING = 1e-9  # of true values, which are sums over many thresholds

RNG = np.random.Generator
Labels = Mapping[str, Any]
Outcome = tuple[Labels, Mapping[str, float]]
"""What is estimated, and numbers that are averaged over the samples."""


@dataclass(frozen=True)
class Design:
    """How samples are drawn, and what is recorded for each.

    The labels are columns of the table. They must differ between the designs of a part, because
    they name the random streams.
    """

    labels: Labels
    outcomes: Callable[[RNG], Iterator[Outcome]]

    @property
    def name(self) -> str:
        return ", ".join(f"{key} {value}" for key, value in self.labels.items())


def measure(designs: Iterable[Design], n_samples: int, seed: int) -> pd.DataFrame:
    """One row per design and estimated quantity, with the mean of each number over the samples.

    Each sample has a random stream of its own, so rows do not depend on the other designs.
    A column `x` has its standard error in `x_error`; samples without the number are left out. The
    `relative_width` is the median width divided by the needed one.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IntervalWarning)
        return pd.DataFrame([row for design in designs for row in _rows(design, n_samples, seed)])


def _rows(design: Design, n_samples: int, seed: int) -> Iterator[dict[str, Any]]:
    records: dict[tuple[Any, ...], list[Mapping[str, float]]] = {}
    for sample in range(n_samples):
        rng = np.random.default_rng([seed, sample, *design.name.encode()])
        for labels, record in design.outcomes(rng):
            records.setdefault(tuple(labels.items()), []).append(record)
    for key, found in records.items():
        labels = {**design.labels, **dict(key)}
        row = {name: np.nan if each is None else each for name, each in labels.items()}
        numbers = pd.DataFrame(found).astype(float)
        errors = (numbers.std(ddof=0) / np.sqrt(numbers.count())).add_suffix("_error")
        row |= {"n_samples": len(numbers), **numbers.mean(), **errors}
        if "covered" in numbers:
            row["n_given"] = numbers["covered"].count()
        if {"width", "error"} <= set(numbers):
            row["relative_width"] = numbers["width"].median() / (NEEDED * numbers["error"].std())
            # That of the standard deviation; the error of the median is small beside it.
            n = numbers["error"].count()
            row["relative_width_error"] = row["relative_width"] / np.sqrt(2 * n)
        yield row


def attempted(compute: Callable[[], Estimate], true: float) -> dict[str, float]:
    """The record of an interval, which may be refused: then only this is recorded."""
    try:
        return {**of_interval(compute(), true), "refused": 0.0}
    except ValueError:
        return {"refused": 1.0}


def of_interval(estimate: Estimate, true: float) -> dict[str, float]:
    """Numbers recorded for an interval; without its limits if it is withheld."""
    low, high = estimate.low, estimate.high
    of_limits = {
        "covered": low - ROUNDING <= true <= high + ROUNDING,
        "excludes_0": not low <= 0 <= high,
        "width": high - low,
        "doubted": bool(estimate.remarks),
    }
    if np.isnan(low):
        of_limits = dict.fromkeys(of_limits, np.nan)
    return {**of_limits, "withheld": np.isnan(low), "error": estimate.value - true, "true": true}
