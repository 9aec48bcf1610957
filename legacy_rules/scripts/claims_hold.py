import pandas as pd

from reproduction.claims import check
from reproduction.joblog import logged

with logged(snakemake.log[0]):
    check.raise_if_broken(pd.read_csv(snakemake.input.claims), snakemake.input.report)
