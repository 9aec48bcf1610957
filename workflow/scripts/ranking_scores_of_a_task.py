import pandas as pd

from reproduction.experiments import ranking_scores
from reproduction.files import write_parquet
from reproduction.joblog import logged
from reproduction.settings import read_metrics

with logged(snakemake.log[0]):
    scores = ranking_scores.of_task(
        pd.read_parquet(snakemake.input.predictions),
        pd.read_parquet(snakemake.input.task),
        read_metrics(snakemake.params.metrics),
        [metric for each in snakemake.params.imbalanced_metrics for metric in read_metrics(each)],
        imbalanced_below=snakemake.params.imbalanced_below,
    )
    write_parquet(scores, snakemake.output[0])
