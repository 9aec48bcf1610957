from calibrated_metrics.experiments import label_free_metrics
from calibrated_metrics.files import write_csv
from calibrated_metrics.joblog import logged

with logged(snakemake.log[0]):
    errors = label_free_metrics.convergence(
        sizes=snakemake.params.sizes, n_runs=snakemake.params.n_runs, seed=snakemake.params.seed
    )
    write_csv(errors, snakemake.output.errors)
    write_csv(label_free_metrics.slopes(errors), snakemake.output.rates)
