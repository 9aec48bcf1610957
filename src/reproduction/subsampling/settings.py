"""Settings of the comparison of subsampling with calibration."""

from typing import Annotated

from pydantic import Field, model_validator

from reproduction.core.settings import Count, Prior, Section, check_distinct


class Settings(Section):
    """Subsampling the positives of a test set compared with calibration."""

    n_pos: Annotated[int, Field(ge=10)] = Field(1000, description="Positives of a test set.")
    n_neg: Annotated[int, Field(ge=10)] = Field(9000, description="Negatives of a test set.")
    priors: list[Prior] = Field(
        default_factory=lambda: [0.002, 0.005, 0.01, 0.02, 0.05, 0.1],
        min_length=1,
        description="Reference priors π₀, at most the prior of the test set.",
    )
    n_runs: Annotated[int, Field(ge=2)] = Field(400, description="Number of test sets.")
    n_subsamples: Count = Field(10, description="Number of subsamples that are averaged.")

    @model_validator(mode="after")
    def _can_be_drawn(self):
        check_distinct("priors", self.priors)
        for prior in self.priors:
            if not 1 <= round(self.n_neg * prior / (1 - prior)) <= self.n_pos:
                raise ValueError(
                    f"prior {prior} must keep between 1 and all of the {self.n_pos} positives "
                    f"with {self.n_neg} negatives"
                )
        return self
