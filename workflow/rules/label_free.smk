"""Metrics of a calibrated classifier without labels: Tables 1 and 2 of the note, and convergence."""


use rule job as label_free with:
    output:
        table("label_free"),
    log:
        log_file("label_free/table"),
    params:
        **calls("label_free.experiment.run"),
        **CONFIG.label_free.model_dump(include={"n_samples", "n_thresholds"}),
        seed=CONFIG.seed,


use rule job as label_free_convergence with:
    output:
        table("label_free_convergence"),
    log:
        log_file("label_free/convergence"),
    params:
        **calls("label_free.experiment.convergence"),
        **CONFIG.label_free.model_dump(include={"sizes", "n_runs"}),
        seed=CONFIG.seed,


figure(
    "cc_table1",
    "Table 1: metrics by computation",
    CALIBRATED_CLASSIFIER,
    draws="label_free.figure.draw_by_computation",
    inputs={"table": rules.label_free.output[0]},
)


figure(
    "cc_table2",
    "Table 2: computations by metric",
    CALIBRATED_CLASSIFIER,
    draws="label_free.figure.draw_by_metric",
    inputs={"table": rules.label_free.output[0]},
)


figure(
    "cc_convergence",
    "Error by sample size",
    CALIBRATED_CLASSIFIER,
    draws="label_free.figure.draw_convergence",
    inputs={"table": rules.label_free_convergence.output[0]},
)
