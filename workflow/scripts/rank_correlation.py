from reproduction.experiments import rank_correlation
from reproduction.experiments.ranking_tasks import read_ranking
from reproduction.files import write_csv
from reproduction.joblog import logged
from reproduction.settings import Conventions, read_metrics

with logged(snakemake.log[0]):
    correlations = rank_correlation.run(
        *read_ranking(snakemake.input.scores, snakemake.input.tasks),
        read_metrics(snakemake.params.metrics),
        Conventions(**snakemake.params.conventions),
        panel=snakemake.wildcards.panel,
        n_bootstrap=snakemake.params.n_bootstrap,
        seed=snakemake.params.seed,
    )
    write_csv(correlations, snakemake.output[0])
