"""Hypothesis profiles, fixtures for all tests, and the counts of proofs."""

import os
from pathlib import Path

import hypothesis
import pytest

from calibrated_metrics import scores
from calibrated_metrics.scores import facts

# The default repeats the same examples; ``pytest --hypothesis-profile=thorough`` draws new ones.
hypothesis.settings.register_profile(
    "deterministic", derandomize=True, database=None, deadline=None, max_examples=50
)
hypothesis.settings.register_profile("thorough", deadline=None, max_examples=1000)
hypothesis.settings.load_profile("deterministic")


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory) -> Path:
    """A folder that all workers of this pytest run share."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture
def proved(record_property):
    """Function that records how many cases of a proof were tried, and how many held.

    The end of the run lists the sums, by name: `proved("kills survived", held=10, tried=10)`.
    """

    def record(proof: str, *, held: int, tried: int) -> None:
        record_property("proved", (proof, held, tried))

    return record


def pytest_terminal_summary(terminalreporter):
    """List how many cases of each proof held, over all tests and workers."""
    counts: dict[str, tuple[int, int]] = {}
    for outcome in ("passed", "failed"):
        for report in terminalreporter.getreports(outcome):
            for name, recorded in getattr(report, "user_properties", ()):
                if name == "proved":
                    proof, held, tried = recorded
                    before = counts.get(proof, (0, 0))
                    counts[proof] = (before[0] + held, before[1] + tried)
    if counts:
        terminalreporter.section("proofs: cases that held of those tried")
    for proof, (held, tried) in sorted(counts.items()):
        terminalreporter.write_line(f"{held:>9,} of {tried:>9,}  {proof}")


@pytest.fixture
def own_registry(monkeypatch):
    """The metrics of the library; those that a test registers are forgotten after it."""
    of_library = {
        name: known for name, known in facts.registered_scores().items() if name in scores.__all__
    }
    names = {name: to for name, to in facts._NAMES.items() if to in of_library}
    monkeypatch.setattr(facts, "_FACTS", of_library)
    monkeypatch.setattr(facts, "_NAMES", names)
