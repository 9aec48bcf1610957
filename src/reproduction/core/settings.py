"""Base of the typed settings, and the types that several rooms use."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["Count", "Prior", "RunsPerJob", "Section", "SetName", "Sweep", "check_distinct"]

Prior = Annotated[float, Field(gt=0, lt=1)]
Count = Annotated[int, Field(ge=1)]
SetName = Annotated[str, Field(description="Name of the set of metrics.")]
RunsPerJob = Annotated[
    int,
    Field(ge=1, description="Number of runs in one Snakemake job. It does not change the results."),
]


class Section(BaseModel):
    """Base of all settings: unknown keys and wrong types are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, strict=True)


class Sweep(Section):
    """Base of the settings of an experiment whose runs are divided into jobs."""

    metrics: SetName = "sweep"
    n_runs: Count = 30
    runs_per_job: RunsPerJob = 5

    def of_one_run(self) -> dict[str, Any]:
        """Settings that a single run depends on, so that more runs leave finished ones alone."""
        return self.model_dump(exclude={"metrics", "n_runs", "runs_per_job"})

    def blocks(self) -> list[tuple[int, int]]:
        """First run of each job, and the run after its last."""
        starts = range(0, self.n_runs, self.runs_per_job)
        return [(first, min(first + self.runs_per_job, self.n_runs)) for first in starts]


def check_distinct(name: str, values: list[float]) -> None:
    if len(set(values)) < len(values):
        raise ValueError(f"{name} must be distinct, got {values}")
