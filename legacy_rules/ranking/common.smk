"""Names that the rules of the ranking share. This file has no rules."""

PANELS = ("all", "imbalanced", "small_prior")
RANKING = f"{RESULTS}/intermediate/ranking/{CONFIG.ranking.source}"
RANKING_TABLES = {
    name: f"{RESULTS}/tables/ranking_{name}.csv" for name in ("scores", "tasks")
}


def ranking_metrics(panel):
    return with_code(CONFIG.ranking_metrics(panel))


def openml_selection():
    """The frozen selection of tasks and runs. Waits for the checkpoint that makes it."""
    from reproduction.openml.selection import Selection

    path = checkpoints.openml_selection.get().output[0]
    return Selection.read_once(path, os.stat(path).st_mtime_ns)


def ranked_tasks():
    """Names of the tasks whose models are ranked."""
    if CONFIG.ranking.source == "local":
        from reproduction.ranking.local_tasks import TASKS

        return CONFIG.ranking.local.tasks or TASKS
    return [task.task_id for task in openml_selection().tasks]


def cluster_job_of_tasks():
    """Group of jobs of ranked tasks."""
    return cluster_job(
        "tasks",
        lambda wildcards: list(map(str, ranked_tasks())).index(wildcards.task),
    )


def of_ranked_tasks(folder):
    """Input function: the files of all ranked tasks in a folder."""
    return lambda wildcards: expand(
        f"{RANKING}/{folder}/{{task}}.parquet", task=ranked_tasks()
    )
