from reproduction.data.fraud import scored_test_set
from reproduction.files import write_json, write_parquet
from reproduction.joblog import logged
from reproduction.settings import Fraud

with logged(snakemake.log[0]):
    predictions, data = scored_test_set(
        Fraud(**snakemake.params.settings),
        resources=snakemake.config["resources_dir"],
        seed=snakemake.params.seed,
    )
    write_parquet(predictions, snakemake.output.predictions)
    write_json(snakemake.output.data, data.as_dict())
