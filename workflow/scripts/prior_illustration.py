from reproduction.experiments import prior_illustration
from reproduction.files import write_csv
from reproduction.joblog import logged

with logged(snakemake.log[0]):
    instances = prior_illustration.instances()
    write_csv(instances, snakemake.output.instances)
    write_csv(prior_illustration.numbers(instances), snakemake.output.numbers)
