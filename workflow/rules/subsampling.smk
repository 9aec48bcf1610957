"""Subsampling a test set compared with calibrating it."""


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
    "Proposition 1 (arXiv appendix B): subsampling compared with calibrating",
    SIBLINI,
    draws="subsampling.figure.draw",
    inputs={
        "errors": rules.subsampling.output.errors,
        "orders": rules.subsampling.output.orders,
    },
)
