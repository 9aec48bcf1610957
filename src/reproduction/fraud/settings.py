"""Settings of the fraud data, Figures 2 and 6 and arXiv appendix A."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from reproduction.core.settings import Count, Prior, RunsPerJob, Section, Sweep

__all__ = ["Settings"]

_Path = Annotated[str, Field(min_length=1, pattern=r"^[^{}]+$")]  # Snakemake reads wildcards
_Name = Annotated[str, Field(min_length=1)]


class Columns(Section):
    """For `scores`: names of the columns of the file."""

    label: _Name = Field("y_true", description="Labels, 0 and 1.")
    score: _Name = Field("y_score", description="Scores, larger where 1 is more likely.")
    period: _Name | None = Field(None, description="Optional: periods, which monitoring can use.")


class Simulator(Section):
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


class Heuristic(Section):
    """Figure 6: undersampling compared with the closed form."""

    n_runs: Annotated[int, Field(ge=2)] = Field(
        1000, description="Number of undersamples at each π₀."
    )
    n_priors: Annotated[int, Field(ge=2)] = Field(
        20,
        description="Number of reference priors π₀, spaced geometrically from the prior of the "
        "data to `highest_prior`.",
    )
    highest_prior: Prior = Field(0.5, description="Largest π₀.")


class PriorSweep(Sweep):
    """arXiv appendix A: metrics as undersampling raises the prior."""

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


class Curves(Section):
    """Figure 2: curves of one model at the prior of the data and at a higher prior."""

    pi0: Prior = Field(
        0.5, description="The higher prior, reached by undersampling and by calibration."
    )


class Settings(Section):
    """The fraud data of Figures 2 and 6 and appendix A."""

    source: Literal["simulated", "kaggle", "openml", "file", "scores"] = Field(
        "simulated",
        description="`simulated`: transactions of the handbook's simulator, without network; "
        "`kaggle`: a download by the `kagglehub` package, which the extra `kaggle` installs; "
        "`openml`: dataset 1597 of OpenML; `file`: the file `path` with Kaggle's columns; "
        "`scores`: the file `path` with the labels and scores of any model.",
    )
    path: _Path | None = Field(
        None,
        description="For `file`: Kaggle's `creditcard.csv`, a zip file of it, or a parquet file "
        "with its columns; a sample of its rows will do. For `scores`: a CSV, zip or parquet file.",
    )
    columns: Columns = Field(default_factory=Columns, description=Columns.__doc__)
    openml_server: str = Field(
        "https://www.openml.org/api/v1/xml", description="For `openml`: address of the API."
    )
    simulator: Simulator = Field(default_factory=Simulator, description=Simulator.__doc__)
    heuristic: Heuristic = Field(default_factory=Heuristic, description=Heuristic.__doc__)
    prior_sweep: PriorSweep = Field(default_factory=PriorSweep, description=PriorSweep.__doc__)
    curves: Curves = Field(default_factory=Curves, description=Curves.__doc__)

    def data_file(self, resources: str) -> str | None:
        """File that the data are read from, in the folder of downloads if they are downloaded."""
        downloaded = f"{resources}/creditcard_{self.source}.parquet"
        return downloaded if self.source in ("kaggle", "openml") else self.path

    def arguments(self) -> dict[str, Any]:
        """Settings of the chosen source. A change of other settings does not rerun its job."""
        sections = {"simulated": self.simulator, "scores": self.columns}
        section = sections.get(self.source)
        return {"source": self.source} if section is None else section.model_dump()

    @model_validator(mode="after")
    def _path_is_given(self):
        if self.source in ("file", "scores") and self.path is None:
            raise ValueError(f"source '{self.source}' needs path")
        return self
