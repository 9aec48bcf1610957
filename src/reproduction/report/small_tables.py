"""Summaries of the result tables, formatted for the report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

from reproduction.openml.reasons import REASONS
from reproduction.figures.labels import COMPUTATIONS
from reproduction.report.corrections import CORRECTIONS, PANELS
from reproduction.report.labels import Labels
from reproduction.report.results import Results
from reproduction.report.rounding import fixed, is_number, readable

__all__ = ["ReadableTable", "readable_tables"]

_SWEEPS = {"pi_sweep_agreement": "Figure 4", "kl_sweep_agreement": "Figure 5"}
_JUDGED = ("agrees", "differs")
_COMPUTATIONS = {name: f"from {what}" for name, what in COMPUTATIONS.items()}


@dataclass(frozen=True)
class ReadableTable:
    """A formatted table with a title and a note.

    Attributes
    ----------
    name : str
        Anchor on the page.
    title, note : str
    columns : list of str
    rows : list of list of str
        The first cell of a row is its heading.
    sources : tuple of str
        Names of the CSV files from which the table is computed.
    """

    name: str
    title: str
    note: str
    columns: list[str]
    rows: list[list[str]]
    sources: tuple[str, ...]

    @property
    def files(self) -> list[str]:
        return [f"tables/{name}.csv" for name in self.sources]

    @property
    def are_numbers(self) -> list[bool]:
        """Whether each column contains only numbers, which are right-aligned."""
        return [
            all(is_number(row[index]) for row in self.rows if row[index] != "–")
            for index in range(len(self.columns))
        ]


def readable_tables(results: Results, labels: Labels) -> list[ReadableTable]:
    """Return the tables whose CSV files are among the results."""
    return [
        build(results, present, labels)
        for sources, build in _BUILDERS
        if (present := tuple(name for name in sources if name in results))
    ]


def _sweep_agreement(results: Results, present: tuple[str, ...], labels: Labels) -> ReadableTable:
    columns = ["metric", "z", "verdict"]
    table = pd.concat(results.table(name, columns).assign(sweep=_SWEEPS[name]) for name in present)
    verdicts = [*_JUDGED, *sorted(set(table["verdict"]) - set(_JUDGED))]
    rows = []
    for (sweep, metric), group in table.groupby(["sweep", "metric"], sort=False):
        counts = group["verdict"].value_counts()
        judged = group.loc[group["verdict"].isin(_JUDGED), "z"].astype(float).abs()
        largest = "–" if judged.empty else f"{judged.max():.2f}"
        rows.append(
            [sweep, labels[metric], *(str(counts.get(each, 0)) for each in verdicts), largest]
        )
    return ReadableTable(
        "sweep-agreement",
        "Do the sweeps agree with the population values?",
        "Number of points of the two sweeps by verdict. The mean over the runs is compared with "
        "the infinite-sample limit. Points with few runs or with a run of few positives are not "
        "judged. The last column is the largest absolute difference among the "
        "points with a verdict, in standard errors.",
        ["sweep", "metric", *verdicts, "largest |z|"],
        rows,
        present,
    )


def _monitoring_trends(results: Results, present: tuple[str, ...], labels: Labels) -> ReadableTable:
    columns = ["scenario", "metric", "pi0", "slope", "verdict"]
    table = results.table("monitoring_trends", columns)
    scenarios = list(dict.fromkeys(table["scenario"]))
    rows = []
    for (metric, pi0), group in table.groupby(["metric", "pi0"], sort=False):
        trends = group.set_index("scenario")
        cells = [
            f"{trends['verdict'][each]} ({_in_thousandths(trends['slope'][each])})"
            if each in trends.index
            else "–"
            for each in scenarios
        ]
        rows.append([labels.at(metric, pi0), *cells])
    return ReadableTable(
        "monitoring-trends",
        "Which metrics fall while the stream drifts?",
        "Verdict on the trend of each metric, and its slope in thousandths per week, for the "
        "streams of arXiv Figure 11. π₀ is the mean fraud ratio of the training weeks.",
        ["metric", *scenarios],
        rows,
        present,
    )


def _in_thousandths(text: str) -> str:
    return f"{1000 * float(text):+.2f}".replace("-", "−")


def _tasks_of_matrices(results: Results, present: tuple[str, ...], labels: Labels) -> ReadableTable:
    rows = []
    for panel, title in PANELS.items():
        name = f"rank_correlation_{panel}"
        if name in present:
            n_tasks = results.table(name, ["n_tasks", "n_tasks_of_panel"]).astype(int)
            of_panel = n_tasks["n_tasks_of_panel"].max()
            cells = n_tasks["n_tasks"]
            rows.append([title, str(of_panel), str(cells.min()), str(cells.max())])
    return ReadableTable(
        "tasks-of-matrices",
        "How many tasks does a rank correlation average over?",
        "Each cell of a matrix is a mean over tasks, without unusable tasks and tasks whose "
        "correlation is undefined.",
        ["matrix", "tasks", "fewest tasks per cell", "most tasks per cell"],
        rows,
        present,
    )


def _corrections(results: Results, present: tuple[str, ...], labels: Labels) -> ReadableTable:
    columns = ["panel", "correction", "largest", "mean", "row", "column"]
    table = results.table("rank_correlation_corrections_summary", columns)
    rows = [
        [
            PANELS.get(row.panel, row.panel),
            CORRECTIONS.get(row.correction, row.correction),
            fixed(row.largest, 3),
            fixed(row.mean, 3),
            f"{labels[row.row]} with {labels[row.column]}"
            if float(row.largest or 0)
            else "no change",
        ]
        for row in table.itertuples(index=False)
    ]
    return ReadableTable(
        "corrections",
        "What does each correction change?",
        "Absolute change of the cells of a matrix if one convention of the authors' code is "
        "corrected, or all of them, and if repeated datasets or models are left out.",
        ["matrix", "correction", "largest change", "mean change", "cell with the largest change"],
        rows,
        present,
    )


def _label_free_rates(results: Results, present: tuple[str, ...], labels: Labels) -> ReadableTable:
    keys = ["distribution", "computation"]
    table = results.table("label_free_rates", [*keys, "metric", "slope"])
    metrics = list(dict.fromkeys(table["metric"]))
    rows = []
    for (distribution, computation), group in table.groupby(keys, sort=False):
        slopes = dict(zip(group["metric"], group["slope"], strict=True))
        values = (fixed(slopes.get(metric, ""), 3) for metric in metrics)
        rows.append([distribution, _COMPUTATIONS.get(computation, computation), *values])
    return ReadableTable(
        "label-free-rates",
        "How fast do metrics of a calibrated classifier converge?",
        "Slope of the log error against the log sample size. A mean converges with slope −0.5.",
        ["distribution", "computation", *(labels[metric] for metric in metrics)],
        rows,
        present,
    )


def _davis_goadrich(results: Results, present: tuple[str, ...], labels: Labels) -> ReadableTable:
    columns = {
        "tp": "TP",
        "fp": "FP",
        "recall": "recall",
        "precision": "precision",
        "published_precision": "as published",
        "precision@pi0=0.5": "at π₀ = 0.5",
        "precision@pi0=0.05": "at π₀ = 0.05",
    }
    table = results.table("dg_table1", columns)
    rows = [
        [readable(f"{float(tp):g}"), readable(f"{float(fp):g}"), *(fixed(each, 3) for each in rest)]
        for tp, fp, *rest in table.itertuples(index=False)
    ]
    return ReadableTable(
        "dg-table1",
        "Davis and Goadrich, Table 1",
        "Interpolation between two points of a PR curve, for 20 positives and 2000 negatives.",
        list(columns.values()),
        rows,
        present,
    )


def _openml_status(results: Results, present: tuple[str, ...], labels: Labels) -> ReadableTable:
    table = results.table("openml_status", ["run", "outcome", "reason", "auc_check"])
    table["what"] = table["run"].map(lambda run: "run" if run else "task")
    counts = table.groupby(["what", "outcome", "reason", "auc_check"]).size()
    counts = counts.sort_index(ascending=[False, True, True, True])  # tasks before runs
    rows = [
        # A table of another version of the project may have other reasons.
        [
            what,
            outcome,
            REASONS.get(reason, "no description") if reason else "",
            reason,
            auc_check,
            str(count),
        ]
        for (what, outcome, reason, auc_check), count in counts.items()
    ]
    return ReadableTable(
        "openml-status",
        "Which tasks and runs of OpenML could be used?",
        "Number of tasks, and of runs of the fetched tasks, by outcome and reason. The AUC of a "
        "used run is checked against the AUC that the server states for each fold; it is not "
        "checked if the server states none.",
        ["what", "outcome", "reason", "name of the reason", "AUC", "number"],
        rows,
        present,
    )


_Builder = Callable[[Results, tuple[str, ...], Labels], ReadableTable]
_BUILDERS: tuple[tuple[tuple[str, ...], _Builder], ...] = (
    (tuple(_SWEEPS), _sweep_agreement),
    (("monitoring_trends",), _monitoring_trends),
    (tuple(f"rank_correlation_{panel}" for panel in PANELS), _tasks_of_matrices),
    (("rank_correlation_corrections_summary",), _corrections),
    (("openml_status",), _openml_status),
    (("label_free_rates",), _label_free_rates),
    (("dg_table1",), _davis_goadrich),
)
