from pathlib import Path

from calibrated_metrics.claims import check
from calibrated_metrics.claims.registry import Context
from calibrated_metrics.data.fraud import FraudData
from calibrated_metrics.joblog import logged

with logged(snakemake.log[0]):
    claims = check.run(
        check.read_tables(snakemake.input.tables),
        Context(snakemake.params.settings, FraudData.read(snakemake.input.fraud)),
    )
    check.write(claims, snakemake.output[0], if_broken=Path(snakemake.log[0]).with_suffix(".csv"))
