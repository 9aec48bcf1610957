from calibrated_metrics.experiments import minority_ratio
from calibrated_metrics.files import write_csv
from calibrated_metrics.joblog import logged

with logged(snakemake.log[0]):
    write_csv(minority_ratio.of_file(snakemake.input[0]), snakemake.output[0])
