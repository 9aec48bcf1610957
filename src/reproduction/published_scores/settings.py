"""Settings of the authors' stored scores, a source of ranked models."""

from pydantic import Field

from reproduction.core.settings import File, Section


class Published(Section):
    """The authors' stored scores, which do not include predictions."""

    url: str = Field(
        "https://raw.githubusercontent.com/wissam-sib/calibrated_metrics/"
        "f1c262d0aaac16356a143596a832030abb87d48c/",
        description="Address of `metrics_balanced.pkl` and `metrics_imbalanced.pkl`.",
    )
    all: File | None = Field(
        None, description="File of the scores of all tasks, pickle or parquet; null to use `url`."
    )
    imbalanced: File | None = Field(
        None, description="File of the scores of imbalanced tasks; null to use `url`."
    )

    def models(self, n_models: int) -> str:
        """Origin of the models, for the titles of figures."""
        return "the authors' stored scores of 30 runs per task"

    def datasets(self) -> str:
        """Origin of the class ratios, for the title of the figure."""
        return "the authors' stored scores, without class ratios"
