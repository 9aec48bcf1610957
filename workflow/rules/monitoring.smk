"""Figure 1 and arXiv Figure 11: metrics of a scored stream by period, while its data drift.

Inputs: none, or the file `monitoring.path`.
Outputs: tables/monitoring{,_differences,_trends,_changes}.csv, figures/fig1_monitoring.*,
figures/figD11_monitoring_calibrated.*, figures/monitoring_changes.*
"""

if CONFIG.monitoring.path is None:

    use rule job as monitoring_stream with:
        output:
            f"{RESULTS}/intermediate/monitoring/stream.parquet",
        log:
            log_file("monitoring/stream"),
        params:
            **calls("monitoring.stream.simulated"),
            **CONFIG.monitoring.of_simulator(),
            seed=CONFIG.seed,

else:

    use rule job as monitoring_stream with:
        input:
            path=CONFIG.monitoring.path,
        output:
            f"{RESULTS}/intermediate/monitoring/stream.parquet",
        log:
            log_file("monitoring/stream"),
        params:
            **calls("monitoring.stream.own"),
            **CONFIG.monitoring.columns.model_dump(),


use rule job as monitoring with:
    input:
        stream=rules.monitoring_stream.output[0],
    output:
        values=table("monitoring"),
        differences=table("monitoring_differences"),
        trends=table("monitoring_trends"),
        changes=table("monitoring_changes"),
    log:
        log_file("monitoring/tables"),
    params:
        **calls("monitoring.experiment.run"),
        metrics=metrics_of(CONFIG.monitoring.metrics),
        scenarios=CONFIG.monitoring.scenarios(),
        pi0=CONFIG.monitoring.pi0,
        n_bootstrap=CONFIG.monitoring.n_bootstrap,
        seed=CONFIG.seed,


use rule job as fig1_monitoring with:
    input:
        values=rules.monitoring.output.values,
    output:
        figure("fig1_monitoring", "Figure 1: AUC-PR and the prior by period", SIBLINI),
    log:
        log_file("figures/fig1_monitoring"),
    params:
        **calls("monitoring.figure.draw_weeks"),
        own_stream=CONFIG.monitoring.path,


use rule job as figD11_monitoring_calibrated with:
    input:
        values=rules.monitoring.output.values,
        trends=rules.monitoring.output.trends,
        differences=rules.monitoring.output.differences,
    output:
        figure(
            "figD11_monitoring_calibrated",
            "arXiv Figure 11: drift of the prior and of the model",
            SIBLINI,
        ),
    log:
        log_file("figures/figD11_monitoring_calibrated"),
    params:
        **calls("monitoring.figure.draw_scenarios"),
        own_stream=CONFIG.monitoring.path,


use rule job as monitoring_changes with:
    input:
        changes=rules.monitoring.output.changes,
        values=rules.monitoring.output.values,
    output:
        figure(
            "monitoring_changes",
            "Prior part and model part of the change of AUC-PR",
            BEYOND,
        ),
    log:
        log_file("figures/monitoring_changes"),
    params:
        **calls("monitoring.figure.draw_changes"),
        own_stream=CONFIG.monitoring.path,
