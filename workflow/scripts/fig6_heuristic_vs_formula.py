import pandas as pd

from reproduction.data.fraud import FraudData
from reproduction.figures import fig6_heuristic_vs_formula, style
from reproduction.joblog import logged

with logged(snakemake.log[0]):
    drawn = fig6_heuristic_vs_formula.draw(
        pd.read_csv(snakemake.input.table), FraudData.read(snakemake.input.data).title
    )
    style.save(drawn, snakemake.output, snakemake.params.png_dpi)
