import pandas as pd

from reproduction.figures import selection_regret, style
from reproduction.joblog import logged
from reproduction.settings import read_metrics

with logged(snakemake.log[0]):
    drawn = selection_regret.draw(
        pd.read_csv(snakemake.input[0]),
        read_metrics(snakemake.params.metrics),
        snakemake.params.title,
    )
    style.save(drawn, snakemake.output, snakemake.params.png_dpi)
