"""The authors' stored scores. They have no predictions, so there are no jobs of single tasks.

Inputs: the files ranking.published.{all,imbalanced}, if set; otherwise they are downloaded to
resources_dir.
Outputs: tables/ranking_scores.csv, tables/ranking_tasks.csv
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
        table("ranking_scores"),
        table("ranking_tasks"),
    log:
        log_file("ranking/published_scores"),
    params:
        **calls("ranking.published.run"),
        **CONFIG.ranking.published.model_dump(),
        resources=CONFIG.resources_dir,
