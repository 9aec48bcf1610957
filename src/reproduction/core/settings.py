"""Typed settings. Each room may define `Settings` in its settings.py; the rooms are discovered."""

import codecs
import os
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    ValidationError,
    create_model,
    model_validator,
)

from calibrated_metrics._hints import nearest
from calibrated_metrics._messages import shown
from reproduction.core.metrics import metric_of, read_metrics

_ROOMS = Path(__file__).parents[1]

Prior = Annotated[float, Field(gt=0, lt=1)]
Count = Annotated[int, Field(ge=1)]
# With larger distances, likelihood ratios exceed the largest float64.
Mean = Annotated[float, Field(ge=-15, le=15)]
SetName = Annotated[str, Field(description="Name of the set of metrics.")]


def _checked_path(path: str) -> str:
    if not path or set(path) & set("{}<>"):
        raise ValueError("must be a path without {, }, < and >, which have a meaning in Snakemake")
    return path


File = Annotated[str, AfterValidator(_checked_path)]
# Snakemake compares paths as text, so a path with a trailing slash is another file.
Folder = Annotated[File, AfterValidator(os.path.normpath)]


def _checked_encoding(name: str | None) -> str | None:
    try:
        return name and codecs.lookup(name).name
    except LookupError as error:
        raise ValueError(f"{error}; use a name such as utf-8, utf-16 or cp1252") from None


class Section(BaseModel):
    """Base of all settings: unknown keys and wrong types are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, strict=True)


class OwnFiles(Section):
    """How your own text files are written: CSV, zip and gz, but not parquet."""

    sep: Annotated[
        Literal[",", ";", "|", "\t", " "] | None,
        BeforeValidator(lambda sep: "\t" if sep == r"\t" else sep),
    ] = Field(
        None,
        description="Separator of the fields: `','`, `';'`, `'|'`, `' '` or `\"\\t\"`. null: the "
        "one with which the header has the columns.",
    )
    decimal: Literal[".", ","] | None = Field(
        None, description="Decimal sign. null: a point, if it cannot mean thousands."
    )
    encoding: Annotated[str | None, AfterValidator(_checked_encoding)] = Field(
        None, description="Encoding, such as cp1252. null: UTF-8, or that of a byte-order mark."
    )
    pos_label: str | int | float | bool | None = Field(
        None, description="Label of the positives, also in parquet files. null: 1."
    )


class Figures(Section):
    """Width and font of the figures. Tables and claims do not depend on them."""

    width: Annotated[float, Field(ge=6, le=50)] = Field(
        7.16,
        description="Width of a figure over the page in inches, at least 6, or legends are cut. "
        "Others are in proportion.",
    )
    font_size: Annotated[float, Field(ge=1)] | None = Field(
        None,
        description="Font size of titles in points, at most 9 at 7.16 inches. null: 8 at 7.16 "
        "inches, and in proportion at other widths.",
    )
    font: str | None = Field(
        None, description="Name of an installed font, such as Arial. null: DejaVu Sans."
    )

    @model_validator(mode="after")
    def _texts_fit(self):
        largest = round(9 * self.width / 7.16, 2)
        if self.font_size and self.font_size > largest:
            raise ValueError(
                f"font_size must be at most {largest:g} at a width of {self.width:g}, or texts are "
                f"cut; got {self.font_size:g}"
            )
        return self


class Sweep(Section):
    """Base of the settings of the synthetic sweeps, whose runs are divided into jobs."""

    metrics: SetName = "sweep"
    n_samples: int = Field(1_000_000, ge=100, description="Sample size of each run at each point.")
    n_runs: Count = Field(30, description="Number of runs at each point.")
    runs_per_job: Count = Field(
        5, description="Number of runs in one Snakemake job. It does not change the results."
    )
    mu1: Mean = Field(2.0, description="Mean of the points of positives, N(mu1, 1).")

    def of_one_run(self) -> dict[str, Any]:
        """Settings of a single run, without their number: more runs keep the finished ones."""
        return self.model_dump(exclude={"metrics", "n_runs", "runs_per_job"})

    def blocks(self) -> list[tuple[int, int]]:
        """First run of each job, and the run after its last run."""
        starts = range(0, self.n_runs, self.runs_per_job)
        return [(first, min(first + self.runs_per_job, self.n_runs)) for first in starts]


def check_distinct(name: str, values: Sequence[Any]) -> None:
    if len(set(values)) < len(values):
        raise ValueError(f"{name} must be distinct, got {values}")


# ------------------------------------------------------------------------------------- metrics


class TimesPriorSpec(Section):
    """A reference prior that is a multiple of the prior of the data."""

    times_prior: float = Field(
        gt=0, description="Factor by which the prior of the data is multiplied."
    )


# The branch of a reference prior is tagged, so error messages mention only that branch.
_BRANCHES = ("<number>", "<multiple of the prior>")
ReferencePrior = Annotated[
    Annotated[Prior, Tag(_BRANCHES[0])] | Annotated[TimesPriorSpec, Tag(_BRANCHES[1])],
    Discriminator(lambda pi0: _BRANCHES[isinstance(pi0, Mapping | TimesPriorSpec)]),
]


class MetricSpec(Section):
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

    @model_validator(mode="after")
    def _is_usable(self):
        try:
            metric_of(**self.model_dump()).of_library.check_options()
        except (OSError, TypeError, ValueError) as error:
            raise ValueError(f"{self.score}: {error}") from error
        except Exception as error:  # from a user's function
            raise ValueError(f"{self.score}: {type(error).__name__}: {error}") from error
        return self


def _sweep_metrics() -> list[MetricSpec]:
    scores = (("average_precision", {}), ("prg_auc", {}), ("fbeta", {"threshold": 0.5}))
    return [
        MetricSpec(score=score, pi0=pi0, options=options)
        for score, options in scores
        for pi0 in (None, 0.5)
    ]


def _paper_metrics(times_prior: float) -> list[MetricSpec]:
    priors = (None, TimesPriorSpec(times_prior=times_prior), 0.5)
    scores = ("average_precision", "prg_auc", "best_fbeta")
    pairs = [(score, pi0) for score in scores for pi0 in priors]
    return [MetricSpec(score=score, pi0=pi0) for score, pi0 in [*pairs, ("roc_auc", None)]]


MetricSet = Annotated[list[MetricSpec], Field(min_length=1)]


def _run_plugins(paths: list[str]) -> list[str]:
    """Register the scores of plug-ins, before the metrics that use them are checked."""
    try:
        read_metrics({"plugins": paths, "metrics": []})
    except OSError as error:
        raise ValueError(str(error)) from error
    return paths


class Metrics(BaseModel):
    """Named sets of metrics. Each experiment names the set that it uses. You may add sets."""

    model_config = ConfigDict(extra="allow", frozen=True, strict=True)
    __pydantic_extra__: dict[str, MetricSet]

    plugins: Annotated[list[str], AfterValidator(_run_plugins)] = Field(
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
        description="The ten metrics for tasks with π < 0.01, where the paper's π₀ ≈ π is 10 π.",
    )

    @model_validator(mode="after")
    def _no_misspelt_key(self):
        for name in self.__pydantic_extra__ or {}:
            if hint := nearest(name, ["plugins", "everywhere"]):
                raise ValueError(f"{name}: unknown key{hint}")
        return self

    @model_validator(mode="after")
    def _no_metric_twice(self):
        for name, specs in self.sets().items():
            check_distinct(name, [metric_of(**spec.model_dump()).key for spec in specs])
        return self

    def sets(self) -> dict[str, list[MetricSpec]]:
        """Sets by name, each with the metrics of `everywhere` that it does not list itself."""
        named = {name: getattr(self, name) for name in ("sweep", "paper", "paper_imbalanced")}
        return {
            name: [*specs, *(extra for extra in self.everywhere if extra not in specs)]
            for name, specs in (named | (self.__pydantic_extra__ or {})).items()
        }

    def described(self, name: str) -> dict[str, Any]:
        """Plain description of a set, for `read_metrics`."""
        if name not in self.sets():
            known = sorted(self.sets())
            raise ValueError(
                f"unknown set of metrics {name!r}{nearest(name, known)}; sets: {known}"
            )
        metrics = [spec.model_dump() for spec in self.sets()[name]]
        return {"plugins": list(self.plugins), "metrics": metrics}


# ------------------------------------------------------------------------------------- loading


class Configuration(Section):
    """Settings that do not belong to one room."""

    results_dir: Folder = Field("results", description="Folder of tables and figures.")
    experiments: Annotated[list[str], Field(min_length=1)] | None = Field(
        None, description="Experiments to run, such as [fraud, monitoring]; null for all."
    )
    resources_dir: Folder = Field("resources", description="Folder of downloads.")
    own_files: OwnFiles = Field(default_factory=OwnFiles, description=OwnFiles.__doc__)
    figures: Figures = Field(default_factory=Figures, description=Figures.__doc__)
    seed: Annotated[int, Field(ge=0)] = Field(20200427, description="Seed of all random draws.")
    metrics: Metrics = Field(default_factory=Metrics, description=Metrics.__doc__)

    def rooms(self) -> list[str]:
        """Names of the experiments to run, in alphabetical order."""
        return sorted(self.experiments or rooms())

    def is_own(self, room: str) -> bool:
        """Does the user provide the data of an experiment? Then no claim is about them."""
        return getattr(getattr(self, room, None), "is_own", False)

    @model_validator(mode="after")
    def _experiments_exist(self):
        known = rooms()
        for name in (each for each in self.experiments or [] if each not in known):
            raise ValueError(f"unknown experiment {name!r}{nearest(name, known)}; known: {known}")
        check_distinct("experiments", self.experiments or [])
        return self


def rooms() -> list[str]:
    """Names of the folders beside `core` that have an experiment."""
    return sorted(path.parent.name for path in _ROOMS.glob("*/experiment.py"))


@cache
def model() -> type[Configuration]:
    """Type of the whole configuration: the settings of each room that has some, by its name."""
    sections = {
        room: import_module(f"reproduction.{room}.settings").Settings
        for room in rooms()
        if (_ROOMS / room / "settings.py").exists()
    }
    fields: dict[str, Any] = {
        name: (section, Field(default_factory=section, description=section.__doc__))
        for name, section in sections.items()
    }
    return create_model("Configuration", __base__=Configuration, **fields)


def load(raw: Mapping[str, Any]) -> Any:
    """Check a configuration, with its plug-ins and metrics, and return it with all defaults.

    An error has one line per problem; an unknown key comes with the nearest known one.
    """
    try:
        return model().model_validate(dict(raw))
    except ValidationError as error:
        problems = sorted({_explained(problem) for problem in error.errors()})
    raise SystemExit("\n".join(["the configuration is invalid:", *problems]))


def _explained(problem: Mapping[str, Any]) -> str:
    location = [part for part in problem["loc"] if part not in _BRANCHES]
    where = ".".join(map(str, location)) or "config"
    if problem["type"] == "extra_forbidden":
        known = _fields_at(location[:-1])
        return f"  {where}: unknown key{nearest(location[-1], known)}; allowed: {sorted(known)}"
    message = problem["msg"].removeprefix("Value error, ")
    if isinstance(problem["input"], Mapping):
        return f"  {where}: {message}"
    return f"  {where}: {message}, got {shown(problem['input'])}"


def _fields_at(location: list[Any]) -> list[str]:
    section: type[BaseModel] = model()
    for part in location:
        if isinstance(part, str):
            field = section.model_fields.get(part)
            section = MetricSpec if field is None else _model_in(field.annotation)
    return list(section.model_fields)


def _model_in(annotation: Any) -> Any:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next(filter(None, map(_model_in, get_args(annotation))), None)
