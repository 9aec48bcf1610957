"""Any figure: the function `draw` of its module, then its three files."""

from functools import partial

from reproduction import jobs
from reproduction.figures import style

params = dict(snakemake.params.items())
jobs.run(
    dict(snakemake.input.items()),
    snakemake.output,
    params,
    log=snakemake.log[0],
    save=partial(style.save, png_dpi=params.pop("png_dpi")),
)
