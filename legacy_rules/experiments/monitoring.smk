"""Figure 1 and arXiv Figure 11: metrics of a fraud stream by week, while its data drift.

Inputs: none.
Outputs: intermediate/monitoring/stream.parquet, tables/monitoring{,_differences,_trends,_changes}.csv.
"""


use rule job as fraud_stream with:
    output:
        f"{RESULTS}/intermediate/monitoring/stream.parquet",
    log:
        log_file("monitoring/stream"),
    benchmark:
        benchmark_file("fraud_stream")
    group:
        cluster_job("experiments")
    params:
        **legacy_calls("experiments.fraud_stream.run"),
        **CONFIG.monitoring.model_dump(exclude={"metrics", "n_bootstrap"}),
        seed=CONFIG.seed,


use rule job as monitoring with:
    input:
        scored=rules.fraud_stream.output[0],
    output:
        by_period=table("monitoring"),
        differences=table("monitoring_differences"),
        trends=table("monitoring_trends"),
        changes=table("monitoring_changes"),
    log:
        log_file("monitoring/tables"),
    benchmark:
        benchmark_file("monitoring")
    group:
        cluster_job("experiments")
    params:
        **legacy_calls("experiments.monitoring.of_ordinary"),
        metrics=metrics_of("monitoring"),
        n_bootstrap=CONFIG.monitoring.n_bootstrap,
        seed=CONFIG.seed,
