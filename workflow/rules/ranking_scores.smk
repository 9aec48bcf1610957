"""Metrics of the predictions, one job per task.

Inputs: intermediate/ranking/<source>/{predictions,tasks}/*.parquet
Outputs: intermediate/ranking/<source>/scores/*.parquet, tables/ranking_scores.csv,
tables/ranking_tasks.csv
"""


use rule job as ranking_scores_of_a_task with:
    input:
        predictions=f"{RANKING}/predictions/{{task}}.parquet",
        task=f"{RANKING}/tasks/{{task}}.parquet",
    output:
        f"{RANKING}/scores/{{task}}.parquet",
    log:
        log_file("ranking/scores/{task}"),
    params:
        **calls("ranking.scores.run"),
        metrics=ranking_metrics("all"),
        imbalanced_metrics=ranking_metrics("imbalanced"),
        imbalanced_below=CONFIG.ranking.imbalanced_below,


use rule job as ranking_scores with:
    input:
        tables=of_ranked_tasks("scores"),
    output:
        table("ranking_scores"),
    log:
        log_file("ranking/scores"),
    params:
        **calls("core.io.joined"),


use rule job as ranking_tasks with:
    input:
        tasks=of_ranked_tasks("tasks"),
    output:
        table("ranking_tasks"),
    log:
        log_file("ranking/tasks"),
    params:
        **calls("ranking.predictions.table_of_tasks"),
        imbalanced_below=CONFIG.ranking.imbalanced_below,
        small_prior_below=CONFIG.ranking.small_prior_below,
