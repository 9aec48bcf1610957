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
    "Subsampling compared with calibrating, in finite samples",
    BEYOND,
    draws="subsampling.figure.draw",
    inputs={
        "errors": rules.subsampling.output.errors,
        "orders": rules.subsampling.output.orders,
    },
)


use rule job as proposition_1 with:
    output:
        shown_table(
            "proposition_1",
            "Proposition 1 (arXiv appendix B): precision of subsamples",
            SIBLINI,
        ),
    log:
        log_file("proposition_1"),
    params:
        **calls("subsampling.experiment.proposition_1"),
        seed=CONFIG.seed,
