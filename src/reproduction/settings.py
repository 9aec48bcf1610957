"""The typed settings of the pipeline, with their defaults and descriptions.

``python -m reproduction.config_docs`` generates `config/config.yaml`, `config/schema.json` and
`config/README.md` from this module.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    model_validator,
)

from calibrated_metrics._checks import nearest
from calibrated_metrics.binormal import Binormal
from reproduction.metrics import Metric, TimesPrior
from reproduction.plugins import load_plugins

Prior = Annotated[float, Field(gt=0, lt=1)]
Count = Annotated[int, Field(ge=1)]
Seed = Annotated[int, Field(ge=0)]
SetName = Annotated[str, Field(description="Name of the set of metrics.")]
RunsPerJob = Annotated[
    int,
    Field(ge=1, description="Number of runs in one Snakemake job. It does not change the results."),
]
# Snakemake compares paths as text, so a path with a trailing slash is another file. It reads braces
# as wildcards.
Folder = Annotated[str, Field(pattern=r"^[^{}]+$"), AfterValidator(os.path.normpath)]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, strict=True)


class TimesPriorSpec(_Section):
    """A reference prior that is a multiple of the prior of the data."""

    times_prior: float = Field(
        gt=0, description="Factor by which the prior of the data is multiplied."
    )


# The branch of a reference prior is tagged, so error messages mention only that branch.
PI0_BRANCHES = ("<number>", "<multiple of the prior>")
ReferencePrior = Annotated[
    Annotated[Prior, Tag(PI0_BRANCHES[0])] | Annotated[TimesPriorSpec, Tag(PI0_BRANCHES[1])],
    Discriminator(lambda pi0: PI0_BRANCHES[isinstance(pi0, Mapping | TimesPriorSpec)]),
]


class MetricSpec(_Section):
    """A metric is a registered score and, if calibrated, a reference prior."""

    score: str = Field(description="Name of a registered score, such as `average_precision`.")
    pi0: ReferencePrior | None = Field(
        None,
        description="Reference prior π₀: null for the uncalibrated metric, a number in (0, 1), or "
        "a multiple of the prior of the data, such as `{times_prior: 1.01}`.",
    )
    options: dict[str, float] = Field(
        default_factory=dict, description="Options of the score, such as `{threshold: 0.5}`."
    )

    def metric(self) -> Metric:
        pi0 = self.pi0
        if isinstance(pi0, TimesPriorSpec):
            pi0 = TimesPrior(pi0.times_prior)
        return Metric(self.score, pi0, self.options)


def _uncalibrated_and_calibrated(score: str, **options: float) -> list[MetricSpec]:
    return [MetricSpec(score=score, pi0=pi0, options=options) for pi0 in (None, 0.5)]


def _sweep_metrics() -> list[MetricSpec]:
    return [
        *_uncalibrated_and_calibrated("average_precision"),
        *_uncalibrated_and_calibrated("prg_auc"),
        *_uncalibrated_and_calibrated("fbeta", threshold=0.5),
    ]


def _paper_metrics(times_prior: float) -> list[MetricSpec]:
    priors = (None, TimesPriorSpec(times_prior=times_prior), 0.5)
    return [
        *(
            MetricSpec(score=score, pi0=pi0)
            for score in ("average_precision", "prg_auc", "best_fbeta")
            for pi0 in priors
        ),
        MetricSpec(score="roc_auc"),
    ]


MetricSet = Annotated[list[MetricSpec], Field(min_length=1)]


class Metrics(BaseModel):
    """Named sets of metrics. Each experiment names the set that it uses. You may add sets."""

    model_config = ConfigDict(extra="allow", frozen=True, strict=True)
    __pydantic_extra__: dict[str, MetricSet]

    plugins: list[str] = Field(
        default_factory=list,
        description="Python files that register more scores. Relative paths start at the folder "
        "in which Snakemake runs.",
    )
    everywhere: list[MetricSpec] = Field(
        default_factory=list, description="Metrics that are added to every set, such as your own."
    )
    sweep: MetricSet = Field(
        default_factory=_sweep_metrics,
        description="Metrics of Figures 4 and 5 and appendix A, uncalibrated and calibrated.",
    )
    paper: MetricSet = Field(
        default_factory=lambda: _paper_metrics(1.01),
        description="The ten metrics of the paper's Figure 7.",
    )
    paper_imbalanced: MetricSet = Field(
        default_factory=lambda: _paper_metrics(10),
        description="The ten metrics with π₀ = 10 π instead of 1.01 π: the authors' code labels "
        "both π₀ ≈ π and uses 10 π for tasks with π < 0.01.",
    )

    def listed(self) -> dict[str, list[MetricSpec]]:
        """Sets by name, as they are configured."""
        named = {name: getattr(self, name) for name in ("sweep", "paper", "paper_imbalanced")}
        return named | (self.__pydantic_extra__ or {})

    def sets(self) -> dict[str, list[MetricSpec]]:
        """Sets by name, each with the metrics of `everywhere` that it does not list itself."""
        return {
            name: [*specs, *(extra for extra in self.everywhere if extra not in specs)]
            for name, specs in self.listed().items()
        }

    def described(self, name: str) -> dict[str, Any]:
        """Plain description of a set, for `read_metrics`."""
        return {
            "plugins": list(self.plugins),
            "metrics": [spec.model_dump() for spec in self.sets()[name]],
        }


def _check_distinct(name: str, values: list[float]) -> None:
    if len(set(values)) < len(values):
        raise ValueError(f"{name} must be distinct, got {values}")


def _check_distance(mu1: float, mu0s: list[float]) -> None:
    for mu0 in mu0s:
        if abs(mu1 - mu0) > Binormal.MAX_DISTANCE:
            raise ValueError(
                f"mu1={mu1} and mu0={mu0} must be at most {Binormal.MAX_DISTANCE} apart"
            )


class PiSweep(_Section):
    """Figure 4: metrics of one model as the prior decreases."""

    metrics: SetName = "sweep"
    n_samples: Annotated[int, Field(ge=100)] = Field(
        1_000_000, description="Sample size of each run at each prior."
    )
    n_runs: Count = Field(30, description="Number of runs at each prior.")
    runs_per_job: RunsPerJob = 5
    mu1: float = Field(2.0, description="Mean of the scores of positives, N(mu1, 1).")
    mu0: float = Field(1.8, description="Mean of the scores of negatives, N(mu0, 1).")
    priors: list[Prior] = Field(
        default_factory=lambda: [
            *(round(0.001 * k, 3) for k in range(1, 10)),
            *(round(0.009 + 0.01 * k, 3) for k in range(1, 5)),
            *(round(0.049 + 0.1 * k, 3) for k in range(1, 5)),
            0.5,
        ],
        min_length=1,
        description="Class priors π. The default is the authors' grid.",
    )
    class_counts: Literal["exact", "bernoulli"] = Field(
        "exact",
        description="`exact`: round(π n) positives, as in the authors' code; `bernoulli`: each "
        "label is drawn at random, as in the paper's text.",
    )

    @model_validator(mode="after")
    def _can_be_drawn(self):
        _check_distance(self.mu1, [self.mu0])
        _check_distinct("priors", self.priors)
        for prior in self.priors:
            if not 1 <= round(prior * self.n_samples) < self.n_samples:
                raise ValueError(
                    f"n_samples={self.n_samples} at prior {prior} leaves one of the classes empty"
                )
        return self


class KlSweep(_Section):
    """Figure 5: metrics against the distance of the classes; each run draws its own prior."""

    metrics: SetName = "sweep"
    n_samples: Annotated[int, Field(ge=100)] = Field(
        1_000_000, description="Sample size of each run at each distance."
    )
    n_runs: Count = Field(30, description="Number of runs at each distance.")
    runs_per_job: RunsPerJob = 5
    mu1: float = Field(2.0, description="Mean of the scores of positives, N(mu1, 1).")
    mu0: list[float] = Field(
        default_factory=lambda: [round(0.05 * k, 2) for k in range(41)],
        min_length=1,
        description="Means of the scores of negatives, N(mu0, 1).",
    )
    lowest_prior: Prior = Field(
        0.001, description="Smallest prior; each run draws π uniformly up to `highest_prior`."
    )
    highest_prior: Prior = Field(0.5, description="Largest prior that a run may draw.")

    @model_validator(mode="after")
    def _can_be_drawn(self):
        _check_distance(self.mu1, self.mu0)
        _check_distinct("mu0", self.mu0)
        if self.lowest_prior > self.highest_prior:
            raise ValueError(
                f"lowest_prior={self.lowest_prior} must not exceed "
                f"highest_prior={self.highest_prior}"
            )
        return self


class Heuristic(_Section):
    """Figure 6: undersampling compared with the closed form, on the fraud data."""

    n_runs: Annotated[int, Field(ge=2)] = Field(
        1000, description="Number of undersamples at each π₀."
    )
    n_priors: Annotated[int, Field(ge=2)] = Field(
        20,
        description="Number of reference priors π₀, spaced geometrically from the prior of the "
        "data to `highest_prior`.",
    )
    highest_prior: Prior = Field(0.5, description="Largest π₀.")


class FraudPriorSweep(_Section):
    """arXiv appendix A: metrics of the fraud data as undersampling raises the prior."""

    metrics: SetName = "sweep"
    n_runs: Annotated[int, Field(ge=2)] = Field(
        1000, description="Number of undersamples at each prior."
    )
    runs_per_job: RunsPerJob = 500
    n_priors: Annotated[int, Field(ge=2)] = Field(
        20,
        description="Number of priors π, spaced geometrically from the prior of the data to "
        "`highest_prior`.",
    )
    highest_prior: Prior = Field(0.5, description="Largest π.")


class Simulator(_Section):
    """For `simulated`: the simulator of the Fraud Detection Handbook, and the split of its days."""

    n_customers: Annotated[int, Field(ge=3)] = Field(5000, description="Number of customers.")
    n_terminals: Annotated[int, Field(ge=2)] = Field(10_000, description="Number of terminals.")
    n_days: Count = Field(183, description="Number of days, from 2018-04-01.")
    radius: Annotated[float, Field(gt=0)] = Field(
        5.0, description="A customer uses the terminals within this distance, on a 100 × 100 grid."
    )
    train_start_day: Annotated[int, Field(ge=0)] = Field(
        115, description="First day of training. Earlier days are only used for features."
    )
    train_weeks: Count = Field(4, description="Number of training weeks.")
    delay_weeks: Annotated[int, Field(ge=0)] = Field(
        1, description="Number of weeks between training and test, until labels are known."
    )
    test_weeks: Count = Field(2, description="Number of test weeks.")

    @model_validator(mode="after")
    def _long_enough(self):
        weeks = self.train_weeks + self.delay_weeks + self.test_weeks
        needed = self.train_start_day + 7 * weeks
        if self.n_days < needed:
            raise ValueError(
                f"n_days={self.n_days} is too short: training from day {self.train_start_day}, "
                f"delay and test end on day {needed}"
            )
        return self


class Fraud(_Section):
    """The fraud data of Figure 6 and appendix A."""

    source: Literal["simulated", "file", "openml", "kaggle"] = Field(
        "simulated",
        description="`simulated`: transactions of the handbook's simulator, without network; "
        "`file`: the file `path`; `openml`: dataset 1597 of OpenML; `kaggle`: a download by the "
        "`kagglehub` package, which the extra `kaggle` installs.",
    )
    path: Annotated[str, Field(min_length=1)] | None = Field(
        None,
        description="For `file`: Kaggle's `creditcard.csv`, a zip file of it, or a parquet file "
        "with its columns.",
    )
    openml_server: str = Field(
        "https://www.openml.org/api/v1/xml", description="For `openml`: address of the API."
    )
    simulator: Simulator = Field(default_factory=Simulator, description=Simulator.__doc__)

    def used(self) -> dict[str, Any]:
        """Settings of the chosen source. A change of other settings does not rerun its jobs."""
        of_source = {"simulated": "simulator", "file": "path", "openml": "openml_server"}
        return self.model_dump(include={"source", of_source.get(self.source)})

    @model_validator(mode="after")
    def _path_goes_with_file(self):
        if self.source == "file" and self.path is None:
            raise ValueError("source 'file' needs path")
        return self


class Monitoring(_Section):
    """Figure 1 and arXiv Figure 11: weekly metrics of a fraud stream whose data drift."""

    metrics: str = Field(
        "sweep",
        description="Name of the set of metrics. Its uncalibrated metrics are monitored, each also "
        "at the historical prior.",
    )
    n_customers: Annotated[int, Field(ge=3)] = Field(5000, description="Number of customers.")
    n_terminals: Annotated[int, Field(ge=2)] = Field(10_000, description="Number of terminals.")
    radius: Annotated[float, Field(gt=0)] = Field(
        5.0, description="A customer uses the terminals within this distance, on a 100 × 100 grid."
    )
    train_start_day: Annotated[int, Field(ge=0)] = Field(
        37, description="First day of training. Earlier days are only used for features."
    )
    train_weeks: Count = Field(
        4,
        description="Number of training weeks. Their mean fraud ratio is the reference prior.",
    )
    delay_weeks: Annotated[int, Field(ge=0)] = Field(
        1,
        description="Number of weeks between training and the first monitored week, until labels "
        "are known.",
    )
    n_periods: Annotated[int, Field(ge=5)] = Field(20, description="Number of monitored weeks.")
    n_bootstrap: Annotated[int, Field(ge=2)] = Field(
        500, description="Number of bootstrap samples per week, for bands and trends."
    )


class CurvesAtPriors(_Section):
    """Figure 2: curves of one model at the prior of the fraud data and at a higher prior."""

    pi0: Prior = Field(
        0.5, description="The higher prior, reached by undersampling and by calibration."
    )


class LabelFree(_Section):
    """Tables 1 and 2 of *Classification metrics for a calibrated classifier*."""

    n_samples: Annotated[int, Field(ge=50)] = Field(
        1000, description="Number of scores drawn from each distribution."
    )
    n_thresholds: Annotated[int, Field(ge=2)] = Field(
        201, description="Number of thresholds, evenly spaced from 0 to 1."
    )
    sizes: list[Annotated[int, Field(ge=50)]] = Field(
        default_factory=lambda: [100, 316, 1000, 3162, 10_000, 31_623],
        min_length=2,
        description="Sample sizes of the convergence figure.",
    )
    n_runs: Count = Field(200, description="Number of samples of each size.")


class Conventions(_Section):
    """Choices in the definition of the rank correlations."""

    imbalanced_metrics: str = Field(
        "paper",
        description="Name of the set of metrics for imbalanced tasks: π₀ ≈ π is 1.01 π in `paper` "
        "and 10 π in `paper_imbalanced`.",
    )
    undefined_correlation: Literal["left_out", "one"] = Field(
        "left_out",
        description="A Spearman correlation with a metric that is constant over the models of a "
        "task: excluded from the mean (`left_out`) or counted as 1 (`one`).",
    )
    zeroed_runs: Literal["dropped", "kept"] = Field(
        "dropped",
        description="Models whose metrics are all exactly 0, probably a parsing failure rather "
        "than poor models: `dropped` or `kept`.",
    )
    near_ties: Literal["tied", "ranked"] = Field(
        "tied",
        description="Values of a metric that differ only by rounding: equal (`tied`), or ranked by "
        "their last digits (`ranked`).",
    )
    gain_crossing: Literal["exact", "as_published"] = Field(
        "exact",
        description="Where a calibrated precision-recall-gain curve crosses its axes: computed "
        "exactly (`exact`), or by the authors' formulas, which hold for π₀ = π only "
        "(`as_published`).",
    )


def _as_published() -> Conventions:
    return Conventions(
        imbalanced_metrics="paper_imbalanced",
        undefined_correlation="one",
        zeroed_runs="kept",
        near_ties="ranked",
        gain_crossing="as_published",
    )


class NamedConventions(_Section):
    """The conventions that `ranking.conventions` can name."""

    corrected: Conventions = Field(
        default_factory=Conventions, description="The corrected conventions."
    )
    as_published: Conventions = Field(
        default_factory=_as_published, description="The conventions of the authors' code."
    )


class LocalRanking(_Section):
    """Models that the pipeline fits to scikit-learn's data and to simulated transactions."""

    tasks: list[str] | None = Field(
        None, description="Names of tasks of `reproduction.data.local_tasks`; null for all."
    )


_LIMITS_OF_REQUESTS = {"requests_per_second", "seconds_per_file", "megabytes_per_file"}


class OpenmlRanking(_Section):
    """Predictions of runs on an OpenML server."""

    server: str = Field("https://www.openml.org/api/v1/xml", description="Address of the API.")
    selection: str | None = Field(
        None,
        description="A `selection.json` of an earlier run, to reuse its tasks and runs; null to "
        "make a new selection.",
    )
    max_tasks: Count | None = Field(
        None, description="Maximum number of tasks, which are drawn at random; null for all."
    )
    runs_listed: Annotated[int, Field(ge=30, le=10_000)] = Field(
        200, description="Number of runs listed per task, from which its models are drawn."
    )
    requests_per_second: Annotated[float, Field(gt=0)] = Field(
        2.0, description="Maximum rate of requests to the server, over all jobs."
    )
    connections: Count = Field(
        1, description="Number of jobs that may use the server at the same time."
    )
    excluded_runs: list[Count] = Field(
        default_factory=list,
        description="IDs of runs to exclude, for example a run that cannot be downloaded.",
    )
    skip_tasks: list[Count] = Field(
        default_factory=list,
        description="IDs of tasks to skip, for example a task whose files cannot be downloaded. "
        "They are listed in `openml_status.csv`.",
    )
    seconds_per_file: Annotated[float, Field(gt=0)] = Field(
        600.0,
        description="Time limit of the download of a file, with all attempts. A server that fails "
        "for this time counts as down.",
    )
    seconds_per_task: Annotated[float, Field(gt=0)] = Field(
        7200.0,
        description="Time limit of the downloads of a task, and of a list with all its pages.",
    )
    megabytes_per_file: Annotated[float, Field(gt=0)] = Field(
        2000.0, description="Largest size of a downloaded file, after decompression."
    )

    def selecting(self) -> dict[str, Any]:
        """Settings that a selection depends on."""
        return self.model_dump(exclude={*_LIMITS_OF_REQUESTS, "connections", "seconds_per_task"})

    def limits(self) -> dict[str, float]:
        """Limits on single requests, which do not affect the result."""
        return self.model_dump(include=_LIMITS_OF_REQUESTS)

    @model_validator(mode="after")
    def _a_frozen_selection_is_whole(self):
        if self.selection is not None and self.max_tasks is not None:
            raise ValueError(
                f"max_tasks={self.max_tasks} conflicts with selection={self.selection!r}, which "
                "fixes the tasks"
            )
        return self


class PublishedRanking(_Section):
    """The authors' stored scores, which do not include predictions."""

    url: str = Field(
        "https://raw.githubusercontent.com/wissam-sib/calibrated_metrics/"
        "f1c262d0aaac16356a143596a832030abb87d48c/",
        description="Address of `metrics_balanced.pkl` and `metrics_imbalanced.pkl`.",
    )
    all: str | None = Field(
        None,
        description="Local file of the scores of all tasks, pickle or parquet; null to use `url`.",
    )
    imbalanced: str | None = Field(
        None, description="Local file of the scores of imbalanced tasks; null to use `url`."
    )


MAX_LOCAL_MODELS = 30


class Ranking(_Section):
    """Figure 7: rank correlations between metrics."""

    source: Literal["local", "openml", "published"] = Field(
        "local",
        description="The ranked models: `local`: models that the pipeline fits, without network; "
        "`openml`: runs on OpenML; `published`: the models of the authors' stored scores.",
    )
    metrics: SetName = "paper"
    conventions: Literal["corrected", "as_published"] = Field(
        "corrected",
        description="Conventions of tables and figures, as defined in the section `conventions`.",
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
    local: LocalRanking = Field(default_factory=LocalRanking, description=LocalRanking.__doc__)
    openml: OpenmlRanking = Field(default_factory=OpenmlRanking, description=OpenmlRanking.__doc__)
    published: PublishedRanking = Field(
        default_factory=PublishedRanking, description=PublishedRanking.__doc__
    )

    @property
    def title(self) -> str:
        """Origin of the models, as figures name it."""
        return {
            "local": f"{self.n_models} scikit-learn models per task",
            "openml": f"{self.n_models} runs per task from {urlsplit(self.openml.server).netloc}",
            "published": "the authors' stored scores of 30 runs per task",
        }[self.source]

    @property
    def title_of_datasets(self) -> str:
        """Origin of the class ratios, as the figure names it."""
        return {
            "local": "the tasks of the local source, not OpenML's datasets",
            "openml": f"binary datasets of {urlsplit(self.openml.server).netloc}",
            "published": "the authors' stored scores, which hold no class ratio",
        }[self.source]

    @model_validator(mode="after")
    def _as_many_models_as_there_are(self):
        if self.source == "openml" and self.openml.runs_listed < self.n_models:
            raise ValueError(
                f"openml.runs_listed={self.openml.runs_listed} must not be below "
                f"n_models={self.n_models}"
            )
        if self.source == "local" and self.n_models > MAX_LOCAL_MODELS:
            raise ValueError(
                f"n_models must be at most {MAX_LOCAL_MODELS} with source 'local', "
                f"got {self.n_models}"
            )
        return self


class Figures(_Section):
    """Format of the figures."""

    png_dpi: Annotated[int, Field(ge=50, le=1200)] = Field(
        200, description="Resolution of PNG files in dots per inch."
    )


class Config(_Section):
    """All settings of the pipeline."""

    results_dir: Folder = Field("results", description="Folder of tables and figures.")
    resources_dir: Folder = Field("resources", description="Folder of downloads.")
    seed: Seed = Field(20200427, description="Seed of all random draws.")
    metrics: Metrics = Field(default_factory=Metrics, description=Metrics.__doc__)
    pi_sweep: PiSweep = Field(default_factory=PiSweep, description=PiSweep.__doc__)
    kl_sweep: KlSweep = Field(default_factory=KlSweep, description=KlSweep.__doc__)
    heuristic: Heuristic = Field(default_factory=Heuristic, description=Heuristic.__doc__)
    fraud_prior_sweep: FraudPriorSweep = Field(
        default_factory=FraudPriorSweep, description=FraudPriorSweep.__doc__
    )
    fraud: Fraud = Field(default_factory=Fraud, description=Fraud.__doc__)
    monitoring: Monitoring = Field(default_factory=Monitoring, description=Monitoring.__doc__)
    curves_at_priors: CurvesAtPriors = Field(
        default_factory=CurvesAtPriors, description=CurvesAtPriors.__doc__
    )
    label_free: LabelFree = Field(default_factory=LabelFree, description=LabelFree.__doc__)
    ranking: Ranking = Field(default_factory=Ranking, description=Ranking.__doc__)
    conventions: NamedConventions = Field(
        default_factory=NamedConventions, description=NamedConventions.__doc__
    )
    figures: Figures = Field(default_factory=Figures, description=Figures.__doc__)

    @model_validator(mode="after")
    def _metric_sets_exist(self):
        known = self.metrics.sets()
        for where, name, _ in self._uses_of_metrics():
            if name not in known:
                raise ValueError(
                    f"{where}: unknown set of metrics {name!r}{nearest(name, known)}; "
                    f"sets under metrics: {sorted(known)}"
                )
        return self

    @model_validator(mode="after")
    def _multiples_of_the_prior_stay_below_one(self):
        for where, name, prior in self._uses_of_metrics():
            for spec in self.metrics.sets()[name]:
                if isinstance(spec.pi0, TimesPriorSpec) and spec.pi0.times_prior * prior >= 1:
                    raise ValueError(
                        f"metrics.{name}: times_prior={spec.pi0.times_prior} of {spec.score} times "
                        f"the prior {prior} of {where.partition('.')[0]} must be below 1"
                    )
        return self

    def _uses_of_metrics(self):
        """Yield each setting that names a set of metrics, the set, and the highest prior there."""
        yield "pi_sweep.metrics", self.pi_sweep.metrics, max(self.pi_sweep.priors)
        yield "kl_sweep.metrics", self.kl_sweep.metrics, self.kl_sweep.highest_prior
        sweep = self.fraud_prior_sweep
        yield "fraud_prior_sweep.metrics", sweep.metrics, sweep.highest_prior
        yield "monitoring.metrics", self.monitoring.metrics, 0.0
        yield "ranking.metrics", self.ranking.metrics, 0.5
        for name in NamedConventions.model_fields:
            imbalanced = getattr(self.conventions, name).imbalanced_metrics
            where = f"conventions.{name}.imbalanced_metrics"
            yield where, imbalanced, self.ranking.imbalanced_below

    def metrics_of(self, experiment: str) -> dict[str, Any]:
        """Plain description of an experiment's metrics, for `read_metrics`."""
        return self.metrics.described(getattr(self, experiment).metrics)

    def ranking_conventions(self) -> Conventions:
        return getattr(self.conventions, self.ranking.conventions)

    def ranking_metrics(self, panel: str, conventions: str | None = None) -> dict[str, Any]:
        """Plain description of the metrics of a matrix, for `read_metrics`.

        The authors' stored scores are those of the default sets, so configured sets do not apply.
        """
        if self.ranking.source == "published":
            return Metrics().described("paper_imbalanced" if panel == "imbalanced" else "paper")
        chosen = getattr(self.conventions, conventions or self.ranking.conventions)
        is_imbalanced = panel == "imbalanced"
        return self.metrics.described(
            chosen.imbalanced_metrics if is_imbalanced else self.ranking.metrics
        )


def read_metrics(description: Mapping[str, Any]) -> list[Metric]:
    """Load the plug-ins of a description by `Metrics.described` and return its metrics."""
    load_plugins(description["plugins"])
    return [MetricSpec(**spec).metric() for spec in description["metrics"]]
