"""Settings of Figure 1, arXiv Figure 11 and the changes of monitored metrics."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from reproduction.core.settings import Count, Prior, Section, SetName

__all__ = ["Settings"]

_OF_SIMULATOR = ("n_customers", "n_terminals", "radius", "train_start_day")
_OF_SIMULATOR += ("train_weeks", "delay_weeks", "n_periods")


class Columns(Section):
    """For `path`: names of the columns of the file."""

    label: str = Field("y_true", description="Labels, 0 and 1.")
    score: str = Field("y_score", description="Scores, larger where 1 is more likely.")
    period: str = Field("period", description="Numbers, dates or text that sort in order of time.")


class Settings(Section):
    """Figure 1 and arXiv Figure 11: metrics of a scored stream by period, while its data drift."""

    metrics: SetName = Field(
        "sweep",
        description="Name of the set of metrics. AUC-PR and the uncalibrated metrics of the set "
        "are monitored, each also at the reference prior.",
    )
    path: Annotated[str, Field(min_length=1)] | None = Field(
        None,
        description="Your own stream: a CSV, zip or parquet file with a row per case. null: a "
        "simulated stream of card transactions.",
    )
    columns: Columns = Field(default_factory=Columns, description=Columns.__doc__)
    pi0: Prior | None = Field(
        None,
        description="Reference prior. null: the mean prior of the training weeks of the simulated "
        "stream, or the prior of the first period of your own stream.",
    )
    n_bootstrap: Annotated[int, Field(ge=2)] = Field(
        500, description="Number of bootstrap samples per period, for bands and trends."
    )
    n_customers: Annotated[int, Field(ge=3)] = Field(
        5000, description="Number of customers in the simulated stream."
    )
    n_terminals: Annotated[int, Field(ge=2)] = Field(10_000, description="Number of terminals.")
    radius: Annotated[float, Field(gt=0)] = Field(
        5.0, description="A customer uses the terminals within this distance, on a 100 × 100 grid."
    )
    train_start_day: Annotated[int, Field(ge=0)] = Field(
        37, description="First day of training. Earlier days are only used for features."
    )
    train_weeks: Count = Field(4, description="Number of training weeks.")
    delay_weeks: Annotated[int, Field(ge=0)] = Field(
        1,
        description="Number of weeks between training and the first monitored week, until labels "
        "are known.",
    )
    n_periods: Annotated[int, Field(ge=5)] = Field(20, description="Number of monitored weeks.")

    def of_simulator(self) -> dict[str, Any]:
        return self.model_dump(include=set(_OF_SIMULATOR))

    def scenarios(self) -> list[str]:
        """Scenarios of the tables: drift is imposed on the simulated stream only."""
        if self.path:
            return ["as measured"]
        return ["as simulated", "prior drift", "likelihood drift", "both drifts"]
