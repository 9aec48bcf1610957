"""Load the fraud data from the configured source, fit its model and score the test set."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from calibrated_metrics import _checks
from reproduction.data import creditcard, creditcard_sources
from reproduction.fraud.fraud_data import FraudData
from reproduction.fraud.simulator import simulate_transactions
from reproduction.fraud.features import split_by_weeks, transaction_features
from reproduction.files import sha256_of
from reproduction.records import uses
from reproduction.settings import Fraud, Simulator

__all__ = ["FraudData", "scored_test_set"]


def scored_test_set(
    settings: Fraud, *, resources: str | Path, seed: int
) -> tuple[pd.DataFrame, FraudData]:
    """Load the data of the configured source, fit its model and score the test set.

    Parameters
    ----------
    settings : Fraud
        The section `fraud` of the configuration.
    resources : path
        Folder of downloads. Files that are already there are not downloaded again.
    seed : int
        Seed of the simulator.

    Returns
    -------
    predictions : DataFrame
        A row per test transaction: `row`, `y_true` (int8) and `y_score`, the probability of fraud.
    data : FraudData
        Description of the data.
    """
    if settings.source == "simulated":
        return _simulated(settings.simulator, seed)
    if settings.source == "file":
        path, name = Path(settings.path), Path(settings.path).name
    elif settings.source == "openml":
        path = creditcard_sources.fetch_openml(resources, server=settings.openml_server)
        name = f"OpenML dataset {creditcard_sources.OPENML_DATASET}"
    else:
        path = creditcard_sources.fetch_kaggle(resources)
        name = f"Kaggle {creditcard_sources.KAGGLE_DATASET}"
    if settings.source != "file":
        uses(path)
    frame = creditcard.read_creditcard(path)
    return creditcard.fit_and_score(frame), FraudData(
        source=settings.source,
        name=name,
        simulated=False,
        n_rows=len(frame),
        n_frauds=int(frame["Class"].sum()),
        model="logistic regression with the paper's settings",
        sha256=sha256_of(path),
    )


def _simulated(settings: Simulator, seed: np.random.SeedSequence) -> tuple[pd.DataFrame, FraudData]:
    transactions = simulate_transactions(
        n_customers=settings.n_customers,
        n_terminals=settings.n_terminals,
        n_days=settings.n_days,
        radius=settings.radius,
        seed=seed,
    )
    train, test = split_by_weeks(
        transactions,
        train_start_day=settings.train_start_day,
        train_weeks=settings.train_weeks,
        delay_weeks=settings.delay_weeks,
        test_weeks=settings.test_weeks,
    )
    features = transaction_features(transactions)
    frauds = transactions["fraud"].to_numpy(dtype=np.int8)
    _checks.both_classes("training weeks of fraud.simulator", frauds[train])
    _checks.both_classes("test weeks of fraud.simulator", frauds[test])
    model = make_pipeline(StandardScaler(), LogisticRegression())
    with threadpool_limits(1):  # so that the last digits do not depend on the number of cores
        model.fit(features[train], frauds[train])
        y_score = model.predict_proba(features[test])[:, 1]
    predictions = pd.DataFrame(
        {"row": np.flatnonzero(test), "y_true": frauds[test], "y_score": y_score}
    )
    return predictions, FraudData(
        source="simulated",
        name="simulated card transactions",
        simulated=True,
        n_rows=len(transactions),
        n_frauds=int(frauds.sum()),
        model="logistic regression on the fraud-detection handbook's features",
        sha256=None,
    )
