"""Functions for `take` in claims.yaml."""

from reproduction.core.findings import calibrated_metrics_that_change

__all__ = ["calibrated_metrics_that_change"]
