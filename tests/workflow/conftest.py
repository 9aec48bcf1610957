"""Fixtures of the tests that run the workflow."""

from project_fixtures import finished, no_network, project, smoke

__all__ = ["finished", "no_network", "project", "smoke"]
