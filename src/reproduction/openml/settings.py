"""Settings of the runs on an OpenML server, a source of ranked models."""

from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import Field, model_validator

from reproduction.core.settings import Count, Section

Positive = Annotated[float, Field(gt=0)]


class Openml(Section):
    """Predictions of runs on an OpenML server."""

    server: str = Field("https://www.openml.org/api/v1/xml", description="Address of the API.")
    max_tasks: Count | None = Field(
        None, description="Maximum number of tasks, which are drawn at random; null for all."
    )
    runs_listed: Annotated[int, Field(ge=30, le=10_000)] = Field(
        200, description="Number of runs listed per task, from which its models are drawn."
    )
    skip_tasks: list[Count] = Field(
        default_factory=list, description="IDs of tasks to skip, for example broken downloads."
    )
    requests_per_second: Positive = Field(
        2.0, description="Maximum rate of requests to the server. Its jobs run one at a time."
    )
    seconds_per_file: Positive = Field(
        600.0, description="Time limit in seconds of a request, with its retries."
    )

    def selecting(self) -> dict[str, Any]:
        """Settings that determine which tasks and runs are selected."""
        return self.model_dump(include={"max_tasks", "runs_listed", "skip_tasks"})

    def of_server(self) -> dict[str, Any]:
        """Address of the server, and limits of single requests."""
        limits = {"requests_per_second", "seconds_per_file"}
        return {"url": self.server, **self.model_dump(include=limits)}

    @model_validator(mode="after")
    def _server_has_no_account(self):
        if "@" in urlsplit(self.server).netloc:
            raise ValueError("server must not have a user name or password: no account is needed")
        return self

    def models(self, n_models: int) -> str:
        """Origin of the models, for the titles of figures."""
        return f"{n_models} runs per task from {urlsplit(self.server).netloc}"

    def datasets(self) -> str:
        """Origin of the class ratios, for the title of the figure."""
        return f"binary datasets of {urlsplit(self.server).netloc}"
