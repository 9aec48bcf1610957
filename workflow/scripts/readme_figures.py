from reproduction.core.job import logged
from reproduction.report.thumbnails import shrink

with logged(snakemake.log[0]):
    shrink(snakemake.input, snakemake.output)
