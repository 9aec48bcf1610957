from reproduction.experiments import label_free_metrics
from reproduction.files import write_csv
from reproduction.joblog import logged

with logged(snakemake.log[0]):
    errors = label_free_metrics.convergence(
        sizes=snakemake.params.sizes, n_runs=snakemake.params.n_runs, seed=snakemake.params.seed
    )
    write_csv(errors, snakemake.output.errors)
    write_csv(label_free_metrics.slopes(errors), snakemake.output.rates)
