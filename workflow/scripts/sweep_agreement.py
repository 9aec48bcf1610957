import pandas as pd

from reproduction.experiments import sweep_agreement
from reproduction.files import write_csv
from reproduction.joblog import logged

with logged(snakemake.log[0]):
    agreement = sweep_agreement.run(pd.read_csv(snakemake.input[0]), snakemake.params.point)
    write_csv(agreement, snakemake.output[0])
