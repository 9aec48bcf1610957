"""Metrics of a calibrated classifier without labels: Tables 1 and 2 of the note.

Inputs: none.
Outputs: tables/label_free{,_convergence,_rates}.csv.
"""


use rule job as label_free with:
    output:
        table("label_free"),
    log:
        log_file("label_free/table"),
    benchmark:
        benchmark_file("label_free")
    group:
        cluster_job("experiments")
    params:
        **legacy_calls("experiments.label_free_metrics.run"),
        n_samples=CONFIG.label_free.n_samples,
        n_thresholds=CONFIG.label_free.n_thresholds,
        seed=CONFIG.seed,


use rule job as label_free_convergence with:
    output:
        errors=table("label_free_convergence"),
        rates=table("label_free_rates"),
    log:
        log_file("label_free/convergence"),
    benchmark:
        benchmark_file("label_free_convergence")
    group:
        cluster_job("experiments")
    params:
        **legacy_calls("experiments.label_free_metrics.convergence_and_slopes"),
        sizes=CONFIG.label_free.sizes,
        n_runs=CONFIG.label_free.n_runs,
        seed=CONFIG.seed,
