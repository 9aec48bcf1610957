import pandas as pd

from reproduction.figures import dg_fig7, style
from reproduction.joblog import logged

with logged(snakemake.log[0]):
    drawn = dg_fig7.draw(pd.read_csv(snakemake.input.curves), pd.read_csv(snakemake.input.areas))
    style.save(drawn, snakemake.output, snakemake.params.png_dpi)
