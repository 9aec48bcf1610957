"""What the tests of the OpenML client share: a small world, and a client of its server."""

from openml_stand_in import API, Dataset, OpenMLStandIn, Run, Task, World

from reproduction.openml.fetch import FetchedTask, fetch_task
from reproduction.openml.selection import SelectedTask
from reproduction.openml.server import Server

DATASET, TASK, FIRST_RUN = 1, 10, 101
ARFF = "/data/v1/download/1/small.arff"
DESCRIPTION = f"{API}/data/{DATASET}"
N_MODELS = 3


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


class Client:
    """Fetches into one folder, each time as another process would."""

    def __init__(self, openml: OpenMLStandIn, resources):
        self.openml = openml
        self.resources = resources
        self.refused: dict[int, frozenset[str]] = {}

    @property
    def server(self) -> Server:
        return Server(
            self.openml.url_api,
            self.resources,
            requests_per_second=1e9,
        )

    def fetch(self, task: SelectedTask | None = None, *, n_models=N_MODELS, seed=0) -> FetchedTask:
        """As a job of the workflow does."""
        task = task or selected(self.openml.world)
        before = self.refused.get(task.task_id, frozenset())
        fetched = fetch_task(task, self.server, n_models=n_models, seed=seed, refused_before=before)
        self.refused[task.task_id] = fetched.refused
        return fetched

    @property
    def files(self) -> list[str]:
        """Paths of all files that are no answers of the API."""
        world = self.openml.world
        return [ARFF, *map(world.predictions_path, world.runs)]

    def asked(self, path: str) -> int:
        """How often a path was asked for."""
        return self.openml.requests.count(path)

    def kept(self, folder: str) -> set[str]:
        """Names of the files that a reader sees, without those that describe them."""
        found = (self.server.folder / folder).rglob("[!.]*")
        return {path.name for path in found if path.is_file() and path.suffix != ".json"}


def runs_of(fetched: FetchedTask, outcome: str) -> dict[int, str]:
    """The reason of each run with an outcome."""
    status = fetched.status[(fetched.status["outcome"] == outcome) & (fetched.status["run"] != "")]
    return dict(zip(status["run"].astype(int), status["reason"], strict=True))


def outcome_of(fetched: FetchedTask) -> str:
    """Of the task."""
    return fetched.task["outcome"].item()


def truth_source(fetched: FetchedTask) -> str:
    return fetched.status["detail"].iloc[0].removeprefix("truth from ")
