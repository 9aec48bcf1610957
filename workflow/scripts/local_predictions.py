from reproduction.data import local_models
from reproduction.files import write_parquet
from reproduction.joblog import logged

with logged(snakemake.log[0]):
    predictions, task = local_models.ranked_task(
        snakemake.wildcards.task, n_models=snakemake.params.n_models, seed=snakemake.params.seed
    )
    write_parquet(predictions, snakemake.output.predictions)
    write_parquet(task, snakemake.output.task)
