from reproduction.experiments import label_free_metrics
from reproduction.files import write_csv
from reproduction.joblog import logged

with logged(snakemake.log[0]):
    values = label_free_metrics.run(
        n_samples=snakemake.params.n_samples,
        n_thresholds=snakemake.params.n_thresholds,
        seed=snakemake.params.seed,
    )
    write_csv(values, snakemake.output[0])
