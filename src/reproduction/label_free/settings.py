"""Settings of the tables and the figure on metrics without labels."""

from typing import Annotated

from pydantic import Field, model_validator

from reproduction.core.settings import Count, Section, check_distinct

# In a smaller sample, a draw may have no score above the threshold.
SampleSize = Annotated[int, Field(ge=50)]


class Settings(Section):
    """Tables 1 and 2 of *Classification metrics for a calibrated classifier*."""

    n_samples: SampleSize = Field(1000, description="Number of scores of each distribution.")
    n_thresholds: Annotated[int, Field(ge=2)] = Field(201, description="Number of thresholds.")
    sizes: list[SampleSize] = Field(
        default_factory=lambda: [100, 316, 1000, 3162, 10_000, 31_623],
        min_length=2,
        description="Sample sizes of the convergence figure.",
    )
    n_runs: Count = Field(200, description="Number of samples of each size.")

    @model_validator(mode="after")
    def _can_be_drawn(self):
        check_distinct("sizes", self.sizes)
        return self
