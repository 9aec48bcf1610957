"""Figure 7 and arXiv Figures 9 and 10: do metrics rank models alike?

Inputs: tables/ranking_scores.csv, tables/ranking_tasks.csv of the configured source.
Outputs: tables/rank_correlation_{all,imbalanced,small_prior}.csv,
tables/selection_regret_{all,imbalanced,small_prior}.csv,
tables/rank_correlation_corrections{,_summary}.csv, tables/minority_ratio.csv, and
figures/{fig7_rank_correlation_all,fig7_rank_correlation_imbalanced,
figC10_rank_correlation_small_prior,figC9_prior_cdf,rank_correlation_corrections,
selection_regret_all,selection_regret_imbalanced}.{pdf,png,svg}.
"""


include: "ranking_common.smk"
include: f"ranking_{CONFIG.ranking.source}.smk"


if CONFIG.ranking.source != "published":

    include: "ranking_scores.smk"


wildcard_constraints:
    panel="|".join(PANELS),


rule rank_correlation:
    input:
        **RANKING_TABLES,
    output:
        tables_of("rank_correlation_{panel}", panel=PANELS),
    log:
        f"{RESULTS}/logs/ranking/rank_correlation_{{panel}}.log",
    conda:
        ENVIRONMENT
    params:
        metrics=metrics_of_panel,
        conventions=CONFIG.ranking_conventions().model_dump(),
        n_bootstrap=CONFIG.ranking.n_bootstrap,
        seed=CONFIG.seed,
        plugins=code_of_plugins(),
        code=code_of("rank_correlation"),
    script:
        "../scripts/rank_correlation.py"


rule selection_regret:
    input:
        **RANKING_TABLES,
    output:
        tables_of("selection_regret_{panel}", panel=PANELS),
    log:
        f"{RESULTS}/logs/ranking/selection_regret_{{panel}}.log",
    conda:
        ENVIRONMENT
    params:
        metrics=metrics_of_panel,
        conventions=CONFIG.ranking_conventions().model_dump(),
        plugins=code_of_plugins(),
        code=code_of("selection_regret"),
    script:
        "../scripts/selection_regret.py"


rule rank_correlation_corrections:
    input:
        **RANKING_TABLES,
    output:
        cells=table("rank_correlation_corrections"),
        summary=table("rank_correlation_corrections_summary"),
    log:
        f"{RESULTS}/logs/ranking/corrections.log",
    conda:
        ENVIRONMENT
    params:
        metrics=CONFIG.ranking_metrics("all"),
        as_published=CONFIG.ranking_metrics("imbalanced", "as_published"),
        corrected=CONFIG.ranking_metrics("imbalanced", "corrected"),
        conventions=CONFIG.conventions.model_dump(),
        source=CONFIG.ranking.source,
        plugins=code_of_plugins(),
        code=code_of("rank_correlation_corrections"),
    script:
        "../scripts/rank_correlation_corrections.py"


rule minority_ratio:
    input:
        (
            f"{RANKING}/selection.json"
            if CONFIG.ranking.source == "openml"
            else RANKING_TABLES["tasks"]
        ),
    output:
        table("minority_ratio"),
    log:
        f"{RESULTS}/logs/ranking/minority_ratio.log",
    conda:
        ENVIRONMENT
    params:
        code=code_of("minority_ratio"),
    script:
        "../scripts/minority_ratio.py"


rule fig7_rank_correlation_all:
    input:
        f"{RESULTS}/tables/rank_correlation_all.csv",
    output:
        figure("fig7_rank_correlation_all", "Figure 7: rank correlations, all tasks"),
    log:
        f"{RESULTS}/logs/ranking/fig7_all.log",
    conda:
        ENVIRONMENT
    params:
        metrics=CONFIG.ranking_metrics("all"),
        title=CONFIG.ranking.title,
        plugins=code_of_plugins(),
        png_dpi=CONFIG.figures.png_dpi,
        code=code_of("fig7_rank_correlation_all"),
    script:
        "../scripts/fig7_rank_correlation_all.py"


rule fig7_rank_correlation_imbalanced:
    input:
        f"{RESULTS}/tables/rank_correlation_imbalanced.csv",
    output:
        figure(
            "fig7_rank_correlation_imbalanced",
            "Figure 7: rank correlations, imbalanced tasks",
        ),
    log:
        f"{RESULTS}/logs/ranking/fig7_imbalanced.log",
    conda:
        ENVIRONMENT
    params:
        metrics=CONFIG.ranking_metrics("imbalanced"),
        title=CONFIG.ranking.title,
        plugins=code_of_plugins(),
        png_dpi=CONFIG.figures.png_dpi,
        code=code_of("fig7_rank_correlation_imbalanced"),
    script:
        "../scripts/fig7_rank_correlation_imbalanced.py"


rule figC10_rank_correlation_small_prior:
    input:
        f"{RESULTS}/tables/rank_correlation_small_prior.csv",
    output:
        figure(
            "figC10_rank_correlation_small_prior",
            "arXiv Figure 10: rank correlations, small priors",
        ),
    log:
        f"{RESULTS}/logs/ranking/figC10.log",
    conda:
        ENVIRONMENT
    params:
        metrics=CONFIG.ranking_metrics("small_prior"),
        title=CONFIG.ranking.title,
        plugins=code_of_plugins(),
        png_dpi=CONFIG.figures.png_dpi,
        code=code_of("figC10_rank_correlation_small_prior"),
    script:
        "../scripts/figC10_rank_correlation_small_prior.py"


rule figC9_prior_cdf:
    input:
        rules.minority_ratio.output,
    output:
        figure("figC9_prior_cdf", "arXiv Figure 9: how imbalanced are the tasks?"),
    log:
        f"{RESULTS}/logs/ranking/figC9.log",
    conda:
        ENVIRONMENT
    params:
        title=CONFIG.ranking.title_of_datasets,
        png_dpi=CONFIG.figures.png_dpi,
        code=code_of("figC9_prior_cdf"),
    script:
        "../scripts/figC9_prior_cdf.py"


rule fig_selection_regret_all:
    input:
        f"{RESULTS}/tables/selection_regret_all.csv",
    output:
        figure("selection_regret_all", "What a low correlation costs, all tasks"),
    log:
        f"{RESULTS}/logs/ranking/fig_selection_regret_all.log",
    conda:
        ENVIRONMENT
    params:
        metrics=CONFIG.ranking_metrics("all"),
        title=f"All tasks: {CONFIG.ranking.title}",
        plugins=code_of_plugins(),
        png_dpi=CONFIG.figures.png_dpi,
        code=code_of("fig_selection_regret"),
    script:
        "../scripts/fig_selection_regret.py"


rule fig_selection_regret_imbalanced:
    input:
        f"{RESULTS}/tables/selection_regret_imbalanced.csv",
    output:
        figure(
            "selection_regret_imbalanced",
            "What a low correlation costs, imbalanced tasks",
        ),
    log:
        f"{RESULTS}/logs/ranking/fig_selection_regret_imbalanced.log",
    conda:
        ENVIRONMENT
    params:
        metrics=CONFIG.ranking_metrics("imbalanced"),
        title=f"Imbalanced tasks: {CONFIG.ranking.title}",
        plugins=code_of_plugins(),
        png_dpi=CONFIG.figures.png_dpi,
        code=code_of("fig_selection_regret"),
    script:
        "../scripts/fig_selection_regret.py"


rule fig_rank_correlation_corrections:
    input:
        rules.rank_correlation_corrections.output.cells,
    output:
        figure("rank_correlation_corrections", "Figure 7, as published and corrected"),
    log:
        f"{RESULTS}/logs/ranking/fig_corrections.log",
    conda:
        ENVIRONMENT
    params:
        metrics=CONFIG.ranking_metrics("all"),
        as_published=CONFIG.ranking_metrics("imbalanced", "as_published"),
        corrected=CONFIG.ranking_metrics("imbalanced", "corrected"),
        title=CONFIG.ranking.title,
        plugins=code_of_plugins(),
        png_dpi=CONFIG.figures.png_dpi,
        code=code_of("fig_rank_correlation_corrections"),
    script:
        "../scripts/fig_rank_correlation_corrections.py"
