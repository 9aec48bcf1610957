import pandas as pd

from reproduction.experiments import monitoring
from reproduction.files import write_csv
from reproduction.joblog import logged
from reproduction.settings import read_metrics

with logged(snakemake.log[0]):
    tables = monitoring.run(
        pd.read_parquet(snakemake.input[0]),
        seed=snakemake.params.seed,
        metrics=monitoring.ordinary(read_metrics(snakemake.params.metrics)),
        n_bootstrap=snakemake.params.n_bootstrap,
    )
    write_csv(tables.by_period, snakemake.output.by_period)
    write_csv(tables.differences, snakemake.output.differences)
    write_csv(tables.trends, snakemake.output.trends)
