"""Effect of the errors in the authors' code on Figure 7: each correction alone, and all."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from reproduction.core.metrics import Metric
from reproduction.ranking.experiment import correlations_of_tasks, mean_over_tasks, pairs_of
from reproduction.ranking.panels import CONVENTIONS, PANELS, Conventions, used_tasks

_CORRECTIONS = ("undefined_correlation", "zeroed_runs", "near_ties", "gain_crossing")
_NEEDS_PREDICTIONS = "gain_crossing"
_PAIR = ["row", "column", "row_pi0", "column_pi0"]
_COLUMNS = ["panel", "correction", *_PAIR, "as_published", "corrected", "change"]

# Scores, tasks and conventions that a matrix is computed with.
_Version = tuple[pd.DataFrame, pd.DataFrame, Conventions]


def run(
    scores: pd.DataFrame,
    tasks: pd.DataFrame,
    metrics: Sequence[Metric],
    imbalanced_metrics: Sequence[Metric],
    *,
    has_predictions: bool = True,
    status: pd.DataFrame | None = None,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Apply each correction of the published conventions alone, and all of them together.

    `imbalanced_metrics` are the metrics of the panel "imbalanced". One correction needs
    predictions, which the authors did not store. `status` has the columns `task`, `run` and `model`
    of runs from OpenML.

    The correction "all" combines all corrections except "repeated_datasets", which uses one task
    per dataset (if `tasks` has the column `dataset`), and "repeated_models", which uses one run per
    model and task (if `status` is given).

    The summary is over the pairs of different metrics with both correlations defined, and empty if
    there is none.
    """
    parts = [pd.DataFrame(columns=_COLUMNS)]
    for panel in PANELS:
        if used_tasks(tasks, panel).empty:
            continue
        of_panel = imbalanced_metrics if panel == "imbalanced" else metrics
        versions = _corrected(scores, tasks, has_predictions)
        versions |= _without_repetitions(scores, tasks, panel, status)
        before = _means((scores, tasks, CONVENTIONS["as_published"]), of_panel, panel)
        for correction, version in versions.items():
            after = _means(version, of_panel, panel)
            part = pairs_of(of_panel).assign(panel=panel, correction=correction)
            part = part.assign(as_published=before, corrected=after, change=after - before)
            parts.append(part[_COLUMNS])
    table = pd.concat(parts[1:] or parts, ignore_index=True)
    return table, _summary(table)


def _means(version: _Version, metrics: Sequence[Metric], panel: str) -> np.ndarray:
    scores, tasks, conventions = version
    _, correlations = correlations_of_tasks(scores, tasks, metrics, conventions, panel)
    return mean_over_tasks(correlations)[0].ravel()


def _corrected(
    scores: pd.DataFrame, tasks: pd.DataFrame, has_predictions: bool
) -> dict[str, _Version]:
    names = [name for name in _CORRECTIONS if has_predictions or name != _NEEDS_PREDICTIONS]
    right = {name: getattr(CONVENTIONS["corrected"], name) for name in names}
    applied = {**{name: {name: right[name]} for name in names}, "all": right}
    published = CONVENTIONS["as_published"]
    return {
        correction: (scores, tasks, replace(published, **changed))
        for correction, changed in applied.items()
    }


def _without_repetitions(
    scores: pd.DataFrame, tasks: pd.DataFrame, panel: str, status: pd.DataFrame | None
) -> dict[str, _Version]:
    """Without further tasks of a dataset, or without further runs of a model."""
    versions, published = {}, CONVENTIONS["as_published"]
    used = used_tasks(tasks, panel)
    if "dataset" in used and used["dataset"].notna().all():
        repeated = used.loc[used.duplicated("dataset"), "task"]
        versions["repeated_datasets"] = scores, tasks[~tasks["task"].isin(repeated)], published
    if status is not None:
        models = status.dropna(subset="model").sort_values(["task", "run"])
        repeated = models[models.duplicated(["task", "model"])].set_index(["task", "run"]).index
        is_repeated = scores.set_index(["task", "run"]).index.isin(repeated)
        versions["repeated_models"] = scores[~is_repeated], tasks, published
    return versions


def _summary(table: pd.DataFrame) -> pd.DataFrame:
    rows = []
    for (panel, correction), cells in table.groupby(["panel", "correction"], sort=False):
        lower = np.tri(cells["row"].nunique(), k=-1, dtype=bool).ravel()
        change = cells.loc[lower, "change"].abs().dropna()
        row = {"panel": panel, "correction": correction, "mean": change.mean()}
        if len(change):
            where = change.idxmax()
            row |= {"largest": change[where], **cells.loc[where, _PAIR]}
        rows.append(row)
    return pd.DataFrame(rows, columns=["panel", "correction", "largest", "mean", *_PAIR])
