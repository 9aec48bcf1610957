"""Scores of the ranked models: from predictions or as stored by the authors."""

STORED = CONFIG.ranking.published


include: "ranking_functions.smk"


if SOURCE == "openml":

    include: "ranking_openml.smk"


if SOURCE == "local":
    BLOCKS, OWN_FILES = CONFIG.ranking.local.blocks(), CONFIG.ranking.local.own_files()

    use rule job as ranking_predictions with:
        output:
            f"{RANKING}/predictions/{{task}}.parquet",
            f"{RANKING}/tasks/{{task}}.parquet",
        log:
            log_file("ranking/predictions/{task}"),
        wildcard_constraints:
            task="block_[0-9]+",
        params:
            **calls("ranking.local_models.run"),
            names=lambda wildcards: BLOCKS[wildcards.task],
            n_models=CONFIG.ranking.n_models,
            seed=CONFIG.seed,

    use rule job as ranking_own_file with:
        input:
            path=lambda wildcards: OWN_FILES[wildcards.task],
        output:
            rules.ranking_predictions.output,
        log:
            log_file("ranking/predictions/{task}"),
        wildcard_constraints:
            task="file_[0-9]+",
        params:
            **calls("ranking.own_files.run"),
            **CONFIG.own_files.model_dump(),
            label=CONFIG.ranking.local.label,
            features=CONFIG.ranking.local.features,
            n_models=CONFIG.ranking.n_models,
            seed=CONFIG.seed,
            version=lambda wildcards: version_of(OWN_FILES[wildcards.task]),


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
