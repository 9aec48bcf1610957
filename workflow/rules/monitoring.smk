"""Figure 1 and arXiv Figure 11: AUC-PR of a scored stream by period, while its data drift."""

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
        **(CONFIG.own_files.model_dump() if OWN_STREAM else {}),
        version=version_of(OWN_STREAM),


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
        seed=CONFIG.seed,


figure(
    "fig1_monitoring",
    "Figure 1: AUC-PR and the prior by period",
    SIBLINI,
    draws="monitoring.figure.draw_weeks",
    inputs={
        "values": rules.monitoring.output.values,
        "trends": rules.monitoring.output.trends,
    },
    own_stream=OWN_STREAM,
)


figure(
    "figD11_monitoring_calibrated",
    "arXiv Figure 11: drift",
    SIBLINI,
    draws="monitoring.figure.draw_scenarios",
    inputs={
        "values": rules.monitoring.output.values,
        "trends": rules.monitoring.output.trends,
        "differences": rules.monitoring.output.differences,
    },
    own_stream=OWN_STREAM,
)


figure(
    "monitoring_changes",
    "The two parts of the change of AUC-PR",
    BEYOND,
    draws="monitoring.figure.draw_changes",
    inputs={
        "changes": rules.monitoring.output.changes,
        "values": rules.monitoring.output.values,
    },
    own_stream=OWN_STREAM,
)
