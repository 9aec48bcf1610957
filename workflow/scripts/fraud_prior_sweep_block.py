import pandas as pd

from calibrated_metrics.data.fraud import curve_of
from calibrated_metrics.experiments import fraud_prior_sweep
from calibrated_metrics.files import write_parquet
from calibrated_metrics.joblog import logged
from calibrated_metrics.settings import FraudPriorSweep, read_metrics

with logged(snakemake.log[0]):
    runs = fraud_prior_sweep.run(
        FraudPriorSweep(**snakemake.params.settings),
        read_metrics(snakemake.params.metrics),
        curve_of(pd.read_parquet(snakemake.input[0])),
        seed=snakemake.params.seed,
        runs=range(int(snakemake.wildcards.first), int(snakemake.wildcards.stop)),
    )
    write_parquet(runs, snakemake.output[0])
