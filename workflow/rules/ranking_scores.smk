"""Metrics of the predictions, one job per task.

Inputs: intermediate/ranking/<source>/{predictions,tasks}/*.parquet.
Outputs: intermediate/ranking/<source>/scores/*.parquet, tables/ranking_scores.csv,
tables/ranking_tasks.csv.
"""


rule ranking_scores_of_a_task:
    input:
        predictions=f"{RANKING}/predictions/{{task}}.parquet",
        task=f"{RANKING}/tasks/{{task}}.parquet",
    output:
        f"{RANKING}/scores/{{task}}.parquet",
    log:
        f"{RESULTS}/logs/ranking/scores/{{task}}.log",
    conda:
        ENVIRONMENT
    params:
        metrics=metrics_of("ranking"),
        imbalanced_metrics=[
            CONFIG.ranking_metrics("imbalanced", conventions)
            for conventions in ("corrected", "as_published")
        ],
        imbalanced_below=CONFIG.ranking.imbalanced_below,
        plugins=code_of_plugins(),
        code=code_of("ranking_scores_of_a_task"),
    script:
        "../scripts/ranking_scores_of_a_task.py"


rule ranking_scores:
    input:
        of_ranked_tasks("scores"),
    output:
        table("ranking_scores"),
    log:
        f"{RESULTS}/logs/ranking/scores.log",
    conda:
        ENVIRONMENT
    params:
        code=code_of("combine_blocks"),
    script:
        "../scripts/combine_blocks.py"


rule ranking_tasks:
    input:
        of_ranked_tasks("tasks"),
    output:
        table("ranking_tasks"),
    log:
        f"{RESULTS}/logs/ranking/tasks.log",
    conda:
        ENVIRONMENT
    params:
        imbalanced_below=CONFIG.ranking.imbalanced_below,
        small_prior_below=CONFIG.ranking.small_prior_below,
        code=code_of("ranking_tasks"),
    script:
        "../scripts/ranking_tasks.py"
