from reproduction.joblog import logged
from reproduction.report import ReportFigure, write_report

with logged(snakemake.log[0]):
    write_report(
        snakemake.output[0],
        config=snakemake.config,
        figures=[ReportFigure(**figure) for figure in snakemake.params.figures],
        tables=snakemake.input.tables,
    )
