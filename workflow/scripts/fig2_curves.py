import pandas as pd

from reproduction.data.fraud import FraudData
from reproduction.figures import fig2_curves, style
from reproduction.joblog import logged

with logged(snakemake.log[0]):
    drawn = fig2_curves.draw(
        pd.read_csv(snakemake.input.table), FraudData.read(snakemake.input.data).title
    )
    style.save(drawn, snakemake.output, snakemake.params.png_dpi)
