"""A synthetic OpenML: datasets, tasks and runs, and the files that programs wrote for them.

All is computed when asked for, so that a large world costs nothing before its files are read.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

import arff
import numpy as np
import pandas as pd
from scipy.stats import rankdata

# --- Programs that write predictions


@dataclass(frozen=True)
class Family:
    """How a program writes predictions; `confidences` stands for one column per label."""

    columns: tuple[str, ...]
    decimals: int | None = None
    swapped: bool = False  # the columns of the truth and of the prediction


_INDICES = ("repeat", "fold", "row_id")
_OLDER = (*_INDICES, "confidences", "prediction", "correct")
_NEWER = ("repeat", "fold", "sample", "row_id", "prediction", "correct", "confidences")
FAMILIES = {
    "weka": Family(_OLDER, decimals=6),
    "python_old": Family(_OLDER),
    "python_swapped": Family(_OLDER, swapped=True),
    "python_new": Family(_NEWER),
    "mlr": Family((*_INDICES, "prediction", "truth", "confidences"), decimals=15),
    "shark": Family(("repeat", "fold", "rowid", "prediction", "confidences"), decimals=6),
}


def written(rows: pd.DataFrame, labels: tuple[str, ...], family: str = "weka") -> bytes:
    """A predictions file.

    `rows` has repeat, fold and row_id; truth and predicted, indices of labels, -1 for an unknown
    one; and a column of confidences per label, named by its index.
    """
    names, types, columns = zip(*_columns(rows, labels, FAMILIES[family]), strict=True)
    return as_arff([*zip(names, types, strict=True)], [*zip(*columns, strict=True)])


def as_arff(attributes: list[tuple], rows: list[tuple]) -> bytes:
    content = {"relation": "x", "attributes": attributes, "data": rows}
    return arff.dumps(content).encode()


def _columns(
    rows: pd.DataFrame, labels: tuple[str, ...], program: Family
) -> Iterator[tuple[str, str | list[str], list]]:
    """Name, type and values of each column; None for an unknown value."""
    places = {"prediction": "predicted", "correct": "truth", "truth": "truth"}
    if program.swapped:
        places = {"prediction": "truth", "correct": "predicted"}
    for name in program.columns:
        if name in places:
            texts = [[*labels, None][place] for place in rows[places[name]].tolist()]
            yield name, [*labels], texts
        elif name != "confidences":
            values = 0 * rows["fold"] if name == "sample" else rows[name.replace("wid", "w_id")]
            yield name, "NUMERIC", values.tolist()
        else:
            for place in set(rows.columns) & {*range(len(labels))}:
                yield f"confidence.{labels[place]}", "NUMERIC", rows[place].tolist()


def cut_at_line_end(body: bytes) -> bytes:
    return body[: body.rindex(b"\n", 0, len(body) // 2) + 1]


def cut_in_row(body: bytes) -> bytes:
    """The last row ends in its second value."""
    return body[: len(cut_at_line_end(body)) + 3]


# --- Datasets, tasks and runs

# By id: task type, name, repeats, folds.
PROCEDURES = {
    1: (1, "10-fold Crossvalidation", 1, 10),
    2: (1, "5 times 2-fold Crossvalidation", 5, 2),
    3: (1, "10 times 10-fold Crossvalidation", 10, 10),
    7: (2, "10-fold Crossvalidation", 1, 10),
}


@dataclass(frozen=True)
class Dataset:
    did: int
    name: str
    labels: tuple[str, ...] = ("neg", "pos")
    class_sizes: tuple[int, ...] = (60, 40)
    n_unlabelled: int = 0  # rows without a label; no task tests on them
    target: str = "class"
    status: str = "active"
    misreported: tuple[tuple[str, float], ...] = ()  # qualities that the server states wrongly

    @property
    def n_rows(self) -> int:
        return sum(self.class_sizes) + self.n_unlabelled

    @cached_property
    def y(self) -> np.ndarray:
        """The index of each row's label, -1 without one."""
        sizes = (*self.class_sizes, self.n_unlabelled)
        ordered = np.repeat([*range(len(self.class_sizes)), -1], sizes)
        return _random(1, self.did).permutation(ordered)

    @cached_property
    def arff(self) -> bytes:
        texts = [*self.labels, None]
        rows = [(row / 8, texts[label]) for row, label in enumerate(self.y)]
        return as_arff([("V1", "NUMERIC"), (self.target, [*self.labels])], rows)

    def qualities(self) -> dict[str, float]:
        true = {"MajorityClassSize": max(self.class_sizes), "NumberOfInstances": self.n_rows}
        true |= {"MinorityClassSize": min(self.class_sizes), "NumberOfClasses": len(self.labels)}
        return {name: float(value) for name, value in (true | dict(self.misreported)).items()}


@dataclass(frozen=True)
class Task:
    task_id: int
    did: int
    procedure: int = 1


@dataclass(frozen=True)
class Run:
    run_id: int
    task_id: int
    setup_id: int = 1
    flow_id: int = 1
    family: str = "weka"
    strength: float = 1.5
    bias: float = 0.0  # for the last label
    auc_error: float = 0.0  # added to each AUC that the server states


def _random(*key: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(0, spawn_key=key))


@lru_cache(maxsize=32)
def folds_of(dataset: Dataset, task: Task) -> pd.DataFrame:
    """Repeat, fold and row_id of each labelled row and repeat. Folds are stratified."""
    *_, n_repeats, n_folds = PROCEDURES[task.procedure]
    parts = []
    for repeat in range(n_repeats):
        rows = _random(2, task.task_id, repeat).permutation(np.flatnonzero(dataset.y >= 0))
        rows = rows[np.argsort(dataset.y[rows], kind="stable")]
        fold = np.arange(len(rows)) % n_folds
        parts.append(pd.DataFrame({"repeat": repeat, "fold": fold, "row_id": rows}))
    return pd.concat(parts).sort_values(["repeat", "fold", "row_id"], ignore_index=True)


@lru_cache(maxsize=64)
def predict(dataset: Dataset, task: Task, run: Run) -> pd.DataFrame:
    """What the run's file says, after the rounding of its program."""
    rows = folds_of(dataset, task)
    truth = dataset.y[rows["row_id"]]
    n_labels = len(dataset.labels)
    random = _random(3, run.task_id, run.run_id)
    logits = random.normal(size=(len(rows), n_labels)) + run.strength * np.eye(n_labels)[truth]
    logits[:, -1] += run.bias
    odds = np.exp(logits)
    confidences = odds / odds.sum(axis=1, keepdims=True)
    if FAMILIES[run.family].decimals is not None:
        confidences = np.round(confidences, FAMILIES[run.family].decimals)
    rows = rows.assign(truth=truth, predicted=confidences.argmax(axis=1))
    return pd.concat([rows, pd.DataFrame(confidences)], axis=1)


def auc(positive: np.ndarray, score: np.ndarray) -> float:
    """By ranks; NaN if a side is absent."""
    n_pos, n_neg = positive.sum(), (~positive).sum()
    if not n_pos * n_neg:
        return np.nan
    return (rankdata(score)[positive].sum() - n_pos * (n_pos + 1) / 2) / (n_pos * n_neg)


_PRIORS = (0.4, 0.25, 0.008, 0.04, 0.5, 0.1, 0.35, 0.02, 0.45, 0.2, 0.3, 0.15)
_LEAST_MINORITY = 12
_LABELS = (
    *(("neg", "pos"), ("0", "1"), ("no", "yes"), ("not fraud", "fraud"), ("FALSE", "TRUE")),
    *(("'(-inf-0.5]'", "'(0.5-inf)'"), ("1", "2"), ("it's", "isn't")),
)


@dataclass
class World:
    datasets: dict[int, Dataset] = field(default_factory=dict)
    tasks: dict[int, Task] = field(default_factory=dict)
    runs: dict[int, Run] = field(default_factory=dict)
    kinds: dict[int, str] = field(default_factory=dict)  # of tasks: "full", or what they lack

    @classmethod
    def synthetic(cls, n_tasks: int, n_runs: int, n_rows: int, spare_runs: int = 0) -> "World":
        """`n_tasks` full tasks of `n_runs + spare_runs` runs each, and some to be refused.

        Datasets have `n_rows` rows, or more if the minority would not be in each fold.
        """
        world, all_runs = cls(), n_runs + spare_runs
        for i in range(n_tasks):
            if i % 5 < 4:  # the others share a dataset with the task before
                did = world._add_dataset(n_rows, _PRIORS[len(world.datasets) % len(_PRIORS)])
            world._add_task("full", did, all_runs)
        three = {"labels": ("a", "b", "c"), "class_sizes": (n_rows // 3,) * 3}
        for _ in range(1 + n_tasks // 50):
            did = world._add_dataset(n_rows)
            world._add_task("few runs", did, n_runs // 2)
            world._add_task("no runs", did, 0)
            world._add_task("other procedure", did, all_runs, procedure=2)
            world._add_task("several classes", world._add_dataset(n_rows, **three), all_runs)
            did = world._add_dataset(n_rows, **three, misreported=(("NumberOfClasses", 2.0),))
            world._add_task("misreported classes", did, all_runs)
            did = world._add_dataset(n_rows, status="deactivated")
            world._add_task("deactivated", did, all_runs)
        return world

    def _add_dataset(self, n_rows: int, prior: float = 0.4, **options) -> int:
        did = 100 + len(self.datasets)
        n_rows = max(n_rows, round(_LEAST_MINORITY / prior))
        sizes = (n_rows - round(n_rows * prior), round(n_rows * prior))
        options = {"class_sizes": sizes if did % 3 else sizes[::-1]} | options
        options = {"labels": _LABELS[did % len(_LABELS)]} | options
        self.datasets[did] = Dataset(did, f"synthetic-{did}", **options)
        return did

    def _add_task(self, kind: str, did: int, n_runs: int, procedure: int = 1) -> None:
        task_id = 1000 + len(self.tasks)
        self.tasks[task_id], self.kinds[task_id] = Task(task_id, did, procedure), kind
        random = _random(5, task_id)
        for i in range(n_runs):
            run_id = 10_000 * (i + 1) + task_id  # the tasks' runs are uploaded side by side
            self.runs[run_id] = Run(
                run_id,
                task_id,
                setup_id=200 + i,
                family=[*FAMILIES][random.integers(len(FAMILIES))],
                strength=random.uniform(0.3, 2.0),
                bias=random.normal(),
            )

    def dataset_of(self, of: Task | Run) -> Dataset:
        return self.datasets[self.tasks[of.task_id].did]

    def runs_of(self, task_id: int) -> list[Run]:
        return [run for run in self.runs.values() if run.task_id == task_id]

    def tasks_of_kind(self, *kinds: str) -> list[int]:
        return sorted(task_id for task_id, kind in self.kinds.items() if kind in kinds)

    def change(self, what: str, number: int, **changes) -> None:
        """Change a dataset, task or run."""
        items = getattr(self, what)
        items[number] = replace(items[number], **changes)

    def table(self, run_id: int) -> pd.DataFrame:
        run = self.runs[run_id]
        return predict(self.dataset_of(run), self.tasks[run.task_id], run)

    def predictions(self, run_id: int) -> bytes:
        """The run's file."""
        run = self.runs[run_id]
        return written(self.table(run_id), self.dataset_of(run).labels, run.family)

    def fold_aucs(self, run_id: int) -> dict[tuple[int, int], tuple[list[float], float]]:
        """By repeat and fold: one AUC per label, and their mean by class sizes."""
        table = self.table(run_id)
        found = {}
        for place, rows in table.groupby(["repeat", "fold"]):
            truth = rows["truth"].to_numpy()
            sizes = np.bincount(truth, minlength=len(self.dataset_of(self.runs[run_id]).labels))
            confidences = rows[[*range(len(sizes))]].to_numpy()
            values = [auc(truth == label, confidences[:, label]) for label in range(len(sizes))]
            found[place] = values, np.nansum(values * sizes) / len(rows)
        return found
