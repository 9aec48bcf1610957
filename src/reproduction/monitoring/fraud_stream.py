"""The scored stream of card transactions that the monitoring experiment watches."""

from __future__ import annotations

import pandas as pd

from reproduction.monitoring.stream import scored_stream
from reproduction.core.streams import stream_seed

__all__ = ["run"]


def run(*, seed: int, **settings) -> pd.DataFrame:
    """Call `data.fraud_stream.scored_stream` with the random stream of this experiment."""
    return scored_stream(**settings, seed=stream_seed(seed, "fraud_stream"))
