"""Select the tasks and runs of an OpenML server, and store the selection in a file.

The order of the server's lists is not fixed, and an item may occur twice. The selection is
therefore sorted, and stored with its date.
"""

from __future__ import annotations

import json
import logging
import operator
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from reproduction.data.openml.reasons import ExcludedError
from reproduction.data.openml.server import PARSER_ERRORS, Server
from reproduction.files import write_json
from reproduction.settings import OpenmlRanking

__all__ = ["SelectedTask", "Selection", "frozen", "select", "status_of_tasks"]

ESTIMATION_PROCEDURE = "10-fold Crossvalidation"
PAGE = 10_000  # the largest page that the server allows
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
        write_json(path, asdict(self))

    @classmethod
    @cache
    def read_once(cls, path: str, changed_ns: int) -> Selection:
        """Call `read`, once per file and time of its last change."""
        return cls.read(path)

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
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{path}: not a frozen selection: {error!r}") from error


def status_of_tasks(selection: Selection, tasks: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Join the rows on refused tasks and the tables on fetched tasks."""
    return pd.concat([selection.refused_tasks(), *tasks])


def frozen(
    settings: OpenmlRanking, *, resources: str | Path, n_models: int, seed: int
) -> Selection:
    """Return the selection in the configured file, or a new one if no file is configured.

    Raises
    ------
    ValueError
        If the file is not a selection, or is a selection from another server.
    OutageError
        If the server does not respond.
    """
    excluded = frozenset(settings.excluded_runs)
    if settings.selection is None:
        server = Server(
            settings.server, resources, requests_per_second=settings.requests_per_second
        )
        return select(
            server,
            n_models=n_models,
            runs_listed=settings.runs_listed,
            max_tasks=settings.max_tasks,
            excluded_runs=excluded,
            seed=seed,
        )
    selection = Selection.read(settings.selection)
    if selection.server != settings.server.rstrip("/"):
        raise ValueError(
            f"{settings.selection} is a selection from {selection.server}, but "
            f"ranking.openml.server is {settings.server}"
        )
    return replace(selection, tasks=tuple(task.without(excluded) for task in selection.tasks))


def select(
    server: Server,
    *,
    n_models: int,
    runs_listed: int,
    max_tasks: int | None,
    excluded_runs: frozenset[int] = frozenset(),
    seed: int,
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
    seed : int
        Seed of the random order.

    Raises
    ------
    OutageError
        If the server does not respond.
    ValueError
        If the server's list of datasets or of tasks is not readable.
    """
    with server.openml() as openml:
        try:
            datasets = _binary_datasets(server, openml)
            candidates = _candidates(server, openml, datasets)
        except ExcludedError as error:
            raise ValueError(f"{server.url}: {error}") from error
        logger.info("%d binary datasets, %d candidate tasks", len(datasets), len(candidates))
        tasks, refused = [], []
        for number, candidate in enumerate(_in_order(candidates, max_tasks, seed), 1):
            try:
                runs = _runs(server, openml, candidate["task_id"], runs_listed) - excluded_runs
                if len(runs) < n_models:
                    raise ExcludedError("too_few_runs_listed", f"{len(runs)} of {n_models} runs")
                tasks.append(SelectedTask(**candidate, runs=tuple(sorted(runs))))
            except ExcludedError as error:
                refused.append(_refused_entry(candidate, error))
            if number % 50 == 0:
                logger.info("%d tasks examined, %d selected", number, len(tasks))
            if len(tasks) == max_tasks:
                break
    return Selection(
        server=server.url,
        date=_date_of_listing(server),
        tasks=tuple(sorted(tasks, key=lambda task: task.task_id)),
        refused=tuple(sorted(refused, key=lambda entry: entry["task_id"])),
        datasets=tuple(datasets.values()),
    )


def _refused_entry(candidate: dict, error: ExcludedError) -> dict:
    return {
        "task_id": candidate["task_id"],
        "name": candidate["name"],
        "reason": error.reason,
        "detail": error.detail,
    }


def _binary_datasets(server: Server, openml) -> dict[int, dict]:
    """Return the active datasets with two classes, neither of them empty, by id."""
    listed = _pages(
        server,
        openml,
        lambda **page: openml.datasets.list_datasets(
            number_classes=2, output_format="dataframe", **page
        ),
        "did",
    )
    needed = ["name", "MinorityClassSize", "MajorityClassSize", "NumberOfInstances"]
    if not set(needed) <= set(listed):
        return {}
    # A declared label without rows gives a minority class of size 0.
    listed = listed.dropna(subset=needed).query("MinorityClassSize > 0")
    return {
        int(row.did): {
            "dataset_id": int(row.did),
            "name": row.name,
            "n_minority": int(row.MinorityClassSize),
            "n_majority": int(row.MajorityClassSize),
            "n_instances": int(row.NumberOfInstances),
        }
        for row in listed.itertuples(index=False)
    }


def _candidates(server: Server, openml, datasets: dict[int, dict]) -> list[dict]:
    """Return the tasks on these datasets with 10-fold cross-validation, in order of their ids."""
    kind = openml.tasks.TaskType.SUPERVISED_CLASSIFICATION
    listed = _pages(
        server,
        openml,
        lambda **page: openml.tasks.list_tasks(
            task_type=kind, number_classes=2, output_format="dataframe", **page
        ),
        "tid",
    )
    if not {"estimation_procedure", "target_feature"} <= set(listed):
        return []
    listed = listed[listed["estimation_procedure"] == ESTIMATION_PROCEDURE]
    return [
        {"task_id": int(row.tid), "target": str(row.target_feature), **datasets[int(row.did)]}
        for row in listed.itertuples(index=False)
        if int(row.did) in datasets
    ]


def _pages(server: Server, openml, list_page: Callable, key: str) -> pd.DataFrame:
    """Return all pages of a list, sorted by `key` and without duplicates.

    A page with duplicates may be short, so only an empty page marks the end of the list.
    """
    pages, offset = [], 0
    while True:
        page = _listed(server, openml, list_page, offset=offset, size=PAGE)
        if page.empty:
            break
        pages.append(page)
        offset += PAGE
    if not pages:
        return pd.DataFrame()
    listed = pd.concat(pages, ignore_index=True)
    return listed.drop_duplicates(key).sort_values(key, ignore_index=True)


def _listed(server: Server, openml, list_: Callable, **filters) -> pd.DataFrame:
    """Return a list from the server; it has no rows if the server has no results.

    Raises
    ------
    ExcludedError
        If the `openml` package cannot parse the list, or the server rejects the request.
    """
    try:
        return server.patiently(lambda: list_(**filters))
    except (*PARSER_ERRORS, openml.exceptions.OpenMLServerError) as error:
        raise ExcludedError(
            "unreadable_listing",
            f"{type(error).__name__}: {error}; the response is stored in {server.folder / 'api'}, "
            "remove it to request it again",
        ) from error


def _runs(server: Server, openml, task_id: int, runs_listed: int) -> set[int]:
    list_runs = openml.runs.list_runs
    listed = _listed(
        server, openml, list_runs, task=[task_id], size=runs_listed, output_format="dataframe"
    )
    if listed.empty:
        return set()
    return {int(run_id) for run_id in listed.loc[listed["error_message"] == "", "run_id"]}


def _in_order(candidates: list[dict], max_tasks: int | None, seed: int) -> list[dict]:
    if max_tasks is None:
        return candidates
    order = np.random.default_rng(np.random.SeedSequence(seed)).permutation(len(candidates))
    return [candidates[index] for index in order]


def _date_of_listing(server: Server) -> str:
    """Return the day of the first stored response, on which the server listed its tasks."""
    stored = server.answer_path(f"{server.url}/estimationprocedure/list")
    seconds = stored.stat().st_mtime if stored.exists() else time.time()
    return time.strftime("%Y-%m-%d", time.gmtime(seconds))
