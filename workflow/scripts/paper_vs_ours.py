from pathlib import Path

from reproduction.claims import check
from reproduction.claims.registry import Context
from reproduction.data.fraud import FraudData
from reproduction.joblog import logged

with logged(snakemake.log[0]):
    claims = check.run(
        check.read_tables(snakemake.input.tables),
        Context(snakemake.params.settings, FraudData.read(snakemake.input.fraud)),
    )
    check.write(claims, snakemake.output[0], if_broken=Path(snakemake.log[0]).with_suffix(".csv"))
