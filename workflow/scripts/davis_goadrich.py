from calibrated_metrics.experiments import davis_goadrich
from calibrated_metrics.files import write_csv
from calibrated_metrics.joblog import logged

with logged(snakemake.log[0]):
    for name, make in davis_goadrich.TABLES.items():
        write_csv(make(), snakemake.output[name])
