from calibrated_metrics.figures import thumbnails
from calibrated_metrics.joblog import logged

with logged(snakemake.log[0]):
    thumbnails.shrink(snakemake.input, snakemake.output, width=snakemake.params.width)
