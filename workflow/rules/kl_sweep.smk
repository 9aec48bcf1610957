"""Figure 5: metrics against the divergence of the classes, under a drawn prior.

Inputs: none.
Outputs: tables/kl_sweep.csv, tables/kl_sweep_agreement.csv, figures/fig5_kl_sweep.{pdf,png,svg}.
"""

KL_SWEEP_BLOCK = f"{RESULTS}/intermediate/kl_sweep/{{first}}-{{stop}}.parquet"


rule kl_sweep_block:
    output:
        KL_SWEEP_BLOCK,
    log:
        f"{RESULTS}/logs/kl_sweep/{{first}}-{{stop}}.log",
    conda:
        ENVIRONMENT
    params:
        settings=settings_of_a_run("kl_sweep"),
        metrics=metrics_of("kl_sweep"),
        plugins=code_of_plugins(),
        seed=CONFIG.seed,
        code=code_of("kl_sweep_block"),
    script:
        "../scripts/kl_sweep_block.py"


rule kl_sweep:
    input:
        blocks_of_runs("kl_sweep", KL_SWEEP_BLOCK),
    output:
        table("kl_sweep"),
    log:
        f"{RESULTS}/logs/kl_sweep/table.log",
    conda:
        ENVIRONMENT
    params:
        code=code_of("combine_blocks"),
    script:
        "../scripts/combine_blocks.py"


rule kl_sweep_agreement:
    input:
        rules.kl_sweep.output,
    output:
        table("kl_sweep_agreement"),
    log:
        f"{RESULTS}/logs/kl_sweep/agreement.log",
    conda:
        ENVIRONMENT
    params:
        point="kl",
        code=code_of("sweep_agreement"),
    script:
        "../scripts/sweep_agreement.py"


rule fig5_kl_sweep:
    input:
        rules.kl_sweep.output,
    output:
        figure(
            "fig5_kl_sweep", "Figure 5: metrics against the divergence of the classes"
        ),
    log:
        f"{RESULTS}/logs/kl_sweep/figure.log",
    conda:
        ENVIRONMENT
    params:
        metrics=metrics_of("kl_sweep"),
        plugins=code_of_plugins(),
        png_dpi=CONFIG.figures.png_dpi,
        code=code_of("fig5_kl_sweep"),
    script:
        "../scripts/fig5_kl_sweep.py"
