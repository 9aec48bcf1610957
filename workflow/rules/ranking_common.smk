"""Names that the rules of the ranking share. No rule here."""

from reproduction.data.local_tasks import TASKS
from reproduction.data.openml.selection import Selection

PANELS = ("all", "imbalanced", "small_prior")
RANKING = f"{RESULTS}/intermediate/ranking/{CONFIG.ranking.source}"
RANKING_TABLES = {
    name: f"{RESULTS}/tables/ranking_{name}.csv" for name in ("scores", "tasks")
}


def openml_selection():
    """The frozen selection, once it is made."""
    path = checkpoints.openml_selection.get().output[0]
    return Selection.read_once(path, os.stat(path).st_mtime_ns)


def ranked_tasks():
    """Names of the tasks whose models are ranked."""
    if CONFIG.ranking.source == "local":
        return CONFIG.ranking.local.tasks or TASKS
    return [task.task_id for task in openml_selection().tasks]


def of_ranked_tasks(folder):
    """The files of all tasks in a folder, as an input."""
    return lambda wildcards: expand(
        f"{RANKING}/{folder}/{{task}}.parquet", task=ranked_tasks()
    )


def metrics_of_panel(wildcards):
    return CONFIG.ranking_metrics(wildcards.panel)
