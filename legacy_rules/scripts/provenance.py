from reproduction import manifest
from reproduction.files import write_json
from reproduction.joblog import logged

with logged(snakemake.log[0]):
    content = manifest.manifest(
        snakemake.config["results_dir"],
        snakemake.input,
        snakemake.params.configuration,
        snakemake.params.version,
    )
    write_json(snakemake.output[0], content)
