from reproduction.data.fraud_stream import scored_stream
from reproduction.experiments.random_streams import stream_seed
from reproduction.files import write_parquet
from reproduction.joblog import logged

with logged(snakemake.log[0]):
    stream = scored_stream(
        **snakemake.params.settings, seed=stream_seed(snakemake.params.seed, "fraud_stream")
    )
    write_parquet(stream, snakemake.output[0])
