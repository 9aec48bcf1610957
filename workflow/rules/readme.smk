"""Small copies of all figures for the README: `snakemake readme_figures`, not part of `all`.

Inputs: figures/*.png.
Outputs: docs/figures/*.png.
"""


rule readme_figures:
    input:
        [f"{RESULTS}/figures/{name}.png" for name in FIGURE_LABELS],
    output:
        [f"docs/figures/{name}.png" for name in FIGURE_LABELS],
    log:
        f"{RESULTS}/logs/readme_figures.log",
    conda:
        ENVIRONMENT
    params:
        width=720,
        code=code_of("readme_figures"),
    script:
        "../scripts/readme_figures.py"
