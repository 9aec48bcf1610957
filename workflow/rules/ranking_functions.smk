"""Functions for the rules of the ranking."""


def of_ranked_tasks(folder):
    """Input of a rule: the files of all ranked tasks in a folder, of one or several tasks each."""
    path = f"{RANKING}/{folder}/{{task}}.parquet"
    if SOURCE == "openml":
        return lambda wildcards: expand(
            path, task=[task.task_id for task in selection().tasks]
        )
    local = CONFIG.ranking.local
    return expand(path, task=[*local.blocks(), *local.own_files()])
