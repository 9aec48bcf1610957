import pandas as pd

from calibrated_metrics.files import write_csv
from calibrated_metrics.joblog import logged

with logged(snakemake.log[0]):
    write_csv(pd.concat(map(pd.read_parquet, snakemake.input)), snakemake.output[0])
