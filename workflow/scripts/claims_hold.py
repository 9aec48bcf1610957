import sys

from reproduction.core import claims
from reproduction.core.io import read_table

if broken := claims.broken(read_table(snakemake.input.claims)):
    sys.exit("\n".join(broken))
