"""Settings of Figure 1, arXiv Figure 11 and the changes of AUC-PR."""

from typing import Annotated, Any, Literal

from pydantic import Field

from reproduction.core.settings import File, Prior, Section
from reproduction.fraud.settings import Columns as OfScores
from reproduction.monitoring.drift import DRIFTS


class Columns(OfScores):
    """For `path`: names of the columns of the file."""

    period: str = Field(
        "period",
        description="Dates such as 2024-01-31, 2024-01 or 202401; or, in ascending order in the "
        "file, whole numbers or text such as week 01.",
    )


class Settings(Section):
    """Figure 1 and arXiv Figure 11: AUC-PR of a scored stream by period, while its data drift."""

    path: File | None = Field(
        None,
        description="Your stream, a CSV, zip, gz or parquet file. null: simulated transactions.",
    )
    columns: Columns = Field(default_factory=Columns, description=Columns.__doc__)
    period: Literal["D", "W", "M"] | None = Field(
        None, description="For `path` with dates: days, weeks or months as periods."
    )
    pi0: Prior | None = Field(
        None, description="Reference prior. null: that of the training weeks or the first period."
    )
    n_customers: Annotated[int, Field(ge=3)] = Field(5000, description="Number of customers.")
    n_terminals: Annotated[int, Field(ge=2)] = Field(10_000, description="Number of terminals.")
    radius: Annotated[float, Field(gt=0)] = Field(
        5.0, description="A customer uses the terminals within this distance, on a 100 × 100 grid."
    )
    n_periods: Annotated[int, Field(ge=5)] = Field(20, description="Number of monitored weeks.")

    @property
    def is_own(self) -> bool:
        """Do the data come from the user?"""
        return self.path is not None

    def of_stream(self, seed: int) -> dict[str, Any]:
        """Arguments of the chosen stream. A change of other settings does not rerun its job."""
        if self.path:
            return {**self.columns.model_dump(), "unit": self.period}
        simulator = {"n_customers", "n_terminals", "radius", "n_periods"}
        return self.model_dump(include=simulator) | {"seed": seed}

    def of_tables(self) -> dict[str, Any]:
        """Arguments of the tables. Drift is imposed on the simulated stream only."""
        scenarios = ["as measured"] if self.path else ["as simulated", *DRIFTS]
        return {"scenarios": scenarios, "pi0": self.pi0}
