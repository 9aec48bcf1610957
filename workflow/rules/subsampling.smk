"""Subsampling a test set against calibrating it."""


use rule job as subsampling with:
    output:
        errors=table("subsampling"),
        orders=table("subsampling_orders"),
    log:
        log_file("subsampling"),
    params:
        **calls("subsampling.experiment.run"),
        **CONFIG.subsampling.model_dump(),
        seed=CONFIG.seed,


figure(
    "subsample_or_calibrate",
    "Subsampling a test set against calibrating it",
    BEYOND,
    draws="subsampling.figure.draw",
    inputs={
        "errors": rules.subsampling.output.errors,
        "orders": rules.subsampling.output.orders,
    },
)
