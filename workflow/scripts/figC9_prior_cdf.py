import pandas as pd

from reproduction.figures import figC9_prior_cdf, style
from reproduction.joblog import logged

with logged(snakemake.log[0]):
    drawn = figC9_prior_cdf.draw(pd.read_csv(snakemake.input[0]), snakemake.params.title)
    style.save(drawn, snakemake.output, snakemake.params.png_dpi)
