"""The authors' stored scores. They have no predictions, so there are no per-task jobs.

Inputs: the files ranking.published.{all,imbalanced}, if set; otherwise they are downloaded to
resources_dir.
Outputs: tables/ranking_scores.csv, tables/ranking_tasks.csv.
"""


use rule job as published_scores with:
    input:
        [
            path
            for path in (
                CONFIG.ranking.published.all,
                CONFIG.ranking.published.imbalanced,
            )
            if path is not None
        ],
    output:
        scores=table("ranking_scores"),
        tasks=table("ranking_tasks"),
    log:
        log_file("ranking/published_scores"),
    benchmark:
        benchmark_file("published_scores")
    group:
        cluster_job("experiments")
    params:
        **legacy_calls("data.published_scores.stored_scores"),
        settings=CONFIG.ranking.published.model_dump(),
