"""Select the tasks and runs of an OpenML server."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from reproduction.openml import again
from reproduction.openml.reasons import ExcludedError, UnfinishedError

if TYPE_CHECKING:  # it imports the package `openml`, which Snakemake does not need
    from reproduction.openml.lists import Lists

STATUS = ("task", "run", "outcome", "reason", "detail")  # columns of the status table


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
    runs: Sequence[int]  # in ascending order


def run(
    *,
    max_tasks: int | None,
    runs_listed: int,
    skip_tasks: Sequence[int],
    server: Mapping[str, Any],
    resources: str,
    n_models: int,
    seed: int,
    refused: str,
    attempt: int,
) -> tuple[dict[str, Any], pd.DataFrame, pd.DataFrame]:
    """Select tasks and runs.

    Return the selected tasks, in order of task_id, with the day (UTC) on which the server listed
    them; the class ratio of each dataset; and the rows of the status table on tasks that are left
    out. `refused` is the file of `again`, and `attempt` its number.
    """
    from reproduction.openml.client import Client  # it imports the package `openml`
    from reproduction.openml.lists import Lists

    lists = Lists(Client(server, resources), n_models, runs_listed)
    listed = lists.kept("candidates", lists.candidates)
    candidates = {task["task_id"]: task for task in listed["tasks"]}
    runs, errors = _select(lists, [*candidates], max_tasks, skip_tasks, seed)
    rows = [_left_out(task_id, errors[task_id]) for task_id in sorted(errors)]
    left_out = pd.DataFrame(rows, columns=STATUS)
    unsure = left_out.loc[left_out["outcome"] == "refused", "task"].tolist()
    again.record(refused, attempt, unsure)
    datasets = pd.DataFrame(listed["datasets"])
    priors = datasets["n_minority"] / (datasets["n_minority"] + datasets["n_majority"])
    tasks = [asdict(SelectedTask(**candidates[each], runs=runs[each])) for each in sorted(runs)]
    ratios = pd.DataFrame({"name": datasets["name"], "prior": priors})
    return {"date": listed["date"], "tasks": tasks}, ratios, left_out


def _select(
    lists: Lists,
    candidates: Sequence[int],
    max_tasks: int | None,
    skip_tasks: Sequence[int],
    seed: int,
) -> tuple[dict[int, tuple[int, ...]], dict[int, ExcludedError]]:
    """Return the runs of tasks that have enough of them, and the errors of other tasks."""

    def runs_of(task_id: int) -> tuple[int, ...]:
        if task_id in skip_tasks:
            raise ExcludedError("skipped", "ranking.openml.skip_tasks")
        return lists.runs(task_id)

    if max_tasks is not None:
        candidates = np.random.default_rng(seed).permutation(candidates).tolist()
    runs, errors = again.first_accepted(candidates, max_tasks, runs_of)
    if any(error.reason == "unconfirmed" for error in errors.values()):  # one can confirm them now
        runs, errors = again.first_accepted(candidates, max_tasks, runs_of)
    ended_early = len(runs) != max_tasks and len(runs) + len(errors) < len(candidates)
    if not runs or ended_early:
        raise UnfinishedError(
            f"{lists.client.url}: lists of runs are refused or too short, the last because "
            f"{[*errors.values()][-1]}. Run the same command again"
        )
    return runs, errors


def _left_out(task_id: int, error: ExcludedError) -> dict[str, str]:
    """Return the row of the status table on a task that is not used."""
    outcome, reason = ("excluded", error.reason) if error.is_final else ("refused", "refused")
    row = {"task": str(task_id), "run": "", "outcome": outcome, "reason": reason}
    return {**row, "detail": error.detail}


def status(left_out: pd.DataFrame, tasks: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Join what a selection leaves out and the tables on fetched tasks; print what is refused."""
    table = pd.concat([left_out, *tasks])
    if refused := sorted(set(table.loc[table["outcome"] == "refused", "task"]), key=int):
        print(
            f"OpenML: the server refused these tasks, or runs of them, which others replace: "
            f"{', '.join(refused)}. The same command requests them again; see openml_status.csv",
            flush=True,
        )
    return table
