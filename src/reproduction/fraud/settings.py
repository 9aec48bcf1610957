"""Settings of the fraud data, Figures 2 and 6 and arXiv appendix A."""

import math
from typing import Any, Literal

from pydantic import Field, model_validator

from reproduction.core.settings import Count, File, Prior, Section, SetName


class Columns(Section):
    """For `scores`: names of the columns of the file."""

    label: str = Field("y_true", description="Labels, 0 and 1 unless `own_files.pos_label` is set.")
    score: str = Field("y_score", description="Scores, larger where 1 is more likely.")


class Simulator(Section):
    """For `simulated`: the simulator of the Fraud Detection Handbook, and the split of its days."""

    n_customers: int = Field(5000, ge=3, description="Number of customers.")
    n_terminals: int = Field(10_000, ge=2, description="Number of terminals.")
    n_days: Count = Field(183, description="Number of days, from 2018-04-01.")
    radius: float = Field(5.0, gt=0, description="Reach of a customer, on a square with side 100.")
    train_start_day: int = Field(
        115, ge=0, description="First day of training. Earlier days are only used for features."
    )
    train_weeks: Count = Field(4, description="Number of training weeks.")
    delay_weeks: int = Field(1, ge=0, description="Weeks in between, until labels are known.")
    test_weeks: Count = Field(2, description="Number of test weeks.")

    @model_validator(mode="after")
    def _long_enough(self):
        end = self.train_start_day + 7 * (self.train_weeks + self.delay_weeks + self.test_weeks)
        if self.n_days < end:
            raise ValueError(f"n_days={self.n_days} is too short: the test weeks end on day {end}")
        return self


class Heuristic(Section):
    """Figure 6: undersampling compared with the closed form."""

    n_runs: int = Field(1000, ge=2, description="Number of undersamples at each prior.")
    n_priors: int = Field(20, ge=2, description="Number of priors, up to `highest_prior`.")
    highest_prior: Prior = Field(0.5, description="Largest prior.")


class PriorSweep(Heuristic):
    """arXiv appendix A: metrics as undersampling raises the prior."""

    metrics: SetName = "sweep"


class Curves(Section):
    """Figure 2: curves of one model at the prior of the data and at a higher prior."""

    pi0: Prior = Field(0.5, description="The higher prior, by undersampling and by calibration.")


class Settings(Section):
    """The fraud data of Figures 2 and 6 and appendix A."""

    source: Literal["simulated", "kaggle", "file", "scores"] = Field(
        "kaggle",
        description="`kaggle`: the paper's data, the file `creditcard.csv` in `resources_dir`, or "
        "a download if it is not there; `simulated`: by the handbook's simulator, without network; "
        "`file`: `path`, with Kaggle's columns; `scores`: `path`, with the labels and scores of "
        "any model.",
    )
    path: File | None = Field(
        None,
        description="For `file` and `scores`: a CSV, zip, gz or parquet file. A sample of Kaggle's "
        "`creditcard.csv` will do.",
    )
    columns: Columns = Field(default_factory=Columns, description=Columns.__doc__)
    simulator: Simulator = Field(default_factory=Simulator, description=Simulator.__doc__)
    heuristic: Heuristic = Field(default_factory=Heuristic, description=Heuristic.__doc__)
    prior_sweep: PriorSweep = Field(default_factory=PriorSweep, description=PriorSweep.__doc__)
    curves: Curves = Field(default_factory=Curves, description=Curves.__doc__)

    @property
    def is_own(self) -> bool:
        """Do the data come from the user? A sample of Kaggle's file is not the user's own."""
        return self.source == "scores"

    def arguments(self, resources: str) -> dict[str, Any]:
        """Arguments of the job of the chosen source; other settings do not rerun it."""
        of_source: dict[str, dict[str, Any]] = {
            "simulated": self.simulator.model_dump(),
            "kaggle": {"resources": resources},
            "file": {"source": "file"},
            "scores": self.columns.model_dump(),
        }
        return of_source[self.source]

    @model_validator(mode="after")
    def _priors_can_be_raised(self):
        """The priors must exceed the share of frauds, which is roughly known for some sources."""
        # Rows of compromised terminals and customers (see simulator.py), which may coincide.
        frauds = 2 * 28 / self.simulator.n_terminals + 3 * 14 / 3 / self.simulator.n_customers
        simulated = (1 - math.exp(-frauds)) / 2
        share = {"simulated": simulated, "kaggle": 0.0017}.get(self.source, 0)
        for key, prior in (
            ("heuristic.highest_prior", self.heuristic.highest_prior),
            ("prior_sweep.highest_prior", self.prior_sweep.highest_prior),
            ("curves.pi0", self.curves.pi0),
        ):
            if prior <= share:
                raise ValueError(
                    f"{key}={prior} must exceed the share of frauds, which is above {share:.2g}"
                )
        return self

    @model_validator(mode="after")
    def _path_is_given(self):
        if (self.source in ("file", "scores")) != (self.path is not None):
            verb = "needs" if self.path is None else "reads no"
            raise ValueError(f"source '{self.source}' {verb} path; `file` and `scores` read one")
        return self
