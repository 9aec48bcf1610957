from calibrated_metrics.data import published_scores
from calibrated_metrics.files import write_csv
from calibrated_metrics.joblog import logged
from calibrated_metrics.settings import PublishedRanking

with logged(snakemake.log[0]):
    scores, tasks = published_scores.stored_scores(
        PublishedRanking(**snakemake.params.settings),
        resources=snakemake.config["resources_dir"],
    )
    write_csv(scores, snakemake.output.scores)
    write_csv(tasks, snakemake.output.tasks)
