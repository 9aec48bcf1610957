import pandas as pd

from reproduction.figures import fig5_kl_sweep, style
from reproduction.joblog import logged
from reproduction.settings import read_metrics

with logged(snakemake.log[0]):
    drawn = fig5_kl_sweep.draw(
        pd.read_csv(snakemake.input[0]), read_metrics(snakemake.params.metrics)
    )
    style.save(drawn, snakemake.output, snakemake.params.png_dpi)
