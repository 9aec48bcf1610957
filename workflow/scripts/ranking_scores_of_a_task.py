import pandas as pd

from calibrated_metrics.experiments import ranking_scores
from calibrated_metrics.files import write_parquet
from calibrated_metrics.joblog import logged
from calibrated_metrics.settings import read_metrics

with logged(snakemake.log[0]):
    scores = ranking_scores.of_task(
        pd.read_parquet(snakemake.input.predictions),
        pd.read_parquet(snakemake.input.task),
        read_metrics(snakemake.params.metrics),
        [metric for each in snakemake.params.imbalanced_metrics for metric in read_metrics(each)],
        imbalanced_below=snakemake.params.imbalanced_below,
    )
    write_parquet(scores, snakemake.output[0])
