"""Figure 7, arXiv Figures 9 and 10, corrections, and the regret of choosing by another metric.

Inputs: tables/ranking_scores.csv and tables/ranking_tasks.csv of ranking.source, which the rules
files ranking_*.smk make.
Outputs: tables/rank_correlation_{all,imbalanced,small_prior}.csv,
tables/selection_regret_{all,imbalanced,small_prior}.csv,
tables/rank_correlation_corrections{,_summary}.csv, tables/minority_ratio.csv,
figures/{fig7_rank_correlation_all,fig7_rank_correlation_imbalanced}.*,
figures/{figC9_prior_cdf,figC10_rank_correlation_small_prior}.*,
figures/{rank_correlation_corrections,selection_regret_all,selection_regret_imbalanced}.*
"""

PANELS = {
    "all": "All tasks",
    "imbalanced": "Imbalanced tasks",
    "small_prior": "Tasks with a small prior",
}
# Only the matrices of the authors' own scores are as published.
CONVENTIONS = (
    ["As published", "Corrected"]
    if CONFIG.ranking.source == "published"
    else ["Authors' conventions", "Corrected conventions"]
)
RANKING = f"{RESULTS}/intermediate/ranking/{CONFIG.ranking.source}"
RANKING_TABLES = {
    name: f"{RESULTS}/tables/ranking_{name}.csv" for name in ("scores", "tasks")
}


include: "ranking_functions.smk"
include: f"ranking_{CONFIG.ranking.source}.smk"


if CONFIG.ranking.source != "published":

    include: "ranking_scores.smk"


for panel in PANELS:
    table(f"rank_correlation_{panel}")
    table(f"selection_regret_{panel}")


wildcard_constraints:
    panel="|".join(PANELS),


use rule job as rank_correlation with:
    input:
        **RANKING_TABLES,
    output:
        f"{RESULTS}/tables/rank_correlation_{{panel}}.csv",
    log:
        log_file("ranking/rank_correlation_{panel}"),
    params:
        **calls("ranking.experiment.run"),
        panel=lambda wildcards: wildcards.panel,
        metrics=lambda wildcards: ranking_metrics(wildcards.panel),
        conventions=CONFIG.ranking.conventions,
        n_bootstrap=CONFIG.ranking.n_bootstrap,
        seed=CONFIG.seed,


use rule job as selection_regret with:
    input:
        **RANKING_TABLES,
    output:
        f"{RESULTS}/tables/selection_regret_{{panel}}.csv",
    log:
        log_file("ranking/selection_regret_{panel}"),
    params:
        **calls("ranking.regret.run"),
        panel=lambda wildcards: wildcards.panel,
        metrics=lambda wildcards: ranking_metrics(wildcards.panel),
        conventions=CONFIG.ranking.conventions,


use rule job as corrections with:
    input:
        **RANKING_TABLES,
        **(
            {"status": rules.openml_status.output[0]}
            if CONFIG.ranking.source == "openml"
            else {}
        ),
    output:
        table("rank_correlation_corrections"),
        table("rank_correlation_corrections_summary"),
    log:
        log_file("ranking/corrections"),
    params:
        **calls("ranking.corrections.run"),
        metrics=ranking_metrics("all"),
        imbalanced_metrics=ranking_metrics("imbalanced"),
        has_predictions=CONFIG.ranking.source != "published",


use rule job as minority_ratio with:
    input:
        datasets=(
            f"{RANKING}/datasets.parquet"
            if CONFIG.ranking.source == "openml"
            else RANKING_TABLES["tasks"]
        ),
    output:
        table("minority_ratio"),
    log:
        log_file("ranking/minority_ratio"),
    params:
        **calls("ranking.minority_ratio.run"),


use rule job as fig7_rank_correlation_all with:
    input:
        table=f"{RESULTS}/tables/rank_correlation_all.csv",
    output:
        figure(
            "fig7_rank_correlation_all",
            "Figure 7: rank correlations, all tasks",
            SIBLINI,
        ),
    log:
        log_file("figures/fig7_rank_correlation_all"),
    params:
        **calls("ranking.figure.draw_correlations"),
        **of_panel("all"),


use rule job as fig7_rank_correlation_imbalanced with:
    input:
        table=f"{RESULTS}/tables/rank_correlation_imbalanced.csv",
    output:
        figure(
            "fig7_rank_correlation_imbalanced",
            "Figure 7: rank correlations, imbalanced tasks",
            SIBLINI,
        ),
    log:
        log_file("figures/fig7_rank_correlation_imbalanced"),
    params:
        **calls("ranking.figure.draw_correlations"),
        **of_panel("imbalanced"),


use rule job as figC10_rank_correlation_small_prior with:
    input:
        table=f"{RESULTS}/tables/rank_correlation_small_prior.csv",
    output:
        figure(
            "figC10_rank_correlation_small_prior",
            "arXiv Figure 10 (appendix C): rank correlations, small priors",
            SIBLINI,
        ),
    log:
        log_file("figures/figC10_rank_correlation_small_prior"),
    params:
        **calls("ranking.figure.draw_correlations"),
        **of_panel("small_prior"),


use rule job as figC9_prior_cdf with:
    input:
        table=rules.minority_ratio.output[0],
    output:
        figure(
            "figC9_prior_cdf",
            "arXiv Figure 9: how imbalanced are the datasets?",
            SIBLINI,
        ),
    log:
        log_file("figures/figC9_prior_cdf"),
    params:
        **calls("ranking.figure.draw_minority_ratio"),
        datasets=CONFIG.ranking.datasets(),


use rule job as rank_correlation_corrections with:
    input:
        table=rules.corrections.output[0],
    output:
        figure(
            "rank_correlation_corrections",
            f"Figure 7: {' and '.join(CONVENTIONS).lower()}",
            BEYOND,
        ),
    log:
        log_file("figures/rank_correlation_corrections"),
    params:
        **calls("ranking.figure.draw_corrections"),
        metrics=ranking_metrics("all"),
        imbalanced_metrics=ranking_metrics("imbalanced"),
        panels=PANELS,
        models=CONFIG.ranking.models(),
        titles=CONVENTIONS,


use rule job as selection_regret_all with:
    input:
        table=f"{RESULTS}/tables/selection_regret_all.csv",
    output:
        figure(
            "selection_regret_all",
            "Regret of choosing a model by another metric, all tasks",
            BEYOND,
        ),
    log:
        log_file("figures/selection_regret_all"),
    params:
        **calls("ranking.figure.draw_regret"),
        **of_panel("all"),


use rule job as selection_regret_imbalanced with:
    input:
        table=f"{RESULTS}/tables/selection_regret_imbalanced.csv",
    output:
        figure(
            "selection_regret_imbalanced",
            "Regret of choosing a model by another metric, imbalanced tasks",
            BEYOND,
        ),
    log:
        log_file("figures/selection_regret_imbalanced"),
    params:
        **calls("ranking.figure.draw_regret"),
        **of_panel("imbalanced"),
