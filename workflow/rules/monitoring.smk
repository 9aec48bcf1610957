"""Figure 1 and arXiv Figure 11: a fraud stream, week by week, while its data drift.

Inputs: none.
Outputs: intermediate/monitoring/stream.parquet, tables/monitoring{,_differences,_trends}.csv,
figures/{fig1_monitoring,figD11_monitoring_calibrated}.{pdf,png,svg}.
"""

STREAM_NAME = "simulated card transactions, in place of the paper's private stream"


rule fraud_stream:
    output:
        f"{RESULTS}/intermediate/monitoring/stream.parquet",
    log:
        f"{RESULTS}/logs/monitoring/stream.log",
    conda:
        ENVIRONMENT
    params:
        settings=CONFIG.monitoring.model_dump(exclude={"metrics", "n_bootstrap"}),
        seed=CONFIG.seed,
        code=code_of("fraud_stream"),
    script:
        "../scripts/fraud_stream.py"


rule monitoring:
    input:
        rules.fraud_stream.output,
    output:
        by_period=table("monitoring"),
        differences=table("monitoring_differences"),
        trends=table("monitoring_trends"),
    log:
        f"{RESULTS}/logs/monitoring/tables.log",
    conda:
        ENVIRONMENT
    params:
        metrics=metrics_of("monitoring"),
        n_bootstrap=CONFIG.monitoring.n_bootstrap,
        plugins=code_of_plugins(),
        seed=CONFIG.seed,
        code=code_of("monitoring"),
    script:
        "../scripts/monitoring.py"


rule fig1_monitoring:
    input:
        by_period=rules.monitoring.output.by_period,
        differences=rules.monitoring.output.differences,
    output:
        figure("fig1_monitoring", "Figure 1: AUC-PR follows the fraud ratio"),
    log:
        f"{RESULTS}/logs/monitoring/fig1.log",
    conda:
        ENVIRONMENT
    params:
        data_name=STREAM_NAME,
        png_dpi=CONFIG.figures.png_dpi,
        code=code_of("fig1_monitoring"),
    script:
        "../scripts/fig1_monitoring.py"


rule figD11_monitoring_calibrated:
    input:
        by_period=rules.monitoring.output.by_period,
        trends=rules.monitoring.output.trends,
    output:
        figure(
            "figD11_monitoring_calibrated",
            "arXiv Figure 11: did the prior drift, or the model?",
        ),
    log:
        f"{RESULTS}/logs/monitoring/figD11.log",
    conda:
        ENVIRONMENT
    params:
        data_name=STREAM_NAME,
        png_dpi=CONFIG.figures.png_dpi,
        code=code_of("figD11_monitoring_calibrated"),
    script:
        "../scripts/figD11_monitoring_calibrated.py"
