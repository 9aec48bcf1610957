from reproduction.openml.fetch import fetch_task
from reproduction.openml.selection import SelectedTask
from reproduction.openml.server import Server
from reproduction.files import write_parquet
from reproduction.joblog import logged
from reproduction.records import recorded
from reproduction.settings import OpenmlRanking

with recorded(snakemake) as record, logged(snakemake.log[0]):
    settings = OpenmlRanking(**snakemake.config["ranking"]["openml"])
    fetched = fetch_task(
        SelectedTask.of_dict(snakemake.params.task),
        Server(snakemake.params.server, snakemake.config["resources_dir"], **settings.limits()),
        n_models=snakemake.params.n_models,
        seed=snakemake.params.seed,
        seconds=settings.seconds_per_task,
    )
    for name in ("predictions", "task", "status"):
        write_parquet(getattr(fetched, name), snakemake.output[name], record.metadata())
