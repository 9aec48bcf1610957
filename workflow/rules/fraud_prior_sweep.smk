"""arXiv appendix A: metrics on the fraud data while undersampling raises its prior.

Inputs: the scored fraud test set.
Outputs: tables/fraud_prior_sweep.csv, figures/figA7_fraud_prior_sweep.{pdf,png,svg}.
"""

FRAUD_PRIOR_SWEEP_BLOCK = (
    f"{RESULTS}/intermediate/fraud_prior_sweep/{{first}}-{{stop}}.parquet"
)


rule fraud_prior_sweep_block:
    input:
        rules.fraud_predictions.output.predictions,
    output:
        FRAUD_PRIOR_SWEEP_BLOCK,
    log:
        f"{RESULTS}/logs/fraud_prior_sweep/{{first}}-{{stop}}.log",
    conda:
        ENVIRONMENT
    params:
        settings=settings_of_a_run("fraud_prior_sweep"),
        metrics=metrics_of("fraud_prior_sweep"),
        plugins=code_of_plugins(),
        seed=CONFIG.seed,
        code=code_of("fraud_prior_sweep_block"),
    script:
        "../scripts/fraud_prior_sweep_block.py"


rule fraud_prior_sweep:
    input:
        blocks_of_runs("fraud_prior_sweep", FRAUD_PRIOR_SWEEP_BLOCK),
    output:
        table("fraud_prior_sweep"),
    log:
        f"{RESULTS}/logs/fraud_prior_sweep/table.log",
    conda:
        ENVIRONMENT
    params:
        code=code_of("combine_blocks"),
    script:
        "../scripts/combine_blocks.py"


rule figA7_fraud_prior_sweep:
    input:
        table=rules.fraud_prior_sweep.output[0],
        data=rules.fraud_predictions.output.data,
    output:
        figure(
            "figA7_fraud_prior_sweep",
            "arXiv Figure 7: metrics on fraud data against the prior",
        ),
    log:
        f"{RESULTS}/logs/fraud_prior_sweep/figure.log",
    conda:
        ENVIRONMENT
    params:
        metrics=metrics_of("fraud_prior_sweep"),
        plugins=code_of_plugins(),
        png_dpi=CONFIG.figures.png_dpi,
        code=code_of("figA7_fraud_prior_sweep"),
    script:
        "../scripts/figA7_fraud_prior_sweep.py"
