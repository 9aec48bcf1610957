"""Counts of fuzzed cases, and the check of a whole series of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from guard import PeakMemory, address_space

ADDRESS_SPACE = 8e9  # bytes


@dataclass
class Tally:
    """Numbers of cases, and the cases that went wrong."""

    tried: int = 0
    refused: int = 0
    failures: list[str] = field(default_factory=list)

    @property
    def held(self) -> int:
        return self.tried - len(self.failures)


def check(proved, what: str, n_cases: int, fuzz: Callable[[], Tally], most_memory: float) -> Tally:
    """Fuzz, record the counts, and fail if a case went wrong or the process grew by more bytes."""
    with address_space(ADDRESS_SPACE), PeakMemory() as peak:
        tally = fuzz()
    proved(what, held=tally.held, tried=tally.tried)
    proved(f"{what}: refused", held=tally.refused, tried=tally.tried)
    assert not tally.failures, "\n".join(tally.failures)
    assert tally.tried == n_cases
    assert peak.growth < most_memory
    return tally
