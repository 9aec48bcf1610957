from reproduction.openml.selection import frozen
from reproduction.joblog import logged
from reproduction.records import recorded
from reproduction.settings import OpenmlRanking

with recorded(snakemake), logged(snakemake.log[0]):
    selection = frozen(
        OpenmlRanking(**snakemake.config["ranking"]["openml"]),
        resources=snakemake.config["resources_dir"],
        n_models=snakemake.params.n_models,
        seed=snakemake.params.seed,
    )
    selection.write(snakemake.output[0])
