"""Metrics of a calibrated classifier, without labels: Tables 1 and 2 of the note.

Inputs: none.
Outputs: tables/label_free{,_convergence,_rates}.csv,
figures/{cc_table1,cc_table2,cc_convergence}.{pdf,png,svg}.
"""


rule label_free:
    output:
        table("label_free"),
    log:
        f"{RESULTS}/logs/label_free/table.log",
    conda:
        ENVIRONMENT
    params:
        n_samples=CONFIG.label_free.n_samples,
        n_thresholds=CONFIG.label_free.n_thresholds,
        seed=CONFIG.seed,
        code=code_of("label_free"),
    script:
        "../scripts/label_free.py"


rule label_free_convergence:
    output:
        errors=table("label_free_convergence"),
        rates=table("label_free_rates"),
    log:
        f"{RESULTS}/logs/label_free/convergence.log",
    conda:
        ENVIRONMENT
    params:
        sizes=CONFIG.label_free.sizes,
        n_runs=CONFIG.label_free.n_runs,
        seed=CONFIG.seed,
        code=code_of("label_free_convergence"),
    script:
        "../scripts/label_free_convergence.py"


rule cc_table1:
    input:
        rules.label_free.output,
    output:
        figure(
            "cc_table1",
            "Table 1: three computations",
            "Metrics of a calibrated classifier",
        ),
    log:
        f"{RESULTS}/logs/label_free/cc_table1.log",
    conda:
        ENVIRONMENT
    params:
        png_dpi=CONFIG.figures.png_dpi,
        code=code_of("cc_table1"),
    script:
        "../scripts/cc_table1.py"


rule cc_table2:
    input:
        rules.label_free.output,
    output:
        figure(
            "cc_table2", "Table 2: four metrics", "Metrics of a calibrated classifier"
        ),
    log:
        f"{RESULTS}/logs/label_free/cc_table2.log",
    conda:
        ENVIRONMENT
    params:
        png_dpi=CONFIG.figures.png_dpi,
        code=code_of("cc_table2"),
    script:
        "../scripts/cc_table2.py"


rule cc_convergence:
    input:
        rules.label_free_convergence.output.errors,
    output:
        figure(
            "cc_convergence",
            "Error against the sample size",
            "Metrics of a calibrated classifier",
        ),
    log:
        f"{RESULTS}/logs/label_free/cc_convergence.log",
    conda:
        ENVIRONMENT
    params:
        png_dpi=CONFIG.figures.png_dpi,
        code=code_of("cc_convergence"),
    script:
        "../scripts/cc_convergence.py"
