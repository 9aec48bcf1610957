"""Models that are fitted here, one job per task.

Inputs: none.
Outputs: intermediate/ranking/local/{predictions,tasks}/*.parquet
"""

from reproduction.ranking.local_tasks import TASKS

ranked_tasks = lambda: CONFIG.ranking.local.tasks or TASKS


use rule job as ranking_predictions with:
    output:
        f"{RANKING}/predictions/{{task}}.parquet",
        f"{RANKING}/tasks/{{task}}.parquet",
    log:
        log_file("ranking/predictions/{task}"),
    params:
        **calls("ranking.local_models.run"),
        name=lambda wildcards: wildcards.task,
        n_models=CONFIG.ranking.n_models,
        seed=CONFIG.seed,
