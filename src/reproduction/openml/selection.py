"""Select the tasks and runs of an OpenML server, and store the selection in a file, sorted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from pydantic import ConfigDict, TypeAdapter
from pydantic.dataclasses import dataclass

from reproduction.openml import again
from reproduction.openml.reasons import ExcludedError, UnfinishedError

if TYPE_CHECKING:  # it imports the package `openml`, which Snakemake does not need
    from reproduction.openml.lists import Lists

_SKIP_TASKS = "ranking.openml.skip_tasks"


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
    # Candidates that are not used, and entries of lists that cannot be read: task_id, name, reason,
    # detail; of an entry also `run`, its place
    refused: tuple[dict, ...]
    datasets: tuple[dict, ...]  # dataset_id, name, n_minority, n_majority, n_instances

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
    max_tasks: int | None,
    runs_listed: int,
    skip_tasks: Sequence[int],
    server: Mapping[str, Any],
    resources: str,
    n_models: int,
    seed: int,
    refused: str,
    attempt: int,
) -> tuple[dict[str, Any], pd.DataFrame]:
    """Select tasks and runs, or take those of the file `selection`; return also all datasets.

    `refused` is the file of `again`, and `attempt` its number.
    """
    if selection is None:
        from reproduction.openml.client import Client  # it imports the package `openml`
        from reproduction.openml.lists import Lists

        client = Client(server, resources)
        lists = Lists(client, n_models, runs_listed)
        chosen = select(lists, max_tasks, frozenset(skip_tasks), seed)
        unsure = [each["task_id"] for each in chosen.refused if each["reason"] == "refused"]
        again.record(refused, attempt, [*map(str, unsure)])
    else:
        chosen = frozen(selection, server["url"], frozenset(skip_tasks))
    datasets = pd.DataFrame(chosen.datasets)
    priors = datasets["n_minority"] / (datasets["n_minority"] + datasets["n_majority"])
    return asdict(chosen), pd.DataFrame({"name": datasets["name"], "prior": priors})


def select(lists: Lists, max_tasks: int | None, skip_tasks: frozenset[int], seed: int) -> Selection:
    """Select tasks with enough runs. One whose list of runs cannot be had is named as refused."""

    def runs_of(task_id: int) -> tuple[int, ...]:
        if task_id in skip_tasks:
            raise ExcludedError("skipped", _SKIP_TASKS)
        return lists.runs(task_id)

    listed = lists.kept("candidates", lists.candidates)
    candidates = {task["task_id"]: task for task in listed["tasks"]}
    in_order = [*candidates]
    if max_tasks is not None:
        in_order = np.random.default_rng(seed).permutation(in_order).tolist()
    runs, errors = again.first_accepted(in_order, max_tasks, runs_of)
    if any(error.reason == "unconfirmed" for error in errors.values()):  # one can confirm them now
        runs, errors = again.first_accepted(in_order, max_tasks, runs_of)
    ended_early = len(runs) != max_tasks and len(runs) + len(errors) < len(in_order)
    if not runs or ended_early:
        raise UnfinishedError(
            f"{lists.client.url}: lists of runs are refused or too short, the last because "
            f"{[*errors.values()][-1]}. Run the same command again"
        )
    return Selection(
        server=lists.client.url,
        date=listed["date"],
        tasks=tuple(SelectedTask(**candidates[each], runs=runs[each]) for each in sorted(runs)),
        refused=tuple(_left_out(candidates[each], errors[each]) for each in sorted(errors))
        + tuple(entry for odd in lists.odd.values() for entry in odd),
        datasets=tuple(listed["datasets"]),
    )


def frozen(path: str | Path, url: str, skip_tasks: frozenset[int]) -> Selection:
    """Return the selection of a file, without some tasks."""
    selection = Selection.read(path)
    if selection.server != url.rstrip("/"):
        raise ValueError(
            f"{path} is a selection from {selection.server}, but ranking.openml.server is {url}"
        )
    tasks = tuple(task for task in selection.tasks if task.task_id not in skip_tasks)
    skipped = [
        _left_out(asdict(task), ExcludedError("skipped", _SKIP_TASKS))
        for task in selection.tasks
        if task.task_id in skip_tasks
    ]
    return replace(selection, tasks=tasks, refused=(*selection.refused, *skipped))


def status(path: str, tasks: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Join what a selection leaves out and the tables on fetched tasks; print what is refused."""
    selection = Selection.read(path)
    left_out = [
        {
            "task": str(each["task_id"]),
            "run": each.get("run", ""),
            "outcome": "refused" if each["reason"] == "refused" else "excluded",
            "reason": each["reason"],
            "detail": each["detail"],
        }
        for each in selection.refused
    ]
    table = pd.concat([pd.DataFrame(left_out), *tasks])
    if refused := sorted(set(table.loc[table["outcome"] == "refused", "task"]), key=int):
        print(
            f"OpenML: the server refused these tasks, or runs of them, which others replace: "
            f"{', '.join(refused)}. The same command requests them again; see openml_status.csv",
            flush=True,
        )
    return table


def _left_out(task: Mapping[str, Any], error: ExcludedError) -> dict[str, Any]:
    reason = error.reason if error.is_final else "refused"
    named = {name: task[name] for name in ("task_id", "name")}
    return {**named, "reason": reason, "detail": error.detail}
