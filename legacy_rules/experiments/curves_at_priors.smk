"""Figure 2: one model's ROC, PR and PR-Gain curves, imbalanced and balanced.

Inputs: the scored fraud test set.
Outputs: tables/curves_at_priors.csv.
"""


use rule job as curves_at_priors with:
    input:
        curve=rules.fraud_predictions.output.predictions,
    output:
        table("curves_at_priors"),
    log:
        log_file("curves_at_priors"),
    benchmark:
        benchmark_file("curves_at_priors")
    group:
        cluster_job("experiments")
    params:
        **legacy_calls("experiments.curves_at_priors.run"),
        pi0=CONFIG.curves_at_priors.pi0,
        seed=CONFIG.seed,
