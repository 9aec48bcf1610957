"""The lists of an OpenML server: datasets, tasks, and the runs of tasks."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar
from xml.etree.ElementTree import Element  # nosec B405 # `documents` parses

from reproduction.openml.documents import (
    estimation_procedures,
    listed_datasets,
    listed_runs,
    listed_tasks,
)
from reproduction.openml.reasons import EmptyListError, RefusedError, UnfinishedError
from reproduction.openml.server import PAUSES, Server, patiently

ESTIMATION_PROCEDURE = "10-fold Crossvalidation"
PAGE = 10_000  # the largest page that the server allows
_OVERLAP = 100  # entries of two pages
_MOST_RUNS = 10_000  # the longest list of runs that the server allows
_MOST_IN_A_ROW = 10  # refused lists; then the others are not requested
PROCEDURES = "estimationprocedure/list"

logger = logging.getLogger(__name__)
_Result = TypeVar("_Result")


@dataclass
class Lists:
    """The lists of datasets and tasks of a server."""

    server: Server
    asked: list[str] = field(default_factory=list)  # pages

    def binary_datasets(self) -> dict[int, dict]:
        """Return the active datasets with two classes, neither of them empty, by id."""
        listed = self._pages("data/list/number_classes/2", listed_datasets)
        return {did: dataset for did, dataset in listed.items() if dataset is not None}

    def candidates(self, datasets: dict[int, dict]) -> dict[int, dict]:
        """Return the tasks on these datasets with 10-fold cross-validation, in order of ids."""
        procedures = self._page(PROCEDURES, estimation_procedures)
        listed = self._pages("task/list/type/1/number_classes/2", listed_tasks)
        found = {
            task_id: {"task_id": task_id, "target": task["target"], **datasets[task["dataset_id"]]}
            for task_id, task in listed.items()
            if procedures.get(task["procedure"]) == ESTIMATION_PROCEDURE
            and task["dataset_id"] in datasets
            and task["target"]
        }
        if not found:
            raise self._failed("its lists have no candidate task")
        return found

    def _pages(self, address: str, read: Callable[[Element], list[tuple]]) -> dict[int, Any]:
        """Return all entries of a list by id.

        Each page overlaps the one before, so that no entry is lost if some before it are deleted
        meanwhile, and so that the last page is not empty: a server without results has failed.
        """
        entries: dict[int, Any] = {}
        offset = overlap = n_known = 0
        while n_known < 2:
            page = self._page(f"{address}/limit/{PAGE}/offset/{offset}", read)
            is_new = not entries.keys() >= {number for number, _ in page}
            entries |= dict(page)
            if not is_new and len(page) <= overlap:
                return dict(sorted(entries.items()))
            n_known = 0 if is_new else n_known + 1
            overlap = max(1, min(_OVERLAP, len(page) // 2))
            offset += len(page) - overlap
        raise self._failed(f"its pages of {address} repeat each other")

    def _page(self, address: str, read: Callable[[Element], _Result]) -> _Result:
        self.asked.append(address)
        try:
            return patiently(lambda: self.server.document(address, read))
        except RefusedError as error:
            raise UnfinishedError(f"{error}. Run the same command again") from error

    def _failed(self, problem: str) -> UnfinishedError:
        """Forget the pages, and return the error."""
        for address in self.asked:
            self.server.forget_document(address)
        return UnfinishedError(f"{self.server.url}: {problem}. Run the same command again")


@dataclass
class RunLists:
    """The lists of the runs of tasks. One that is refused, empty or short is requested again."""

    server: Server
    n_models: int
    runs_listed: int
    excluded_runs: frozenset[int]
    refused_before: frozenset[str]
    runs: dict[int, set[int]] = field(default_factory=dict)  # that were listed so far, by task
    confirmed: set[int] = field(default_factory=set)  # tasks that have no more runs than listed
    refusals: dict[int, RefusedError] = field(default_factory=dict)  # of the last request, by task

    def first(self, task_ids: list[int], n_tasks: int | None) -> list[int]:
        """Return the first tasks with enough runs."""
        for pause in PAUSES:
            time.sleep(pause if self._has_new_doubts() else 0)
            enough = self.runs.keys() - self.short()
            other = min(
                enough, key=lambda task_id: (len(self.runs[task_id]), task_id), default=None
            )
            chosen = self._first(task_ids, n_tasks, other)
            if not self.unsure() or (other is not None and not self._has_new_doubts()):
                break
        if refused := self.refusals:
            raise UnfinishedError(
                f"the server refuses the lists of runs of the tasks {sorted(refused)[:10]}, the "
                f"last because {[*refused.values()][-1]}. Run the same command again, or add "
                "these tasks to ranking.openml.skip_tasks"
            )
        if not chosen:
            raise UnfinishedError(
                f"{self.server.url} lists too few runs for each task. Run the same command again"
            )
        return chosen

    def short(self) -> set[int]:
        """Return the tasks with too few runs."""
        return {task_id for task_id, runs in self.runs.items() if len(runs) < self.n_models}

    def unsure(self) -> set[int]:
        """Return the tasks with too few runs, unless the server has confirmed their lists."""
        return self.short() - self.confirmed

    def _has_new_doubts(self) -> bool:
        return any(str(task_id) not in self.refused_before for task_id in self.unsure())

    def _first(self, task_ids: list[int], n_tasks: int | None, other: int | None) -> list[int]:
        """Return the first tasks with enough runs; request the lists that are not settled."""
        chosen: list[int] = []
        in_a_row = 0
        for task_id in task_ids:
            if len(chosen) == n_tasks or in_a_row == _MOST_IN_A_ROW:
                break
            if len(self.runs.setdefault(task_id, set())) < self.n_models:
                self._request(task_id, None if task_id in self.refusals else other)
            if len(self.runs[task_id]) >= self.n_models:
                chosen.append(task_id)
            in_a_row = in_a_row + 1 if task_id in self.refusals else 0
        return chosen

    def _request(self, task_id: int, other: int | None) -> None:
        """Request the runs of a task, together with those of another one if there is one.

        If the answer has all runs of the other one, the query did not fail, so that the task has
        no more runs than the answer says.
        """
        tasks, limit = (f"{task_id}", self.runs_listed)
        if other is not None:
            tasks, limit = (f"{task_id},{other}", _MOST_RUNS)
        address = f"run/list/limit/{limit}/offset/0/task/{tasks}"
        try:
            listed = self.server.document(address, listed_runs)
            if not listed.keys() <= {task_id, other}:
                raise RefusedError(f"{address}: a list of the runs of other tasks")
            self.runs[task_id] |= listed.get(task_id, set()) - self.excluded_runs
            if other is not None and listed.get(other, set()) >= self.runs[other]:
                self.confirmed.add(task_id)
            self.refusals.pop(task_id, None)
        except EmptyListError:
            self.refusals.pop(task_id, None)
        except RefusedError as error:
            logger.warning("%s", error)
            if other is None and str(task_id) not in self.refused_before:
                self.refusals[task_id] = error
        if task_id in self.unsure():
            self.server.forget_document(address)
