"""Figure 3: half of the positives less, and precision falls though the model is the same.

Inputs: none.
Outputs: tables/prior_illustration{,_numbers}.csv, figures/fig3_prior_illustration.{pdf,png,svg}.
"""


rule prior_illustration:
    output:
        instances=table("prior_illustration"),
        numbers=table("prior_illustration_numbers"),
    log:
        f"{RESULTS}/logs/prior_illustration/tables.log",
    conda:
        ENVIRONMENT
    params:
        code=code_of("prior_illustration"),
    script:
        "../scripts/prior_illustration.py"


rule fig3_prior_illustration:
    input:
        instances=rules.prior_illustration.output.instances,
        numbers=rules.prior_illustration.output.numbers,
    output:
        figure("fig3_prior_illustration", "Figure 3: same model, another prior"),
    log:
        f"{RESULTS}/logs/prior_illustration/figure.log",
    conda:
        ENVIRONMENT
    params:
        png_dpi=CONFIG.figures.png_dpi,
        code=code_of("fig3_prior_illustration"),
    script:
        "../scripts/fig3_prior_illustration.py"
