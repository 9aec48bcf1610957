"""Reproduce "Master your Metrics with Calibration" in this folder: `snakemake --cores all`.

Other workflows use workflow/Snakefile as a module.
"""

from reproduction.core.lock import hold, require_writable

require_writable(f"{workflow.basedir}/Snakefile")


configfile: workflow.source_path("config/config.yaml")


include: "workflow/Snakefile"


# An include does not set the default target.
rule default:
    default_target: True
    input:
        rules.all.input,


onstart:
    hold(RESULTS)
