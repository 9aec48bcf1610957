from reproduction.experiments import davis_goadrich
from reproduction.files import write_csv
from reproduction.joblog import logged

with logged(snakemake.log[0]):
    for name, make in davis_goadrich.TABLES.items():
        write_csv(make(), snakemake.output[name])
