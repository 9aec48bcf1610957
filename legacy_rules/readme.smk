"""Small copies of all figures for the README: `snakemake readme_figures`, not part of `all`.

Inputs: figures/*.png of the default configuration. Another configuration, such as smoke.yaml,
raises an error, because the README shows the default run.
Outputs: docs/figures/*.png.
"""


rule readme_figures:
    input:
        # A function, so that the check runs only if this target is requested.
        lambda wildcards: of_default_configuration(
            "readme_figures", [figure_file(name, "png") for name in FIGURES]
        ),
    output:
        expand("docs/figures/{name}.png", name=FIGURES),
    log:
        log_file("readme_figures"),
    conda:
        ENVIRONMENT
    params:
        width=720,
        code=legacy_code_hash("reproduction.figures.thumbnails"),
    script:
        f"{SCRIPTS}/readme_figures.py"
