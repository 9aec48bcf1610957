import pandas as pd

from calibrated_metrics.experiments import sweep_agreement
from calibrated_metrics.files import write_csv
from calibrated_metrics.joblog import logged

with logged(snakemake.log[0]):
    agreement = sweep_agreement.run(pd.read_csv(snakemake.input[0]), snakemake.params.point)
    write_csv(agreement, snakemake.output[0])
