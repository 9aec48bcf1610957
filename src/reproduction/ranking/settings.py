"""Settings of Figure 7 and of other results for the ranked models."""

from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import Field, model_validator

from calibrated_metrics._hints import nearest
from reproduction.core.settings import Count, File, Prior, Section, SetName, check_distinct
from reproduction.ranking.local_tasks import TASKS, name_of_file

MAX_LOCAL_MODELS = 30

Positive = Annotated[float, Field(gt=0)]


class Local(Section):
    """Models that the pipeline fits to real data sets and simulated transactions, or own files."""

    tasks: Annotated[list[str], Field(min_length=1)] | None = Field(
        None,
        description="Names of tasks of `reproduction.ranking.local_tasks`. null: all, or none if "
        "there are `files`.",
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
        names = self.tasks or ([] if self.files else TASKS)
        n_jobs = -(-len(names) // self.tasks_per_job)
        return {f"block_{job}": list(names[job::n_jobs]) for job in range(n_jobs)}

    def own_files(self) -> dict[str, str]:
        """Own files by the name of their job."""
        return {f"file_{place}": path for place, path in enumerate(self.files or [])}

    @model_validator(mode="after")
    def _tasks_exist(self):
        for name in (each for each in self.tasks or [] if each not in TASKS):
            raise ValueError(f"unknown task {name!r}{nearest(name, TASKS)}; known: {list(TASKS)}")
        check_distinct("tasks", self.tasks or [])
        check_distinct("names of files", [name_of_file(path) for path in self.files or []])
        check_distinct("features", self.features or [])
        return self


class Openml(Section):
    """Predictions of runs on an OpenML server."""

    server: str = Field("https://www.openml.org/api/v1/xml", description="Address of the API.")
    selection: File | None = Field(
        None, description="A `selection.json` of an earlier run to reuse; null for a new selection."
    )
    max_tasks: Count | None = Field(
        None, description="Maximum number of tasks, which are drawn at random; null for all."
    )
    runs_listed: Annotated[int, Field(ge=30, le=10_000)] = Field(
        200, description="Number of runs listed per task, from which its models are drawn."
    )
    excluded_runs: list[Count] = Field(
        default_factory=list, description="IDs of runs to exclude, for example broken downloads."
    )
    skip_tasks: list[Count] = Field(
        default_factory=list, description="IDs of tasks to skip, for example broken downloads."
    )
    requests_per_second: Positive = Field(
        2.0, description="Maximum rate of requests to the server. Its jobs run one at a time."
    )
    seconds_per_file: Positive = Field(
        600.0, description="Time limit in seconds of a request, with its retries."
    )

    def selecting(self) -> dict[str, Any]:
        """Settings that determine which tasks and runs are selected."""
        return self.model_dump(
            include={"selection", "max_tasks", "runs_listed", "excluded_runs", "skip_tasks"}
        )

    def of_server(self) -> dict[str, Any]:
        """Address of the server, and limits of single requests."""
        limits = {"requests_per_second", "seconds_per_file"}
        return {"url": self.server, **self.model_dump(include=limits)}

    @model_validator(mode="after")
    def _server_has_no_account(self):
        if "@" in urlsplit(self.server).netloc:
            raise ValueError("server must not have a user name or password: no account is needed")
        return self

    @model_validator(mode="after")
    def _a_selection_fixes_the_tasks(self):
        if self.selection is not None and self.max_tasks is not None:
            raise ValueError(
                f"max_tasks={self.max_tasks} conflicts with selection={self.selection!r}"
            )
        return self


class Published(Section):
    """The authors' stored scores, which do not include predictions."""

    url: str = Field(
        "https://raw.githubusercontent.com/wissam-sib/calibrated_metrics/"
        "f1c262d0aaac16356a143596a832030abb87d48c/",
        description="Address of `metrics_balanced.pkl` and `metrics_imbalanced.pkl`.",
    )
    all: File | None = Field(
        None, description="File of the scores of all tasks, pickle or parquet; null to use `url`."
    )
    imbalanced: File | None = Field(
        None, description="File of the scores of imbalanced tasks; null to use `url`."
    )


class Settings(Section):
    """Figure 7: rank correlations between metrics."""

    source: Literal["local", "openml", "published"] = Field(
        "local",
        description="The ranked models: `local`: models that the pipeline fits, without network; "
        "`openml`: runs on OpenML; `published`: the models of the authors' stored scores.",
    )
    metrics: SetName = "paper"
    imbalanced_metrics: str = Field(
        "paper_imbalanced", description="Name of the set of metrics for imbalanced tasks."
    )
    conventions: Literal["corrected", "as_published"] = Field(
        "corrected",
        description="Definition of the rank correlations: that of the authors' code, or with its "
        "errors corrected. `reproduction.ranking.panels.Conventions` lists the differences.",
    )
    n_models: Annotated[int, Field(ge=3, le=1000)] = Field(
        30, description="Number of models per task."
    )
    imbalanced_below: Prior = Field(
        0.01, description="Tasks with a prior below this are imbalanced."
    )
    small_prior_below: Prior = Field(
        0.05, description="Tasks with a prior below this have a small prior."
    )
    n_bootstrap: Count = Field(
        2000, description="Number of bootstrap samples of the tasks, for intervals."
    )
    local: Local = Field(default_factory=Local, description=Local.__doc__)
    openml: Openml = Field(default_factory=Openml, description=Openml.__doc__)
    published: Published = Field(default_factory=Published, description=Published.__doc__)

    @property
    def is_own(self) -> bool:
        """Do the data come from the user?"""
        return self.source == "local" and self.local.files is not None

    def models(self, panel: str | None = None) -> str:
        """Origin of the models of a panel, or of all panels, for the titles of figures."""
        if self.is_own:
            return "models of your files"
        tasks = {
            "imbalanced": "abalone19 and simulated frauds",
            None: "data sets of UCI and KEEL and simulated frauds",
        }.get(panel, "data sets of UCI and KEEL")
        return {
            "local": f"{self.n_models} scikit-learn models on {tasks}, in place of OpenML's runs",
            "openml": f"{self.n_models} runs per task from {urlsplit(self.openml.server).netloc}",
            "published": "the authors' stored scores of 30 runs per task",
        }[self.source]

    def datasets(self) -> str:
        """Origin of the class ratios, for the title of the figure."""
        if self.is_own:
            return "datasets of your files"
        return {
            "local": "data sets of UCI and KEEL, chosen for ratios above 0.2, in place of OpenML's",
            "openml": f"binary datasets of {urlsplit(self.openml.server).netloc}",
            "published": "the authors' stored scores, without class ratios",
        }[self.source]

    @model_validator(mode="after")
    def _as_many_models_as_there_are(self):
        n_models, listed = self.n_models, self.openml.runs_listed
        if self.source == "openml" and listed < n_models:
            raise ValueError(f"openml.runs_listed={listed} must not be below n_models={n_models}")
        if self.source == "local" and n_models > MAX_LOCAL_MODELS:
            raise ValueError(f"n_models={n_models} must be at most {MAX_LOCAL_MODELS} if local")
        return self
