"""Any job of the pipeline that makes tables: one call, which the rule names."""

from reproduction import jobs
from reproduction.records import recorded

with recorded(snakemake) as record:
    jobs.run(
        dict(snakemake.input.items()),
        snakemake.output,
        dict(snakemake.params.items()),
        resources=snakemake.config["resources_dir"],
        log=snakemake.log[0],
        record=record,
    )
