"""The authors' stored scores."""

STORED = CONFIG.ranking.published


use rule job as ranking_scores with:
    input:
        [path for path in (STORED.all, STORED.imbalanced) if path],
    output:
        table("ranking_scores"),
        table("ranking_tasks"),
    log:
        log_file("ranking/scores"),
    params:
        **calls("published_scores.scores.run"),
        **RANKING_METRICS,
        **STORED.model_dump(),
        version=[version_of(STORED.all), version_of(STORED.imbalanced)],
        resources=CONFIG.resources_dir,
