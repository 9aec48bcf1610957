from reproduction.experiments import rank_correlation
from reproduction.experiments.ranking_tasks import read_ranking
from reproduction.files import write_csv
from reproduction.joblog import logged
from reproduction.settings import NamedConventions, read_metrics

with logged(snakemake.log[0]):
    corrections = rank_correlation.corrections(
        *read_ranking(snakemake.input.scores, snakemake.input.tasks),
        read_metrics(snakemake.params.metrics),
        {
            "as_published": read_metrics(snakemake.params.as_published),
            "corrected": read_metrics(snakemake.params.corrected),
        },
        conventions=NamedConventions(**snakemake.params.conventions),
        permitted=rank_correlation.corrections_of(snakemake.params.source),
    )
    write_csv(corrections, snakemake.output.cells)
    write_csv(rank_correlation.corrections_summary(corrections), snakemake.output.summary)
