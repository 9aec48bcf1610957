"""AUC-PR at a prior of ½ by four formulas."""


use rule job as half_prior with:
    output:
        table("half_prior"),
    log:
        log_file("half_prior"),
    params:
        **calls("half_prior.experiment.run"),


figure(
    "auc_pr_at_half",
    "AUC-PR at π₀ = ½ by four formulas",
    BEYOND,
    draws="half_prior.figure.draw",
    inputs={"table": rules.half_prior.output[0]},
)
