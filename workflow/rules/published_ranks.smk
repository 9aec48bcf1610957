"""Figure 7 as printed, from the scores that the authors stored."""

RANKS = Path(settings.__file__).parents[1] / "published_ranks"


use rule job as published_ranks with:
    output:
        table("rank_correlation_all"),
        table("rank_correlation_imbalanced"),
        table("published_models"),
    log:
        log_file("published_ranks"),
    params:
        **calls("published_ranks.experiment.run"),
        metrics=settings.Metrics().described("paper"),
        imbalanced_metrics=settings.Metrics().described("paper_imbalanced"),
        version=[version_of(path) for path in sorted(RANKS.glob("*.[cn]*"))],


for panel, tasks in (("all", "All tasks"), ("imbalanced", "Imbalanced tasks")):
    figure(
        f"fig7_rank_correlation_{panel}",
        f"Figure 7: rank correlations, {tasks.lower()}",
        SIBLINI,
        draws="published_ranks.figure.draw",
        inputs={
            "table": f"{RESULTS}/tables/rank_correlation_{panel}.csv",
            "models": rules.published_ranks.output[2],
        },
        panel=panel,
        tasks=tasks,
    )
