"""Scores of the ranked models from their predictions."""


use rule job as ranking_scores with:
    input:
        tasks=TASKS_OF_SOURCE,
        paths=PREDICTIONS_OF_SOURCE,
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
