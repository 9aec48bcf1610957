"""The lists of an OpenML server: datasets, tasks, and the runs of tasks."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any, TypeVar
from xml.etree.ElementTree import Element  # nosec B405 # `documents` parses

from reproduction.openml.documents import (
    estimation_procedures,
    listed_datasets,
    listed_runs,
    listed_tasks,
)
from reproduction.openml.reasons import EmptyListError, RefusedError, UnfinishedError
from reproduction.openml.server import PAUSES, Server

ESTIMATION_PROCEDURE = "10-fold Crossvalidation"
PAGE = 10_000  # the largest page that the server allows
_OVERLAP = 100  # entries of two pages
_TASKS_AT_ONCE = 100
_MOST_RUNS = 10_000  # the longest list of runs that the server allows
_MOST_IN_A_ROW = 10  # refused lists; then the server is down
_PROCEDURES = "estimationprocedure/list"

logger = logging.getLogger(__name__)
_Result = TypeVar("_Result")


class Lists:
    """The lists of a server.

    A list of runs that is refused, empty or too short may be requested several times.

    Attributes
    ----------
    runs : dict of int to set of int
        The runs of each task that were listed so far.
    """

    def __init__(
        self,
        server: Server,
        n_models: int,
        runs_listed: int,
        excluded_runs: frozenset[int],
        refused_before: frozenset[str],
    ):
        self.server = server
        self.runs: dict[int, set[int]] = {}
        self._n_models = n_models
        self._runs_listed = runs_listed
        self._excluded_runs = excluded_runs
        self._refused_before = refused_before
        self._settled: set[int] = set()
        self._refusals: dict[int, RefusedError] = {}  # of the last request, by task
        self._in_a_row = 0
        self._pages_asked: list[str] = []

    # ---------------------------------------------------------------------- datasets and tasks

    def binary_datasets(self) -> dict[int, dict]:
        """Return the active datasets with two classes, neither of them empty, by id."""
        listed = self._pages("data/list/number_classes/2", listed_datasets)
        return {did: dataset for did, dataset in listed.items() if dataset is not None}

    def candidates(self, datasets: dict[int, dict]) -> list[dict]:
        """Return the tasks on these datasets with 10-fold cross-validation, in order of ids."""
        procedures = self._page(_PROCEDURES, estimation_procedures)
        listed = self._pages("task/list/type/1/number_classes/2", listed_tasks)
        found = [
            {"task_id": task_id, "target": task["target"], **datasets[task["dataset_id"]]}
            for task_id, task in listed.items()
            if procedures.get(task["procedure"]) == ESTIMATION_PROCEDURE
            and task["dataset_id"] in datasets
            and task["target"]
        ]
        if not found:
            raise self._failed(f"{self.server.url}: its lists have no candidate task")
        return found

    def day(self) -> str:
        """Return the day (UTC) of the lists."""
        return self.server.day_of(_PROCEDURES)

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
        raise self._failed(f"{self.server.url}: its pages of {address} repeat each other")

    def _page(self, address: str, read: Callable[[Element], _Result]) -> _Result:
        """Return a page that is needed. It is requested three times, spread over a minute."""
        self._pages_asked.append(address)
        for pause in PAUSES:
            if pause:
                time.sleep(pause)
            try:
                return self.server.document(address, read)
            except RefusedError as error:
                logger.warning("%s", error)
                refusal = error
        raise UnfinishedError(f"{refusal}. Run the same command again") from refusal

    def _failed(self, problem: str) -> UnfinishedError:
        """Forget the pages, and return the error."""
        for address in self._pages_asked:
            self.server.forget_document(address)
        return UnfinishedError(f"{problem}. Run the same command again")

    # ---------------------------------------------------------------------------- lists of runs

    def has_enough_runs(self, task_id: int) -> bool:
        """Return whether a task has enough runs. Its list is requested if that is not settled."""
        runs = self.runs.setdefault(task_id, set())
        if len(runs) < self._n_models and task_id not in self._settled:
            self._request(task_id)
        return len(runs) >= self._n_models

    def _request(self, task_id: int) -> None:
        address = self._address([task_id], self._runs_listed)
        self._refusals.pop(task_id, None)
        try:
            listed = self.server.document(address, listed_runs)
            if listed.keys() != {task_id}:
                raise RefusedError(f"{address}: a list of the runs of other tasks")
            self._add(task_id, listed[task_id])
            self._in_a_row = 0
        except EmptyListError:
            self._in_a_row = 0
        except RefusedError as error:
            logger.warning("%s", error)
            self._in_a_row += 1
            if str(task_id) not in self._refused_before:
                self._refusals[task_id] = error
        if len(self.runs[task_id]) < self._n_models:
            self.server.forget_document(address)

    def _add(self, task_id: int, listed: dict[int, bool]) -> None:
        runs = {run_id for run_id, succeeded in listed.items() if succeeded}
        self.runs[task_id] |= runs - self._excluded_runs

    def _address(self, task_ids: list[int], limit: int) -> str:
        return f"run/list/limit/{limit}/offset/0/task/{','.join(map(str, task_ids))}"

    def _confirm(self) -> None:
        """Ask for the runs of tasks with too few together with those of a task with enough.

        If the answer has all runs of the latter, the query did not fail, and the former have no
        more runs than it says.
        """
        others = set(self.runs).difference(self.short())
        if not others:
            return
        other = min(others, key=lambda task_id: (len(self.runs[task_id]), task_id))
        unsure = sorted(self.unsure())
        for start in range(0, len(unsure), _TASKS_AT_ONCE):
            tasks = unsure[start : start + _TASKS_AT_ONCE]
            address = self._address([*tasks, other], _MOST_RUNS)
            try:
                listed = self.server.document(address, listed_runs)
            except RefusedError as error:
                logger.warning("%s", error)
                continue
            if listed.get(other, {}).keys() >= self.runs[other]:
                for task_id in tasks:
                    self._settled.add(task_id)
                    self._refusals.pop(task_id, None)
                    self._add(task_id, listed.get(task_id, {}))
            else:
                self.server.forget_document(address)

    def server_is_down(self) -> bool:
        return self._in_a_row >= _MOST_IN_A_ROW

    def short(self) -> list[int]:
        """Return the tasks with too few runs."""
        return [task_id for task_id, runs in self.runs.items() if len(runs) < self._n_models]

    def unsure(self) -> set[int]:
        """Return the tasks with too few runs, unless the server has confirmed their lists."""
        return set(self.short()) - self._settled

    def is_open(self) -> bool:
        """Return whether to request lists again in another round."""
        return any(str(task_id) not in self._refused_before for task_id in self.unsure())

    def begin_round(self) -> None:
        self._in_a_row = 0
        self._confirm()

    def settle(self) -> None:
        """Raise `UnfinishedError` if a list is still refused."""
        if refused := self._refusals:
            raise UnfinishedError(
                f"the server refuses the lists of runs of the tasks {sorted(refused)[:10]}, the "
                f"last because {[*refused.values()][-1]}. Run the same command again, or add "
                "these tasks to ranking.openml.skip_tasks"
            )
