"""Any figure: the function `draw` of its module, then its three files."""

from reproduction import jobs
from reproduction.figures import style
from reproduction.records import recorded

params = dict(snakemake.params.items())
png_dpi = params.pop("png_dpi")
with recorded(snakemake) as record:
    jobs.run(
        dict(snakemake.input.items()),
        snakemake.output,
        params,
        log=snakemake.log[0],
        save=lambda figure, paths: style.save(figure, paths, png_dpi, record.metadata()),
    )
