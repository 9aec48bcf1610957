import pandas as pd

from reproduction.data.fraud import curve_of
from reproduction.experiments import fraud_prior_sweep
from reproduction.files import write_parquet
from reproduction.joblog import logged
from reproduction.settings import FraudPriorSweep, read_metrics

with logged(snakemake.log[0]):
    runs = fraud_prior_sweep.run(
        FraudPriorSweep(**snakemake.params.settings),
        read_metrics(snakemake.params.metrics),
        curve_of(pd.read_parquet(snakemake.input[0])),
        seed=snakemake.params.seed,
        runs=range(int(snakemake.wildcards.first), int(snakemake.wildcards.stop)),
    )
    write_parquet(runs, snakemake.output[0])
