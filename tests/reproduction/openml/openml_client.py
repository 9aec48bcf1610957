"""What the tests of the OpenML client share: a small world, and a client of its server."""

from dataclasses import replace

from openml_stand_in import API, Dataset, OpenMLStandIn, Run, Task, World

from reproduction.openml.fetch import FetchedTask, fetch_task
from reproduction.openml.selection import SelectedTask
from reproduction.openml.server import Server

DATASET, TASK, FIRST_RUN = 1, 10, 101
PARQUET = "/datasets/0000/0001/dataset_1.pq"
ARFF = "/data/v1/download/1/small.arff"
DESCRIPTION = f"{API}/data/{DATASET}"
N_MODELS = 3
PATIENCE = 300.0
"""Seconds per file."""


def small_world(n_runs: int = 8, labels: tuple[str, ...] = ("no", "yes"), **dataset) -> World:
    """One task, all of whose models differ."""
    world = World()
    world.datasets[DATASET] = Dataset(
        DATASET, "small", **{"labels": labels, "class_sizes": (30, 20)} | dataset
    )
    world.tasks[TASK] = Task(TASK, DATASET)
    for i in range(n_runs):
        world.runs[FIRST_RUN + i] = Run(FIRST_RUN + i, TASK, setup_id=i, strength=1 + i / 5)
    return world


def selected(world: World, task_id: int = TASK) -> SelectedTask:
    """The task as a selection describes it."""
    dataset = world.dataset_of(world.tasks[task_id])
    return SelectedTask(
        task_id=task_id,
        dataset_id=dataset.did,
        name=dataset.name,
        target=dataset.target,
        n_minority=min(dataset.class_sizes),
        n_majority=max(dataset.class_sizes),
        n_instances=dataset.n_rows,
        runs=tuple(sorted(run.run_id for run in world.runs_of(task_id))),
    )


def run_path(run_id: int) -> str:
    return f"{API}/run/{run_id}"


class Clock:
    """Time that passes only where it is waited for."""

    def __init__(self):
        self.now = 0.0
        self.waits: list[float] = []

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds


class Client:
    """Fetches into one folder, each time as another process would."""

    def __init__(self, openml: OpenMLStandIn, resources):
        self.openml = openml
        self.resources = resources
        self.seconds_per_file = PATIENCE

    @property
    def server(self) -> Server:
        return Server(
            self.openml.url_api,
            self.resources,
            requests_per_second=10_000,
            seconds_per_file=self.seconds_per_file,
        )

    def fetch(self, task: SelectedTask | None = None, *, n_models=N_MODELS, seed=0) -> FetchedTask:
        task = task or selected(self.openml.world)
        return fetch_task(task, self.server, n_models=n_models, seed=seed)

    def know_another_dataset(self) -> None:
        """Fetch a task of another dataset, which shows that the server provides datasets."""
        world = self.openml.world
        world.datasets[2] = replace(world.datasets[DATASET], did=2)
        world.tasks[20] = Task(20, 2)
        for run in list(world.runs_of(TASK)):
            world.runs[run.run_id + 100] = replace(run, run_id=run.run_id + 100, task_id=20)
        self.fetch(selected(world, 20))
        self.openml.requests.clear()

    @property
    def files(self) -> list[str]:
        """Paths of all files that are no answers of the API."""
        world = self.openml.world
        return [PARQUET, ARFF, *map(world.predictions_path, world.runs)]

    def asked(self, path: str) -> int:
        """How often a path was asked for."""
        return self.openml.requests.count(path)

    def kept(self, folder: str) -> set[str]:
        """Names of the files that a reader sees."""
        found = (self.server.folder / folder).rglob("[!.]*")
        return {path.name for path in found if path.is_file()}

    def ledger(self) -> str:
        return "".join(path.read_text() for path in (self.server.folder / "ledger").glob("*.jsonl"))


def runs_of(fetched: FetchedTask, outcome: str) -> dict[int, str]:
    """The reason of each run with an outcome."""
    status = fetched.status[(fetched.status["outcome"] == outcome) & (fetched.status["run"] != "")]
    return dict(zip(status["run"].astype(int), status["reason"], strict=True))


def outcome_of(fetched: FetchedTask) -> str:
    """Of the task."""
    return fetched.task["outcome"].item()


def truth_source(fetched: FetchedTask) -> str:
    return fetched.status["detail"].iloc[0].removeprefix("truth from ")
