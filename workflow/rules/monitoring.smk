"""Figure 1 and arXiv Figure 11: metrics of a scored stream by period, while its data drift.

Inputs: none, or `monitoring.path`. Outputs: tables/monitoring{,_differences,_trends,_changes}.csv,
figures/{fig1_monitoring,figD11_monitoring_calibrated,monitoring_changes}.*
"""

OWN_STREAM = CONFIG.monitoring.path


use rule job as monitoring_stream with:
    input:
        **({"path": OWN_STREAM} if OWN_STREAM else {}),
    output:
        f"{RESULTS}/intermediate/monitoring/stream.parquet",
    log:
        log_file("monitoring/stream"),
    params:
        **calls(f"monitoring.stream.{'own' if OWN_STREAM else 'simulated'}"),
        **CONFIG.monitoring.of_stream(CONFIG.seed),


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
        **CONFIG.monitoring.of_tables(),
        metrics=metrics_of(CONFIG.monitoring.metrics),
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
        own_stream=OWN_STREAM,


use rule job as figD11_monitoring_calibrated with:
    input:
        values=rules.monitoring.output.values,
        trends=rules.monitoring.output.trends,
        differences=rules.monitoring.output.differences,
    output:
        figure("figD11_monitoring_calibrated", "arXiv Figure 11: drift", SIBLINI),
    log:
        log_file("figures/figD11_monitoring_calibrated"),
    params:
        **calls("monitoring.figure.draw_scenarios"),
        own_stream=OWN_STREAM,


use rule job as monitoring_changes with:
    input:
        changes=rules.monitoring.output.changes,
        values=rules.monitoring.output.values,
    output:
        figure("monitoring_changes", "The two parts of the change of AUC-PR", BEYOND),
    log:
        log_file("figures/monitoring_changes"),
    params:
        **calls("monitoring.figure.draw_changes"),
        own_stream=OWN_STREAM,
