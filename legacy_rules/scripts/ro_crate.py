from reproduction.crate import write_crate
from reproduction.joblog import logged

with logged(snakemake.log[0]):
    write_crate(
        snakemake.output[0],
        results=snakemake.config["results_dir"],
        project=snakemake.params.project,
        files=snakemake.input.results,
        sources=snakemake.input.source,
        snakemake=snakemake.params.snakemake,
    )
