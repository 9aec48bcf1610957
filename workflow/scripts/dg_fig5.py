import pandas as pd

from reproduction.figures import dg_fig5, style
from reproduction.joblog import logged

with logged(snakemake.log[0]):
    drawn = dg_fig5.draw(pd.read_csv(snakemake.input[0]))
    style.save(drawn, snakemake.output, snakemake.params.png_dpi)
