"""Settings of the replication of Figure 7 and of other results for the ranked models."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from reproduction.core.settings import Count, Prior, Section, SetName
from reproduction.local_models.settings import MAX_LOCAL_MODELS, Local
from reproduction.openml.settings import Openml


class Settings(Section):
    """Replication of Figure 7: rank correlations between metrics."""

    source: Literal["local", "openml"] = Field(
        "local",
        description="The ranked models: `local`: models that the pipeline fits, without network; "
        "`openml`: runs on OpenML.",
    )
    metrics: SetName = "paper"
    imbalanced_metrics: str = Field(
        "paper_imbalanced", description="Name of the set of metrics for imbalanced tasks."
    )
    n_models: Annotated[int, Field(ge=3, le=1000)] = Field(
        30, description="Number of models per task."
    )
    imbalanced_below: Prior = Field(
        0.01,
        description="Tasks with a prior below this are imbalanced. Results on imbalanced tasks "
        "need five of them; the local tasks include one.",
    )
    small_prior_below: Prior = Field(
        0.05, description="Tasks with a prior below this have a small prior."
    )
    n_bootstrap: Count = Field(
        2000, description="Number of bootstrap samples of the sources of the tasks, for intervals."
    )
    local: Local = Field(default_factory=Local, description=Local.__doc__)
    openml: Openml = Field(default_factory=Openml, description=Openml.__doc__)

    @property
    def is_own(self) -> bool:
        """Do the data come from the user?"""
        return self.source == "local" and self.local.files is not None

    @property
    def has_imbalanced(self) -> bool:
        """Can there be enough imbalanced tasks? The bundled data sets have one with π < 0.01."""
        return self.source == "openml" or self.is_own or self.imbalanced_below > 0.01

    def models(self) -> str:
        """Origin of the models, for the titles of figures."""
        return getattr(self, self.source).models(self.n_models)

    def datasets(self) -> str:
        """Origin of the class ratios, for the title of the figure."""
        return getattr(self, self.source).datasets()

    @model_validator(mode="after")
    def _as_many_models_as_there_are(self):
        n_models, listed = self.n_models, self.openml.runs_listed
        if self.source == "openml" and listed < n_models:
            raise ValueError(f"openml.runs_listed={listed} must not be below n_models={n_models}")
        if self.source == "local" and n_models > MAX_LOCAL_MODELS:
            raise ValueError(f"n_models={n_models} must be at most {MAX_LOCAL_MODELS} if local")
        return self
