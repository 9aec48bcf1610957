import pandas as pd

from reproduction.data.fraud import curve_of
from reproduction.experiments import heuristic
from reproduction.files import write_csv
from reproduction.joblog import logged
from reproduction.settings import Heuristic

with logged(snakemake.log[0]):
    comparison = heuristic.run(
        Heuristic(**snakemake.params.settings),
        curve_of(pd.read_parquet(snakemake.input[0])),
        seed=snakemake.params.seed,
    )
    write_csv(comparison, snakemake.output[0])
