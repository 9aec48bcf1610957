import pandas as pd

from reproduction.data.fraud import FraudData
from reproduction.figures import figA7_fraud_prior_sweep, style
from reproduction.joblog import logged
from reproduction.settings import read_metrics

with logged(snakemake.log[0]):
    drawn = figA7_fraud_prior_sweep.draw(
        pd.read_csv(snakemake.input.table),
        read_metrics(snakemake.params.metrics),
        FraudData.read(snakemake.input.data).title,
    )
    style.save(drawn, snakemake.output, snakemake.params.png_dpi)
