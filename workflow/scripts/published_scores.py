from reproduction.data import published_scores
from reproduction.files import write_csv
from reproduction.joblog import logged
from reproduction.settings import PublishedRanking

with logged(snakemake.log[0]):
    scores, tasks = published_scores.stored_scores(
        PublishedRanking(**snakemake.params.settings),
        resources=snakemake.config["resources_dir"],
    )
    write_csv(scores, snakemake.output.scores)
    write_csv(tasks, snakemake.output.tasks)
