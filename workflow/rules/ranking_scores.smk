"""Scores of the ranked models: from predictions, one job per task, or as stored by the authors."""

from reproduction.ranking.local_tasks import TASKS

STORED = CONFIG.ranking.published


include: "ranking_functions.smk"


if SOURCE == "openml":

    include: "ranking_openml.smk"


if SOURCE == "local":

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
        **RANKING_METRICS,
        imbalanced_below=CONFIG.ranking.imbalanced_below,


if SOURCE == "published":

    use rule job as ranking_scores with:
        input:
            [path for path in (STORED.all, STORED.imbalanced) if path],
        output:
            table("ranking_scores"),
            table("ranking_tasks"),
        log:
            log_file("ranking/scores"),
        params:
            **calls("ranking.published.run"),
            **RANKING_METRICS,
            **STORED.model_dump(),
            version=[version_of(STORED.all), version_of(STORED.imbalanced)],
            resources=CONFIG.resources_dir,

else:

    use rule job as ranking_scores with:
        input:
            scores=of_ranked_tasks("scores"),
            tasks=of_ranked_tasks("tasks"),
        output:
            table("ranking_scores"),
            table("ranking_tasks"),
        log:
            log_file("ranking/scores"),
        params:
            **calls("ranking.scores.tables"),
            imbalanced_below=CONFIG.ranking.imbalanced_below,
            small_prior_below=CONFIG.ranking.small_prior_below,
