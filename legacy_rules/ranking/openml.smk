"""Rankings of models on an OpenML server, one job per task.

Inputs: the file ranking.openml.selection, if set; downloads are stored in resources_dir.
Outputs: intermediate/ranking/openml/selection.json and, in the same folder,
{predictions,tasks,status}/*.parquet; tables/openml_status.csv.
"""

# Each job that sends requests to the server takes one unit of this resource.
workflow.register_resource("openml", CONFIG.ranking.openml.connections)


checkpoint openml_selection:
    input:
        CONFIG.ranking.openml.selection or [],
    output:
        f"{RANKING}/selection.json",
    log:
        log_file("ranking/selection"),
    benchmark:
        benchmark_file("openml_selection")
    conda:
        ENVIRONMENT
    resources:
        openml=1,
    params:
        **code_of("data.openml.selection"),
        settings=CONFIG.ranking.openml.selecting(),
        n_models=CONFIG.ranking.n_models,
        seed=CONFIG.seed,
    script:
        f"{SCRIPTS}/openml_selection.py"


rule openml_predictions:
    input:
        # A new selection reruns a task only if the parameter `task` changes.
        ancient(f"{RANKING}/selection.json"),
    output:
        predictions=f"{RANKING}/predictions/{{task}}.parquet",
        task=f"{RANKING}/tasks/{{task}}.parquet",
        status=f"{RANKING}/status/{{task}}.parquet",
    log:
        log_file("ranking/predictions/{task}"),
    benchmark:
        benchmark_file("openml_predictions/{task}")
    conda:
        ENVIRONMENT
    resources:
        openml=1,
    params:
        **code_of("data.openml.fetch"),
        task=lambda wildcards: openml_selection().task(wildcards.task).as_dict(),
        server=CONFIG.ranking.openml.server,
        n_models=CONFIG.ranking.n_models,
        seed=CONFIG.seed,
    script:
        f"{SCRIPTS}/openml_predictions.py"


use rule job as openml_status with:
    input:
        selection=f"{RANKING}/selection.json",
        tasks=of_ranked_tasks("status"),
    output:
        table("openml_status"),
    log:
        log_file("ranking/openml_status"),
    benchmark:
        benchmark_file("openml_status")
    params:
        **legacy_calls("data.openml.selection.status_of_tasks"),
