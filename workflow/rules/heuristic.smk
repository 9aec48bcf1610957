"""Figure 6: the undersampling heuristic against the closed form.

Inputs: the scored fraud test set.
Outputs: tables/heuristic.csv, figures/fig6_heuristic_vs_formula.{pdf,png,svg}.
"""


rule heuristic:
    input:
        rules.fraud_predictions.output.predictions,
    output:
        table("heuristic"),
    log:
        f"{RESULTS}/logs/heuristic/table.log",
    conda:
        ENVIRONMENT
    params:
        settings=CONFIG.heuristic.model_dump(),
        seed=CONFIG.seed,
        code=code_of("heuristic"),
    script:
        "../scripts/heuristic.py"


rule fig6_heuristic_vs_formula:
    input:
        table=rules.heuristic.output[0],
        data=rules.fraud_predictions.output.data,
    output:
        figure(
            "fig6_heuristic_vs_formula",
            "Figure 6: undersampling against the closed form",
        ),
    log:
        f"{RESULTS}/logs/heuristic/figure.log",
    conda:
        ENVIRONMENT
    params:
        png_dpi=CONFIG.figures.png_dpi,
        code=code_of("fig6_heuristic_vs_formula"),
    script:
        "../scripts/fig6_heuristic_vs_formula.py"
