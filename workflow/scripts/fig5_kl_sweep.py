import pandas as pd

from calibrated_metrics.config import read_metrics
from calibrated_metrics.figures import fig5_kl_sweep, style
from calibrated_metrics.joblog import logged

with logged(snakemake.log[0]):
    drawn = fig5_kl_sweep.draw(
        pd.read_csv(snakemake.input[0]), read_metrics(snakemake.params.metrics)
    )
    style.save(drawn, snakemake.output, snakemake.params.png_dpi)
