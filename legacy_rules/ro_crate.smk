"""The results, the source and the provenance in one archive: `snakemake ro_crate`, not part of `all`.

Inputs: all tables and figures, provenance.json, the report; the source of the project.
Outputs: ro-crate.zip, a Workflow Run RO-Crate. Included after report.smk, which defines PROJECT.
"""

from snakemake import __version__ as SNAKEMAKE_VERSION


rule ro_crate:
    input:
        results=[
            *TABLES,
            *FIGURE_FILES,
            rules.provenance.output[0],
            rules.report.output[0],
        ],
        source=source_of_project,
    output:
        f"{RESULTS}/ro-crate.zip",
    log:
        log_file("ro_crate"),
    conda:
        ENVIRONMENT
    params:
        project=PROJECT,
        snakemake=SNAKEMAKE_VERSION,
        code=legacy_code_hash("reproduction.crate"),
    script:
        f"{SCRIPTS}/ro_crate.py"
