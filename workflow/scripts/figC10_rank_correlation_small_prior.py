import pandas as pd

from calibrated_metrics.figures import figC10_rank_correlation_small_prior, style
from calibrated_metrics.joblog import logged
from calibrated_metrics.settings import read_metrics

with logged(snakemake.log[0]):
    drawn = figC10_rank_correlation_small_prior.draw(
        pd.read_csv(snakemake.input[0]),
        read_metrics(snakemake.params.metrics),
        snakemake.params.title,
    )
    style.save(drawn, snakemake.output, snakemake.params.png_dpi)
