"""Select the tasks and runs of an OpenML server, and store the selection in a file.

The order of the server's lists is not fixed, and an item may occur twice. The selection is
therefore sorted, and stored with its date.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from pydantic import ConfigDict, TypeAdapter
from pydantic.dataclasses import dataclass

from reproduction.openml import again
from reproduction.openml.lists import PROCEDURES, Lists, RunLists
from reproduction.openml.server import Server


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
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


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class Selection:
    """A stored selection of tasks."""

    server: str
    date: str  # day (UTC) on which the server listed its tasks
    tasks: tuple[SelectedTask, ...]  # in order of task_id
    refused: tuple[dict, ...]  # candidates that are not used: task_id, name, reason, detail
    datasets: tuple[dict, ...]  # dataset_id, name, n_minority, n_majority, n_instances

    def task(self, task_id: int | str) -> SelectedTask:
        return next(task for task in self.tasks if task.task_id == int(task_id))

    @classmethod
    def read(cls, path: str | Path) -> Selection:
        """Read a frozen selection."""
        try:
            return TypeAdapter(cls).validate_json(Path(path).read_bytes())
        except ValueError as error:
            raise ValueError(f"{path}: not a frozen selection: {error!r:.300}") from error


def run(
    *,
    selection: str | None,
    excluded_runs: Sequence[int],
    skip_tasks: Sequence[int],
    server: Mapping[str, Any],
    resources: str,
    refused: str,
    attempt: int,
    **drawn: Any,
) -> tuple[dict[str, Any], pd.DataFrame]:
    """Select tasks and runs, or take those of the file `selection`.

    `server` has the arguments of `Server`, `drawn` those of `select`; `refused` is the file of
    `again`, and `attempt` its number.
    """
    out = {"excluded_runs": frozenset(excluded_runs), "skip_tasks": frozenset(skip_tasks)}
    if selection is None:
        of_server = Server(resources=resources, **server)
        chosen = select(of_server, refused_before=again.refused(refused), **out, **drawn)
        unsure = [each for each in chosen.refused if each["reason"] == "refused"]
        again.record(refused, attempt, {str(each["task_id"]) for each in unsure})
    else:
        chosen = frozen(selection, url=server["url"], **out)
    datasets = pd.DataFrame(chosen.datasets)
    n_rows = datasets["n_minority"] + datasets["n_majority"]
    priors = datasets["n_minority"] / n_rows
    return asdict(chosen), pd.DataFrame({"name": datasets["name"], "prior": priors})


def status(path: str, tasks: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Join the rows on the refused tasks of a selection and the tables on fetched tasks."""
    refused = [
        {
            "task": str(entry["task_id"]),
            "run": "",
            "outcome": "refused" if entry["reason"] == "refused" else "excluded",
            "reason": entry["reason"],
            "detail": entry["detail"],
        }
        for entry in Selection.read(path).refused
    ]
    return pd.concat([pd.DataFrame(refused), *tasks])


def frozen(
    path: str | Path, *, url: str, excluded_runs: frozenset[int], skip_tasks: frozenset[int]
) -> Selection:
    """Return the selection of a file, without some runs and tasks."""
    selection = Selection.read(path)
    if selection.server != url.rstrip("/"):
        raise ValueError(
            f"{path} is a selection from {selection.server}, but ranking.openml.server is {url}"
        )
    names = {task.task_id: task.name for task in selection.tasks}
    tasks = tuple(
        replace(task, runs=tuple(run for run in task.runs if run not in excluded_runs))
        for task in selection.tasks
        if task.task_id not in skip_tasks
    )
    refused = [*selection.refused, *_skipped(skip_tasks, names)]
    return replace(selection, tasks=tasks, refused=_sorted(refused))


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
    candidates = lists.candidates(datasets)
    names = {task_id: candidate["name"] for task_id, candidate in candidates.items()}
    in_order = [each for each in _in_order([*names], max_tasks, seed) if each not in skip_tasks]
    _announce(server, f"{len(in_order)} candidate tasks, whose runs are listed", len(in_order))
    listed = RunLists(server, n_models, runs_listed, excluded_runs, refused_before)
    tasks = tuple(
        SelectedTask(**candidates[task_id], runs=tuple(sorted(listed.runs[task_id])))
        for task_id in sorted(listed.first(in_order, max_tasks))
    )
    _announce(server, _size_of(tasks, n_models), len(tasks) * (2 + 2 * n_models))
    short = [
        _refused(
            task_id,
            names,
            "refused" if task_id in listed.unsure() else "too_few_runs_listed",
            f"{len(listed.runs[task_id])} of {n_models} runs",
        )
        for task_id in listed.short()
    ]
    return Selection(
        server=server.url,
        date=server.day_of(PROCEDURES),
        tasks=tasks,
        refused=_sorted([*short, *_skipped(skip_tasks, names)]),
        datasets=tuple(datasets.values()),
    )


def _in_order(task_ids: list[int], max_tasks: int | None, seed: int) -> list[int]:
    if max_tasks is None:
        return task_ids
    order = np.random.default_rng(np.random.SeedSequence(seed)).permutation(len(task_ids))
    return [task_ids[index] for index in order]


def _skipped(task_ids: frozenset[int], names: Mapping[int, str]) -> list[dict]:
    return [
        _refused(task_id, names, "skipped", "ranking.openml.skip_tasks")
        for task_id in task_ids.intersection(names)
    ]


def _refused(task_id: int, names: Mapping[int, str], reason: str, detail: str) -> dict:
    return {"task_id": task_id, "name": names[task_id], "reason": reason, "detail": detail}


def _sorted(refused: list[dict]) -> tuple[dict, ...]:
    return tuple(sorted(refused, key=lambda entry: entry["task_id"]))


def _announce(server: Server, what: str, n_requests: int) -> None:
    rate = server.requests_per_second
    print(
        f"OpenML: {what}: about {n_requests:,} requests, at least {n_requests / rate / 60:,.0f} "
        f"minutes at {rate:g} per second",
        flush=True,
    )


def _size_of(tasks: Sequence[SelectedTask], n_models: int) -> str:
    """Return the size of the files of tasks, if no run is replaced, from rough sizes."""
    n_bytes = sum(task.n_instances * (60 * n_models + 200) for task in tasks)
    n_bytes += len(tasks) * n_models * 20_000  # descriptions of runs
    return f"{len(tasks)} tasks with {n_models} runs each, about {n_bytes / 1e6:,.0f} MB"
