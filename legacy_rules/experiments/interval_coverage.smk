"""Coverage of the library's confidence intervals, by simulation.

Inputs: none.
Outputs: tables/interval_coverage.csv.
"""

INTERVAL_COVERAGE_BLOCK = (
    f"{RESULTS}/intermediate/interval_coverage/{{grid}}/{{first}}-{{stop}}.parquet"
)


use rule job as interval_coverage_block with:
    output:
        INTERVAL_COVERAGE_BLOCK,
    log:
        log_file("interval_coverage/{grid}/{first}-{stop}"),
    benchmark:
        benchmark_file("interval_coverage_block/{grid}/{first}-{stop}")
    group:
        cluster_job_of_blocks("interval_coverage")
    params:
        **legacy_calls("experiments.interval_coverage.run"),
        grid=lambda wildcards: (
            CONFIG.interval_coverage.grids[int(wildcards.grid)].model_dump()
        ),
        n_resamples=CONFIG.interval_coverage.n_resamples,
        runs=runs_of_block,
        seed=CONFIG.seed,


use rule job as interval_coverage with:
    input:
        tables=[
            block
            for grid in range(len(CONFIG.interval_coverage.grids))
            for block in blocks_of_runs(
                "interval_coverage",
                INTERVAL_COVERAGE_BLOCK.replace("{grid}", str(grid)),
            )
        ],
    output:
        table("interval_coverage"),
    log:
        log_file("interval_coverage/table"),
    benchmark:
        benchmark_file("interval_coverage")
    params:
        **legacy_calls("experiments.interval_coverage.summary"),
