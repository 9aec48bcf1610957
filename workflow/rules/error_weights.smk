"""How AUC-ROC and AUC-PR weigh the errors of a ranking."""


use rule job as error_weights with:
    output:
        weights=table("error_weights"),
        groups=table("error_weights_of_groups"),
    log:
        log_file("error_weights"),
    params:
        **calls("error_weights.experiment.run"),


figure(
    "weights_of_errors",
    "What AUC-ROC and AUC-PR make of an error",
    BEYOND,
    draws="error_weights.figure.draw",
    inputs={
        "weights": rules.error_weights.output.weights,
        "groups": rules.error_weights.output.groups,
    },
)
