"""Settings of Figure 4."""

from pydantic import Field, model_validator

from reproduction.core.settings import Mean, Prior, Sweep, check_distinct


class Settings(Sweep):
    """Figure 4: metrics of one model as the prior decreases."""

    mu0: Mean = Field(
        1.8,
        description="Mean of the points of negatives, N(mu0, 1). The score of a point is its "
        "likelihood ratio, to which the option `threshold` of a metric refers.",
    )
    priors: list[Prior] = Field(
        default_factory=lambda: [
            *(round(0.001 * k, 3) for k in range(1, 10)),
            *(round(0.009 + 0.01 * k, 3) for k in range(1, 5)),
            *(round(0.049 + 0.1 * k, 3) for k in range(1, 5)),
            0.5,
        ],
        min_length=1,
        description="Class priors π; a run has round(π n) positives. The default is the authors' "
        "grid.",
    )

    @model_validator(mode="after")
    def _can_be_drawn(self):
        check_distinct("priors", self.priors)
        for prior in self.priors:
            if not 1 <= round(prior * self.n_samples) < self.n_samples:
                raise ValueError(
                    f"n_samples={self.n_samples} at prior {prior} leaves one of the classes empty"
                )
        return self
