import pandas as pd

from calibrated_metrics.data.fraud import curve_of
from calibrated_metrics.experiments import heuristic
from calibrated_metrics.files import write_csv
from calibrated_metrics.joblog import logged
from calibrated_metrics.settings import Heuristic

with logged(snakemake.log[0]):
    comparison = heuristic.run(
        Heuristic(**snakemake.params.settings),
        curve_of(pd.read_parquet(snakemake.input[0])),
        seed=snakemake.params.seed,
    )
    write_csv(comparison, snakemake.output[0])
