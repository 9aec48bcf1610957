"""Figure 4: metrics of one model against the class prior.

Inputs: none.
Outputs: tables/pi_sweep.csv, tables/pi_sweep_agreement.csv.
"""

PI_SWEEP_BLOCK = f"{RESULTS}/intermediate/pi_sweep/{{first}}-{{stop}}.parquet"


use rule job as pi_sweep_block with:
    output:
        PI_SWEEP_BLOCK,
    log:
        log_file("pi_sweep/{first}-{stop}"),
    benchmark:
        benchmark_file("pi_sweep_block/{first}-{stop}")
    group:
        cluster_job_of_blocks("pi_sweep")
    params:
        **calls("experiments.pi_sweep.run"),
        settings=settings_of_a_run("pi_sweep"),
        metrics=metrics_of("pi_sweep"),
        runs=runs_of_block,
        seed=CONFIG.seed,


use rule job as pi_sweep with:
    input:
        tables=blocks_of_runs("pi_sweep", PI_SWEEP_BLOCK),
    output:
        table("pi_sweep"),
    log:
        log_file("pi_sweep/table"),
    benchmark:
        benchmark_file("pi_sweep")
    params:
        **calls("files.joined"),


use rule job as pi_sweep_agreement with:
    input:
        table=rules.pi_sweep.output[0],
    output:
        table("pi_sweep_agreement"),
    log:
        log_file("pi_sweep/agreement"),
    benchmark:
        benchmark_file("pi_sweep_agreement")
    params:
        **calls("experiments.sweep_agreement.run"),
        point="prior",
