from calibrated_metrics.experiments import rank_correlation
from calibrated_metrics.experiments.ranking_tasks import read_ranking
from calibrated_metrics.files import write_csv
from calibrated_metrics.joblog import logged
from calibrated_metrics.settings import Conventions, read_metrics

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
