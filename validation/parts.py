"""The parts of the validation, each with its designs and its table."""

import pandas as pd

from validation import bands, changes, decisions, intervals, months, thresholds
from validation.engine import measure

PARTS = {
    "intervals": intervals.designs,
    "bootstrap": lambda: list(intervals.of_a_curve()),
    "differences": intervals.differences,
    "decisions": decisions.designs,
    "bands": bands.designs,
    "changes": changes.designs,
    "thresholds": thresholds.designs,
    "months": months.designs,
}
TINY_DESIGNS, TINY_SAMPLES = 2, 2


def measured(part: str, n_samples: int, seed: int, *, tiny: bool = False) -> pd.DataFrame:
    """The table of a part; a tiny one has few designs and samples, which tests only the code."""
    designs = PARTS[part]()
    if tiny:
        designs, n_samples = designs[:: -(-len(designs) // TINY_DESIGNS)], TINY_SAMPLES
    return measure(designs, 1 if part == "decisions" else n_samples, seed)  # or exact sums
