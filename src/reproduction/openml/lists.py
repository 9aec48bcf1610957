"""The lists of an OpenML server: datasets, tasks, and the runs of tasks.

Lists are kept as JSON, so that a selection that was killed continues.
"""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import openml
import pandas as pd

from reproduction.core.io import write
from reproduction.openml.again import required
from reproduction.openml.client import Client
from reproduction.openml.reasons import ExcludedError, RefusedError, UnfinishedError

ESTIMATION_PROCEDURE = "10-fold Crossvalidation"
PAGE = 10_000  # the largest page, and the longest list of runs, that the server allows
OVERLAP = 100  # entries of two pages
_SIZES = {
    "n_minority": "MinorityClassSize",
    "n_majority": "MajorityClassSize",
    "n_instances": "NumberOfInstances",
}
_Entries = dict[int, dict]  # by id


@dataclass
class Lists:
    """The lists of a server, with at most `runs_listed` runs per task."""

    client: Client
    n_models: int
    runs_listed: int
    _enough: dict[int, set[int]] = field(default_factory=dict)  # runs, by task

    def candidates(self) -> dict[str, Any]:
        """Return the binary datasets, their tasks with 10-fold cross-validation, and the date."""
        entries = self._all("did", openml.datasets.list_datasets, number_classes=2)
        datasets = {did: _dataset(did, entries[did]) for did in sorted(entries)}
        datasets = {did: dataset for did, dataset in datasets.items() if dataset}
        kind = openml.tasks.TaskType.SUPERVISED_CLASSIFICATION
        entries = self._all("tid", openml.tasks.list_tasks, task_type=kind, number_classes=2)
        tasks = [
            {"task_id": task_id, "target": task["target_feature"], **datasets[task["did"]]}
            for task_id, task in sorted(entries.items())
            if task.get("estimation_procedure") == ESTIMATION_PROCEDURE
            and task["did"] in datasets
            and isinstance(task.get("target_feature"), str)
        ]
        if not tasks:
            raise UnfinishedError(f"{self.client.url} lists no task. Run the same command again")
        date = time.strftime("%Y-%m-%d", time.gmtime())
        return {"date": date, "datasets": [*datasets.values()], "tasks": tasks}

    def runs(self, task_id: int) -> tuple[int, ...]:
        """Return the runs of a task that ended without an error, if there are `n_models`."""
        name = f"runs-{self.n_models}-of-{self.runs_listed}/{task_id}"
        runs = self.kept(name, partial(self._listed_runs, task_id))["runs"]
        if len(runs) < self.n_models:
            raise ExcludedError("too_few_runs_listed", f"{len(runs)} of {self.n_models} runs")
        self._enough[task_id] = set(runs)
        return tuple(runs)

    def _listed_runs(self, task_id: int) -> dict[str, Any]:
        """Return the runs of a task.

        A server also says "no results" if its query failed. Therefore a short list is requested
        once more, together with that of a task whose runs are known.
        """
        runs = self._runs_of([task_id], self.runs_listed)[task_id]
        if len(runs) < self.n_models:
            other = min(self._enough, key=lambda each: len(self._enough[each]), default=None)
            listed = self._runs_of([task_id, other], PAGE) if other is not None else {}
            if other is None or not listed[other] >= self._enough[other]:
                problem = f"{len(runs)} of {self.n_models} runs, but the query may have failed"
                raise ExcludedError("unconfirmed", problem)
            runs |= listed[task_id]
        return {"runs": sorted(runs)}

    def _runs_of(self, task_ids: list[int], size: int) -> dict[int, set[int]]:
        ask = partial(openml.runs.list_runs, task=task_ids)
        page = self._page("run_id", ask, 0, size)
        found: dict[int, set[int]] = {task_id: set() for task_id in task_ids}
        for run_id, run in page.items():
            if run["task_id"] not in found:
                raise RefusedError(f"the list of the runs of {task_ids} has runs of other tasks")
            if not run["error_message"]:
                found[run["task_id"]].add(run_id)
        return found

    def _all(self, key: str, ask: Callable[..., pd.DataFrame], **filters: Any) -> _Entries:
        """Return all entries of a list.

        Pages overlap, so that no entry is lost if some before it are deleted meanwhile, and so that
        the last page is not empty: a list without results has failed.
        """
        found: _Entries = {}

        def page() -> _Entries:
            offset = max(0, len(found) - OVERLAP)
            entries = self._page(key, partial(ask, **filters), offset, PAGE)
            if not entries:
                raise RefusedError(f"an empty page of a list, after {len(found)} entries")
            return entries

        while not found.keys() >= (entries := required(page)).keys():
            found |= entries
        return found

    def _page(self, key: str, ask: Callable[..., pd.DataFrame], offset: int, size: int) -> _Entries:
        page = self.client.call(ask, offset=offset, size=size, output_format="dataframe")
        return {entry[key]: entry for entry in page.to_dict("records")}

    def kept(self, name: str, ask: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Return a list, which is requested once."""
        path = self.client.folder / "lists" / f"{name}.json"
        try:
            return json.loads(path.read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            write(listed := ask(), path)
            return listed


def _dataset(dataset_id: int, entry: dict) -> dict[str, Any]:
    """Return the name and sizes of a dataset, nothing if one is missing or 0.

    A declared label without rows gives a minority class of size 0.
    """
    name = entry["name"]
    sizes = {field: entry.get(quality, 0) for field, quality in _SIZES.items()}
    if not isinstance(name, str) or not all(1 <= size < 1e12 for size in sizes.values()):
        return {}
    whole = {field: int(size) for field, size in sizes.items()}
    return {"dataset_id": dataset_id, "name": name, **whole}
