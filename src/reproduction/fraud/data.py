"""The scored test set of each source of fraud data, and a description of the data."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from reproduction.core.io import sha256_of
from reproduction.fraud.features import split_by_weeks, transaction_features
from reproduction.fraud.model import check_classes, logistic_scores
from reproduction.fraud.reading import FEATURES, read_creditcard, read_scores
from reproduction.fraud.simulator import simulate_transactions

__all__ = ["creditcard", "scores", "simulated"]

_PUBLISHED_ROWS = 284_807
_NAMES = {"kaggle": "Kaggle mlg-ulb/creditcardfraud", "openml": "OpenML dataset 1597"}

# Each function of a source returns two tables:
# - the test set, a row per transaction: `row` (its place in the data), `y_true`, `y_score`;
# - the description of the data, of one row.
_Scored = tuple[pd.DataFrame, pd.DataFrame]


def simulated(
    *, n_customers: int, n_terminals: int, n_days: int, radius: float, seed: int, **weeks: int
) -> _Scored:
    """Simulate transactions, fit the handbook's model to some weeks and score later ones.

    `weeks` are those of `split_by_weeks`.
    """
    transactions = simulate_transactions(
        n_customers=n_customers,
        n_terminals=n_terminals,
        n_days=n_days,
        radius=radius,
        seed=np.random.SeedSequence(seed),
    )
    train, test = split_by_weeks(transactions, **weeks)
    frauds = transactions["fraud"].to_numpy(dtype=np.int8)
    check_classes("training weeks of fraud.simulator", frauds[train])
    check_classes("test weeks of fraud.simulator", frauds[test])
    y_score = logistic_scores(transaction_features(transactions), frauds, train, test)
    model = "logistic regression on the fraud-detection handbook's features"
    data = _description("simulated", "simulated card transactions", frauds, model)
    return _test_set(np.flatnonzero(test), frauds[test], y_score), data


def creditcard(path: str, source: str) -> _Scored:
    """Fit the paper's model to the fraud data of Kaggle or OpenML, and score its test set.

    Time is not used. Amount is standardised over all rows before the split, as in the paper.
    30 % of the rows are held out at random, and a logistic regression with scikit-learn's
    default settings is fitted to the rest. The file may be a sample of the published rows.
    """
    from sklearn.model_selection import train_test_split
    from sklearn.preprocessing import StandardScaler

    table = read_creditcard(path)
    features = table[list(FEATURES)]
    features = features.assign(Amount=StandardScaler().fit_transform(features[["Amount"]])[:, 0])
    train, test = train_test_split(np.arange(len(table)), test_size=0.3, random_state=0)
    frauds = table["Class"].to_numpy()
    check_classes(f"the training rows of {path}", frauds[train])
    check_classes(f"the test rows of {path}", frauds[test])
    y_score = logistic_scores(features.to_numpy(), frauds, train, test, standardise=False)
    name = _NAMES.get(source, Path(path).name)
    if len(table) < _PUBLISHED_ROWS:
        name += f" ({len(table):,} of {_PUBLISHED_ROWS:,} rows)"
    model = "logistic regression with the paper's settings"
    return _test_set(test, frauds[test], y_score), _description(source, name, frauds, model, path)


def scores(path: str, *, label: str, score: str) -> _Scored:
    """Read a test set that is already scored."""
    scored = read_scores(path, label=label, score=score)
    labels, y_score = scored["y_true"].to_numpy(), scored["y_score"].to_numpy()
    data = _description("scores", Path(path).name, labels, "scores of the file", path)
    return _test_set(np.arange(len(scored)), labels, y_score), data


def _test_set(row: np.ndarray, labels: np.ndarray, y_score: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame({"row": row, "y_true": labels, "y_score": y_score})


def _description(
    source: str, name: str, labels: np.ndarray, model: str, path: str | None = None
) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "source": [source],
            "name": name,
            "simulated": source == "simulated",
            "n_rows": len(labels),
            "n_frauds": int(labels.sum()),
            "model": model,
            "sha256": None if path is None else sha256_of(path),
        }
    )
