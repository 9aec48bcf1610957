"""Figure 7: do metrics rank the models of a task alike? Mean Spearman correlations over tasks."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd
from scipy import stats

from reproduction.ranking.near_ties import tied
from reproduction.core.streams import stream
from reproduction.core.metrics import Metric

__all__ = [
    "CONVENTIONS",
    "CORRECTIONS",
    "CORRECTIONS_OF_STORED_SCORES",
    "PANELS",
    "Conventions",
    "PanelScores",
    "corrections",
    "corrections_and_summary",
    "corrections_summary",
    "run",
    "scores_of_panel",
]

PANELS = ("all", "imbalanced", "small_prior")
CORRECTIONS_OF_STORED_SCORES = ("undefined_correlation", "zeroed_runs", "near_ties")
# The last one needs the models' predictions, which the authors did not store.
CORRECTIONS = (*CORRECTIONS_OF_STORED_SCORES, "gain_crossing")

_CONFIDENCE = 0.95
_PAIR = ["row", "column", "row_pi0", "column_pi0"]


@dataclass(frozen=True)
class Conventions:
    """Choices in the definition of the rank correlations; the defaults are the corrected ones.

    Attributes
    ----------
    undefined_correlation : {"left_out", "one"}
        A Spearman correlation with a metric that is constant over the models of a task is excluded
        from the mean, or counts as 1.
    zeroed_runs : {"dropped", "kept"}
        Models whose metrics are all exactly 0, probably a parsing failure rather than poor models.
    near_ties : {"tied", "ranked"}
        Values that differ only by rounding are equal, see `near_ties.tied`, or are ranked by their
        last digits.
    gain_crossing : {"exact", "as_published"}
        Where a calibrated precision-recall-gain curve crosses its axes is computed exactly
        (column `value` of the scores), or by the authors' formulas, which hold only for π₀ = π
        (column `value_as_published`).
    """

    undefined_correlation: Literal["left_out", "one"] = "left_out"
    zeroed_runs: Literal["dropped", "kept"] = "dropped"
    near_ties: Literal["tied", "ranked"] = "tied"
    gain_crossing: Literal["exact", "as_published"] = "exact"


CONVENTIONS = {
    "corrected": Conventions(),
    "as_published": Conventions(
        undefined_correlation="one",
        zeroed_runs="kept",
        near_ties="ranked",
        gain_crossing="as_published",
    ),
}
"""The conventions that `ranking.conventions` can name; the second ones are the authors' code's."""


def run(
    scores: pd.DataFrame,
    tasks: pd.DataFrame,
    metrics: Sequence[Metric],
    conventions: str | Conventions,
    *,
    panel: str,
    n_bootstrap: int,
    seed: int,
) -> pd.DataFrame:
    """Correlate the metrics over the models of each task, and average over the tasks.

    Two metrics correlate positively if they agree on which models are better; for a metric of which
    less is better, such as a miss rate, a smaller value ranks higher.

    Parameters
    ----------
    scores : DataFrame
        A row per task, run and metric: `task`, `run`, `metric`, `value`, `value_as_published`.
    tasks : DataFrame
        A row per task: `task`, `outcome`, and a boolean column per panel.
    metrics : sequence of Metric
        Rows and columns of the matrix.
    conventions : Conventions or str
        A str is a key of `CONVENTIONS`.
    panel : {"all", "imbalanced", "small_prior"}
    n_bootstrap : int >= 1
        Draws of the tasks, with replacement, the same for every cell.
    seed : int >= 0

    Returns
    -------
    DataFrame
        A row per pair of metrics, both ways and with itself, in their order: `row`, `column`
        and their reference priors `row_pi0`, `column_pi0`, empty for a multiple of the prior, which
        differs between tasks;
        `spearman` in [-1, 1], the mean over the tasks where it is defined; its 95 % interval `low`,
        `high`, from two such tasks on; `n_tasks`, their number; and
        `n_tasks_of_panel`, the number of tasks in the panel, used or not. Empty without a task.

    Raises
    ------
    ValueError
        For an unknown panel, or naming a task of the panel whose scores are incomplete.

    Notes
    -----
    A cell is a mean over tasks, not a metric of rows, so the methods of `uncertainty` do not apply.
    What varies is the choice of the tasks. The interval is a t interval on Fisher's z of the mean,
    with the standard deviation of the bootstrap draws of the tasks. On draws of 5 to 40 of the
    local tasks it covered 93 to 95 % on average over the cells; the percentile interval of the same
    draws covered 78 to 90 %, because correlations are skewed and tasks are few.

    References
    ----------
    Siblini et al., "Master your Metrics with Calibration", IDA 2020,
    doi:10.1007/978-3-030-44584-3_36, Figure 7.
    """
    if isinstance(conventions, str):
        conventions = CONVENTIONS[conventions]
    data = scores_of_panel(scores, tasks, metrics, conventions, panel)
    correlations = _correlations(data, len(metrics), conventions)
    mean, n_tasks = _mean_over_tasks(correlations)
    rng = stream(seed, "rank_correlation", PANELS.index(panel))
    low, high = _interval(correlations, n_bootstrap, rng)
    return _cells(metrics).assign(
        spearman=mean.ravel(),
        low=low.ravel(),
        high=high.ravel(),
        n_tasks=n_tasks.ravel(),
        n_tasks_of_panel=data.n_tasks_of_panel,
    )


def corrections(
    scores: pd.DataFrame,
    tasks: pd.DataFrame,
    metrics: Sequence[Metric],
    imbalanced_metrics: Sequence[Metric],
    *,
    permitted: Collection[str] = CORRECTIONS,
    status: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Apply each correction of the published conventions alone, and all of them together.

    Parameters
    ----------
    scores, tasks : DataFrame
        As in `run`.
    metrics : sequence of Metric
        Of the panels "all" and "small_prior".
    imbalanced_metrics : sequence of Metric
        Of the panel "imbalanced".
    permitted : collection of str, default=CORRECTIONS
        Corrections that the scores permit: `CORRECTIONS_OF_STORED_SCORES` for the scores that the
        authors stored.
    status : DataFrame, default=None
        `task`, `run` and `model` of runs from OpenML, if known.

    Returns
    -------
    DataFrame
        A row per panel that has scores, correction and pair of metrics: `panel`; `correction`,
        "all" for all together; `row`, `column`, with `row_pi0` and `column_pi0`; mean Spearman
        `as_published` and `corrected`, and their difference `change`. Not part of "all" are
        "repeated_datasets", which uses one task per dataset (if `tasks` has the column `dataset`),
        and "repeated_models", which uses one run per model and task (if there is a `status`).

    Raises
    ------
    ValueError
        As `run`; for an unknown correction.
    """
    for name in permitted:
        if name not in CORRECTIONS:
            raise ValueError(f"unknown correction {name!r}, must be one of {CORRECTIONS}")
    parts = []
    for panel in PANELS:
        of_panel = imbalanced_metrics if panel == "imbalanced" else metrics
        parts += _corrections_of_panel(scores, tasks, panel, of_panel, permitted)
        parts += _repetitions_of_panel(scores, tasks, panel, of_panel, status)
    columns = ["panel", "correction", *_PAIR, "as_published", "corrected", "change"]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)


def corrections_and_summary(
    scores: pd.DataFrame,
    tasks: pd.DataFrame,
    metrics: Sequence[Metric],
    imbalanced_metrics: Sequence[Metric],
    *,
    source: str,
    status: pd.DataFrame | None = None,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Make the tables of `corrections`, those possible with a `ranking.source`, and its summary."""
    table = corrections(
        scores,
        tasks,
        metrics,
        imbalanced_metrics,
        permitted=corrections_of(source),
        status=status,
    )
    return table, corrections_summary(table)


def corrections_of(source: str) -> tuple[str, ...]:
    """Corrections that the scores of a `ranking.source` permit."""
    return CORRECTIONS_OF_STORED_SCORES if source == "published" else CORRECTIONS


def corrections_summary(table: pd.DataFrame) -> pd.DataFrame:
    """Summarise how much the cells of each matrix change.

    Parameters
    ----------
    table : DataFrame
        Of `corrections`.

    Returns
    -------
    DataFrame
        A row per panel and correction: `panel`, `correction`; `largest` and `mean` absolute change
        over the pairs of different metrics that are defined both ways; and `row`, `column`, with
        `row_pi0` and `column_pi0`, the pair that changes most (the first of ties). Empty where no
        pair is defined.
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


# ------------------------------------------------------------------------- scores of the panels


@dataclass(frozen=True)
class PanelScores:
    """Scores of the models of a panel's tasks.

    Attributes
    ----------
    of_tasks : list of ndarray of shape (n_models, n_metrics)
        One of each used task, in the order of their names, a row per model. Greater is better:
        the values of a metric of which less is better are negated. The array of a task whose
        models are all dropped has no row.
    n_tasks_of_panel : int
        Tasks in the panel, used or not.
    """

    of_tasks: list[np.ndarray]
    n_tasks_of_panel: int


def scores_of_panel(
    scores: pd.DataFrame,
    tasks: pd.DataFrame,
    metrics: Sequence[Metric],
    conventions: Conventions,
    panel: str,
) -> PanelScores:
    """Scores of a panel's tasks.

    Parameters
    ----------
    scores, tasks, metrics, panel
        As in `run`.
    conventions : Conventions
        All but `undefined_correlation` apply.

    Raises
    ------
    ValueError
        For an unknown panel, or naming a used task of the panel whose scores are incomplete.
    """
    if panel not in PANELS:
        raise ValueError(f"unknown panel {panel!r}, must be one of {PANELS}")
    of_panel = tasks[tasks[panel].astype(bool)]
    used = sorted(of_panel.loc[of_panel["outcome"] == "used", "task"])
    keys = [metric.key for metric in metrics]
    of_tasks = []
    if used:
        wanted = scores[scores["task"].isin(used) & scores["metric"].isin(keys)]
        wide = wanted.pivot(  # noqa: PD010, pivot_table would average rows that stand there twice
            index=["task", "run"],
            columns="metric",
            values="value" if conventions.gain_crossing == "exact" else "value_as_published",
        ).reindex(columns=keys)
        wide = wide.sort_index()
        _check_complete(wide, used, panel)
        values = wide.to_numpy(dtype=np.float64)
        n_models = wide.groupby(level="task").size()
        of_tasks = np.split(values, np.cumsum(n_models)[:-1])
    if conventions.zeroed_runs == "dropped":
        of_tasks = [values[(values != 0).any(axis=1)] for values in of_tasks]
    if conventions.near_ties == "tied":
        of_tasks = [tied(values) for values in of_tasks]
    sign = [1.0 if metric.greater_is_better else -1.0 for metric in metrics]
    of_tasks = [sign * values for values in of_tasks]
    return PanelScores(of_tasks, len(of_panel))


def _check_complete(wide: pd.DataFrame, used: list[str], panel: str) -> None:
    without = set(used) - set(wide.index.get_level_values("task"))
    if without:
        raise ValueError(f"task {min(without)} of the panel {panel!r} has no scores")
    missing = wide.isna().to_numpy()
    if missing.any():
        row, column = np.argwhere(missing)[0]
        task, name = wide.index[row]
        raise ValueError(f"task {task}, run {name} lacks the metric {wide.columns[column]}")


# ------------------------------------------------------------------------------- correlations


def _correlations(data: PanelScores, n_metrics: int, conventions: Conventions) -> np.ndarray:
    """Spearman correlations by task, NaN where undefined, (n_tasks, n_metrics, n_metrics)."""
    with_models = [values for values in data.of_tasks if len(values)]
    correlations = np.array([_spearman(values) for values in with_models])
    correlations = correlations.reshape(-1, n_metrics, n_metrics)
    if conventions.undefined_correlation == "one":
        correlations[np.isnan(correlations)] = 1.0
    return correlations


def _spearman(values: np.ndarray) -> np.ndarray:
    """Correlations of the columns' ranks; NaN with a constant column."""
    ranks = pd.DataFrame(values).rank().to_numpy() - (len(values) + 1) / 2
    # Sums of multiples of 1/4 are exact, so the order of the models changes no digit.
    products = (ranks[:, :, np.newaxis] * ranks[:, np.newaxis, :]).sum(axis=0)
    squares = np.diagonal(products)
    scale = np.sqrt(squares[:, np.newaxis] * squares)
    return np.divide(products, scale, out=np.full_like(products, np.nan), where=scale > 0)


def _mean_over_tasks(correlations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and number of the defined values along the first axis; NaN without a defined value."""
    defined = ~np.isnan(correlations)
    n_defined = defined.sum(axis=0)
    sums = np.where(defined, correlations, 0.0).sum(axis=0)
    mean = np.divide(sums, n_defined, out=np.full(sums.shape, np.nan), where=n_defined > 0)
    return mean, n_defined


def _interval(
    correlations: np.ndarray, n_bootstrap: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Interval of the mean over the tasks, each (n_metrics, n_metrics); NaN below two tasks."""
    n_tasks, n_metrics, _ = correlations.shape
    bounds = np.full((2, n_metrics, n_metrics), np.nan)
    if n_tasks < 2:
        return bounds[0], bounds[1]
    drawn = rng.integers(n_tasks, size=(n_tasks, n_bootstrap))
    for row, column in zip(*np.tril_indices(n_metrics), strict=True):
        cell = correlations[:, row, column]
        if np.count_nonzero(~np.isnan(cell)) < 2:
            continue
        means, n_defined = _mean_over_tasks(cell[drawn])
        if np.count_nonzero(n_defined) > 1:  # a draw without a defined task has no mean
            limits = _limits_of_mean(cell[~np.isnan(cell)], means[n_defined > 0])
            bounds[:, row, column] = bounds[:, column, row] = limits
    return bounds[0], bounds[1]


def _limits_of_mean(values: np.ndarray, draws: np.ndarray) -> tuple[float, float]:
    """A t interval of the mean on Fisher's z, with the standard deviation of bootstrap draws."""
    n, mean = len(values), float(values.mean())
    below_one = 1 - np.abs(values)
    if np.ptp(values) == 0 or not (below_one > 0).any():
        return mean, mean
    # A draw of perfect correlations only counts as the closest mean below 1: z would be infinite.
    most = 1 - below_one[below_one > 0].min() / n
    centre, z = (np.arctanh(np.clip(each, -most, most)) for each in (mean, draws))
    reach = stats.t.ppf((1 + _CONFIDENCE) / 2, n - 1) * z.std(ddof=1) * np.sqrt(n / (n - 1))
    return float(np.tanh(centre - reach)), float(np.tanh(centre + reach))


def _cells(metrics: Sequence[Metric]) -> pd.DataFrame:
    pairs = [(row, column) for row in metrics for column in metrics]
    return pd.DataFrame(
        {
            "row": [row.key for row, _ in pairs],
            "column": [column.key for _, column in pairs],
            "row_pi0": [row.pi0_at() for row, _ in pairs],
            "column_pi0": [column.pi0_at() for _, column in pairs],
        }
    )


# -------------------------------------------------------------------------------- corrections


def _corrections_of_panel(
    scores: pd.DataFrame,
    tasks: pd.DataFrame,
    panel: str,
    metrics: Sequence[Metric],
    permitted: Collection[str],
) -> list[pd.DataFrame]:
    if not (tasks[panel].astype(bool) & (tasks["outcome"] == "used")).any():
        return []
    published, right = CONVENTIONS["as_published"], CONVENTIONS["corrected"]
    names = [name for name in CORRECTIONS if name in permitted]
    as_published = _mean_spearman(scores, tasks, panel, metrics, published)
    parts = []
    for correction, applied in {**{name: [name] for name in names}, "all": names}.items():
        conventions = replace(published, **{name: getattr(right, name) for name in applied})
        corrected = _mean_spearman(scores, tasks, panel, metrics, conventions)
        parts.append(_change(panel, correction, metrics, as_published, corrected))
    return parts


def _mean_spearman(
    scores: pd.DataFrame,
    tasks: pd.DataFrame,
    panel: str,
    metrics: Sequence[Metric],
    conventions: Conventions,
) -> np.ndarray:
    data = scores_of_panel(scores, tasks, metrics, conventions, panel)
    return _mean_over_tasks(_correlations(data, len(metrics), conventions))[0].ravel()


def _change(
    panel: str,
    correction: str,
    metrics: Sequence[Metric],
    as_published: np.ndarray,
    corrected: np.ndarray,
) -> pd.DataFrame:
    part = _cells(metrics).assign(
        as_published=as_published, corrected=corrected, change=corrected - as_published
    )
    part.insert(0, "panel", panel)
    part.insert(1, "correction", correction)
    return part


def _repetitions_of_panel(
    scores: pd.DataFrame,
    tasks: pd.DataFrame,
    panel: str,
    metrics: Sequence[Metric],
    status: pd.DataFrame | None,
) -> list[pd.DataFrame]:
    """Return what changes if tasks of the same dataset, or runs of the same model, are left out."""
    used = tasks[tasks[panel].astype(bool) & (tasks["outcome"] == "used")]
    if used.empty:
        return []
    without = {}
    if "dataset" in used and used["dataset"].notna().all():
        repeated = used.loc[used.sort_values("task").duplicated("dataset"), "task"]
        without["repeated_datasets"] = (scores, tasks[~tasks["task"].isin(repeated)])
    if status is not None:
        models = status.dropna(subset="model").sort_values(["task", "run"])
        repeated = models[models.duplicated(["task", "model"])].set_index(["task", "run"]).index
        is_repeated = scores.set_index(["task", "run"]).index.isin(repeated)
        without["repeated_models"] = (scores[~is_repeated], tasks)
    published = panel, metrics, CONVENTIONS["as_published"]
    as_published = _mean_spearman(scores, tasks, *published)
    return [
        _change(panel, name, metrics, as_published, _mean_spearman(*kept, *published))
        for name, kept in without.items()
    ]
