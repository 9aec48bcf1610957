import pandas as pd

from calibrated_metrics.data.fraud import FraudData
from calibrated_metrics.figures import figA7_fraud_prior_sweep, style
from calibrated_metrics.joblog import logged
from calibrated_metrics.settings import read_metrics

with logged(snakemake.log[0]):
    drawn = figA7_fraud_prior_sweep.draw(
        pd.read_csv(snakemake.input.table),
        read_metrics(snakemake.params.metrics),
        FraudData.read(snakemake.input.data).title,
    )
    style.save(drawn, snakemake.output, snakemake.params.png_dpi)
