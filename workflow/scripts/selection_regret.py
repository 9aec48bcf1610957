from reproduction.experiments import selection_regret
from reproduction.experiments.ranking_tasks import read_ranking
from reproduction.files import write_csv
from reproduction.joblog import logged
from reproduction.settings import read_metrics

with logged(snakemake.log[0]):
    regret = selection_regret.run(
        *read_ranking(snakemake.input.scores, snakemake.input.tasks),
        read_metrics(snakemake.params.metrics),
        panel=snakemake.wildcards.panel,
        gain_crossing=snakemake.params.conventions["gain_crossing"],
        zeroed_runs=snakemake.params.conventions["zeroed_runs"],
    )
    write_csv(regret, snakemake.output[0])
