import pandas as pd

from reproduction.data.openml.selection import Selection
from reproduction.files import write_csv
from reproduction.joblog import logged

with logged(snakemake.log[0]):
    refused = Selection.read(snakemake.input.selection).refused_tasks()
    fetched = map(pd.read_parquet, snakemake.input.tasks)
    write_csv(pd.concat([refused, *fetched]), snakemake.output[0])
