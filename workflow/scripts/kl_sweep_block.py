from reproduction.experiments import kl_sweep
from reproduction.files import write_parquet
from reproduction.joblog import logged
from reproduction.settings import KlSweep, read_metrics

with logged(snakemake.log[0]):
    runs = kl_sweep.run(
        KlSweep(**snakemake.params.settings),
        read_metrics(snakemake.params.metrics),
        seed=snakemake.params.seed,
        runs=range(int(snakemake.wildcards.first), int(snakemake.wildcards.stop)),
    )
    write_parquet(runs, snakemake.output[0])
