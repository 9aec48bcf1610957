"""Effect of the errors in the authors' code on Figure 7: each correction alone, and all."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from reproduction.core.metrics import Metric
from reproduction.ranking.experiment import correlations_of_tasks, mean_over_tasks, pairs_of
from reproduction.ranking.panels import CONVENTIONS, PANELS, Conventions, used_tasks

CORRECTIONS = {  # what each does
    "undefined_correlation": "leaving out undefined correlations",
    "zeroed_runs": "leaving out models with only zeros",
    "near_ties": "tying values that differ only by rounding",
    "gain_crossing": "exact axis crossings of AUC-P$_c$R Gain",
}
_NEEDS_PREDICTIONS = "gain_crossing"
_COLUMNS = ["panel", "correction", "row", "column", "row_pi0", "column_pi0"]
_COLUMNS += ["as_published", "corrected", "change"]


def run(
    scores: pd.DataFrame,
    tasks: pd.DataFrame,
    metrics: Sequence[Metric],
    imbalanced_metrics: Sequence[Metric],
    *,
    has_predictions: bool = True,
) -> pd.DataFrame:
    """Apply each correction of the published conventions alone, and "all" of them together.

    `imbalanced_metrics` are the metrics of the panel "imbalanced". One correction needs
    predictions, which the authors did not store.
    """
    published, right = CONVENTIONS["as_published"], CONVENTIONS["corrected"]
    names = [name for name in CORRECTIONS if has_predictions or name != _NEEDS_PREDICTIONS]
    parts = [pd.DataFrame(columns=_COLUMNS)]
    for panel in PANELS:
        if used_tasks(tasks, panel).empty:
            continue
        of_panel = imbalanced_metrics if panel == "imbalanced" else metrics
        arguments = scores, tasks, of_panel, panel
        before = _means(*arguments, published)
        for correction in [*names, "all"]:
            changed = names if correction == "all" else [correction]
            values = {name: getattr(right, name) for name in changed}
            after = _means(*arguments, replace(published, **values))
            part = pairs_of(of_panel).assign(panel=panel, correction=correction)
            part = part.assign(as_published=before, corrected=after, change=after - before)
            parts.append(part[_COLUMNS])
    return pd.concat(parts[1:] or parts, ignore_index=True)


def _means(
    scores: pd.DataFrame,
    tasks: pd.DataFrame,
    metrics: Sequence[Metric],
    panel: str,
    conventions: Conventions,
) -> np.ndarray:
    _, correlations = correlations_of_tasks(scores, tasks, metrics, conventions, panel)
    return mean_over_tasks(correlations)[0].ravel()
