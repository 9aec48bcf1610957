import pandas as pd

from reproduction.figures import fig7_rank_correlation_all, style
from reproduction.joblog import logged
from reproduction.settings import read_metrics

with logged(snakemake.log[0]):
    drawn = fig7_rank_correlation_all.draw(
        pd.read_csv(snakemake.input[0]),
        read_metrics(snakemake.params.metrics),
        snakemake.params.title,
    )
    style.save(drawn, snakemake.output, snakemake.params.png_dpi)
