"""The parts of the validation, each with its designs and its table."""

import pandas as pd

from validation import (
    bands,
    changes,
    classes,
    decisions,
    few_levels,
    few_rows,
    intervals,
    label_errors,
    months,
    out_of_fold,
    proper_scores,
    random_rows,
    real_models,
    thresholds,
    verified,
)
from validation.engine import measure

PARTS = {
    "intervals": intervals.designs,
    "random_rows": random_rows.designs,
    "few_rows": few_rows.designs,
    "few_levels": few_levels.designs,
    "real_models": real_models.designs,
    "out_of_fold": out_of_fold.designs,
    "bootstrap": intervals.of_a_curve,
    "differences": intervals.differences,
    "decisions": decisions.designs,
    "classes": classes.designs,
    "bands": bands.designs,
    "changes": changes.designs,
    "proper_scores": proper_scores.designs,
    "thresholds": thresholds.designs,
    "months": months.designs,
    "label_errors": label_errors.designs,
    "verified": verified.designs,
}


def measured(part: str, n_samples: int, seed: int, tiny: bool) -> pd.DataFrame:
    """The table of a part; a tiny one has two designs and samples, which tests the code."""
    designs = list(PARTS[part]())
    if tiny:
        designs, n_samples = designs[:: -(-len(designs) // 2)], min(n_samples, 2)
    return measure(designs, n_samples, seed)
