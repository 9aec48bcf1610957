"""Time several functions in alternation, so that changes of machine speed affect all of them."""

import time
from collections.abc import Callable, Sequence
from statistics import median


def seconds(function: Callable[[], object]) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def median_seconds(functions: Sequence[Callable[[], object]], budget: float) -> list[float]:
    """Return the median seconds of each function.

    Each round runs all functions. Rounds are repeated for about `budget` seconds.
    """
    for function in functions:  # warm up
        function()
    rounds = []
    start = time.perf_counter()
    while len(rounds) < 5 or time.perf_counter() - start < budget:
        rounds.append([seconds(function) for function in functions])
    return [median(times) for times in zip(*rounds, strict=True)]
