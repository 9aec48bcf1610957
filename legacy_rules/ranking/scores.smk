"""Metrics of the predictions, one job per task.

Inputs: intermediate/ranking/<source>/{predictions,tasks}/*.parquet.
Outputs: intermediate/ranking/<source>/scores/*.parquet, tables/ranking_scores.csv,
tables/ranking_tasks.csv.
"""


use rule job as ranking_scores_of_a_task with:
    input:
        predictions=f"{RANKING}/predictions/{{task}}.parquet",
        task=f"{RANKING}/tasks/{{task}}.parquet",
    output:
        f"{RANKING}/scores/{{task}}.parquet",
    log:
        log_file("ranking/scores/{task}"),
    benchmark:
        benchmark_file("ranking_scores_of_a_task/{task}")
    group:
        cluster_job_of_tasks()
    params:
        **legacy_calls("experiments.ranking_scores.of_task"),
        metrics=metrics_of("ranking"),
        imbalanced_metrics=ranking_metrics("imbalanced"),
        imbalanced_below=CONFIG.ranking.imbalanced_below,


use rule job as ranking_scores with:
    input:
        tables=of_ranked_tasks("scores"),
    output:
        table("ranking_scores"),
    log:
        log_file("ranking/scores"),
    benchmark:
        benchmark_file("ranking_scores")
    params:
        **legacy_calls("files.joined"),


use rule job as ranking_tasks with:
    input:
        tasks=of_ranked_tasks("tasks"),
    output:
        table("ranking_tasks"),
    log:
        log_file("ranking/tasks"),
    benchmark:
        benchmark_file("ranking_tasks")
    params:
        **legacy_calls("experiments.ranking_tasks.run"),
        imbalanced_below=CONFIG.ranking.imbalanced_below,
        small_prior_below=CONFIG.ranking.small_prior_below,
