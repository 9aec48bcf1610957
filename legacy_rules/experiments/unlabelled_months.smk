"""Months without labels whose prior moved, by simulation.

Inputs: none.
Outputs: tables/unlabelled_months.csv.
"""

UNLABELLED_MONTHS_BLOCK = (
    f"{RESULTS}/intermediate/unlabelled_months/{{first}}-{{stop}}.parquet"
)


use rule job as unlabelled_months_block with:
    output:
        UNLABELLED_MONTHS_BLOCK,
    log:
        log_file("unlabelled_months/{first}-{stop}"),
    benchmark:
        benchmark_file("unlabelled_months_block/{first}-{stop}")
    group:
        cluster_job_of_blocks("unlabelled_months")
    params:
        **legacy_calls("experiments.unlabelled_months.run"),
        settings=settings_of_a_run("unlabelled_months"),
        runs=runs_of_block,
        seed=CONFIG.seed,


use rule job as unlabelled_months with:
    input:
        tables=blocks_of_runs("unlabelled_months", UNLABELLED_MONTHS_BLOCK),
    output:
        table("unlabelled_months"),
    log:
        log_file("unlabelled_months/table"),
    benchmark:
        benchmark_file("unlabelled_months")
    params:
        **legacy_calls("experiments.unlabelled_months.summary"),
