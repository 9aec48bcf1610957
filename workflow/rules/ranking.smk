"""Replication of Figure 7, arXiv Figures 9 and 10, corrections, and regret of choosing by another metric."""

SOURCE = CONFIG.ranking.source
RANKING = f"{RESULTS}/intermediate/ranking/{SOURCE}"
RANKING_TABLES = {
    name: f"{RESULTS}/tables/ranking_{name}.csv" for name in ("scores", "tasks")
}
RANKING_METRICS = {
    "metrics": metrics_of(CONFIG.ranking.metrics),
    "imbalanced_metrics": metrics_of(CONFIG.ranking.imbalanced_metrics),
}
PANELS = {
    "all": "All tasks",
    "imbalanced": "Imbalanced tasks",
    "small_prior": "Tasks with a small prior",
}
if not CONFIG.ranking.has_imbalanced:
    del PANELS["imbalanced"]
METRICS_OF_PANEL = {
    **dict.fromkeys(PANELS, RANKING_METRICS["metrics"]),
    "imbalanced": RANKING_METRICS["imbalanced_metrics"],
}
FIGURES_OF_PANELS = {
    "replication_rank_correlation_all": (
        "Replication of Figure 7: rank correlations, all tasks"
    ),
    "replication_rank_correlation_imbalanced": (
        "Replication of Figure 7: rank correlations, imbalanced tasks"
    ),
    "figC10_rank_correlation_small_prior": (
        "arXiv Figure 10 (appendix C): rank correlations, small priors"
    ),
    "selection_regret_all": "Regret of choosing a model by another metric, all tasks",
    "selection_regret_imbalanced": (
        "Regret of choosing a model by another metric, imbalanced tasks"
    ),
}


include: f"ranking_{SOURCE}.smk"


wildcard_constraints:
    panel="|".join(PANELS),


for panel in PANELS:
    table(f"replication_rank_correlation_{panel}")
    if panel != "small_prior":
        table(f"selection_regret_{panel}")


use rule job as replication_rank_correlation with:
    input:
        **RANKING_TABLES,
    output:
        f"{RESULTS}/tables/replication_rank_correlation_{{panel}}.csv",
    log:
        log_file("ranking/replication_rank_correlation_{panel}"),
    params:
        **calls("ranking.experiment.run"),
        panel=lambda wildcards: wildcards.panel,
        metrics=lambda wildcards: METRICS_OF_PANEL[wildcards.panel],
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
        metrics=lambda wildcards: METRICS_OF_PANEL[wildcards.panel],


for name, title in FIGURES_OF_PANELS.items():
    drawn, panel = re.search("(rank_correlation|selection_regret)_(.*)", name).groups()
    if panel in PANELS:
        figure(
            name,
            title,
            SIBLINI if name.startswith("fig") else BEYOND,
            draws=f"ranking.figure.draw_{drawn}",
            inputs={
                "table": f"{RESULTS}/tables/{name.replace('figC10', 'replication')}.csv",
                "ranked": RANKING_TABLES["tasks"],
            },
            panel=panel,
            metrics=METRICS_OF_PANEL[panel],
            tasks=PANELS[panel],
            models=CONFIG.ranking.models(),
        )


use rule job as corrections with:
    input:
        **RANKING_TABLES,
    output:
        table("rank_correlation_corrections"),
    log:
        log_file("ranking/corrections"),
    params:
        **calls("ranking.corrections.run"),
        **RANKING_METRICS,


figure(
    "rank_correlation_corrections",
    "Replication of Figure 7: authors' conventions, and change by the corrections",
    BEYOND,
    draws="ranking.figure.draw_corrections",
    inputs={"table": rules.corrections.output[0]},
    **RANKING_METRICS,
    panels=PANELS,
    models=CONFIG.ranking.models(),
)


use rule job as minority_ratio with:
    input:
        datasets=(
            f"{RANKING}/datasets.parquet"
            if SOURCE == "openml"
            else RANKING_TABLES["tasks"]
        ),
    output:
        table("minority_ratio"),
    log:
        log_file("ranking/minority_ratio"),
    params:
        **calls("ranking.minority_ratio.run"),


figure(
    "figC9_prior_cdf",
    "arXiv Figure 9: how imbalanced are the datasets?",
    SIBLINI,
    draws="ranking.figure.draw_minority_ratio",
    inputs={"table": rules.minority_ratio.output[0]},
    datasets=CONFIG.ranking.datasets(),
)
