from reproduction.experiments import pi_sweep
from reproduction.files import write_parquet
from reproduction.joblog import logged
from reproduction.settings import PiSweep, read_metrics

with logged(snakemake.log[0]):
    runs = pi_sweep.run(
        PiSweep(**snakemake.params.settings),
        read_metrics(snakemake.params.metrics),
        seed=snakemake.params.seed,
        runs=range(int(snakemake.wildcards.first), int(snakemake.wildcards.stop)),
    )
    write_parquet(runs, snakemake.output[0])
