"""arXiv appendix A: metrics on the fraud data while undersampling raises its prior.

Inputs: the scored fraud test set.
Outputs: tables/fraud_prior_sweep{,_intervals}.csv.
"""

FRAUD_PRIOR_SWEEP_BLOCK = (
    f"{RESULTS}/intermediate/fraud_prior_sweep/{{first}}-{{stop}}.parquet"
)


use rule job as fraud_prior_sweep_block with:
    input:
        curve=rules.fraud_predictions.output.predictions,
    output:
        FRAUD_PRIOR_SWEEP_BLOCK,
    log:
        log_file("fraud_prior_sweep/{first}-{stop}"),
    benchmark:
        benchmark_file("fraud_prior_sweep_block/{first}-{stop}")
    group:
        cluster_job("experiments")
    params:
        **legacy_calls("experiments.fraud_prior_sweep.run"),
        settings=settings_of_a_run("fraud_prior_sweep"),
        metrics=metrics_of("fraud_prior_sweep"),
        runs=runs_of_block,
        seed=CONFIG.seed,


use rule job as fraud_prior_sweep with:
    input:
        tables=blocks_of_runs("fraud_prior_sweep", FRAUD_PRIOR_SWEEP_BLOCK),
    output:
        table("fraud_prior_sweep"),
    log:
        log_file("fraud_prior_sweep/table"),
    benchmark:
        benchmark_file("fraud_prior_sweep")
    group:
        cluster_job("experiments")
    params:
        **legacy_calls("files.joined"),


use rule job as fraud_prior_sweep_intervals with:
    input:
        curve=rules.fraud_predictions.output.predictions,
    output:
        table("fraud_prior_sweep_intervals"),
    log:
        log_file("fraud_prior_sweep/intervals"),
    benchmark:
        benchmark_file("fraud_prior_sweep_intervals")
    group:
        cluster_job("experiments")
    params:
        **legacy_calls("experiments.fraud_prior_sweep.intervals"),
        settings=settings_of_a_run("fraud_prior_sweep"),
        metrics=metrics_of("fraud_prior_sweep"),
        seed=CONFIG.seed,
