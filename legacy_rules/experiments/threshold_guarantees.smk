"""Thresholds chosen with a guarantee, by simulation.

Inputs: none.
Outputs: tables/threshold_guarantees.csv.
"""

THRESHOLD_GUARANTEES_BLOCK = (
    f"{RESULTS}/intermediate/threshold_guarantees/{{first}}-{{stop}}.parquet"
)


use rule job as threshold_guarantees_block with:
    output:
        THRESHOLD_GUARANTEES_BLOCK,
    log:
        log_file("threshold_guarantees/{first}-{stop}"),
    benchmark:
        benchmark_file("threshold_guarantees_block/{first}-{stop}")
    group:
        cluster_job_of_blocks("threshold_guarantees")
    params:
        **legacy_calls("experiments.threshold_guarantees.run"),
        n_pos=CONFIG.threshold_guarantees.n_pos,
        runs=runs_of_block,
        seed=CONFIG.seed,


use rule job as threshold_guarantees with:
    input:
        tables=blocks_of_runs("threshold_guarantees", THRESHOLD_GUARANTEES_BLOCK),
    output:
        table("threshold_guarantees"),
    log:
        log_file("threshold_guarantees/table"),
    benchmark:
        benchmark_file("threshold_guarantees")
    params:
        **legacy_calls("experiments.threshold_guarantees.summary"),
