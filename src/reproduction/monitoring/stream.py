"""The monitored stream: simulated card transactions that one model scores, or a user's own file.

The simulated stream replaces that of Figure 1 of Siblini et al. (IDA 2020,
doi:10.1007/978-3-030-44584-3_36), which is private. The transactions come from the simulator of
the fraud-detection handbook. One model, fitted before the first week, scores all of them.
"""

from typing import Any

import numpy as np
import pandas as pd

from reproduction.core.reading import check_classes, read_scores
from reproduction.core.streams import stream_seed
from reproduction.fraud.features import transaction_features
from reproduction.fraud.model import logistic_scores
from reproduction.fraud.simulator import simulate_transactions

_HISTORY = 37  # days that are only used for features
_TRAIN_WEEKS = 4
_DELAY_WEEKS = 1  # until labels are known
_FIRST_DAY = _HISTORY + 7 * (_TRAIN_WEEKS + _DELAY_WEEKS)  # of period 1; a period is a week


def simulated(*, n_periods: int, seed: int, **sizes: Any) -> pd.DataFrame:
    """Simulate transactions, fit the handbook's baseline to four weeks, and score later weeks.

    `sizes` are other arguments of `simulate_transactions`. The rows are the transactions of the
    training weeks, which have periods below 1 and no score, and of the periods from 1 to
    `n_periods`.
    """
    transactions = simulate_transactions(
        **sizes, n_days=_FIRST_DAY + 7 * n_periods, seed=stream_seed(seed, "fraud_stream")
    )
    stream = pd.DataFrame(
        {
            "period": (1 + (transactions["day"] - _FIRST_DAY) // 7).astype(np.int16),
            "y_true": transactions["fraud"].astype(np.int8),
            "y_score": np.nan,
        }
    )
    train = stream["period"].between(1 - _TRAIN_WEEKS - _DELAY_WEEKS, -_DELAY_WEEKS)
    monitored = stream["period"] >= 1
    check_classes("training weeks of monitoring.n_customers", stream["y_true"][train])
    stream.loc[monitored, "y_score"] = logistic_scores(
        transaction_features(transactions), stream["y_true"], train, monitored
    )
    return stream[train | monitored].reset_index(drop=True)


def own(path: str, *, period: str, **settings: Any) -> pd.DataFrame:
    """Read scored rows of a user's file, with the settings of `read_scores`.

    The columns are ``period``, ``y_true`` and ``y_score``.
    """
    rows = read_scores(path, period=period, **settings)
    has_both = rows.groupby("period")["y_true"].nunique() == 2
    if has_both.sum() < 2:
        raise ValueError(
            f"{path}: {period} must have at least 2 periods with both classes, got "
            f"{has_both.sum()} among {len(has_both)} periods; set monitoring.period to W or M if "
            "these are dates, or leave monitoring out of `experiments`"
        )
    return rows.sort_values("period", kind="stable", ignore_index=True)
