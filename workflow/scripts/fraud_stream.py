from calibrated_metrics.data.fraud_stream import scored_stream
from calibrated_metrics.experiments.random_streams import stream_seed
from calibrated_metrics.files import write_parquet
from calibrated_metrics.joblog import logged

with logged(snakemake.log[0]):
    stream = scored_stream(
        **snakemake.params.settings, seed=stream_seed(snakemake.params.seed, "fraud_stream")
    )
    write_parquet(stream, snakemake.output[0])
