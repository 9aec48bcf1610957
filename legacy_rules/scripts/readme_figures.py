from reproduction.figures import thumbnails
from reproduction.joblog import logged

with logged(snakemake.log[0]):
    thumbnails.shrink(snakemake.input, snakemake.output, width=snakemake.params.width)
