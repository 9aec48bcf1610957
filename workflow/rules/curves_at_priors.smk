"""Figure 2: one model's ROC, PR and PR-Gain curves, imbalanced and balanced.

Inputs: the scored fraud test set.
Outputs: tables/curves_at_priors.csv, figures/fig2_curves.{pdf,png,svg}.
"""


rule curves_at_priors:
    input:
        rules.fraud_predictions.output.predictions,
    output:
        table("curves_at_priors"),
    log:
        f"{RESULTS}/logs/curves_at_priors/table.log",
    conda:
        ENVIRONMENT
    params:
        pi0=CONFIG.curves_at_priors.pi0,
        seed=CONFIG.seed,
        code=code_of("curves_at_priors"),
    script:
        "../scripts/curves_at_priors.py"


rule fig2_curves:
    input:
        table=rules.curves_at_priors.output[0],
        data=rules.fraud_predictions.output.data,
    output:
        figure("fig2_curves", "Figure 2: ROC, PR and PR-Gain curves at two priors"),
    log:
        f"{RESULTS}/logs/curves_at_priors/figure.log",
    conda:
        ENVIRONMENT
    params:
        png_dpi=CONFIG.figures.png_dpi,
        code=code_of("fig2_curves"),
    script:
        "../scripts/fig2_curves.py"
