import pandas as pd

from reproduction.figures import rank_correlation_corrections, style
from reproduction.joblog import logged
from reproduction.settings import read_metrics

with logged(snakemake.log[0]):
    drawn = rank_correlation_corrections.draw(
        pd.read_csv(snakemake.input[0]),
        read_metrics(snakemake.params.metrics),
        {
            "as_published": read_metrics(snakemake.params.as_published),
            "corrected": read_metrics(snakemake.params.corrected),
        },
        snakemake.params.title,
    )
    style.save(drawn, snakemake.output, snakemake.params.png_dpi)
