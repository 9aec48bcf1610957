from calibrated_metrics.experiments import prior_illustration
from calibrated_metrics.files import write_csv
from calibrated_metrics.joblog import logged

with logged(snakemake.log[0]):
    instances = prior_illustration.instances()
    write_csv(instances, snakemake.output.instances)
    write_csv(prior_illustration.numbers(instances), snakemake.output.numbers)
