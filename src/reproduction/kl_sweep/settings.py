"""Settings of Figure 5."""

from pydantic import Field, model_validator

from reproduction.core.settings import Mean, Prior, Sweep, check_distinct


class Settings(Sweep):
    """Figure 5: metrics against the distance of the classes; each run draws its own prior."""

    mu0: list[Mean] = Field(
        default_factory=lambda: [round(0.05 * k, 2) for k in range(41)],
        min_length=1,
        description="Means of the points of negatives, N(mu0, 1). Scores are likelihood ratios.",
    )
    lowest_prior: Prior = Field(
        0.001, description="Smallest prior; each run draws π uniformly up to `highest_prior`."
    )
    highest_prior: Prior = Field(0.5, description="Largest prior that a run may draw.")

    @model_validator(mode="after")
    def _can_be_drawn(self):
        check_distinct("mu0", self.mu0)
        if self.lowest_prior > self.highest_prior:
            raise ValueError(
                f"lowest_prior={self.lowest_prior} must not exceed "
                f"highest_prior={self.highest_prior}"
            )
        return self
