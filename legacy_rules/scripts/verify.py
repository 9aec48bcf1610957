import sys

from reproduction.config import load_config
from reproduction.joblog import logged
from reproduction.verification import verify

with logged(snakemake.log[0]) as logger:
    found = verify(load_config(snakemake.config))
    logger.info("compared with the provenance\n%s", found)
print(found, flush=True)
if found.differs:
    sys.exit(f"differences from the provenance: {len(found.differs)}")
