"""The parts of the validation, each with its designs and its table."""

import numpy as np
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


def block_of_part(
    part: str, n_samples: int, seed: int, block: int, n_blocks: int, tiny: int = 0
) -> pd.DataFrame:
    """The rows of one of `n_blocks` blocks of the designs of a part.

    In a tiny run a part has few designs and samples, which tests the code but not the library.
    """
    designs = PARTS[part]()
    if tiny:
        designs, n_samples = designs[:: -(-len(designs) // TINY_DESIGNS)], TINY_SAMPLES
    if part == "decisions":
        n_samples = 1  # exact sums
    chosen = np.array_split(np.arange(len(designs)), n_blocks)[block]
    return measure([designs[each] for each in chosen], n_samples, seed)
