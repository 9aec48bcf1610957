"""Metrics of a calibrated classifier without labels: Tables 1 and 2 of the note, and convergence.

Inputs: none.
Outputs: tables/label_free{,_convergence,_rates}.csv, figures/cc_{table1,table2,convergence}.*
"""


use rule job as label_free with:
    output:
        table("label_free"),
    log:
        log_file("label_free/table"),
    params:
        **calls("label_free.experiment.run"),
        n_samples=CONFIG.label_free.n_samples,
        n_thresholds=CONFIG.label_free.n_thresholds,
        seed=CONFIG.seed,


use rule job as label_free_convergence with:
    output:
        errors=table("label_free_convergence"),
        rates=table("label_free_rates"),
    log:
        log_file("label_free/convergence"),
    params:
        **calls("label_free.experiment.convergence_and_slopes"),
        sizes=CONFIG.label_free.sizes,
        n_runs=CONFIG.label_free.n_runs,
        seed=CONFIG.seed,


use rule job as cc_table1 with:
    input:
        table=rules.label_free.output[0],
    output:
        figure(
            "cc_table1",
            "Table 1: metrics from labels, scores and the distribution",
            CALIBRATED_CLASSIFIER,
        ),
    log:
        log_file("figures/cc_table1"),
    params:
        **calls("label_free.figure.draw_by_computation"),


use rule job as cc_table2 with:
    input:
        table=rules.label_free.output[0],
    output:
        figure(
            "cc_table2",
            "Table 2: accuracy, precision, recall and F1",
            CALIBRATED_CLASSIFIER,
        ),
    log:
        log_file("figures/cc_table2"),
    params:
        **calls("label_free.figure.draw_by_metric"),


use rule job as cc_convergence with:
    input:
        table=rules.label_free_convergence.output.errors,
    output:
        figure(
            "cc_convergence",
            "Error of the metrics against the sample size",
            CALIBRATED_CLASSIFIER,
        ),
    log:
        log_file("figures/cc_convergence"),
    params:
        **calls("label_free.figure.draw_convergence"),
