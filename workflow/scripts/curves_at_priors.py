import pandas as pd

from reproduction.data.fraud import curve_of
from reproduction.experiments import curves_at_priors
from reproduction.files import write_csv
from reproduction.joblog import logged

with logged(snakemake.log[0]):
    curves = curves_at_priors.run(
        curve_of(pd.read_parquet(snakemake.input[0])),
        seed=snakemake.params.seed,
        pi0=snakemake.params.pi0,
    )
    write_csv(curves, snakemake.output[0])
