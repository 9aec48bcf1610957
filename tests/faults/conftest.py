"""Fixtures of the tests that run the workflow under faults."""

from project_fixtures import no_network, project, smoke

__all__ = ["no_network", "project", "smoke"]
