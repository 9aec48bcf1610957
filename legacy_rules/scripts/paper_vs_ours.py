import pandas as pd

from reproduction.claims import check
from reproduction.claims.registry import Context
from reproduction.fraud.fraud_data import FraudData
from reproduction.files import write_csv
from reproduction.joblog import logged
from reproduction.records import recorded

with recorded(snakemake), logged(snakemake.log[0]) as logger:
    claims = check.run(
        check.read_tables(snakemake.input.tables),
        Context(snakemake.params.settings, FraudData.read(snakemake.input.fraud)),
    )
    rooms = [pd.read_csv(path) for path in snakemake.input.rooms]
    rooms = [
        table.assign(origin=table["source"], place=table["figure"]).rename(
            columns={"table": "tables", "read_from": "tolerance_from"}
        )
        for table in rooms
    ]
    claims = pd.concat([claims, *rooms])
    write_csv(claims, snakemake.output[0])
    for row in check.counts(claims).itertuples():
        logger.info(
            "claims (%s): %d of %d checked, %d hold, %d differ",
            *(row.Index, row.checked, row.claims, row.holds, row.differs),
        )
