"""Davis & Goadrich: ROC and PR space, interpolation, achievable curves.

Inputs: none.
Outputs: tables/dg_{table1,fig1,fig5,fig6,fig6_areas,fig7,fig7_areas}.csv,
figures/dg_{fig1,fig5,fig6,fig7}.{pdf,png,svg}.
"""

from reproduction.experiments.davis_goadrich import (
    TABLES as DAVIS_GOADRICH_TABLES,
)


rule davis_goadrich:
    output:
        **{name: table(name) for name in DAVIS_GOADRICH_TABLES},
    log:
        f"{RESULTS}/logs/davis_goadrich/tables.log",
    conda:
        ENVIRONMENT
    params:
        code=code_of("davis_goadrich"),
    script:
        "../scripts/davis_goadrich.py"


rule dg_fig1:
    input:
        rules.davis_goadrich.output.dg_fig1,
    output:
        figure(
            "dg_fig1",
            "Figure 1: two models that ROC cannot tell apart",
            "Davis and Goadrich 2006",
        ),
    log:
        f"{RESULTS}/logs/davis_goadrich/fig1.log",
    conda:
        ENVIRONMENT
    params:
        png_dpi=CONFIG.figures.png_dpi,
        code=code_of("dg_fig1"),
    script:
        "../scripts/dg_fig1.py"


rule dg_fig5:
    input:
        rules.davis_goadrich.output.dg_fig5,
    output:
        figure("dg_fig5", "Figure 5: what is achievable", "Davis and Goadrich 2006"),
    log:
        f"{RESULTS}/logs/davis_goadrich/fig5.log",
    conda:
        ENVIRONMENT
    params:
        png_dpi=CONFIG.figures.png_dpi,
        code=code_of("dg_fig5"),
    script:
        "../scripts/dg_fig5.py"


rule dg_fig6:
    input:
        rules.davis_goadrich.output.dg_fig6,
    output:
        figure(
            "dg_fig6",
            "Figure 6: right and wrong interpolation",
            "Davis and Goadrich 2006",
        ),
    log:
        f"{RESULTS}/logs/davis_goadrich/fig6.log",
    conda:
        ENVIRONMENT
    params:
        png_dpi=CONFIG.figures.png_dpi,
        code=code_of("dg_fig6"),
    script:
        "../scripts/dg_fig6.py"


rule dg_fig7:
    input:
        curves=rules.davis_goadrich.output.dg_fig7,
        areas=rules.davis_goadrich.output.dg_fig7_areas,
    output:
        figure(
            "dg_fig7",
            "Figure 7: AUC-ROC and AUC-PR disagree",
            "Davis and Goadrich 2006",
        ),
    log:
        f"{RESULTS}/logs/davis_goadrich/fig7.log",
    conda:
        ENVIRONMENT
    params:
        png_dpi=CONFIG.figures.png_dpi,
        code=code_of("dg_fig7"),
    script:
        "../scripts/dg_fig7.py"
