"""Davis & Goadrich: ROC and PR space, interpolation, achievable curves.

Inputs: none.
Outputs: tables/dg_{table1,fig1,fig5,fig6,fig6_areas,fig7,fig7_areas}.csv,
figures/dg_{fig1,fig5,fig6,fig7}.*
"""


use rule job as davis_goadrich with:
    output:
        table1=table("dg_table1"),
        fig1=table("dg_fig1"),
        fig5=table("dg_fig5"),
        fig6=table("dg_fig6"),
        fig6_areas=table("dg_fig6_areas"),
        fig7=table("dg_fig7"),
        fig7_areas=table("dg_fig7_areas"),
    log:
        log_file("davis_goadrich"),
    params:
        **calls("davis_goadrich.experiment.run"),


use rule job as dg_fig1 with:
    input:
        table=rules.davis_goadrich.output.fig1,
    output:
        figure("dg_fig1", "Figure 1: two models with the same AUC-ROC", DAVIS_GOADRICH),
    log:
        log_file("figures/dg_fig1"),
    params:
        **calls("davis_goadrich.figure.draw_fig1"),


use rule job as dg_fig5 with:
    input:
        table=rules.davis_goadrich.output.fig5,
    output:
        figure("dg_fig5", "Figure 5: the achievable PR curve", DAVIS_GOADRICH),
    log:
        log_file("figures/dg_fig5"),
    params:
        **calls("davis_goadrich.figure.draw_fig5"),


use rule job as dg_fig6 with:
    input:
        table=rules.davis_goadrich.output.fig6,
    output:
        figure("dg_fig6", "Figure 6: correct and wrong interpolation", DAVIS_GOADRICH),
    log:
        log_file("figures/dg_fig6"),
    params:
        **calls("davis_goadrich.figure.draw_fig6"),


use rule job as dg_fig7 with:
    input:
        table=rules.davis_goadrich.output.fig7,
        areas=rules.davis_goadrich.output.fig7_areas,
    output:
        figure("dg_fig7", "Figure 7: AUC-ROC and AUC-PR disagree", DAVIS_GOADRICH),
    log:
        log_file("figures/dg_fig7"),
    params:
        **calls("davis_goadrich.figure.draw_fig7"),
