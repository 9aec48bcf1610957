"""Models that the pipeline fits, one job per block of tasks or file of the user."""

BLOCKS, OWN_FILES = CONFIG.ranking.local.blocks(), CONFIG.ranking.local.own_files()
JOBS = [*BLOCKS, *OWN_FILES]
TASKS_OF_SOURCE = expand(f"{RANKING}/tasks/{{job}}.parquet", job=JOBS)
PREDICTIONS_OF_SOURCE = expand(f"{RANKING}/predictions/{{job}}.parquet", job=JOBS)


use rule job as ranking_predictions with:
    output:
        f"{RANKING}/predictions/{{task}}.parquet",
        f"{RANKING}/tasks/{{task}}.parquet",
    log:
        log_file("ranking/predictions/{task}"),
    wildcard_constraints:
        task="block_[0-9]+",
    params:
        **calls("local_models.models.run"),
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
        **calls("local_models.own_files.run"),
        **CONFIG.own_files.model_dump(),
        label=CONFIG.ranking.local.label,
        features=CONFIG.ranking.local.features,
        n_models=CONFIG.ranking.n_models,
        seed=CONFIG.seed,
        version=lambda wildcards: version_of(OWN_FILES[wildcards.task]),


include: "ranking_scores.smk"
