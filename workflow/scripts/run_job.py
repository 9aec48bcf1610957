"""Any job of the pipeline that makes tables: one call, which the rule names."""

from reproduction import jobs

jobs.run(
    dict(snakemake.input.items()),
    snakemake.output,
    dict(snakemake.params.items()),
    resources=snakemake.config["resources_dir"],
    log=snakemake.log[0],
)
