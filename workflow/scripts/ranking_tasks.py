import pandas as pd

from reproduction.experiments import ranking_tasks
from reproduction.files import write_csv
from reproduction.joblog import logged

with logged(snakemake.log[0]):
    tasks = ranking_tasks.run(
        map(pd.read_parquet, snakemake.input),
        imbalanced_below=snakemake.params.imbalanced_below,
        small_prior_below=snakemake.params.small_prior_below,
    )
    write_csv(tasks, snakemake.output[0])
