from calibrated_metrics.experiments import pi_sweep
from calibrated_metrics.files import write_parquet
from calibrated_metrics.joblog import logged
from calibrated_metrics.settings import PiSweep, read_metrics

with logged(snakemake.log[0]):
    runs = pi_sweep.run(
        PiSweep(**snakemake.params.settings),
        read_metrics(snakemake.params.metrics),
        seed=snakemake.params.seed,
        runs=range(int(snakemake.wildcards.first), int(snakemake.wildcards.stop)),
    )
    write_parquet(runs, snakemake.output[0])
