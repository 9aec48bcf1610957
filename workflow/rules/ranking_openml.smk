"""Rankings of models on an OpenML server, one job per task.

Inputs: the file ranking.openml.selection where there is one; downloads land in resources_dir.
Outputs: intermediate/ranking/openml/selection.json, and {predictions,tasks,status}/*.parquet
there; tables/openml_status.csv, tables/minority_ratio.csv.
"""

# Jobs that talk to the server hold one each.
workflow.register_resource("openml", CONFIG.ranking.openml.connections)


checkpoint openml_selection:
    input:
        CONFIG.ranking.openml.selection or [],
    output:
        f"{RANKING}/selection.json",
    log:
        f"{RESULTS}/logs/ranking/selection.log",
    conda:
        ENVIRONMENT
    resources:
        openml=1,
    params:
        settings=CONFIG.ranking.openml.selecting(),
        n_models=CONFIG.ranking.n_models,
        seed=CONFIG.seed,
        code=code_of("openml_selection"),
    script:
        "../scripts/openml_selection.py"


rule openml_predictions:
    input:
        # What concerns the task is in the parameters: another selection does not remake it.
        ancient(f"{RANKING}/selection.json"),
    output:
        predictions=f"{RANKING}/predictions/{{task}}.parquet",
        task=f"{RANKING}/tasks/{{task}}.parquet",
        status=f"{RANKING}/status/{{task}}.parquet",
    log:
        f"{RESULTS}/logs/ranking/predictions/{{task}}.log",
    conda:
        ENVIRONMENT
    resources:
        openml=1,
    params:
        task=lambda wildcards: openml_selection().task(wildcards.task).as_dict(),
        server=CONFIG.ranking.openml.server,
        n_models=CONFIG.ranking.n_models,
        seed=CONFIG.seed,
        code=code_of("openml_predictions"),
    script:
        "../scripts/openml_predictions.py"


rule openml_status:
    input:
        selection=f"{RANKING}/selection.json",
        tasks=of_ranked_tasks("status"),
    output:
        table("openml_status"),
    log:
        f"{RESULTS}/logs/ranking/openml_status.log",
    conda:
        ENVIRONMENT
    params:
        code=code_of("openml_status"),
    script:
        "../scripts/openml_status.py"
