"""A made-up run, small but whole, and reports of it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.image import imsave

from reproduction.files import sha256_of
from reproduction.report import ReportFigure, write_report
from reproduction.settings import Config

COMMIT = "ab" * 20
VERSIONS = "Python 3.11.7, calibrated-metrics 0.1.0, numpy 2.4.6"

TABLES = {
    "paper_vs_ours": {
        "id": ["half", "low", "areas", "large", "closer"],
        "source": ["S", "S", "DG", "A", "ours"],
        "origin": ["papers", "papers", "papers", "the code", "ours"],
        "place": ["Figure 4", "Figure 4", "Figure 6", "stored scores", "Figure 4"],
        "statement": [
            "AUC-PR at π = 0.5",
            "AUC-PR Gain at π = 0.001",
            "right interpolation",
            "number of large values",
            "F1_c is closer to F1",
        ],
        "paper_value": [0.547, 0.4, 0.031, 283, "> 0"],
        "ours": [0.5478316899290213, 0.2705488506748285, 0.028656388054134653, "", 0.25],
        "tolerance": [0.005, 0.1, 0.0005, 1e-9, ""],
        "tolerance_from": ["read off", "read off", "printed digits", "exact", "qualitative"],
        "verdict": ["holds", "differs", "differs", "needs network data", "holds"],
        "reason": [
            "",
            "too few positives",
            "no reading <b>gives</b> it",
            "no row with fbeta(threshold=0.5)@pi0=0.5",
            "",
        ],
        "expected": [True] * 5,
        "tables": ["pi_sweep", "pi_sweep pi_sweep_agreement", "dg_table1", "", "pi_sweep"],
        "headline": [False, True, False, False, True],
    },
    "pi_sweep_agreement": {
        "prior": [0.1, 0.5, 0.1, 0.5],
        "metric": ["prg_auc", "prg_auc", "average_precision", "average_precision"],
        "z": [5.25, -0.5, 1.5, 0.25],
        "verdict": ["few positives", "agrees", "agrees", "agrees"],
    },
    "monitoring_trends": {
        "scenario": ["as simulated", "prior drift", "as simulated", "prior drift"],
        "metric": ["average_precision"] * 4,
        "pi0": [None, None, 0.0085, 0.0085],
        "slope": [-0.00094, -0.01163, -0.0013, -0.00037],
        "verdict": ["flat", "falls", "flat", "flat"],
    },
    "rank_correlation_all": {"n_tasks": [3, 2], "n_tasks_of_panel": [4, 4]},
    "rank_correlation_small_prior": {"n_tasks": [0, 0], "n_tasks_of_panel": [0, 0]},
    "rank_correlation_corrections_summary": {
        "panel": ["all", "imbalanced"],
        "correction": ["zeroed_runs", "all"],
        "largest": [0.0, 1.1753],
        "mean": [0.0, 0.2268],
        "row": ["roc_auc", "best_fbeta"],
        "column": ["roc_auc", "prg_auc"],
    },
    "ranking_tasks": {"task": list("abcd"), "outcome": ["used", "used", "used", "one_class_fold"]},
    "openml_status": {
        "task": [1, 1, 1, 2, 1],
        "run": ["", 10, 11, "", 12],
        "outcome": ["used", "used", "excluded", "excluded", "excluded"],
        "reason": ["", "", "no_rows", "one_class_fold", "of_old"],
        "auc_check": ["", "not checked", "", "", ""],
    },
    "label_free_rates": {
        "distribution": ["U(0, 1)"] * 2,
        "computation": ["labels", "scores"],
        "metric": ["f1", "f1"],
        "slope": [-0.50092, -0.49512],
    },
    "dg_table1": {
        "tp": [5.0, 7.0],
        "fp": [5.0, 15.0],
        "recall": [0.25, 0.35],
        "precision": [0.5, 0.3181818181818182],
        "published_precision": [0.5, 0.318],
        "precision@pi0=0.5": [0.99009900990099, 0.979020979020979],
        "precision@pi0=0.05": [0.8403361344537815, 0.7106598984771574],
    },
    "pi_sweep": {"prior": [0.1, 0.5], "value": [0.2, 0.5]},
}
FIGURES = (
    ("late", "arXiv Figure 7: later", "The paper", "Nothing changes."),
    ("sweep", "Figure 4: a sweep", "The paper", '{{ snakemake.config["pi_sweep"]["n_samples"] }}'),
    ("extra", "What it costs", "The paper", "The *same* <again>."),
    ("first", "Figure 1: a start", "The paper", "One & only."),
    ("other", "Table 1: of another", "The note", "A note."),
)
FRAUD = {
    "source": "simulated",
    "name": "made-up transactions",
    "simulated": True,
    "n_rows": 12345,
    "n_frauds": 100,
    "model": "logistic regression",
    "sha256": None,
}
LOGS = ("fraud_predictions.log", "pi_sweep/0-5.log", "pi_sweep/table.log", "ranking/wine.log")
# Run time in seconds and memory in MB.
BENCHMARKS = {
    "fraud_predictions": (3.3, 512.25),
    "pi_sweep_block/0-5": (10.0, 99.5),
    "pi_sweep_block/5-10": (1000.5, 1234.5),
    "local_predictions/wine": (0.1, "NA"),
}


@dataclass
class Run:
    """A results folder in the making; `report` writes and returns its report."""

    folder: Path
    config: dict[str, Any] = field(default_factory=lambda: Config().model_dump(mode="json"))
    figures: list[ReportFigure] = field(default_factory=list)
    tables: list[Path] = field(default_factory=list)

    @property
    def path(self) -> Path:
        return self.folder / "report.html"

    def write_table(self, name: str, columns: dict[str, list]) -> Path:
        path = self.folder / "tables" / f"{name}.csv"
        path.parent.mkdir(exist_ok=True)
        pd.DataFrame(columns).to_csv(path, index=False)
        os.utime(path, (1_600_000_000, 1_600_000_000))
        if path not in self.tables:
            self.tables.append(path)
        return path

    def write_figure(self, name: str, title: str, category: str, caption: str) -> None:
        """Files of a figure: "sweep" has the smaller PNG, others a smaller SVG; "late" is wide."""
        path = self.folder / "figures" / name
        path.parent.mkdir(exist_ok=True)
        path.with_suffix(".pdf").write_bytes(b"%PDF of " + name.encode())
        imsave(path.with_suffix(".png"), np.zeros((20, 30)))
        drawing = "<circle r='9'/>" * (100 if name == "sweep" else 1)
        path.with_suffix(".svg").write_text(
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{540 if name == "late" else 72}pt" '
            f'height="36pt">{drawing}</svg>'
        )
        text = self.folder.parent / "captions" / f"{name}.rst"
        text.parent.mkdir(exist_ok=True)
        text.write_text(caption, encoding="utf-8")
        sources = ["pi_sweep", "pi_sweep_agreement"] if name == "sweep" else []
        self.figures.append(ReportFigure(name, title, category, text, sources))

    def write_fraud_data(self, **changes) -> None:
        path = self.folder / "intermediate" / "fraud" / "data.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(FRAUD | changes), encoding="utf-8")

    def write_log(self, name: str, versions: str = VERSIONS, *, last: str = "INFO done") -> None:
        path = self.folder / "logs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"2026-11-20 INFO {versions}\n2026-11-20 {last}\n", encoding="utf-8")

    def write_provenance(self, commit: str | None = COMMIT) -> None:
        """Record the present tables and figures."""
        files = [*self.tables, *sorted(self.folder.glob("figures/*"))]
        outputs = {file.relative_to(self.folder).as_posix(): sha256_of(file) for file in files}
        content = {
            "project": {"name": "calibrated-metrics", "version": "0.1.0", "commit": commit},
            "configuration": {"sha256": "12" * 32},
            "environments": [{"Python": "3.11.7"}],
            "jobs": [{"outputs": outputs}],
            "unrecorded": [],
        }
        (self.folder / "provenance.json").write_text(json.dumps(content), encoding="utf-8")

    def write_benchmark(self, job: str, seconds: float, memory: float | str) -> None:
        path = self.folder / "benchmarks" / f"{job}.tsv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"s\th:m:s\tmax_rss\n{seconds}\t0:00:00\t{memory}\n", encoding="utf-8")

    def change_claim(self, name: str, **values) -> None:
        """Change cells of the row of a claim."""
        table = pd.DataFrame(TABLES["paper_vs_ours"], dtype=object).set_index("id", drop=False)
        for column, value in values.items():
            table.loc[name, column] = value
        self.write_table("paper_vs_ours", table.to_dict("list"))

    def report(self) -> str:
        write_report(self.path, config=self.config, figures=self.figures, tables=self.tables)
        return self.path.read_text(encoding="utf-8")


def _small(folder: Path) -> Run:
    folder.mkdir(parents=True)
    run = Run(folder)
    for name, columns in TABLES.items():
        run.write_table(name, columns)
    for figure in FIGURES:
        run.write_figure(*figure)
    for name in LOGS:
        run.write_log(name)
    for job, measured in BENCHMARKS.items():
        run.write_benchmark(job, *measured)
    run.write_fraud_data()
    run.write_provenance()
    return run


@pytest.fixture(scope="session")
def small_run() -> Callable[[Path], Run]:
    """Makes a run of its own in a folder."""
    return _small


@pytest.fixture
def run(tmp_path) -> Run:
    """A run to change."""
    return _small(tmp_path / "results")


@pytest.fixture(scope="session")
def finished(tmp_path_factory) -> Run:
    """A run with its report. Not to be changed."""
    run = _small(tmp_path_factory.mktemp("finished") / "results")
    run.report()
    return run
