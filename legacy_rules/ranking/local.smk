"""Rankings of models that are fitted here, one job per task.

Inputs: none.
Outputs: intermediate/ranking/local/{predictions,tasks}/*.parquet.
"""


use rule job as local_predictions with:
    output:
        predictions=f"{RANKING}/predictions/{{task}}.parquet",
        task=f"{RANKING}/tasks/{{task}}.parquet",
    log:
        log_file("ranking/predictions/{task}"),
    benchmark:
        benchmark_file("local_predictions/{task}")
    group:
        cluster_job_of_tasks()
    params:
        **legacy_calls("data.local_models.ranked_task"),
        name=lambda wildcards: wildcards.task,
        n_models=CONFIG.ranking.n_models,
        seed=CONFIG.seed,
