"""Small copies of all figures for the README: `snakemake readme_figures`, not part of `all`.

Inputs: figures/*.png.
Outputs: docs/figures/*.png.
"""


rule readme_figures:
    input:
        [figure_file(name, "png") for name in FIGURES],
    output:
        expand("docs/figures/{name}.png", name=FIGURES),
    log:
        log_file("readme_figures"),
    conda:
        ENVIRONMENT
    params:
        width=720,
        code=code_hash("reproduction.figures.thumbnails"),
    script:
        "../scripts/readme_figures.py"
