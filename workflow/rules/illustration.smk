"""Figure 3: with half of the positives removed, the same model has a lower precision."""


use rule job as prior_illustration with:
    output:
        instances=table("prior_illustration"),
        numbers=table("prior_illustration_numbers"),
    log:
        log_file("prior_illustration"),
    params:
        **calls("illustration.experiment.run"),


figure(
    "fig3_prior_illustration",
    "Figure 3: the same model at a lower prior",
    SIBLINI,
    draws="illustration.figure.draw",
    inputs={
        "instances": rules.prior_illustration.output.instances,
        "numbers": rules.prior_illustration.output.numbers,
    },
)
