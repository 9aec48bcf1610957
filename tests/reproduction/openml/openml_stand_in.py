"""A synthetic OpenML: datasets, tasks and runs, served over HTTP as the real server does.

Everything follows from a seed and is computed when asked for, so that a large world costs nothing
before its files are read. As a program it serves until it is killed:

    python tests/reproduction/openml/openml_stand_in.py --tasks 600 --runs 30 --rows 1000
"""

import argparse
import gc
import gzip
import hashlib
import json
import random
import re
import signal
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import cycle
from typing import Literal, NamedTuple
from xml.sax.saxutils import escape

import http_stand_in
import numpy as np
from http_stand_in import Answer, StandIn, answer

API = "/api/v1/xml"
STATS = "/__stats__"
NAMESPACE = 'xmlns:oml="http://openml.org/openml"'
TEXT = "text/plain"
XML = "text/xml; charset=utf-8"

HTML_PAGE = b"<!DOCTYPE html>\n<html><head><title>OpenML</title><br></head><body>Sorry</body>\n"
DATABASE_DOWN = b"Database connection error. Usually due to high server load. Please try again."


# --- Predictions and the programs that write them


def _escaped(text: str) -> str:
    return re.sub(r"""(['"\\%])""", r"\\\1", text)


def _single_quoted(text: str) -> str:
    return f"'{_escaped(text)}'"


def _double_quoted(text: str) -> str:
    return f'"{_escaped(text)}"'


def _quoted_if_needed(text: str) -> str:
    return _single_quoted(text) if re.search(r"""[\s'"\\%,{}]""", text) else text


def _quoted_by_liac(name: str) -> str:
    """The Python client's library never escapes the name of a column."""
    return f'"{name}"' if re.search("[ %{},]", name) else name


@dataclass(frozen=True)
class Dialect:
    """How a program writes predictions; `confidences` stands for one column a label."""

    columns: tuple[str, ...]
    swapped: bool = False
    """Truth and prediction stand in each other's column."""
    upper_case: bool = False
    quote_name: Callable[[str], str] = _quoted_if_needed
    quote_label: Callable[[str], str] = _quoted_if_needed
    quote_value: Callable[[str], str] = _quoted_if_needed
    separator: str = ","
    label_separator: str = ","
    decimals: int | None = None
    whole_numbers: bool = True
    """Write 1 rather than 1.0."""
    labels_reversed: bool = False
    preamble: tuple[str, ...] = ()
    epilogue: tuple[str, ...] = ()


_WEKA = Dialect(
    ("repeat", "fold", "row_id", "confidences", "prediction", "correct"),
    decimals=6,
)
_MLR = Dialect(
    ("repeat", "fold", "row_id", "prediction", "truth", "confidences"),
    quote_name=_single_quoted,
    quote_label=_single_quoted,
    quote_value=_double_quoted,
    decimals=15,
)
_PYTHON = Dialect(
    ("repeat", "fold", "row_id", "confidences", "prediction", "correct"),
    upper_case=True,
    quote_name=_quoted_by_liac,
    label_separator=", ",
    whole_numbers=False,
    preamble=("% Python_3.10.4.", "% Created by run_flow_on_task"),
    epilogue=("% ", "% ", "% "),
)
FAMILIES = {
    "weka": _WEKA,
    "python_old": _PYTHON,
    "python_swapped": replace(_PYTHON, swapped=True),
    "python_new": replace(
        _PYTHON,
        columns=("repeat", "fold", "sample", "row_id", "prediction", "correct", "confidences"),
    ),
    "mlr": _MLR,
    "shark": replace(_WEKA, columns=("repeat", "fold", "rowid", "prediction", "confidences")),
    "blank_separated": replace(_MLR, separator=" "),
}
COMMON_FAMILIES = ("weka", "python_old", "python_swapped", "python_new", "mlr", "shark")


@dataclass(frozen=True, eq=False)
class PredictionTable:
    """The rows of a predictions file; labels by their index, -1 and NaN for unknown values."""

    task_id: int
    labels: tuple[str, ...]
    repeat: np.ndarray
    fold: np.ndarray
    row_id: np.ndarray
    truth: np.ndarray
    predicted: np.ndarray
    confidences: np.ndarray | None

    def rows(self, which: np.ndarray) -> "PredictionTable":
        """The rows that an index or a mask selects, in its order."""
        names = ("repeat", "fold", "row_id", "truth", "predicted", "confidences")
        return replace(
            self,
            **{
                name: getattr(self, name)[which]
                for name in names
                if getattr(self, name) is not None
            },
        )

    def arff(self, dialect: Dialect | str) -> bytes:
        if isinstance(dialect, str):
            dialect = FAMILIES[dialect]
        header, columns = self._columns(dialect)
        keyword = str.upper if dialect.upper_case else str.lower
        lines = [
            *dialect.preamble,
            f"{keyword('@relation')} openml_task_{self.task_id}_predictions",
            "",
            *(f"{keyword('@attribute')} {name} {kind}" for name, kind in header),
            "",
            keyword("@data"),
            *map(dialect.separator.join, zip(*columns, strict=True)),
            *dialect.epilogue,
        ]
        return "\n".join([*lines, ""]).encode()

    def _columns(self, dialect: Dialect) -> tuple[list[tuple[str, str]], list[list[str]]]:
        """Names and types for the header, and the texts of every column."""
        numeric = "NUMERIC" if dialect.upper_case else "numeric"
        declared = [dialect.quote_label(label) for label in self._in_order(dialect)]
        nominal = "{" + dialect.label_separator.join(declared) + "}"
        values = [*map(dialect.quote_value, self.labels), "?"]
        truth, predicted = self.truth, self.predicted
        if dialect.swapped:
            truth, predicted = predicted, truth
        numbers = {
            "repeat": self.repeat,
            "fold": self.fold,
            "sample": np.zeros_like(self.fold),
            "row_id": self.row_id,
            "rowid": self.row_id,
        }
        labelled = {"prediction": predicted, "correct": truth, "truth": truth}
        header, columns = [], []
        for name in dialect.columns:
            if name == "confidences":
                for label, texts in self._confidence_columns(dialect):
                    header.append((dialect.quote_name(f"confidence.{label}"), numeric))
                    columns.append(texts)
            elif name in numbers:
                header.append((dialect.quote_name(name), numeric))
                columns.append(["?" if n < 0 else str(n) for n in numbers[name].tolist()])
            else:
                header.append((dialect.quote_name(name), nominal))
                columns.append([values[i] for i in labelled[name].tolist()])
        return header, columns

    def _in_order(self, dialect: Dialect) -> tuple[str, ...]:
        return self.labels[::-1] if dialect.labels_reversed else self.labels

    def _confidence_columns(self, dialect: Dialect) -> Iterator[tuple[str, list[str]]]:
        if self.confidences is None:
            return
        of_label = dict(zip(self.labels, self.confidences.T, strict=True))
        write = _shortest_number if dialect.whole_numbers else _python_number
        for label in self._in_order(dialect):
            yield label, [write(x) for x in of_label[label].tolist()]


def _python_number(x: float) -> str:
    return repr(x) if x == x else "?"


def _shortest_number(x: float) -> str:
    return _python_number(x).removesuffix(".0")


# --- Damage: what happens to files, as changes of a table or of its bytes


def with_duplicate(table: PredictionTable, row: int = 0) -> PredictionTable:
    """A row stands twice and another one is lost, so that the number of rows is right."""
    which = np.arange(len(table.fold))
    which[row - 1] = row
    return table.rows(which)


def with_foreign_split(table: PredictionTable) -> PredictionTable:
    """The same rows in folds of another task."""
    return replace(table, fold=np.random.default_rng(0).permutation(table.fold))


def without_confidences(table: PredictionTable) -> PredictionTable:
    return replace(table, confidences=None)


def cut_at_line_end(body: bytes, share: float = 0.5) -> bytes:
    return body[: body.rindex(b"\n", 0, int(len(body) * share)) + 1]


def cut_in_row(body: bytes, share: float = 0.5) -> bytes:
    """The last row ends in its second value."""
    return body[: len(cut_at_line_end(body, share)) + 3]


# --- The world


class Procedure(NamedTuple):
    id: int
    task_type_id: int
    name: str
    repeats: int
    folds: int


PROCEDURES = {
    procedure.id: procedure
    for procedure in (
        Procedure(1, 1, "10-fold Crossvalidation", 1, 10),
        Procedure(2, 1, "5 times 2-fold Crossvalidation", 5, 2),
        Procedure(3, 1, "10 times 10-fold Crossvalidation", 10, 10),
        Procedure(7, 2, "10-fold Crossvalidation", 1, 10),
    )
}


@dataclass(frozen=True)
class Dataset:
    did: int
    name: str
    labels: tuple[str, ...] = ("neg", "pos")
    class_sizes: tuple[int, ...] = (60, 40)
    n_unlabelled: int = 0
    """Rows without a label; no task tests on them."""
    target: str = "class"
    n_features: int = 3
    status: str = "active"
    has_qualities: bool = True
    misreported: tuple[tuple[str, float], ...] = ()
    """Qualities that the server states wrongly."""
    seed: int = 0

    @property
    def n_rows(self) -> int:
        return sum(self.class_sizes) + self.n_unlabelled

    @cached_property
    def y(self) -> np.ndarray:
        """The index of each row's label, -1 without one."""
        sizes = (*self.class_sizes, self.n_unlabelled)
        ordered = np.repeat([*range(len(self.class_sizes)), -1], sizes)
        return self._random(0).permutation(ordered)

    @cached_property
    def hardness(self) -> np.ndarray:
        """What makes every model err on the same rows."""
        return self._random(1).normal(size=(self.n_rows, len(self.labels)))

    @cached_property
    def features(self) -> np.ndarray:
        noise = self._random(2).normal(size=(self.n_rows, self.n_features))
        return np.round(noise + self.y[:, None], 4)

    @property
    def feature_names(self) -> list[str]:
        return [f"V{i + 1}" for i in range(self.n_features)]

    def qualities(self) -> dict[str, float]:
        if not self.has_qualities:
            return {}
        true = {
            "MajorityClassSize": max(self.class_sizes),
            "MaxNominalAttDistinctValues": len(self.labels),
            "MinorityClassSize": min(self.class_sizes),
            "NumberOfClasses": len(self.labels),
            "NumberOfFeatures": self.n_features + 1,
            "NumberOfInstances": self.n_rows,
            "NumberOfInstancesWithMissingValues": self.n_unlabelled,
            "NumberOfMissingValues": self.n_unlabelled,
            "NumberOfNumericFeatures": self.n_features,
            "NumberOfSymbolicFeatures": 1,
        }
        return {name: float(value) for name, value in (true | dict(self.misreported)).items()}

    def _random(self, purpose: int) -> np.random.Generator:
        return _random(self.seed, 1, self.did, purpose)


@dataclass(frozen=True)
class Task:
    task_id: int
    did: int
    estimation_procedure: int = 1
    seed: int = 0

    @property
    def procedure(self) -> Procedure:
        return PROCEDURES[self.estimation_procedure]


@dataclass(frozen=True)
class Run:
    run_id: int
    task_id: int
    setup_id: int = 1
    flow_id: int = 1
    uploader: int = 1
    family: str = "weka"
    dialect: Dialect | None = None
    """In place of the family's usual one."""

    model: int | None = None
    """Runs of the same model predict the same; without it, a run is its own."""
    strength: float = 1.5
    bias: float = 0.0
    """For the last label."""
    skew: float = 0.0
    """Logarithm of how much noisier rows of the last label are."""
    slips: float = 0.0
    """Share of rows with the scores of the wrong label."""
    hard: bool = False
    """Confidences are 0 and 1."""
    zero_rows: int = 0
    """Rows at the start with confidences of zero."""

    has_predictions: bool = True
    has_description: bool = True
    has_evaluations: bool = True
    has_input_data: bool = True
    evaluation_error: str = ""
    """Keeps the run out of the listing, unless errors are asked for."""
    auc_error: float = 0.0
    """Added to every AUC that the server states."""
    seed: int = 0

    @property
    def description_file_id(self) -> int:
        return 1_000_000 + 2 * self.run_id

    @property
    def predictions_file_id(self) -> int:
        return self.description_file_id + 1

    @property
    def writer(self) -> Dialect:
        return self.dialect or FAMILIES[self.family]


def _random(seed: int, *key: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))


@lru_cache(maxsize=32)
def folds_of(dataset: Dataset, task: Task) -> np.ndarray:
    """The test fold of each row, one line a repeat; -1 for rows without a label.

    Stratified: a label with as many rows as there are folds is in each of them.
    """
    folds = np.full((task.procedure.repeats, dataset.n_rows), -1)
    for repeat, fold in enumerate(folds):
        random_ = _random(task.seed, 2, task.task_id, repeat)
        shuffled = random_.permutation(dataset.n_rows)
        by_label = shuffled[np.argsort(dataset.y[shuffled], kind="stable")]
        labelled = by_label[dataset.n_unlabelled :]
        fold[labelled] = np.arange(len(labelled)) % task.procedure.folds
    return folds


@lru_cache(maxsize=32)
def _tests(dataset: Dataset, task: Task) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Repeat, fold and row of every prediction that the task asks for."""
    folds = folds_of(dataset, task)
    repeat, row = np.nonzero(folds >= 0)
    fold = folds[repeat, row]
    order = np.lexsort((row, fold, repeat))
    return repeat[order], fold[order], row[order]


@lru_cache(maxsize=64)
def predict(dataset: Dataset, task: Task, run: Run) -> PredictionTable:
    """What the run's file says, after the rounding of its writer."""
    repeat, fold, row = _tests(dataset, task)
    truth = dataset.y[row]
    confidences = _softmax(_logits(dataset, run, row, truth))
    if run.writer.decimals is not None:
        confidences = np.round(confidences, run.writer.decimals)
    predicted = confidences.argmax(axis=1)
    if run.hard:
        confidences = np.eye(len(dataset.labels))[predicted]
    confidences[: run.zero_rows] = 0
    return PredictionTable(
        task.task_id, dataset.labels, repeat, fold, row, truth, predicted, confidences
    )


def _logits(dataset: Dataset, run: Run, row: np.ndarray, truth: np.ndarray) -> np.ndarray:
    model = run.run_id if run.model is None else run.model
    random_ = _random(run.seed, 3, run.task_id, model)
    last = len(dataset.labels) - 1
    noise = random_.normal(size=(len(row), len(dataset.labels)))
    noise *= np.where(truth == last, np.exp(run.skew), 1)[:, None]
    logits = run.strength * np.eye(last + 1)[truth] + noise + dataset.hardness[row] / 2
    slipped = random_.random(len(row)) < run.slips
    logits[slipped] = logits[slipped, ::-1]
    logits[:, last] += run.bias
    return logits


def _softmax(logits: np.ndarray) -> np.ndarray:
    odds = np.exp(logits - logits.max(axis=1, keepdims=True))
    return odds / odds.sum(axis=1, keepdims=True)


def aucs(group: np.ndarray, truth: np.ndarray, confidences: np.ndarray) -> np.ndarray:
    """AUC of each label against the rest in each group; NaN where a side is absent."""
    labels = range(confidences.shape[1])
    return np.column_stack([_auc_by_group(group, truth == i, confidences[:, i]) for i in labels])


def _auc_by_group(group: np.ndarray, positive: np.ndarray, score: np.ndarray) -> np.ndarray:
    order = np.lexsort((score, group))
    group, positive, score = group[order], positive[order], score[order]
    is_new = np.ones(len(score), dtype=bool)
    is_new[1:] = (score[1:] != score[:-1]) | (group[1:] != group[:-1])
    start = np.flatnonzero(is_new)
    end = np.append(start[1:], len(score))
    mean_rank = ((start + end - 1) / 2)[np.cumsum(is_new) - 1]
    size = np.bincount(group)
    mean_rank -= (np.cumsum(size) - size)[group]
    n_positive = np.bincount(group, positive)
    rank_sum = np.bincount(group, mean_rank * positive)
    with np.errstate(invalid="ignore"):
        pairs = n_positive * (size - n_positive)
        return (rank_sum - n_positive * (n_positive - 1) / 2) / np.where(pairs, pairs, np.nan)


_PRIORS = (0.4, 0.008, 0.25, 0.04, 0.5, 0.1, 0.35, 0.02, 0.45, 0.2, 0.3, 0.15)
_LEAST_MINORITY = 12
_LABELS = (
    ("neg", "pos"),
    ("0", "1"),
    ("no", "yes"),
    ("not fraud", "fraud"),
    ("FALSE", "TRUE"),
    ("'(-inf-0.5]'", "'(0.5-inf)'"),
    ("1", "2"),
    ("it's", "isn't"),
)


@dataclass
class World:
    datasets: dict[int, Dataset] = field(default_factory=dict)
    tasks: dict[int, Task] = field(default_factory=dict)
    runs: dict[int, Run] = field(default_factory=dict)
    kinds: dict[int, str] = field(default_factory=dict)
    """What each task is there for: "full" has what a comparison of runs needs, others lack it."""

    @classmethod
    def synthetic(
        cls,
        n_tasks: int,
        n_runs: int,
        n_rows: int,
        seed: int = 0,
        families: Sequence[str] = COMMON_FAMILIES,
        spare_runs: int = 0,
    ) -> "World":
        """`n_tasks` full tasks of `n_runs + spare_runs` runs each, and some to be refused.

        Datasets have `n_rows` rows, or more where the minority would be too small to be in each
        of ten folds.
        """
        return _Builder(n_tasks, n_runs, n_rows, seed, families, spare_runs).build()

    def task_of(self, run: Run) -> Task:
        return self.tasks[run.task_id]

    def dataset_of(self, of: Task | Run) -> Dataset:
        return self.datasets[self.tasks[of.task_id].did]

    def runs_of(self, task_id: int) -> list[Run]:
        return [run for run in self.runs.values() if run.task_id == task_id]

    def tasks_of_kind(self, kind: str) -> list[int]:
        return [task_id for task_id, its_kind in self.kinds.items() if its_kind == kind]

    def change_dataset(self, did: int, **changes) -> None:
        self.datasets[did] = replace(self.datasets[did], **changes)

    def change_task(self, task_id: int, **changes) -> None:
        self.tasks[task_id] = replace(self.tasks[task_id], **changes)

    def change_run(self, run_id: int, **changes) -> None:
        self.runs[run_id] = replace(self.runs[run_id], **changes)

    def folds(self, task_id: int) -> np.ndarray:
        return folds_of(self.dataset_of(self.tasks[task_id]), self.tasks[task_id])

    def table(self, run_id: int) -> PredictionTable:
        run = self.runs[run_id]
        return predict(self.dataset_of(run), self.task_of(run), run)

    def predictions(self, run_id: int) -> bytes:
        """The run's file."""
        return self.table(run_id).arff(self.runs[run_id].writer)

    def predictions_path(self, run_id: int) -> str:
        return f"/data/download/{self.runs[run_id].predictions_file_id}/predictions.arff"

    def fold_aucs(self, run_id: int) -> np.ndarray:
        """By repeat and fold, in that order: one AUC a label."""
        table = self.table(run_id)
        group = table.repeat * self.task_of(self.runs[run_id]).procedure.folds + table.fold
        return aucs(group, table.truth, _judged(table))


def _judged(table: PredictionTable) -> np.ndarray:
    """The server takes rows without any confidence for certain of their prediction."""
    certain = np.eye(len(table.labels))[table.predicted]
    return np.where(table.confidences.any(axis=1)[:, None], table.confidences, certain)


@dataclass
class _Builder:
    n_tasks: int
    n_runs: int
    n_rows: int
    seed: int
    families: Sequence[str]
    spare_runs: int

    def build(self) -> World:
        self.world = World()
        self.labels = cycle(_LABELS)
        self.drafts: list[dict] = []
        priors = cycle(_PRIORS)
        for i in range(self.n_tasks):
            shares_dataset = i % 5 == 4
            did = self.last_did if shares_dataset else self._add_dataset(next(priors))
            self._add_task("full", did, self.n_runs + self.spare_runs)
        for _ in range(1 + self.n_tasks // 50):
            self._add_refused_tasks()
        self._number_the_runs()
        return self.world

    @property
    def last_did(self) -> int:
        return max(self.world.datasets)

    def _add_refused_tasks(self) -> None:
        n_runs = self.n_runs + self.spare_runs
        three = {"labels": ("a", "b", "c"), "class_sizes": (self.n_rows // 3,) * 3}
        self._add_task("few runs", self._add_dataset(0.4), self.n_runs // 2)
        self._add_task("no runs", self.last_did, 0)
        self._add_task("other procedure", self.last_did, n_runs, procedure=2)
        self._add_task("several classes", self._add_dataset(0.4, **three), n_runs)
        misreported = (("NumberOfClasses", 2.0),)
        did = self._add_dataset(0.4, **three, misreported=misreported)
        self._add_task("misreported classes", did, n_runs)
        self._add_task("no qualities", self._add_dataset(0.4, has_qualities=False), n_runs)
        did = self._add_dataset(0.4, status="deactivated")
        self._add_task("deactivated", did, n_runs)

    def _add_dataset(self, prior: float, **options) -> int:
        did = 100 + len(self.world.datasets)
        n_rows = max(self.n_rows, round(_LEAST_MINORITY / prior))
        sizes = (n_rows - round(n_rows * prior), round(n_rows * prior))
        defaults = {
            "labels": next(self.labels),
            "class_sizes": sizes if did % 3 else sizes[::-1],
            "seed": self.seed,
        }
        self.world.datasets[did] = Dataset(did, f"synthetic-{did}", **(defaults | options))
        return did

    def _add_task(self, kind: str, did: int, n_runs: int, procedure: int = 1) -> None:
        task_id = 1000 + len(self.world.tasks)
        self.world.tasks[task_id] = Task(task_id, did, procedure, self.seed)
        self.world.kinds[task_id] = kind
        self.drafts += self._drafts(task_id, n_runs)

    def _drafts(self, task_id: int, n_runs: int) -> list[dict]:
        random_ = _random(self.seed, 4, task_id)
        drafts = [
            {
                "task_id": task_id,
                "setup_id": 200 + i,
                "flow_id": 20 + i // 5,
                "uploader": 1 + i % 4,
                "family": self.families[random_.integers(len(self.families))],
                "model": i,
                "strength": random_.uniform(0.3, 3.5),
                "bias": random_.normal(),
                "skew": random_.normal(scale=0.4),
                "slips": random_.exponential(0.02),
                "hard": bool(random_.random() < 0.05),
                "seed": self.seed,
            }
            for i in range(n_runs)
        ]
        for first, again in zip(drafts[8::10], drafts[9::10], strict=False):
            again.update(first)
        return drafts

    def _number_the_runs(self) -> None:
        """In random order, as if the tasks' runs had been uploaded side by side."""
        ids = 10_000 + _random(self.seed, 5).permutation(len(self.drafts))
        by_id = sorted(zip(ids.tolist(), range(len(ids)), strict=True))
        self.world.runs = {run_id: Run(run_id, **self.drafts[i]) for run_id, i in by_id}


# --- Bodies of answers


def _number(x: float) -> str:
    return _shortest_number(round(float(x), 6))


def _tag(name: str, content: object, attributes: str = "") -> str:
    return f"<oml:{name}{attributes}>{content}</oml:{name}>"


def _tags(**contents: object) -> str:
    return "".join(_tag(name, escape(str(content))) for name, content in contents.items())


def _document(name: str, content: str) -> bytes:
    return _tag(name, content, f" {NAMESPACE}").encode()


def _qualities_xml(dataset: Dataset) -> str:
    return "".join(
        _tag("quality", value, f' name="{name}"') for name, value in dataset.qualities().items()
    )


def _dataset_entry(dataset: Dataset) -> str:
    content = _tags(
        did=dataset.did,
        name=dataset.name,
        version=1,
        uploader=1,
        status=dataset.status,
        format="ARFF",
        file_id=dataset.did,
    )
    return _tag("dataset", content + _qualities_xml(dataset))


def _task_entry(task: Task, dataset: Dataset) -> str:
    content = _tags(
        task_id=task.task_id,
        task_type_id=1,
        task_type="Supervised Classification",
        did=dataset.did,
        name=dataset.name,
        status=dataset.status,
        format="ARFF",
    )
    inputs = {
        "estimation_procedure": task.estimation_procedure,
        "source_data": dataset.did,
        "target_feature": escape(dataset.target),
    }
    content += "".join(_tag("input", value, f' name="{name}"') for name, value in inputs.items())
    return _tag("task", content + _qualities_xml(dataset))


def _run_entry(run: Run) -> str:
    content = _tags(
        run_id=run.run_id,
        task_id=run.task_id,
        task_type_id=1,
        setup_id=run.setup_id,
        flow_id=run.flow_id,
        uploader=run.uploader,
        upload_time="2015-06-09 16:32:01",
        error_message="",
        run_details="",
    )
    return _tag("run", content)


def _procedures_xml() -> bytes:
    entries = (
        _tags(
            id=procedure.id,
            ttid=procedure.task_type_id,
            name=procedure.name,
            type="crossvalidation",
            repeats=procedure.repeats,
            folds=procedure.folds,
            stratified_sampling="true",
        )
        for procedure in PROCEDURES.values()
    )
    content = "".join(_tag("estimationprocedure", entry) for entry in entries)
    return _document("estimationprocedures", content)


def _description_xml(dataset: Dataset, url: Callable[[str], str]) -> bytes:
    content = _tags(
        id=dataset.did,
        name=dataset.name,
        version=1,
        description="Synthetic data",
        description_version=1,
        format="ARFF",
        upload_date="2015-09-01T00:00:00",
        licence="Public",
        url=url(f"/data/v1/download/{dataset.did}/{dataset.name}.arff"),
        file_id=dataset.did,
        default_target_attribute=dataset.target,
        visibility="public",
        status=dataset.status,
        md5_checksum=hashlib.md5(dataset_arff(dataset)).hexdigest(),
    )
    return _document("data_set_description", content)


def _run_xml(world: World, run: Run, url: Callable[[str], str]) -> bytes:
    dataset = world.dataset_of(run)
    content = _tags(
        run_id=run.run_id,
        uploader=run.uploader,
        uploader_name=f"Uploader {run.uploader}",
        task_id=run.task_id,
        task_type="Supervised Classification",
        flow_id=run.flow_id,
        flow_name=f"{_program(run)}.Model({run.flow_id})",
        setup_id=run.setup_id,
    )
    if run.evaluation_error:
        content += _tags(error=run.evaluation_error)
    content += _tags(setup_string=f"{_program(run)}.Model -- -C {run.setup_id} -k <&>")
    if run.has_input_data:
        data_url = url(f"/data/download/{dataset.did}/{dataset.name}.arff")
        entry = _tags(did=dataset.did, name=dataset.name, url=data_url)
        content += _tag("input_data", _tag("dataset", entry))
    output = _run_files_xml(run, url)
    if run.has_evaluations:
        output += _evaluations_xml(world, run)
    return _document("run", content + _tag("output_data", output))


def _program(run: Run) -> str:
    """Real names of flows do not tell versions apart either."""
    return run.family.partition("_")[0]


def _run_files_xml(run: Run, url: Callable[[str], str]) -> str:
    files = []
    if run.has_description:
        files.append((run.description_file_id, "description", "description.xml"))
    if run.has_predictions:
        files.append((run.predictions_file_id, "predictions", "predictions.arff"))
    entries = (
        _tags(did=-1, file_id=file_id, name=name, url=url(f"/data/download/{file_id}/{filename}"))
        for file_id, name, filename in files
    )
    return "".join(_tag("file", entry) for entry in entries)


def _evaluations_xml(world: World, run: Run) -> str:
    table = world.table(run.run_id)
    n_folds = world.task_of(run).procedure.folds
    pooled = aucs(np.zeros_like(table.fold), table.truth, _judged(table))
    weights = np.bincount(table.truth, minlength=len(table.labels))
    accuracy = _tags(
        name="predictive_accuracy", value=_number((table.truth == table.predicted).mean())
    )
    entries = [
        _auc_entry(pooled[0] + run.auc_error, weights),
        _tag("evaluation", accuracy),
    ]
    for group, values in enumerate(world.fold_aucs(run.run_id)):
        place = f' repeat="{group // n_folds}" fold="{group % n_folds}"'
        entries.append(_auc_entry(values + run.auc_error, weights, place))
    return "".join(entries)


def _auc_entry(values: np.ndarray, weights: np.ndarray, place: str = "") -> str:
    """The value over all labels is left out where no label has one."""
    defined = ~np.isnan(values)
    content = _tags(name="area_under_roc_curve")
    if defined.any():
        content += _tags(value=_number(np.average(values[defined], weights=weights[defined])))
    array = ",".join(_number(x) if x == x else "\ufffd" for x in values.tolist())
    return _tag("evaluation", content + _tag("array_data", f"[{array}]"), place)


@lru_cache(maxsize=8)
def dataset_arff(dataset: Dataset) -> bytes:
    declared = ",".join(map(_quoted_if_needed, dataset.labels))
    lines = [
        f"@relation {dataset.name}",
        "",
        *(f"@attribute {name} numeric" for name in dataset.feature_names),
        f"@attribute {_quoted_if_needed(dataset.target)} {{{declared}}}",
        "",
        "@data",
    ]
    texts = [*map(_quoted_if_needed, dataset.labels), "?"]
    for features, label in zip(dataset.features.tolist(), dataset.y.tolist(), strict=True):
        lines.append(",".join([*map(repr, features), texts[label]]))
    return "\n".join([*lines, ""]).encode()


# --- Answers


def served(
    body: bytes, content_type: str = TEXT, status: int = 200, compress: bool = True, **headers: str
) -> Answer:
    """As the real server answers: compressed if the client accepts that."""

    def send(handler: "_OpenMLHandler") -> None:
        payload, extra = body, {"Content_Type": content_type} | headers
        if compress and "gzip" in handler.headers.get("Accept-Encoding", ""):
            payload = gzip.compress(body, compresslevel=1)
            extra["Content_Encoding"] = "gzip"
        extra["Content_Length"] = str(len(payload))
        answer(status, payload, **extra)(handler)

    return send


_MESSAGES = {
    100: "Function not valid",
    107: "Database connection error. Usually due to high server load. "
    "Please wait for N seconds and try again. ",
    111: "Unknown dataset",
    112: "No access granted",
    236: "Run not found",
    372: "No results",
    482: "No results",
    511: "Input not safe",
    512: "No results",
    514: "Illegal filter specified",
    516: "Requested result limit too high. ",
}


def half_gzip(body: bytes) -> Answer:
    """Announces what it sends, yet half of the rows are missing."""
    packed = gzip.compress(body)
    return answer(200, packed[: len(packed) // 2], Content_Encoding="gzip", Content_Type=TEXT)


def api_error(code: int) -> Answer:
    return served(_document("error", _tags(code=code, message=_MESSAGES[code])), XML, status=412)


def missing_page() -> Answer:
    return served(HTML_PAGE, "text/html; charset=UTF-8", status=404)


# --- Listings

_FILTERS = {"limit", "offset", "number_classes", "type", "task", "task_type"}
_NO_RESULTS = {"data": 372, "tasks": 482, "runs": 512}
_HIGHEST_RUN_LIMIT = 10_000


class _RefusedError(Exception):
    def __init__(self, code: int):
        super().__init__(code)
        self.answer = api_error(code)


def _filters(path: str) -> dict[str, str]:
    segments = [part for part in path.split("/") if part]
    filters = dict(zip(segments[::2], segments[1::2], strict=False))
    if not filters.keys() <= _FILTERS:
        raise _RefusedError(514)
    return filters


def _is_listed(dataset: Dataset, filters: dict[str, str]) -> bool:
    n_classes = dataset.qualities().get("NumberOfClasses")
    return dataset.status == "active" and n_classes == int(filters["number_classes"])


# --- The server

Order = Literal["sorted", "shuffled", "each request", "each page"]


class OpenMLStandIn(StandIn):
    """Serves a world; what goes wrong is scripted.

    `faults` are answered first, one a request, then `fault_paths`: for a path, a queue of answers,
    or an answer that it gets for ever. `mode` is a fault of the whole server: it returns its answer
    to a path, or None where the server works. `pages` stand in for the world's answers. Paths are
    without host and query.
    """

    request_queue_size = 128

    def __init__(self, world: World, port: int = 0):
        self._port = port
        super().__init__()
        self.RequestHandlerClass = _OpenMLHandler
        self.world = world
        self.fault_paths: dict[str, deque[Answer] | Answer] = {}
        self.mode: Callable[[OpenMLStandIn, str], Answer | None] | None = None
        self.listing_order: Order = "sorted"
        """Of "shuffled" every request sees the same; "each page" shuffles only within the page."""
        self.repeat_every = 0
        """Every so many entries, a listing names one twice."""

    def server_bind(self):
        self.server_address = ("127.0.0.1", self._port)
        super().server_bind()

    @property
    def url_api(self) -> str:
        return self.url(API)

    def replace_predictions(self, run_id: int, body: bytes) -> None:
        self.pages[self.world.predictions_path(run_id)] = served(body)

    def stats(self) -> dict[str, float]:
        """Of this process, so meaningful if it does nothing but serve."""
        return {"requests": len(self.requests), "cpu_seconds": time.process_time()}

    def answer_to(self, path: str) -> Answer:
        scripted = self.fault_paths.get(path)
        if scripted:
            return scripted if callable(scripted) else scripted.popleft()
        if self.mode is not None and (faulty := self.mode(self, path)) is not None:
            return faulty
        if path in self.pages:
            page = self.pages[path]
            return served(page) if isinstance(page, bytes) else page
        try:
            return self.answer_of_the_world(path)
        except _RefusedError as refusal:
            return refusal.answer
        except Exception:
            return answer(500, traceback.format_exc().encode())

    def answer_of_the_world(self, path: str) -> Answer:
        for pattern, method in _ROUTES:
            if match := re.fullmatch(pattern, path):
                return method(self, *match.groups())
        return api_error(100) if path.startswith("/api/") else missing_page()

    def _list_datasets(self, path: str) -> Answer:
        filters = _filters(path)
        found = {
            did: _dataset_entry(dataset)
            for did, dataset in self.world.datasets.items()
            if _is_listed(dataset, filters)
        }
        return self._listing("data", filters, found)

    def _list_tasks(self, path: str) -> Answer:
        filters = _filters(path)
        found = {
            task_id: _task_entry(task, self.world.dataset_of(task))
            for task_id, task in self.world.tasks.items()
            if _is_listed(self.world.dataset_of(task), filters)
        }
        return self._listing("tasks", filters, found)

    def _list_runs(self, path: str) -> Answer:
        filters = _filters(path)
        if int(filters["limit"]) > _HIGHEST_RUN_LIMIT:
            raise _RefusedError(516)
        tasks = set(map(int, filters["task"].split(","))) if "task" in filters else self.world.tasks
        found = {
            run.run_id: _run_entry(run)
            for run in self.world.runs.values()
            if run.task_id in tasks and not run.evaluation_error
        }
        return self._listing("runs", filters, found)

    def _listing(self, root: str, filters: dict[str, str], found: dict[int, str]) -> Answer:
        ids = self._ordered(sorted(found))
        page = self._page(ids, int(filters["limit"]), int(filters["offset"]))
        if not page:
            raise _RefusedError(_NO_RESULTS[root])
        return served(_document(root, "".join(found[i] for i in page)), XML)

    def _ordered(self, ids: list[int]) -> list[int]:
        if self.listing_order == "shuffled":
            random.Random(0).shuffle(ids)
        elif self.listing_order == "each request":
            random.Random(len(self.requests)).shuffle(ids)
        if self.repeat_every:
            ids = [
                twice
                for i, id_ in enumerate(ids)
                for twice in [id_] * (1 + (i % self.repeat_every == self.repeat_every - 1))
            ]
        return ids

    def _page(self, ids: list[int], limit: int, offset: int) -> list[int]:
        page = ids[offset : offset + limit]
        if self.listing_order == "each page":
            random.Random(len(self.requests)).shuffle(page)
        return page

    def _list_procedures(self) -> Answer:
        return served(_procedures_xml(), XML)

    def _describe_dataset(self, did: str) -> Answer:
        if int(did) not in self.world.datasets:
            raise _RefusedError(111)
        return served(_description_xml(self.world.datasets[int(did)], self.url), XML)

    def _describe_run(self, run_id: str) -> Answer:
        if int(run_id) not in self.world.runs:
            raise _RefusedError(236)
        return served(_run_xml(self.world, self.world.runs[int(run_id)], self.url), XML)

    def _download(self, file_id: str) -> Answer:
        """A run's two files have neighbouring ids; the id of a dataset's file is its own."""
        if int(file_id) in self.world.datasets:
            return served(dataset_arff(self.world.datasets[int(file_id)]))
        number, is_predictions = divmod(int(file_id) - 1_000_000, 2)
        run = self.world.runs.get(number)
        if run is None:
            return missing_page()
        if is_predictions and run.has_predictions:
            return served(self.world.predictions(run.run_id))
        if not is_predictions and run.has_description:
            return served(_document("run", _tags(task_id=run.task_id, flow_id=run.flow_id)))
        return missing_page()


_ROUTES = [
    (pattern.replace("API", "/api/v1(?:/xml)?"), method)
    for pattern, method in (
        (r"API/run/(\d+)", OpenMLStandIn._describe_run),
        (r"/data/(?:v1/)?download/(\d+)(?:/.*)?", OpenMLStandIn._download),
        (r"API/run/list((?:/.*)?)", OpenMLStandIn._list_runs),
        (r"API/data/list((?:/.*)?)", OpenMLStandIn._list_datasets),
        (r"API/task/list((?:/.*)?)", OpenMLStandIn._list_tasks),
        (r"API/estimationprocedure/list", OpenMLStandIn._list_procedures),
        (r"API/data/(\d+)", OpenMLStandIn._describe_dataset),
    )
]


class _OpenMLHandler(http_stand_in._Handler):
    server: OpenMLStandIn
    # One packet an answer: without it, the client's delayed acknowledgement costs 40 ms.
    wbufsize = -1
    disable_nagle_algorithm = True

    def do_GET(self):  # noqa: N802
        if self.path == STATS:
            body = json.dumps(self.server.stats()).encode()
            answer(200, body, Content_Type="application/json")(self)
            return
        self.server.requests.append(self.path)
        self.server.headers.append(dict(self.headers))
        if self.server.faults:
            self.server.faults.popleft()(self)
            return
        self.server.answer_to(self.path)(self)


@contextmanager
def openml_stand_in(world: World) -> Iterator[OpenMLStandIn]:
    with OpenMLStandIn(world) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.stopping.set()
            server.shutdown()
            thread.join()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tasks", type=int, default=600)
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--spare-runs", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--port", type=int, default=0)
    args = parser.parse_args()
    world = World.synthetic(args.tasks, args.runs, args.rows, args.seed, spare_runs=args.spare_runs)
    gc.freeze()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with OpenMLStandIn(world, args.port) as server:
        print(server.url(""), flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
