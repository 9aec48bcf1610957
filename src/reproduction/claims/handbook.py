"""The fraud-detection handbook: how many transactions and frauds its simulator makes."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from reproduction.claims.registry import Claim, Tolerance, as_by_default, equal

__all__ = ["CLAIMS"]

_AS_PUBLISHED = (
    equal("fraud.source", "simulated"),
    *(
        as_by_default(f"fraud.simulator.{name}")
        for name in ("n_customers", "n_terminals", "n_days", "radius")
    ),
)
_DAYS = 183


def _of_the_simulator(
    name: str,
    statement: str,
    published: float,
    tolerance: float,
    query: Callable[[pd.DataFrame], float],
) -> Claim:
    return Claim(
        f"H-simulator-{name}",
        "H",
        "simulator, published size",
        statement,
        published,
        Tolerance(tolerance, "four standard deviations of the simulator's draws"),
        query,
        ("fraud_data",),
        needs=_AS_PUBLISHED,
    )


CLAIMS = [
    _of_the_simulator(
        "transactions",
        "transactions of 5,000 customers in 183 days",
        1_754_155,
        60_000,
        lambda data: data["n_rows"].item(),
    ),
    _of_the_simulator(
        "frauds",
        "frauds among them",
        14_681,
        1_500,
        lambda data: data["n_frauds"].item(),
    ),
    _of_the_simulator(
        "share-of-frauds",
        "share of frauds",
        0.0084,
        0.0009,
        lambda data: (data["n_frauds"] / data["n_rows"]).item(),
    ),
    _of_the_simulator(
        "transactions-a-day",
        "transactions a day",
        9_600,
        330,
        lambda data: data["n_rows"].item() / _DAYS,
    ),
]
