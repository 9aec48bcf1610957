"""Figure 4: metrics of one model against the class prior.

Inputs: none.
Outputs: tables/pi_sweep.csv, tables/pi_sweep_agreement.csv, figures/fig4_pi_sweep.{pdf,png,svg}.
"""

PI_SWEEP_BLOCK = f"{RESULTS}/intermediate/pi_sweep/{{first}}-{{stop}}.parquet"


rule pi_sweep_block:
    output:
        PI_SWEEP_BLOCK,
    log:
        f"{RESULTS}/logs/pi_sweep/{{first}}-{{stop}}.log",
    conda:
        ENVIRONMENT
    params:
        settings=settings_of_a_run("pi_sweep"),
        metrics=metrics_of("pi_sweep"),
        plugins=code_of_plugins(),
        seed=CONFIG.seed,
        code=code_of("pi_sweep_block"),
    script:
        "../scripts/pi_sweep_block.py"


rule pi_sweep:
    input:
        blocks_of_runs("pi_sweep", PI_SWEEP_BLOCK),
    output:
        table("pi_sweep"),
    log:
        f"{RESULTS}/logs/pi_sweep/table.log",
    conda:
        ENVIRONMENT
    params:
        code=code_of("combine_blocks"),
    script:
        "../scripts/combine_blocks.py"


rule pi_sweep_agreement:
    input:
        rules.pi_sweep.output,
    output:
        table("pi_sweep_agreement"),
    log:
        f"{RESULTS}/logs/pi_sweep/agreement.log",
    conda:
        ENVIRONMENT
    params:
        point="prior",
        code=code_of("sweep_agreement"),
    script:
        "../scripts/sweep_agreement.py"


rule fig4_pi_sweep:
    input:
        rules.pi_sweep.output,
    output:
        figure("fig4_pi_sweep", "Figure 4: metrics against the class prior"),
    log:
        f"{RESULTS}/logs/pi_sweep/figure.log",
    conda:
        ENVIRONMENT
    params:
        metrics=metrics_of("pi_sweep"),
        plugins=code_of_plugins(),
        png_dpi=CONFIG.figures.png_dpi,
        code=code_of("fig4_pi_sweep"),
    script:
        "../scripts/fig4_pi_sweep.py"
