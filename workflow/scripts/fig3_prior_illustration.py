import pandas as pd

from reproduction.figures import fig3_prior_illustration, style
from reproduction.joblog import logged

with logged(snakemake.log[0]):
    drawn = fig3_prior_illustration.draw(
        pd.read_csv(snakemake.input.instances), pd.read_csv(snakemake.input.numbers)
    )
    style.save(drawn, snakemake.output, snakemake.params.png_dpi)
