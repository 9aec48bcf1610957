"""Select the tasks and runs of an OpenML server, and store the selection in a file.

The order of the server's lists is not fixed, and an item may occur twice. The selection is
therefore sorted, and stored with its date.
"""

from __future__ import annotations

import json
import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from reproduction.openml import again
from reproduction.openml.lists import PROCEDURES, Lists, RunLists
from reproduction.openml.server import Server

# Rough sizes, for a message.
_BYTES_PER_PREDICTION, _BYTES_PER_ROW, _BYTES_PER_DESCRIPTION = 60, 200, 20_000
_NUMBERS = ("task_id", "dataset_id", "n_minority", "n_majority", "n_instances")


@dataclass(frozen=True)
class SelectedTask:
    """A task and the runs from which its models are drawn."""

    task_id: int
    dataset_id: int
    name: str  # of the dataset
    target: str  # column of the dataset that is predicted
    n_minority: int  # of the dataset's default target, as reported by the server
    n_majority: int
    n_instances: int  # rows of the dataset, including those without a label
    runs: tuple[int, ...]  # in ascending order

    def as_dict(self) -> dict[str, Any]:
        return asdict(self) | {"runs": list(self.runs)}

    @classmethod
    def of_dict(cls, entry: dict[str, Any]) -> SelectedTask:
        numbers = {name: operator.index(entry[name]) for name in _NUMBERS}
        return cls(**entry | numbers | {"runs": tuple(map(operator.index, entry["runs"]))})


@dataclass(frozen=True)
class Selection:
    """A stored selection of tasks."""

    server: str
    date: str  # day (UTC) on which the server listed its tasks
    tasks: tuple[SelectedTask, ...]  # in order of task_id
    refused: tuple[dict, ...]  # candidates that are not used: task_id, name, reason, detail
    datasets: tuple[dict, ...]  # dataset_id, name, n_minority, n_majority, n_instances
    unsure: tuple[int, ...] = ()  # refused tasks whose lists of runs the server did not confirm

    def task(self, task_id: int | str) -> SelectedTask:
        return next(task for task in self.tasks if task.task_id == int(task_id))

    @classmethod
    def read(cls, path: str | Path) -> Selection:
        """Read a frozen selection."""
        try:
            content = json.loads(Path(path).read_text(encoding="utf-8"))
            tasks = sorted(map(SelectedTask.of_dict, content["tasks"]), key=lambda t: t.task_id)
            return cls(
                server=content["server"],
                date=content["date"],
                tasks=tuple(tasks),
                refused=tuple(content["refused"]),
                datasets=tuple(content["datasets"]),
                unsure=tuple(content.get("unsure", ())),
            )
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            raise ValueError(f"{path}: not a frozen selection: {error!r:.300}") from error


def run(
    *,
    selection: str | None,
    max_tasks: int | None,
    runs_listed: int,
    excluded_runs: Sequence[int],
    skip_tasks: Sequence[int],
    server: Mapping[str, Any],
    resources: str,
    n_models: int,
    seed: int,
    refused: str,
    attempt: int,
) -> tuple[dict[str, Any], pd.DataFrame]:
    """Select tasks and runs, or take those of the file `selection`."""
    out = {"excluded_runs": frozenset(excluded_runs), "skip_tasks": frozenset(skip_tasks)}
    if selection is None:
        chosen = select(
            Server(resources=resources, **server),
            n_models=n_models,
            runs_listed=runs_listed,
            max_tasks=max_tasks,
            seed=seed,
            refused_before=again.refused(refused),
            **out,
        )
        again.record(refused, attempt, {str(task_id) for task_id in chosen.unsure})
    else:
        chosen = frozen(selection, url=server["url"], **out)
    datasets = pd.DataFrame(chosen.datasets)
    n_rows = datasets["n_minority"] + datasets["n_majority"]
    priors = datasets["n_minority"] / n_rows
    return asdict(chosen), pd.DataFrame({"name": datasets["name"], "prior": priors})


def status(path: str, tasks: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Join the rows on the refused tasks of a selection and the tables on fetched tasks."""
    rows = [
        (str(entry["task_id"]), "", "excluded", entry["reason"], entry["detail"])
        for entry in Selection.read(path).refused
    ]
    refused = pd.DataFrame(rows, columns=["task", "run", "outcome", "reason", "detail"])
    return pd.concat([refused, *tasks])


def frozen(
    path: str | Path, *, url: str, excluded_runs: frozenset[int], skip_tasks: frozenset[int]
) -> Selection:
    """Return the selection of a file, without some runs and tasks."""
    selection = Selection.read(path)
    if selection.server != url.rstrip("/"):
        raise ValueError(
            f"{path} is a selection from {selection.server}, but ranking.openml.server is {url}"
        )
    names = {entry["task_id"]: entry["name"] for entry in selection.refused}
    names |= {task.task_id: task.name for task in selection.tasks}
    _check_skipped(skip_tasks, names, f"not in {path}")
    tasks = [task for task in selection.tasks if task.task_id not in skip_tasks]
    skipped = skip_tasks - {entry["task_id"] for entry in selection.refused}
    return replace(
        selection,
        tasks=tuple(
            replace(task, runs=tuple(run for run in task.runs if run not in excluded_runs))
            for task in tasks
        ),
        refused=_sorted([*selection.refused, *_skipped(skipped, names)]),
    )


def select(
    server: Server,
    *,
    n_models: int,
    runs_listed: int,
    max_tasks: int | None,
    excluded_runs: frozenset[int] = frozenset(),
    skip_tasks: frozenset[int] = frozenset(),
    seed: int,
    refused_before: frozenset[str] = frozenset(),
) -> Selection:
    """Select the binary tasks with 10-fold cross-validation and at least `n_models` runs."""
    lists = Lists(server)
    datasets = lists.binary_datasets()
    candidates = {each["task_id"]: each for each in lists.candidates(datasets)}
    names = {task_id: candidate["name"] for task_id, candidate in candidates.items()}
    _check_skipped(skip_tasks, names, "not among the candidates of the server")
    in_order = [each for each in _in_order([*names], max_tasks, seed) if each not in skip_tasks]
    _announce(server, f"{len(in_order)} candidate tasks, whose runs are listed", len(in_order))
    listed = RunLists(server, n_models, runs_listed, excluded_runs, refused_before)
    tasks = tuple(
        SelectedTask(**candidates[task_id], runs=tuple(sorted(listed.runs[task_id])))
        for task_id in sorted(listed.first(in_order, max_tasks))
    )
    _announce_files(server, tasks, n_models)
    short = [
        _refused(
            task_id, names, "too_few_runs_listed", f"{len(listed.runs[task_id])} of {n_models} runs"
        )
        for task_id in listed.short()
    ]
    return Selection(
        server=server.url,
        date=server.day_of(PROCEDURES),
        tasks=tasks,
        refused=_sorted([*short, *_skipped(skip_tasks, names)]),
        datasets=tuple(datasets.values()),
        unsure=tuple(sorted(listed.unsure())),
    )


def _in_order(task_ids: list[int], max_tasks: int | None, seed: int) -> list[int]:
    if max_tasks is None:
        return task_ids
    order = np.random.default_rng(np.random.SeedSequence(seed)).permutation(len(task_ids))
    return [task_ids[index] for index in order]


def _check_skipped(skipped: frozenset[int], known: Iterable[int], problem: str) -> None:
    if unknown := sorted(skipped.difference(known)):
        raise ValueError(f"ranking.openml.skip_tasks: {unknown} {problem}")


def _skipped(task_ids: frozenset[int], names: Mapping[int, str]) -> list[dict]:
    return [_refused(each, names, "skipped", "ranking.openml.skip_tasks") for each in task_ids]


def _refused(task_id: int, names: Mapping[int, str], reason: str, detail: str) -> dict:
    return {"task_id": task_id, "name": names[task_id], "reason": reason, "detail": detail}


def _sorted(refused: list[dict]) -> tuple[dict, ...]:
    return tuple(sorted(refused, key=lambda entry: entry["task_id"]))


def _announce_files(server: Server, tasks: Sequence[SelectedTask], n_models: int) -> None:
    """Print what the files of the tasks cost, if none is there yet and no run is replaced."""
    n_rows = sum(task.n_instances for task in tasks)
    n_bytes = n_rows * (_BYTES_PER_PREDICTION * n_models + _BYTES_PER_ROW)
    n_bytes += _BYTES_PER_DESCRIPTION * len(tasks) * n_models
    what = f"{len(tasks)} tasks with {n_models} runs each, about {n_bytes / 1e6:,.0f} MB"
    _announce(server, what, len(tasks) * (2 + 2 * n_models))


def _announce(server: Server, what: str, n_requests: int) -> None:
    rate = server.requests_per_second
    print(
        f"OpenML: {what}: about {n_requests:,} requests, at least {n_requests / rate / 60:,.0f} "
        f"minutes at {rate:g} per second",
        flush=True,
    )
