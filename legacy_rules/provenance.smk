"""How the results were made, and whether they still are what they were. Included after figures.smk.

Inputs: all tables and figures; the records in provenance/, which jobs write beside their outputs.
Outputs: provenance.json, which the report shows. `snakemake verify` compares the results, their
inputs, the code, the configuration and the packages with it, and writes only its log.
"""

from calibrated_metrics import __version__


# It prints to the terminal, which a job of a cluster does not have.
localrules:
    verify,


rule provenance:
    input:
        TABLES,
        FIGURE_FILES,
    output:
        f"{RESULTS}/provenance.json",
    log:
        log_file("provenance"),
    group:
        cluster_job("results")
    conda:
        ENVIRONMENT
    params:
        configuration=configuration_of_run,
        version=__version__,
        code=legacy_code_hash("reproduction.manifest"),
    script:
        f"{SCRIPTS}/provenance.py"


# Without inputs, no other job runs before it; without outputs, it runs each time.
rule verify:
    log:
        log_file("verify"),
    conda:
        ENVIRONMENT
    script:
        f"{SCRIPTS}/verify.py"
