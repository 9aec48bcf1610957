"""Figure 7 and arXiv Figures 9 and 10: rank correlations between metrics.

Inputs: tables/ranking_scores.csv, tables/ranking_tasks.csv of the configured source.
Outputs: tables/rank_correlation_{all,imbalanced,small_prior}.csv,
tables/selection_regret_{all,imbalanced,small_prior}.csv,
tables/rank_correlation_corrections{,_summary}.csv, tables/minority_ratio.csv.
"""


include: "../ranking/common.smk"
include: f"../ranking/{CONFIG.ranking.source}.smk"


if CONFIG.ranking.source != "published":

    include: "../ranking/scores.smk"


wildcard_constraints:
    panel="|".join(PANELS),


use rule job as rank_correlation with:
    input:
        **RANKING_TABLES,
    output:
        tables_of("rank_correlation_{panel}", panel=PANELS),
    log:
        log_file("ranking/rank_correlation_{panel}"),
    benchmark:
        benchmark_file("rank_correlation/{panel}")
    params:
        **legacy_calls("experiments.rank_correlation.run"),
        panel=lambda wildcards: wildcards.panel,
        metrics=lambda wildcards: ranking_metrics(wildcards.panel),
        conventions=CONFIG.ranking.conventions,
        n_bootstrap=CONFIG.ranking.n_bootstrap,
        seed=CONFIG.seed,


use rule job as selection_regret with:
    input:
        **RANKING_TABLES,
    output:
        tables_of("selection_regret_{panel}", panel=PANELS),
    log:
        log_file("ranking/selection_regret_{panel}"),
    benchmark:
        benchmark_file("selection_regret/{panel}")
    params:
        **legacy_calls("experiments.selection_regret.run"),
        panel=lambda wildcards: wildcards.panel,
        metrics=lambda wildcards: ranking_metrics(wildcards.panel),
        conventions=CONFIG.ranking.conventions,


use rule job as rank_correlation_corrections with:
    input:
        **RANKING_TABLES,
        **(
            {"status": table("openml_status")}
            if CONFIG.ranking.source == "openml"
            else {}
        ),
    output:
        cells=table("rank_correlation_corrections"),
        summary=table("rank_correlation_corrections_summary"),
    log:
        log_file("ranking/corrections"),
    benchmark:
        benchmark_file("rank_correlation_corrections")
    params:
        **legacy_calls("experiments.rank_correlation.corrections_and_summary"),
        metrics=ranking_metrics("all"),
        imbalanced_metrics=ranking_metrics("imbalanced"),
        source=CONFIG.ranking.source,


use rule job as minority_ratio with:
    input:
        path=(
            f"{RANKING}/selection.json"
            if CONFIG.ranking.source == "openml"
            else RANKING_TABLES["tasks"]
        ),
    output:
        table("minority_ratio"),
    log:
        log_file("ranking/minority_ratio"),
    benchmark:
        benchmark_file("minority_ratio")
    params:
        **legacy_calls("experiments.minority_ratio.of_file"),
