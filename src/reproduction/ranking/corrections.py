"""What the errors of the authors' code change in Figure 7: each correction alone, and all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from reproduction.core.metrics import Metric
from reproduction.ranking.experiment import correlations_of_tasks, mean_over_tasks, pairs_of
from reproduction.ranking.panels import CONVENTIONS, PANELS, Conventions, used_tasks

__all__ = ["corrections", "run", "summary"]

_CORRECTIONS = ("undefined_correlation", "zeroed_runs", "near_ties", "gain_crossing")
_NEEDS_PREDICTIONS = "gain_crossing"
_PAIR = ["row", "column", "row_pi0", "column_pi0"]


def run(
    scores: pd.DataFrame,
    tasks: pd.DataFrame,
    metrics: Sequence[Metric],
    imbalanced_metrics: Sequence[Metric],
    *,
    has_predictions: bool,
    status: pd.DataFrame | None = None,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the tables of `corrections` and of its `summary`."""
    table = corrections(
        scores, tasks, metrics, imbalanced_metrics, has_predictions=has_predictions, status=status
    )
    return table, summary(table)


def corrections(
    scores: pd.DataFrame,
    tasks: pd.DataFrame,
    metrics: Sequence[Metric],
    imbalanced_metrics: Sequence[Metric],
    *,
    has_predictions: bool = True,
    status: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Apply each correction of the published conventions alone, and all of them together.

    Parameters
    ----------
    scores, tasks : DataFrame
        As in `scores_of_panel`.
    metrics, imbalanced_metrics : sequence of Metric
        Of the panels "all" and "small_prior", and of the panel "imbalanced".
    has_predictions : bool, default=True
        The authors stored no predictions, which one correction needs.
    status : DataFrame, default=None
        `task`, `run` and `model` of runs from OpenML, if known.

    Returns
    -------
    DataFrame
        A row per panel that has scores, correction and pair of metrics: `panel`; `correction`,
        "all" for all together; the pair, as in `pairs_of`; mean Spearman `as_published` and
        `corrected`, and their difference `change`. Not part of "all" are "repeated_datasets", which
        uses one task per dataset (if `tasks` has the column `dataset`), and "repeated_models",
        which uses one run per model and task (if there is a `status`).
    """
    names = [name for name in _CORRECTIONS if has_predictions or name != _NEEDS_PREDICTIONS]
    published, right = CONVENTIONS["as_published"], CONVENTIONS["corrected"]
    parts = []
    for panel in PANELS:
        if used_tasks(tasks, panel).empty:
            continue
        of_panel = imbalanced_metrics if panel == "imbalanced" else metrics
        versions: dict[str, tuple[pd.DataFrame, pd.DataFrame, Conventions]] = {}
        for correction, applied in {**{name: [name] for name in names}, "all": names}.items():
            changed = {name: getattr(right, name) for name in applied}
            versions[correction] = scores, tasks, replace(published, **changed)
        for repetition, kept in _without_repetitions(scores, tasks, panel, status).items():
            versions[repetition] = *kept, published
        before = _means(scores, tasks, published, of_panel, panel)
        for correction, version in versions.items():
            after = _means(*version, of_panel, panel)
            part = pairs_of(of_panel)
            part.insert(0, "panel", panel)
            part.insert(1, "correction", correction)
            parts.append(part.assign(as_published=before, corrected=after, change=after - before))
    columns = ["panel", "correction", *_PAIR, "as_published", "corrected", "change"]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)


def _means(
    scores: pd.DataFrame,
    tasks: pd.DataFrame,
    conventions: Conventions,
    metrics: Sequence[Metric],
    panel: str,
) -> np.ndarray:
    correlations = correlations_of_tasks(scores, tasks, metrics, conventions, panel)
    return mean_over_tasks(correlations)[0].ravel()


def _without_repetitions(
    scores: pd.DataFrame, tasks: pd.DataFrame, panel: str, status: pd.DataFrame | None
) -> dict[str, tuple[pd.DataFrame, pd.DataFrame]]:
    """Scores and tasks without further tasks of a dataset, or without further runs of a model."""
    kept = {}
    used = used_tasks(tasks, panel)
    if "dataset" in used and used["dataset"].notna().all():
        repeated = used.loc[used.duplicated("dataset"), "task"]
        kept["repeated_datasets"] = scores, tasks[~tasks["task"].isin(repeated)]
    if status is not None:
        models = status.dropna(subset="model").sort_values(["task", "run"])
        repeated = models[models.duplicated(["task", "model"])].set_index(["task", "run"]).index
        is_repeated = scores.set_index(["task", "run"]).index.isin(repeated)
        kept["repeated_models"] = scores[~is_repeated], tasks
    return kept


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """Summarise how much the cells of each matrix change.

    Parameters
    ----------
    table : DataFrame
        Of `corrections`.

    Returns
    -------
    DataFrame
        A row per panel and correction: `panel`, `correction`; `largest` and `mean` absolute change
        over the pairs of different metrics that are defined both ways; and the pair that changes
        most (the first of ties). Empty where no pair is defined.
    """
    rows = []
    for (panel, correction), cells in table.groupby(["panel", "correction"], sort=False):
        order = {key: position for position, key in enumerate(cells["row"].unique())}
        lower = cells["row"].map(order) > cells["column"].map(order)
        change = cells.loc[lower, "change"].abs().dropna()
        row = {"panel": panel, "correction": correction, "largest": np.nan, "mean": np.nan}
        if len(change):
            where = change.idxmax()
            row |= {"largest": change[where], "mean": change.mean()}
            row |= cells.loc[where, _PAIR].to_dict()
        rows.append(row)
    return pd.DataFrame(rows, columns=["panel", "correction", "largest", "mean", *_PAIR])
