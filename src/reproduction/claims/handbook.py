"""Claims of the fraud-detection handbook on the numbers of simulated transactions and frauds."""

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
        "number of transactions of 5,000 customers in 183 days",
        1_754_155,
        60_000,
        lambda data: data["n_rows"].item(),
    ),
    _of_the_simulator(
        "frauds",
        "number of frauds among the transactions of 5,000 customers in 183 days",
        14_681,
        1_500,
        lambda data: data["n_frauds"].item(),
    ),
    _of_the_simulator(
        "share-of-frauds",
        "share of frauds among the transactions",
        0.0084,
        0.0009,
        lambda data: (data["n_frauds"] / data["n_rows"]).item(),
    ),
    _of_the_simulator(
        "transactions-a-day",
        "number of transactions per day",
        9_600,
        330,
        lambda data: data["n_rows"].item() / _DAYS,
    ),
]
