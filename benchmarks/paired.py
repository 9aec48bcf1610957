"""Time two things in turn, so that a drift of the machine's speed hits both."""

import time
from collections.abc import Callable, Sequence
from statistics import median


def seconds(function: Callable[[], object]) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def median_seconds(functions: Sequence[Callable[[], object]], budget: float) -> list[float]:
    """Median time of each function over rounds that run all of them, about `budget` seconds."""
    for function in functions:  # warm up
        function()
    rounds = []
    start = time.perf_counter()
    while len(rounds) < 5 or time.perf_counter() - start < budget:
        rounds.append([seconds(function) for function in functions])
    return [median(times) for times in zip(*rounds, strict=True)]
