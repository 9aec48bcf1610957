import pandas as pd

from reproduction.figures import fig1_monitoring, style
from reproduction.joblog import logged

with logged(snakemake.log[0]):
    drawn = fig1_monitoring.draw(
        pd.read_csv(snakemake.input.by_period),
        pd.read_csv(snakemake.input.differences),
        snakemake.params.data_name,
    )
    style.save(drawn, snakemake.output, snakemake.params.png_dpi)
