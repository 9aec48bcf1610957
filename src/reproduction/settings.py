"""The typed settings: the one place where settings, defaults and their meaning stand.

`config/config.yaml`, `config/schema.json` and `config/README.md` are generated from it by
``python -m reproduction.config_docs``.
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
from calibrated_metrics._sources import Binormal
from calibrated_metrics.registry import Metric, TimesPrior
from reproduction.plugins import load_plugins

Prior = Annotated[float, Field(gt=0, lt=1)]
Count = Annotated[int, Field(ge=1)]
Seed = Annotated[int, Field(ge=0)]
# Snakemake compares paths as text: a slash at the end would make another file of it.
# Braces are its wildcards.
Folder = Annotated[str, Field(pattern=r"^[^{}]+$"), AfterValidator(os.path.normpath)]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, strict=True)


class TimesPriorSpec(_Section):
    """A reference prior that follows the data."""

    times_prior: float = Field(gt=0, description="Factor on the data's own prior.")


# Which branch a reference prior takes is said outright, so that errors speak of that one only.
PI0_BRANCHES = ("<number>", "<multiple of the prior>")
ReferencePrior = Annotated[
    Annotated[Prior, Tag(PI0_BRANCHES[0])] | Annotated[TimesPriorSpec, Tag(PI0_BRANCHES[1])],
    Discriminator(lambda pi0: PI0_BRANCHES[isinstance(pi0, Mapping | TimesPriorSpec)]),
]


class MetricSpec(_Section):
    """One metric: a registered score and a reference prior."""

    score: str = Field(description="Name of a registered score, such as `average_precision`.")
    pi0: ReferencePrior | None = Field(
        None,
        description="Reference prior: none for the ordinary metric, a number in (0, 1), or "
        "`{times_prior: 1.01}`.",
    )
    options: dict[str, float] = Field(
        default_factory=dict, description="Options of the score, such as `{threshold: 0.5}`."
    )

    def metric(self) -> Metric:
        pi0 = self.pi0
        if isinstance(pi0, TimesPriorSpec):
            pi0 = TimesPrior(pi0.times_prior)
        return Metric(self.score, pi0, self.options)


def _twins(score: str, **options: float) -> list[MetricSpec]:
    return [MetricSpec(score=score, pi0=pi0, options=options) for pi0 in (None, 0.5)]


def _sweep_metrics() -> list[MetricSpec]:
    return [
        *_twins("average_precision"),
        *_twins("prg_auc"),
        *_twins("fbeta", threshold=0.5),
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
    """Named sets of metrics; experiments say which set they use. Add sets of any name."""

    model_config = ConfigDict(extra="allow", frozen=True, strict=True)
    __pydantic_extra__: dict[str, MetricSet]

    plugins: list[str] = Field(
        default_factory=list,
        description="Python files that register further scores; paths are relative to the "
        "folder Snakemake runs in.",
    )
    everywhere: list[MetricSpec] = Field(
        default_factory=list, description="Metrics added to every set: the place for your own."
    )
    sweep: MetricSet = Field(
        default_factory=_sweep_metrics,
        description="Figures 4 and 5 and appendix A: each metric and its calibrated twin.",
    )
    paper: MetricSet = Field(
        default_factory=lambda: _paper_metrics(1.01),
        description="The ten metrics of the paper's Figure 7.",
    )
    paper_imbalanced: MetricSet = Field(
        default_factory=lambda: _paper_metrics(10),
        description="The same with π₀ = 10 π, which the authors' code calls π₀ ≈ π where π < 0.01.",
    )

    def listed(self) -> dict[str, list[MetricSpec]]:
        """Every set by its name, as it stands in the configuration."""
        named = {name: getattr(self, name) for name in ("sweep", "paper", "paper_imbalanced")}
        return named | (self.__pydantic_extra__ or {})

    def sets(self) -> dict[str, list[MetricSpec]]:
        """Every set by its name, with the metrics of `everywhere` that it does not list itself."""
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
        raise ValueError(f"{name} must differ from each other, got {values}")


def _check_distance(mu1: float, mu0s: list[float]) -> None:
    for mu0 in mu0s:
        if abs(mu1 - mu0) > Binormal.MAX_DISTANCE:
            raise ValueError(
                f"mu1={mu1} and mu0={mu0} must be at most {Binormal.MAX_DISTANCE} apart"
            )


class PiSweep(_Section):
    """Figure 4: metrics of one model while the prior falls."""

    metrics: str = Field("sweep", description="Set of metrics.")
    n_samples: Annotated[int, Field(ge=100)] = Field(
        1_000_000, description="Points per run and prior."
    )
    n_runs: Count = Field(30, description="Runs per prior.")
    runs_per_job: Count = Field(5, description="Runs in one Snakemake job; changes no number.")
    mu1: float = Field(2.0, description="Mean of the positives, N(mu1, 1).")
    mu0: float = Field(1.8, description="Mean of the negatives, N(mu0, 1).")
    priors: list[Prior] = Field(
        default_factory=lambda: [
            *(round(0.001 * k, 3) for k in range(1, 10)),
            *(round(0.009 + 0.01 * k, 3) for k in range(1, 5)),
            *(round(0.049 + 0.1 * k, 3) for k in range(1, 5)),
            0.5,
        ],
        min_length=1,
        description="Class priors π, the authors' grid by default.",
    )
    class_counts: Literal["exact", "bernoulli"] = Field(
        "exact",
        description="`exact`: round(π n) positives, as in the authors' code; `bernoulli`: each "
        "label is drawn, as in the text.",
    )

    @model_validator(mode="after")
    def _can_be_drawn(self):
        _check_distance(self.mu1, [self.mu0])
        _check_distinct("priors", self.priors)
        for prior in self.priors:
            if not 1 <= round(prior * self.n_samples) < self.n_samples:
                raise ValueError(
                    f"n_samples={self.n_samples} points at prior {prior} lack one of the classes"
                )
        return self


class KlSweep(_Section):
    """Figure 5: metrics while the classes move apart and the prior is drawn anew each time."""

    metrics: str = Field("sweep", description="Set of metrics.")
    n_samples: Annotated[int, Field(ge=100)] = Field(
        1_000_000, description="Points per run and distance."
    )
    n_runs: Count = Field(30, description="Runs per distance.")
    runs_per_job: Count = Field(5, description="Runs in one Snakemake job; changes no number.")
    mu1: float = Field(2.0, description="Mean of the positives, N(mu1, 1).")
    mu0: list[float] = Field(
        default_factory=lambda: [round(0.05 * k, 2) for k in range(41)],
        min_length=1,
        description="Means of the negatives, N(mu0, 1).",
    )
    lowest_prior: Prior = Field(0.001, description="Each run draws π uniformly from here ...")
    highest_prior: Prior = Field(0.5, description="... to here.")

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
    """Figure 6: undersampling against the closed form, on the fraud data."""

    n_runs: Annotated[int, Field(ge=2)] = Field(1000, description="Random draws per π₀.")
    n_priors: Annotated[int, Field(ge=2)] = Field(
        20, description="Reference priors π₀, geometric from the data's prior to `highest_prior`."
    )
    highest_prior: Prior = Field(0.5, description="Largest π₀.")


class FraudPriorSweep(_Section):
    """arXiv appendix A: metrics while undersampling raises the prior of the fraud data."""

    metrics: str = Field("sweep", description="Set of metrics.")
    n_runs: Annotated[int, Field(ge=2)] = Field(1000, description="Random draws per prior.")
    runs_per_job: Count = Field(500, description="Runs in one Snakemake job; changes no number.")
    n_priors: Annotated[int, Field(ge=2)] = Field(
        20, description="Priors π, geometric from the data's own to `highest_prior`."
    )
    highest_prior: Prior = Field(0.5, description="Largest π.")


class Simulator(_Section):
    """The transaction simulator of the fraud-detection handbook and how it is split."""

    n_customers: Annotated[int, Field(ge=3)] = Field(5000, description="Customers.")
    n_terminals: Annotated[int, Field(ge=2)] = Field(10_000, description="Terminals.")
    n_days: Count = Field(183, description="Days, from 2018-04-01.")
    radius: Annotated[float, Field(gt=0)] = Field(
        5.0, description="Customers use terminals within this distance on the 100 × 100 grid."
    )
    train_start_day: Annotated[int, Field(ge=0)] = Field(
        115, description="First day of training; earlier days only feed the features."
    )
    train_weeks: Count = Field(4, description="Weeks of training.")
    delay_weeks: Annotated[int, Field(ge=0)] = Field(
        1, description="Weeks between training and test, until frauds are known."
    )
    test_weeks: Count = Field(2, description="Weeks of test.")

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
        description="`simulated`: the handbook's transactions, no network; `file`: Kaggle's "
        "columns from `path`; `openml`: dataset 1597; `kaggle`: the `kagglehub` package (extra "
        "`kaggle`).",
    )
    path: Annotated[str, Field(min_length=1)] | None = Field(
        None, description="For `file`: Kaggle's `creditcard.csv`, a zip of it, or parquet."
    )
    openml_server: str = Field(
        "https://www.openml.org/api/v1/xml", description="For `openml`: the API's address."
    )
    simulator: Simulator = Field(default_factory=Simulator, description="For `simulated`.")

    def used(self) -> dict[str, Any]:
        """The settings that the chosen source uses: others do not remake its data."""
        of_source = {"simulated": "simulator", "file": "path", "openml": "openml_server"}
        return self.model_dump(include={"source", of_source.get(self.source)})

    @model_validator(mode="after")
    def _path_goes_with_file(self):
        if self.source == "file" and self.path is None:
            raise ValueError("source 'file' needs path")
        return self


class Monitoring(_Section):
    """Figure 1 and arXiv Figure 11: a fraud stream, week by week, while its data drift."""

    metrics: str = Field(
        "sweep",
        description="Set of metrics; its ordinary ones are monitored, each with a twin at the "
        "historical prior.",
    )
    n_customers: Annotated[int, Field(ge=3)] = Field(5000, description="Customers.")
    n_terminals: Annotated[int, Field(ge=2)] = Field(10_000, description="Terminals.")
    radius: Annotated[float, Field(gt=0)] = Field(
        5.0, description="Customers use terminals within this distance on the 100 × 100 grid."
    )
    train_start_day: Annotated[int, Field(ge=0)] = Field(
        37, description="First day of training; earlier days only feed the features."
    )
    train_weeks: Count = Field(
        4, description="Weeks of training; their mean fraud ratio is the reference prior."
    )
    delay_weeks: Annotated[int, Field(ge=0)] = Field(
        1, description="Weeks until frauds are known, between training and the first period."
    )
    n_periods: Annotated[int, Field(ge=5)] = Field(20, description="Weeks that are monitored.")
    n_bootstrap: Annotated[int, Field(ge=2)] = Field(
        500, description="Bootstrap draws per week, for bands and trends."
    )


class CurvesAtPriors(_Section):
    """Figure 2: one model's curves at the fraud data's prior and at a higher one."""

    pi0: Prior = Field(0.5, description="The higher prior, by undersampling and by calibration.")


class LabelFree(_Section):
    """Tables 1 and 2 of the note on calibrated classifiers: metrics without labels."""

    n_samples: Annotated[int, Field(ge=50)] = Field(
        1000, description="Scores drawn from each distribution."
    )
    n_thresholds: Annotated[int, Field(ge=2)] = Field(201, description="From 0 to 1.")
    sizes: list[Annotated[int, Field(ge=50)]] = Field(
        default_factory=lambda: [100, 316, 1000, 3162, 10_000, 31_623],
        min_length=2,
        description="Sample sizes of the convergence figure.",
    )
    n_runs: Count = Field(200, description="Samples drawn of each size.")


class Conventions(_Section):
    """Choices that decide what a rank correlation is."""

    imbalanced_metrics: str = Field(
        "paper", description="Set of metrics of the imbalanced matrix: π₀ ≈ π is 1.01 π or 10 π."
    )
    undefined_correlation: Literal["left_out", "one"] = Field(
        "left_out",
        description="A Spearman correlation with a metric that is constant over a task's models: "
        "`left_out` of the mean, or counted as `one`.",
    )
    zeroed_runs: Literal["dropped", "kept"] = Field(
        "dropped", description="Models whose metrics are all exactly 0: unread, not bad."
    )
    gain_crossing: Literal["exact", "as_published"] = Field(
        "exact",
        description="Where a calibrated precision-recall-gain curve meets its axes: `exact`, or by "
        "the authors' formulas, which are those of π₀ = π.",
    )


def _as_published() -> Conventions:
    return Conventions(
        imbalanced_metrics="paper_imbalanced",
        undefined_correlation="one",
        zeroed_runs="kept",
        gain_crossing="as_published",
    )


class NamedConventions(_Section):
    """The conventions that `ranking.conventions` names."""

    corrected: Conventions = Field(default_factory=Conventions, description="What is right.")
    as_published: Conventions = Field(
        default_factory=_as_published, description="What the authors' code does."
    )


class LocalRanking(_Section):
    """Models fitted here, to scikit-learn's bundled data and simulated transactions."""

    tasks: list[str] | None = Field(
        None, description="Names of the tasks, see `data/local_tasks.py`; none for all."
    )


class OpenmlRanking(_Section):
    """Predictions of other people's models, from an OpenML server."""

    server: str = Field("https://www.openml.org/api/v1/xml", description="The API's address.")
    selection: str | None = Field(
        None, description="A frozen selection to use again; none to select and freeze one."
    )
    max_tasks: Count | None = Field(None, description="At most so many tasks, drawn by the seed.")
    runs_listed: Annotated[int, Field(ge=30, le=10_000)] = Field(
        200, description="Runs of a task that its models are drawn from."
    )
    requests_per_second: Annotated[float, Field(gt=0)] = Field(
        2.0, description="Requests to the server, those of all jobs together."
    )
    connections: Count = Field(1, description="Jobs that talk to the server at the same time.")
    excluded_runs: list[Count] = Field(
        default_factory=list, description="Runs not to be used, such as one that cannot be fetched."
    )

    def selecting(self) -> dict[str, Any]:
        """The settings that a selection depends on; the others concern the way only."""
        return self.model_dump(exclude={"requests_per_second", "connections"})

    @model_validator(mode="after")
    def _a_frozen_selection_is_whole(self):
        if self.selection is not None and self.max_tasks is not None:
            raise ValueError(
                f"max_tasks={self.max_tasks} does not go with selection={self.selection!r}, which "
                "says what its tasks are"
            )
        return self


class PublishedRanking(_Section):
    """The authors' stored scores; predictions are not among them."""

    url: str = Field(
        "https://raw.githubusercontent.com/wissam-sib/calibrated_metrics/"
        "f1c262d0aaac16356a143596a832030abb87d48c/",
        description="Folder of `metrics_balanced.pkl` and `metrics_imbalanced.pkl`.",
    )
    all: str | None = Field(
        None, description="Local file of the scores of all tasks, pickle or parquet; none for url."
    )
    imbalanced: str | None = Field(
        None, description="Local file of the scores of the imbalanced tasks; none for url."
    )


MAX_LOCAL_MODELS = 30


class Ranking(_Section):
    """Figure 7: do metrics rank models alike?"""

    source: Literal["local", "openml", "published"] = Field(
        "local",
        description="Whose models: fitted here, without network (`local`), from OpenML (`openml`), "
        "or the authors' stored scores (`published`).",
    )
    metrics: str = Field("paper", description="Set of metrics.")
    conventions: Literal["corrected", "as_published"] = Field(
        "corrected", description="Named choices of `conventions` behind tables and figures."
    )
    n_models: Annotated[int, Field(ge=3, le=1000)] = Field(30, description="Models per task.")
    imbalanced_below: Prior = Field(0.01, description="Tasks with a smaller π are imbalanced.")
    small_prior_below: Prior = Field(0.05, description="Tasks with a smaller π have a small prior.")
    n_bootstrap: Count = Field(2000, description="Bootstrap draws of the tasks, for intervals.")
    local: LocalRanking = Field(default_factory=LocalRanking, description=LocalRanking.__doc__)
    openml: OpenmlRanking = Field(default_factory=OpenmlRanking, description=OpenmlRanking.__doc__)
    published: PublishedRanking = Field(
        default_factory=PublishedRanking, description=PublishedRanking.__doc__
    )

    @property
    def title(self) -> str:
        """Whose models; figures say so."""
        return {
            "local": f"{self.n_models} scikit-learn models per task",
            "openml": f"{self.n_models} runs per task from {urlsplit(self.openml.server).netloc}",
            "published": "the authors' stored scores of 30 runs per task",
        }[self.source]

    @property
    def title_of_datasets(self) -> str:
        """Whose class ratios; the figure says so."""
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
                f"source 'local' has n_models={MAX_LOCAL_MODELS} at most, got {self.n_models}"
            )
        return self


class Figures(_Section):
    """How figures are written."""

    png_dpi: Annotated[int, Field(ge=50, le=1200)] = Field(
        200, description="Resolution of the PNG files; PDF and SVG are vector graphics."
    )


class Config(_Section):
    """All settings of the pipeline."""

    results_dir: Folder = Field("results", description="Folder of tables and figures.")
    resources_dir: Folder = Field("resources", description="Folder of downloads.")
    seed: Seed = Field(20200427, description="Every random draw derives from it.")
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
                    f"{where} names no set: {name!r}{nearest(name, known)}; "
                    f"sets under metrics: {sorted(known)}"
                )
        return self

    @model_validator(mode="after")
    def _multiples_of_the_prior_stay_below_one(self):
        for where, name, prior in self._uses_of_metrics():
            for spec in self.metrics.sets()[name]:
                if isinstance(spec.pi0, TimesPriorSpec) and spec.pi0.times_prior * prior >= 1:
                    raise ValueError(
                        f"metrics.{name}: times_prior={spec.pi0.times_prior} of {spec.score} takes "
                        f"the prior {prior} of {where.partition('.')[0]} to 1 or above"
                    )
        return self

    def _uses_of_metrics(self):
        """Where a set of metrics is named, the set, and the highest prior it meets there."""
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

        The authors' stored scores are those of the default sets, whatever the sets hold here.
        """
        if self.ranking.source == "published":
            return Metrics().described("paper_imbalanced" if panel == "imbalanced" else "paper")
        chosen = getattr(self.conventions, conventions or self.ranking.conventions)
        is_imbalanced = panel == "imbalanced"
        return self.metrics.described(
            chosen.imbalanced_metrics if is_imbalanced else self.ranking.metrics
        )


def read_metrics(description: Mapping[str, Any]) -> list[Metric]:
    """Metrics from `Metrics.described`, with their plug-ins loaded."""
    load_plugins(description["plugins"])
    return [MetricSpec(**spec).metric() for spec in description["metrics"]]
