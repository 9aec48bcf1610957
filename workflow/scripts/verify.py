from reproduction.config import load_config
from reproduction.joblog import logged
from reproduction.verification import verify

with logged(snakemake.log[0]):
    found = verify(load_config(snakemake.config))
    print(found, flush=True)
    found.raise_if_different()
