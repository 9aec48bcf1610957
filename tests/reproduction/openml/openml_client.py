"""What the tests of OpenML share: a small world, and the jobs of the workflow."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
from openml_stand_in import API, OpenMLStandIn
from openml_world import Dataset, Run, Task, World

from reproduction.openml import again, fetch, selection
from reproduction.openml.selection import SelectedTask

DATASET, TASK, FIRST_RUN = 1, 10, 101
ARFF = "/data/v1/download/1/small.arff"
DESCRIPTION = f"{API}/data/{DATASET}"
N_MODELS = 3


def small_world(n_runs: int = 8, labels: tuple[str, ...] = ("no", "yes"), **dataset) -> World:
    """One task, all of whose models differ."""
    world = World()
    options = {"labels": labels, "class_sizes": (30, 20)} | dataset
    world.datasets[DATASET] = Dataset(DATASET, "small", **options)
    world.tasks[TASK] = Task(TASK, DATASET)
    for i in range(n_runs):
        world.runs[FIRST_RUN + i] = Run(FIRST_RUN + i, TASK, setup_id=i, strength=1 + i / 5)
    return world


def selected(world: World, task_id: int = TASK, **changes) -> SelectedTask:
    """The task as a selection describes it."""
    dataset = world.dataset_of(world.tasks[task_id])
    options = {"dataset_id": dataset.did, "name": dataset.name, "target": dataset.target}
    options |= {"n_minority": min(dataset.class_sizes), "n_majority": max(dataset.class_sizes)}
    options |= {"runs": tuple(sorted(run.run_id for run in world.runs_of(task_id)))}
    return SelectedTask(task_id, n_instances=dataset.n_rows, **options | changes)


def run_path(run_id: int) -> str:
    return f"{API}/run/{run_id}"


class Fetched(NamedTuple):
    """The tables of a job, and what it asks for once more."""

    predictions: pd.DataFrame
    task: pd.DataFrame
    status: pd.DataFrame
    refused: frozenset[str]

    @property
    def outcome(self) -> str:
        """Of the task."""
        return self.task["outcome"].item()

    def runs(self, outcome: str) -> dict[int, str]:
        """The reason of each run with an outcome."""
        rows = self.status[(self.status["outcome"] == outcome) & (self.status["run"] != "")]
        return dict(zip(rows["run"].astype(int), rows["reason"], strict=True))


@dataclass
class Jobs:
    """Runs jobs with the parameters of their rules, each time as another process would."""

    openml: OpenMLStandIn
    folder: Path
    n_models: int = N_MODELS
    seconds_per_file: float = 20.0

    @property
    def server(self) -> dict[str, Any]:
        server = {"url": self.openml.url_api, "requests_per_second": 1e9}
        return {**server, "seconds_per_file": self.seconds_per_file}

    def options(self, name: int | str) -> dict[str, Any]:
        refused = str(self.folder / "refused" / f"{name}.json")
        return {
            "server": self.server,
            "resources": str(self.folder),
            "n_models": self.n_models,
            "seed": 0,
            "refused": refused,
            "attempt": again.attempt(refused),
        }

    def is_settled(self, name: int | str) -> bool:
        """Whether the parameters of a job that has ended are as before."""
        return not again.refused(self.options(name)["refused"])

    def fetch(self, task: SelectedTask | None = None, **options) -> Fetched:
        task = task or selected(self.openml.world)
        options = self.options(task.task_id) | options
        tables = fetch.run(task=asdict(task), **options)
        return Fetched(*tables, again.refused(options["refused"]))

    def select(self, **options) -> dict[str, Any]:
        """What a selection has, its datasets, and what it leaves out."""
        defaults = {"max_tasks": None, "runs_listed": 200, "skip_tasks": []}
        tasks, *tables = selection.run(**defaults | self.options("selection") | options)
        datasets, left_out = (table.to_dict("records") for table in tables)
        return tasks | {"datasets": datasets, "left_out": left_out}

    def asked(self, path: str) -> int:
        """How often a path was asked for."""
        return self.openml.requests.count(path)

    def kept(self, suffix: str) -> dict[str, Path]:
        """Files of the resources whose names end with a suffix, by name."""
        return {path.name: path for path in sorted(self.folder.rglob(f"*{suffix}"))}
