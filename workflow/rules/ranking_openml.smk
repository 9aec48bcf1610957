"""Models on an OpenML server, one job per task; downloads are kept in resources_dir.

Each job that sends requests needs one unit of the resource `openml`. The profile provides one unit, so
only one such job runs at a time.
"""

import json
from functools import cache

from reproduction.openml import again

OPENML = {
    "server": CONFIG.ranking.openml.of_server(),
    "resources": CONFIG.resources_dir,
    "n_models": CONFIG.ranking.n_models,
    "seed": CONFIG.seed,
}


def asking_again(name):
    """Parameters that repeat a job as long as the server refuses something that it asks for."""
    refused = f"{RANKING}/refused/{name}.json"
    return {"refused": refused, "attempt": again.attempt(refused)}


# Without a hash of the code, because a new check is no reason for a new download. The checkpoint does not
# wait for it: after a change of the check, Snakemake would forget to run the checkpoint again.
use rule job as check_downloads with:
    output:
        f"{RESULTS}/intermediate/downloads",
    log:
        log_file("check_downloads"),
    priority: 1
    params:
        function="reproduction.openml.downloads.check",
        url=CONFIG.ranking.openml.server,
        n_tasks=CONFIG.ranking.openml.max_tasks or 600,  # binary tasks with thirty runs
        n_models=CONFIG.ranking.n_models,
        requests_per_second=CONFIG.ranking.openml.requests_per_second,
        resources=CONFIG.resources_dir,


checkpoint openml_selection:
    output:
        f"{RANKING}/selection.json",
        f"{RANKING}/datasets.parquet",
        f"{RANKING}/left_out.parquet",
    log:
        log_file("ranking/selection"),
    retries: 2
    conda:
        "../../environment.yml"
    resources:
        openml=1,
    params:
        **calls("openml.selection.run"),
        **CONFIG.ranking.openml.selecting(),
        **OPENML,
        **asking_again("selection"),
    script:
        "../scripts/job.py"


@cache
def read_tasks(path):
    with open(path, encoding="utf-8") as file:
        return {str(task["task_id"]): task for task in json.load(file)["tasks"]}


def selected_tasks():
    """The selected tasks with their runs, by name. Waits for the checkpoint that selects them."""
    return read_tasks(checkpoints.openml_selection.get().output[0])


def of_selected_tasks(folder):
    """Input of a rule: the files of all selected tasks in a folder."""
    path = f"{RANKING}/{folder}/{{task}}.parquet"
    return lambda wildcards: expand(path, task=[*selected_tasks()])


use rule job as openml_predictions with:
    input:
        # A new selection reruns a task only if the parameter `task` changes.
        ancient(f"{RANKING}/selection.json"),
    output:
        f"{RANKING}/predictions/{{task}}.parquet",
        f"{RANKING}/tasks/{{task}}.parquet",
        f"{RANKING}/status/{{task}}.parquet",
    log:
        log_file("ranking/predictions/{task}"),
    resources:
        openml=1,
    params:
        **calls("openml.fetch.run"),
        **OPENML,
        refused=lambda wildcards: asking_again(wildcards.task)["refused"],
        attempt=lambda wildcards: asking_again(wildcards.task)["attempt"],
        task=lambda wildcards: selected_tasks()[wildcards.task],


use rule job as openml_status with:
    input:
        ancient(rules.check_downloads.output),
        left_out=f"{RANKING}/left_out.parquet",
        tasks=of_selected_tasks("status"),
    output:
        table("openml_status"),
    log:
        log_file("ranking/openml_status"),
    params:
        **calls("openml.selection.status"),


TASKS_OF_SOURCE = of_selected_tasks("tasks")
PREDICTIONS_OF_SOURCE = of_selected_tasks("predictions")


include: "ranking_scores.smk"
