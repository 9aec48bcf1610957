"""Effect of the errors in the authors' code on Figure 7: each correction alone, and all."""

from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd

from reproduction.core.metrics import Metric
from reproduction.ranking.experiment import correlations_of_tasks, mean_over_tasks, pairs_of
from reproduction.ranking.panels import CORRECTIONS, FEWEST_TASKS, PANELS, used_tasks

_COLUMNS = ["panel", "correction", "row", "column", "row_pi0", "column_pi0"]
_COLUMNS += ["as_published", "corrected", "change"]


def run(
    scores: pd.DataFrame,
    tasks: pd.DataFrame,
    metrics: Sequence[Metric],
    imbalanced_metrics: Sequence[Metric],
) -> pd.DataFrame:
    """Make each correction of the published conventions alone, and "all" of them together.

    `imbalanced_metrics` are the metrics of the panel "imbalanced".
    """
    parts = [pd.DataFrame(columns=_COLUMNS)]
    for panel in PANELS:
        if len(used_tasks(tasks, panel)) < FEWEST_TASKS[panel]:
            continue
        of_panel = imbalanced_metrics if panel == "imbalanced" else metrics
        arguments = scores, tasks, of_panel, panel
        before = _means(*arguments, [])
        for correction in [*CORRECTIONS, "all"]:
            after = _means(*arguments, CORRECTIONS if correction == "all" else [correction])
            part = pairs_of(of_panel).assign(panel=panel, correction=correction)
            part = part.assign(as_published=before, corrected=after, change=after - before)
            parts.append(part[_COLUMNS])
    return pd.concat(parts[1:] or parts, ignore_index=True)


def _means(
    scores: pd.DataFrame,
    tasks: pd.DataFrame,
    metrics: Sequence[Metric],
    panel: str,
    corrections: Collection[str],
) -> np.ndarray:
    _, correlations = correlations_of_tasks(scores, tasks, metrics, corrections, panel)
    return mean_over_tasks(correlations)[0].ravel()
