from calibrated_metrics.data.openml.selection import frozen
from calibrated_metrics.joblog import logged
from calibrated_metrics.settings import OpenmlRanking

with logged(snakemake.log[0]):
    selection = frozen(
        OpenmlRanking(**snakemake.config["ranking"]["openml"]),
        resources=snakemake.config["resources_dir"],
        n_models=snakemake.params.n_models,
        seed=snakemake.params.seed,
    )
    selection.write(snakemake.output[0])
