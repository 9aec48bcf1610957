"""Davis & Goadrich: ROC and PR space, interpolation, achievable curves.

Inputs: none.
Outputs: tables/dg_{table1,fig1,fig5,fig6,fig6_areas,fig7,fig7_areas}.csv.
"""


use rule job as davis_goadrich with:
    output:
        table("dg_table1"),
        table("dg_fig1"),
        table("dg_fig5"),
        table("dg_fig6"),
        table("dg_fig6_areas"),
        table("dg_fig7"),
        table("dg_fig7_areas"),
    log:
        log_file("davis_goadrich"),
    benchmark:
        benchmark_file("davis_goadrich")
    group:
        cluster_job("experiments")
    params:
        **legacy_calls("experiments.davis_goadrich.run"),
