import pandas as pd

from reproduction.figures import cc_table2, style
from reproduction.joblog import logged

with logged(snakemake.log[0]):
    drawn = cc_table2.draw(pd.read_csv(snakemake.input[0]))
    style.save(drawn, snakemake.output, snakemake.params.png_dpi)
