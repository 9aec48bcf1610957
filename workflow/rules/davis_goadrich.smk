"""Davis & Goadrich: ROC and PR space, interpolation, achievable curves."""


use rule job as davis_goadrich with:
    output:
        table1=shown_table(
            "dg_table1", "Table 1: between two points of a PR curve", DAVIS_GOADRICH
        ),
        fig1=table("dg_fig1"),
        fig5=table("dg_fig5"),
        fig6=table("dg_fig6"),
        fig7=table("dg_fig7"),
        fig7_areas=table("dg_fig7_areas"),
    log:
        log_file("davis_goadrich"),
    params:
        **calls("davis_goadrich.experiment.run"),


figure(
    "dg_fig1",
    "Figure 1: two models with the same AUC-ROC",
    DAVIS_GOADRICH,
    draws="davis_goadrich.figure.draw_fig1",
    inputs={"table": rules.davis_goadrich.output.fig1},
)


figure(
    "dg_fig5",
    "Figure 5: the achievable PR curve",
    DAVIS_GOADRICH,
    draws="davis_goadrich.figure.draw_fig5",
    inputs={"table": rules.davis_goadrich.output.fig5},
)


figure(
    "dg_fig6",
    "Figure 6: correct and wrong interpolation",
    DAVIS_GOADRICH,
    draws="davis_goadrich.figure.draw_fig6",
    inputs={"table": rules.davis_goadrich.output.fig6},
)


figure(
    "dg_fig7",
    "Figure 7: AUC-ROC and AUC-PR disagree",
    DAVIS_GOADRICH,
    draws="davis_goadrich.figure.draw_fig7",
    inputs={
        "table": rules.davis_goadrich.output.fig7,
        "areas": rules.davis_goadrich.output.fig7_areas,
    },
)
