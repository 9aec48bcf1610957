"""Settings of the models that the pipeline fits, a source of ranked models."""

from pathlib import Path
from typing import Annotated

from pydantic import Field, model_validator

from calibrated_metrics._hints import nearest
from reproduction.core.settings import Count, File, Section, check_distinct
from reproduction.local_models.real_data import NAMES

MAX_LOCAL_MODELS = 30


def name_of_file(path: str) -> str:
    """Name of the task of a user's file."""
    return Path(path.removesuffix(".gz")).stem


class Local(Section):
    """Models that the pipeline fits to real data sets, or own files."""

    tasks: Annotated[list[str], Field(min_length=1)] | None = Field(
        None,
        description="Names of data sets of `reproduction.local_models.real_data`. null: all, or "
        "none if there are `files`.",
    )
    tasks_per_job: Count = Field(
        6, description="Number of tasks in one Snakemake job. It does not change the results."
    )

    files: Annotated[list[File], Field(min_length=1)] | None = Field(
        None,
        description="Your own CSV, zip, gz or parquet files. One file is one task, with numeric "
        "features and a column of labels, or has predictions of your own models on one or more "
        "tasks, with the columns task, model, y_true, y_score and, for several folds, fold.",
    )
    label: str = Field(
        "y_true", description="For `files` with features: labels, as in `fraud.columns`."
    )
    features: Annotated[list[str], Field(min_length=1)] | None = Field(
        None,
        description="For `files` with features: their columns. null: all but the label, columns "
        "without a name, and whole numbers that count the rows.",
    )

    def blocks(self) -> dict[str, list[str]]:
        """Names of the tasks of each job. Neighbours, which are alike, are in different jobs."""
        names = self.tasks or ([] if self.files else NAMES)
        n_jobs = -(-len(names) // self.tasks_per_job)
        return {f"block_{job}": list(names[job::n_jobs]) for job in range(n_jobs)}

    def own_files(self) -> dict[str, str]:
        """Own files by the name of their job."""
        return {f"file_{place}": path for place, path in enumerate(self.files or [])}

    @model_validator(mode="after")
    def _tasks_exist(self):
        for name in (each for each in self.tasks or [] if each not in NAMES):
            raise ValueError(f"unknown task {name!r}{nearest(name, NAMES)}; known: {list(NAMES)}")
        check_distinct("tasks", self.tasks or [])
        check_distinct("names of files", [name_of_file(path) for path in self.files or []])
        check_distinct("features", self.features or [])
        return self

    def models(self, n_models: int) -> str:
        """Origin of the models, for the titles of figures."""
        if self.files:
            return "models of your files"
        return f"{n_models} scikit-learn models per task, in place of OpenML's runs"

    def datasets(self) -> str:
        """Origin of the class ratios, for the title of the figure."""
        if self.files:
            return "data sets of your files"
        return "tasks of the ranking, in place of OpenML's data sets"
