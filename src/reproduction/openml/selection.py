"""Select the tasks and runs of an OpenML server, and store the selection in a file.

The order of the server's lists is not fixed, and an item may occur twice. The selection is
therefore sorted, and stored with its date.
"""

from __future__ import annotations

import json
import logging
import operator
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element  # nosec B405 # `documents` parses

import numpy as np
import pandas as pd

from reproduction.core.io import write
from reproduction.openml.deadlines import Deadline
from reproduction.openml.documents import ApiError, estimation_procedures, listed_datasets
from reproduction.openml.package import listed_runs, listed_tasks
from reproduction.openml.reasons import ExcludedError
from reproduction.openml.server import OutageError, Server

ESTIMATION_PROCEDURE = "10-fold Crossvalidation"
PAGE = 10_000  # the largest page that the server allows
_PROCEDURES = "estimationprocedure/list"
_NUMBERS = ("task_id", "dataset_id", "n_minority", "n_majority", "n_instances")

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class SelectedTask:
    """A task and the runs from which its models are drawn.

    Attributes
    ----------
    task_id, dataset_id : int
    name : str
        Name of the dataset.
    target : str
        Column of the dataset that is predicted.
    n_minority, n_majority : int
        Sizes of the classes of the dataset's default target, as reported by the server.
    n_instances : int
        Number of rows of the dataset, including rows without a label.
    runs : tuple of int
        In ascending order.
    """

    task_id: int
    dataset_id: int
    name: str
    target: str
    n_minority: int
    n_majority: int
    n_instances: int
    runs: tuple[int, ...]

    def without(self, runs: frozenset[int]) -> SelectedTask:
        return replace(self, runs=tuple(run for run in self.runs if run not in runs))

    def as_dict(self) -> dict[str, Any]:
        return asdict(self) | {"runs": list(self.runs)}

    @classmethod
    def of_dict(cls, entry: dict[str, Any]) -> SelectedTask:
        numbers = {name: operator.index(entry[name]) for name in _NUMBERS}
        return cls(**entry | numbers | {"runs": tuple(map(operator.index, entry["runs"]))})


@dataclass(frozen=True)
class Selection:
    """A stored selection of tasks.

    Attributes
    ----------
    server : str
    date : str
        Day (UTC) on which the server listed its tasks.
    tasks : tuple of SelectedTask
        In order of task_id.
    refused : tuple of dict
        Candidate tasks that are not used: task_id, name, reason, detail.
    datasets : tuple of dict
        The binary datasets of the server: dataset_id, name, n_minority, n_majority,
        n_instances.
    """

    server: str
    date: str
    tasks: tuple[SelectedTask, ...]
    refused: tuple[dict, ...]
    datasets: tuple[dict, ...]

    def task(self, task_id: int | str) -> SelectedTask:
        return next(task for task in self.tasks if task.task_id == int(task_id))

    def write(self, path: str | Path) -> None:
        write(asdict(self), path)

    def refused_tasks(self) -> pd.DataFrame:
        """Return the refused tasks as a table: task, run (empty), outcome, reason, detail."""
        rows = [
            (str(entry["task_id"]), "", "excluded", entry["reason"], entry["detail"])
            for entry in self.refused
        ]
        return pd.DataFrame(rows, columns=["task", "run", "outcome", "reason", "detail"])

    @classmethod
    def read(cls, path: str | Path) -> Selection:
        """Read a frozen selection.

        Raises
        ------
        ValueError
            If the file is not a selection. The message has the file and the error.
        """
        try:
            content = json.loads(Path(path).read_text(encoding="utf-8"))
            tasks = sorted(map(SelectedTask.of_dict, content["tasks"]), key=lambda t: t.task_id)
            return cls(
                server=content["server"],
                date=content["date"],
                tasks=tuple(tasks),
                refused=tuple(content["refused"]),
                datasets=tuple(content["datasets"]),
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
    seconds_per_task: float,
    resources: str,
    n_models: int,
    seed: int,
) -> tuple[dict[str, Any], pd.DataFrame]:
    """Select tasks and runs, or take those of the file `selection`.

    Parameters
    ----------
    server : mapping
        Arguments of `Server`.
    others
        As in `select`.

    Returns
    -------
    selection : dict
        Content of a file that `Selection.read` reads.
    datasets : DataFrame
        `name` and `prior` of each binary dataset of the server; the positives are the minority.
    """
    out = {"excluded_runs": frozenset(excluded_runs), "skip_tasks": frozenset(skip_tasks)}
    if selection is None:
        chosen = select(
            Server(resources=resources, **server),
            n_models=n_models,
            runs_listed=runs_listed,
            max_tasks=max_tasks,
            seed=seed,
            seconds_per_list=seconds_per_task,
            **out,
        )
    else:
        chosen = frozen(selection, url=server["url"], **out)
    datasets = pd.DataFrame(chosen.datasets)
    n_rows = datasets["n_minority"] + datasets["n_majority"]
    priors = datasets["n_minority"] / n_rows
    return asdict(chosen), pd.DataFrame({"name": datasets["name"], "prior": priors})


def status_of_files(path: str, tasks: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """`status_of_tasks` for the file of a selection."""
    return status_of_tasks(Selection.read(path), tasks)


def status_of_tasks(selection: Selection, tasks: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Join the rows on refused tasks and the tables on fetched tasks."""
    return pd.concat([selection.refused_tasks(), *tasks])


def frozen(
    path: str | Path, *, url: str, excluded_runs: frozenset[int], skip_tasks: frozenset[int]
) -> Selection:
    """Return the selection of a file, without some runs and tasks.

    Raises
    ------
    ValueError
        If the file is not a selection, or is a selection from another server; if a task in
        `skip_tasks` is not a candidate.
    """
    selection = Selection.read(path)
    if selection.server != url.rstrip("/"):
        raise ValueError(
            f"{path} is a selection from {selection.server}, but ranking.openml.server is {url}"
        )
    refused = {entry["task_id"]: entry for entry in selection.refused}
    names = {task.task_id: task.name for task in selection.tasks}
    _check_skipped(skip_tasks, {*names, *refused}, f"not in {path}")
    skipped = skip_tasks & {*names}
    refused |= {task_id: _skipped_entry(task_id, names[task_id]) for task_id in skipped}
    return replace(
        selection,
        tasks=tuple(t.without(excluded_runs) for t in selection.tasks if t.task_id not in skipped),
        refused=tuple(refused[task_id] for task_id in sorted(refused)),
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
    seconds_per_list: float = 7200.0,
) -> Selection:
    """Select the binary tasks with 10-fold cross-validation and at least `n_models` runs.

    Parameters
    ----------
    server : Server
    n_models : int
        Smallest number of runs of a task.
    runs_listed : int
        Number of runs to request from the server for each task.
    max_tasks : int or None
        Largest number of tasks. If it is not None, tasks are tried in a random order.
    excluded_runs : frozenset of int
        Runs that are not used.
    skip_tasks : frozenset of int
        Tasks that are not used, and about which nothing is requested.
    seed : int
        Seed of the random order.
    seconds_per_list : float
        Time limit of a list with all its pages.

    Raises
    ------
    OutageError
        If the server does not respond, its list of datasets or of tasks is not readable or empty,
        or no task has enough runs. Lists that lead to an empty selection are not kept.
    ValueError
        If a task in `skip_tasks` is not a candidate.
    """
    lists = _Lists(server, seconds_per_list)
    datasets = lists.binary_datasets()
    candidates = lists.candidates(datasets)
    logger.info("%d binary datasets, %d candidate tasks", len(datasets), len(candidates))
    lists.stop_if_empty(candidates, "its lists have no candidate task")
    ids = {candidate["task_id"] for candidate in candidates}
    _check_skipped(skip_tasks, ids, "not among the candidates of the server")
    tasks = []
    refused = [
        _skipped_entry(c["task_id"], c["name"]) for c in candidates if c["task_id"] in skip_tasks
    ]
    for number, candidate in enumerate(_in_order(candidates, max_tasks, seed), 1):
        if candidate["task_id"] in skip_tasks:
            continue
        runs = lists.runs(candidate["task_id"], runs_listed) - excluded_runs
        if len(runs) >= n_models:
            tasks.append(SelectedTask(**candidate, runs=tuple(sorted(runs))))
        else:
            error = ExcludedError("too_few_runs_listed", f"{len(runs)} of {n_models} runs")
            refused.append(_refused_entry(candidate["task_id"], candidate["name"], error))
        if number % 50 == 0:
            logger.info("%d tasks examined, %d selected", number, len(tasks))
        if len(tasks) == max_tasks:
            break
    lists.stop_if_empty(tasks, f"it lists fewer than {n_models} runs for each task")
    return Selection(
        server=server.url,
        date=lists.date(),
        tasks=tuple(sorted(tasks, key=lambda task: task.task_id)),
        refused=tuple(sorted(refused, key=lambda entry: entry["task_id"])),
        datasets=tuple(datasets.values()),
    )


def _check_skipped(skipped: frozenset[int], known: set[int], problem: str) -> None:
    if unknown := sorted(skipped - known):
        raise ValueError(f"ranking.openml.skip_tasks: {unknown} {problem}")


def _skipped_entry(task_id: int, name: str) -> dict:
    return _refused_entry(task_id, name, ExcludedError("skipped", "ranking.openml.skip_tasks"))


def _refused_entry(task_id: int, name: str, error: ExcludedError) -> dict:
    return {"task_id": task_id, "name": name, "reason": error.reason, "detail": error.detail}


class _Lists:
    """The lists of a server. Each is requested once, until it has led to an empty selection."""

    def __init__(self, server: Server, seconds_per_list: float):
        self._server = server
        self._seconds = seconds_per_list
        self._asked: list[str] = []

    def binary_datasets(self) -> dict[int, dict]:
        """Return the active datasets with two classes, neither of them empty, by id."""
        listed = self._pages("data/list/number_classes/2", listed_datasets)
        return {did: dataset for did, dataset in listed.items() if dataset is not None}

    def candidates(self, datasets: dict[int, dict]) -> list[dict]:
        """Return the tasks on these datasets with 10-fold cross-validation, in order of ids."""
        procedures = self._list(_PROCEDURES, estimation_procedures, Deadline(self._seconds))
        read = partial(listed_tasks, procedures=procedures)
        listed = self._pages("task/list/type/1/number_classes/2", read)
        return [
            {"task_id": task_id, "target": task["target"], **datasets[task["dataset_id"]]}
            for task_id, task in listed.items()
            if task["procedure"] == ESTIMATION_PROCEDURE
            and task["dataset_id"] in datasets
            and task["target"]
        ]

    def runs(self, task_id: int, runs_listed: int) -> set[int]:
        """Return the listed runs of a task that ended without an error."""
        address = f"run/list/limit/{runs_listed}/offset/0/task/{task_id}"
        try:
            listed = self._list(
                address, partial(listed_runs, task_id=task_id), Deadline(self._seconds)
            )
        except OutageError as error:
            raise OutageError(
                f"{error} Or add task {task_id} to ranking.openml.skip_tasks."
            ) from error
        return {run_id for run_id, succeeded in listed.items() if succeeded}

    def _pages(self, address: str, read: Callable[[Element], dict]) -> dict[int, dict]:
        """Return all pages of a list, sorted by id and without duplicates.

        A page may repeat entries of earlier ones, and may be short. So only an empty page marks
        the end of the list. Two pages in a row without a new entry mean that the server does not
        observe the offset. The pages of a list that does not end are not kept.
        """
        deadline = Deadline(self._seconds)
        pages = [f"{address}/limit/{PAGE}/offset/0"]
        entries, n_known = {}, 0
        try:
            while page := self._list(pages[-1], read, deadline):
                n_known = n_known + 1 if entries.keys() >= page.keys() else 0
                if n_known == 2:
                    raise self._outage(f"its pages of {address} repeat each other")
                entries |= page
                pages.append(f"{address}/limit/{PAGE}/offset/{len(pages) * PAGE}")
        except OutageError:
            for each in pages:
                self._server.forget(each)
            raise
        return dict(sorted(entries.items()))

    def _list(self, address: str, read: Callable[[Element], dict], deadline: Deadline) -> dict:
        """Return a list, which is empty if the server has no results."""
        self._asked.append(address)
        try:
            return self._server.patiently(
                lambda: self._server.document(address, read, deadline), deadline
            )
        except ApiError as error:
            if error.no_results:
                return {}
            raise self._outage(f"{address}: {error}") from error
        except OutageError as error:
            raise self._outage(f"{address}: {error}", forget=False) from error

    def stop_if_empty(self, selected: list, reason: str) -> None:
        if not selected:
            raise self._outage(reason)

    def _outage(self, reason: str, *, forget: bool = True) -> OutageError:
        if forget:
            for address in self._asked:
                self._server.forget(address)
        return OutageError(f"{self._server.url}: {reason}. Run the same command again later.")

    def date(self) -> str:
        """Return the day of the first stored list, on which the server listed its tasks."""
        return time.strftime("%Y-%m-%d", time.gmtime(self._server.time_of(_PROCEDURES)))


def _in_order(candidates: list[dict], max_tasks: int | None, seed: int) -> list[dict]:
    if max_tasks is None:
        return candidates
    order = np.random.default_rng(np.random.SeedSequence(seed)).permutation(len(candidates))
    return [candidates[index] for index in order]
