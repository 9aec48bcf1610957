"""Which tasks and runs of an OpenML server take part: chosen once, frozen in a file.

The server lists in no fixed order and may list an item twice, so everything is sorted, and what
was listed is written down with its date.
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
PAGE = 10_000  # the server's largest
_NUMBERS = ("task_id", "dataset_id", "n_minority", "n_majority", "n_instances")

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class SelectedTask:
    """A task and the runs its models are drawn from.

    Attributes
    ----------
    task_id, dataset_id : int
    name : str
        Of the dataset.
    target : str
        Column of the dataset that is predicted.
    n_minority, n_majority : int
        Size of either class, as the server states it for the dataset's default target.
    n_instances : int
        Rows of the dataset; those without a label are in no class.
    runs : tuple of int
        Ascending.
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
    """Frozen choice of tasks.

    Attributes
    ----------
    server : str
    date : str
        Day (UTC) on which the server listed its tasks.
    tasks : tuple of SelectedTask
        By task_id.
    refused : tuple of dict
        Tasks of the right kind that are not used: task_id, name, reason, detail.
    datasets : tuple of dict
        The server's binary datasets: dataset_id, name, n_minority, n_majority,
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
        """`read`, again only when the file was changed."""
        return cls.read(path)

    def refused_tasks(self) -> pd.DataFrame:
        """The refused as a table: task, run (empty), outcome, reason, detail."""
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
            The file is not one; it names the file and what is missing.
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
    """The selection that the settings name, or a new one.

    Raises
    ------
    ValueError
        The file they name is no selection, or one of another server.
    OutageError
        The server does not answer.
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
            f"{settings.selection} is a selection of {selection.server}, but "
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
    """Choose the binary tasks with 10-fold cross-validation and at least `n_models` runs.

    Parameters
    ----------
    runs_listed : int
        Runs that the server is asked for, per task.
    max_tasks : int or None
        With a number, tasks are tried in an order drawn by `seed` until so many are found.

    Raises
    ------
    OutageError
        The server does not answer.
    ValueError
        Its lists of datasets or tasks cannot be read.
    """
    with server.openml() as openml:
        try:
            datasets = _binary_datasets(server, openml)
            candidates = _candidates(server, openml, datasets)
        except ExcludedError as error:
            raise ValueError(f"{server.url}: {error}") from error
        logger.info("%d binary datasets, %d tasks to look at", len(datasets), len(candidates))
        tasks, refused = [], []
        for number, candidate in enumerate(_in_order(candidates, max_tasks, seed), 1):
            try:
                runs = _runs(server, openml, candidate["task_id"], runs_listed) - excluded_runs
                if len(runs) < n_models:
                    raise ExcludedError("too_few_runs_listed", f"{len(runs)} of {n_models} runs")
                tasks.append(SelectedTask(**candidate, runs=tuple(sorted(runs))))
            except ExcludedError as error:
                refused.append(_refusal(candidate, error))
            if number % 50 == 0:
                logger.info("%d tasks looked at, %d selected", number, len(tasks))
            if len(tasks) == max_tasks:
                break
    return Selection(
        server=server.url,
        date=_date_of_listing(server),
        tasks=tuple(sorted(tasks, key=lambda task: task.task_id)),
        refused=tuple(sorted(refused, key=lambda entry: entry["task_id"])),
        datasets=tuple(datasets.values()),
    )


def _refusal(candidate: dict, error: ExcludedError) -> dict:
    return {
        "task_id": candidate["task_id"],
        "name": candidate["name"],
        "reason": error.reason,
        "detail": error.detail,
    }


def _binary_datasets(server: Server, openml) -> dict[int, dict]:
    """Active datasets with two classes, both with members, by id."""
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
    # An empty label makes a minority of size 0.
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
    """Tasks on these datasets with the right estimation procedure, by id."""
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
    """All pages of a listing, by `key`, without what is listed twice.

    A page that names an item twice comes out short; only an empty one is the last.
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
    """What the server lists, without rows where it has no results.

    Raises
    ------
    ExcludedError
        The `openml` package cannot read the list, or the server calls the question wrong.
    """
    try:
        return server.patiently(lambda: list_(**filters))
    except (*PARSER_ERRORS, openml.exceptions.OpenMLServerError) as error:
        raise ExcludedError(
            "unreadable_listing",
            f"{type(error).__name__}: {error}; the answer is kept in {server.folder / 'api'}, "
            "remove it to ask again",
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
    """Day of the first answer that is kept: that is when the server listed its tasks."""
    kept = server.answer_path(f"{server.url}/estimationprocedure/list")
    seconds = kept.stat().st_mtime if kept.exists() else time.time()
    return time.strftime("%Y-%m-%d", time.gmtime(seconds))
