import pandas as pd

from calibrated_metrics.data.fraud import curve_of
from calibrated_metrics.experiments import curves_at_priors
from calibrated_metrics.files import write_csv
from calibrated_metrics.joblog import logged

with logged(snakemake.log[0]):
    curves = curves_at_priors.run(
        curve_of(pd.read_parquet(snakemake.input[0])),
        seed=snakemake.params.seed,
        pi0=snakemake.params.pi0,
    )
    write_csv(curves, snakemake.output[0])
