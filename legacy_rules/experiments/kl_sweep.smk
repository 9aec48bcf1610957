"""Figure 5: metrics against the divergence of the classes, at a random class prior.

Inputs: none.
Outputs: tables/kl_sweep.csv, tables/kl_sweep_agreement.csv.
"""

KL_SWEEP_BLOCK = f"{RESULTS}/intermediate/kl_sweep/{{first}}-{{stop}}.parquet"


use rule job as kl_sweep_block with:
    output:
        KL_SWEEP_BLOCK,
    log:
        log_file("kl_sweep/{first}-{stop}"),
    benchmark:
        benchmark_file("kl_sweep_block/{first}-{stop}")
    group:
        cluster_job_of_blocks("kl_sweep")
    params:
        **legacy_calls("experiments.kl_sweep.run"),
        settings=settings_of_a_run("kl_sweep"),
        metrics=metrics_of("kl_sweep"),
        runs=runs_of_block,
        seed=CONFIG.seed,


use rule job as kl_sweep with:
    input:
        tables=blocks_of_runs("kl_sweep", KL_SWEEP_BLOCK),
    output:
        table("kl_sweep"),
    log:
        log_file("kl_sweep/table"),
    benchmark:
        benchmark_file("kl_sweep")
    params:
        **legacy_calls("files.joined"),


use rule job as kl_sweep_agreement with:
    input:
        table=rules.kl_sweep.output[0],
    output:
        table("kl_sweep_agreement"),
    log:
        log_file("kl_sweep/agreement"),
    benchmark:
        benchmark_file("kl_sweep_agreement")
    params:
        **legacy_calls("experiments.sweep_agreement.run"),
        point="kl",
