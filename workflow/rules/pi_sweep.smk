"""Figure 4: metrics of one model against the class prior."""

PI_SWEEP_BLOCK = f"{RESULTS}/intermediate/pi_sweep/{{first}}-{{stop}}.parquet"


use rule job as pi_sweep_block with:
    output:
        PI_SWEEP_BLOCK,
    log:
        log_file("pi_sweep/{first}-{stop}"),
    params:
        **calls("pi_sweep.experiment.run"),
        **CONFIG.pi_sweep.of_one_run(),
        metrics=metrics_of(CONFIG.pi_sweep.metrics),
        seed=CONFIG.seed,
        runs=lambda wildcards: [int(wildcards.first), int(wildcards.stop)],


use rule job as pi_sweep with:
    input:
        tables=[
            PI_SWEEP_BLOCK.format(first=first, stop=stop)
            for first, stop in CONFIG.pi_sweep.blocks()
        ],
    output:
        table=table("pi_sweep"),
        bands=table("pi_sweep_bands"),
    log:
        log_file("pi_sweep/table"),
    params:
        **calls("core.sweeps.joined"),
        by=["prior"],


figure(
    "fig4_pi_sweep",
    "Figure 4: metrics against the class prior",
    SIBLINI,
    draws="pi_sweep.figure.draw",
    inputs={"bands": rules.pi_sweep.output.bands},
    metrics=metrics_of(CONFIG.pi_sweep.metrics),
)
