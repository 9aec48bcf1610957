"""Figure 5: metrics against the divergence of the classes, at a random class prior."""

KL_SWEEP_BLOCK = f"{RESULTS}/intermediate/kl_sweep/{{first}}-{{stop}}.parquet"


use rule job as kl_sweep_block with:
    output:
        KL_SWEEP_BLOCK,
    log:
        log_file("kl_sweep/{first}-{stop}"),
    params:
        **calls("kl_sweep.experiment.run"),
        **CONFIG.kl_sweep.of_one_run(),
        metrics=metrics_of(CONFIG.kl_sweep.metrics),
        seed=CONFIG.seed,
        runs=lambda wildcards: [int(wildcards.first), int(wildcards.stop)],


use rule job as kl_sweep with:
    input:
        tables=[
            KL_SWEEP_BLOCK.format(first=first, stop=stop)
            for first, stop in CONFIG.kl_sweep.blocks()
        ],
    output:
        table=table("kl_sweep"),
        bands=table("kl_sweep_bands"),
    log:
        log_file("kl_sweep/table"),
    params:
        **calls("core.sweeps.joined"),
        by=["mu0", "kl", "squared_distance"],


figure(
    "fig5_kl_sweep",
    "Figure 5: metrics against the divergence of the classes",
    SIBLINI,
    draws="kl_sweep.figure.draw",
    inputs={"bands": rules.kl_sweep.output.bands},
    metrics=metrics_of(CONFIG.kl_sweep.metrics),
)
