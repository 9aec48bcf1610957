import pandas as pd

from reproduction.figures import figD11_monitoring_calibrated, style
from reproduction.joblog import logged

with logged(snakemake.log[0]):
    drawn = figD11_monitoring_calibrated.draw(
        pd.read_csv(snakemake.input.by_period),
        pd.read_csv(snakemake.input.trends),
        snakemake.params.data_name,
    )
    style.save(drawn, snakemake.output, snakemake.params.png_dpi)
