import pandas as pd

from reproduction.files import write_csv
from reproduction.joblog import logged

with logged(snakemake.log[0]):
    write_csv(pd.concat(map(pd.read_parquet, snakemake.input)), snakemake.output[0])
