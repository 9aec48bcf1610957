import sys

from reproduction.core import job

sys.path.append(".")  # the package `validation` is not installed
job.run(snakemake.input, snakemake.output, snakemake.params, snakemake.log[0])
