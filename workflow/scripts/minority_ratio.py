from reproduction.experiments import minority_ratio
from reproduction.files import write_csv
from reproduction.joblog import logged

with logged(snakemake.log[0]):
    write_csv(minority_ratio.of_file(snakemake.input[0]), snakemake.output[0])
