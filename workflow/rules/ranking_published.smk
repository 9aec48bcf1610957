"""The authors' stored scores: no predictions, so no task of ours.

Inputs: the files ranking.published.{all,imbalanced} where there are; else they land in
resources_dir.
Outputs: tables/ranking_scores.csv, tables/ranking_tasks.csv.
"""


rule published_scores:
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
        f"{RESULTS}/logs/ranking/published_scores.log",
    conda:
        ENVIRONMENT
    params:
        settings=CONFIG.ranking.published.model_dump(),
        code=code_of("published_scores"),
    script:
        "../scripts/published_scores.py"
