"""Scores of the ranked models: from predictions or as stored by the authors."""

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
            names=lambda wildcards: CONFIG.ranking.local.blocks()[wildcards.task],
            n_models=CONFIG.ranking.n_models,
            seed=CONFIG.seed,


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
            tasks=of_ranked_tasks("tasks"),
            paths=of_ranked_tasks("predictions"),
        output:
            table("ranking_scores"),
            table("ranking_tasks"),
        log:
            log_file("ranking/scores"),
        params:
            **calls("ranking.scores.run"),
            **RANKING_METRICS,
            imbalanced_below=CONFIG.ranking.imbalanced_below,
            small_prior_below=CONFIG.ranking.small_prior_below,
