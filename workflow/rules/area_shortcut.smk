"""Rescaling an area as if it were a precision."""


use rule job as area_shortcut with:
    output:
        table("area_shortcut"),
    log:
        log_file("area_shortcut"),
    params:
        **calls("area_shortcut.experiment.run"),


figure(
    "rescaled_area",
    "Rescaling AUC-PR instead of precision",
    BEYOND,
    draws="area_shortcut.figure.draw",
    inputs={"table": rules.area_shortcut.output[0]},
)
