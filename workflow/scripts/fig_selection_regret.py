import pandas as pd

from calibrated_metrics.figures import selection_regret, style
from calibrated_metrics.joblog import logged
from calibrated_metrics.settings import read_metrics

with logged(snakemake.log[0]):
    drawn = selection_regret.draw(
        pd.read_csv(snakemake.input[0]),
        read_metrics(snakemake.params.metrics),
        snakemake.params.title,
    )
    style.save(drawn, snakemake.output, snakemake.params.png_dpi)
