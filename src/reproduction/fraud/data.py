"""The scored test set of each source of fraud data, and a description of the data."""

from pathlib import Path

import numpy as np
import pandas as pd

from reproduction.core import reading
from reproduction.core.io import read_table, sha256_of
from reproduction.fraud.download import creditcard_file
from reproduction.fraud.features import transaction_features
from reproduction.fraud.model import logistic_scores
from reproduction.fraud.simulator import simulate_transactions

_NAMES = {
    "simulated": "simulated card transactions",
    "kaggle": "Kaggle mlg-ulb/creditcardfraud",
}
_MODELS = {
    "simulated": "logistic regression on the fraud-detection handbook's features",
    "scores": "scores of the file",
}

# The test set, one row per transaction: `row` (its place in the data), `y_true`, `y_score`; and a
# description of the data in one row.
_Scored = tuple[pd.DataFrame, pd.DataFrame]

FEATURES = (*(f"V{i}" for i in range(1, 29)), "Amount")
"""Features of Kaggle's file. V1 to V28 come from a principal component analysis."""


def simulated(
    *, train_start_day: int, train_weeks: int, delay_weeks: int, test_weeks: int, seed: int, **sizes
) -> _Scored:
    """Simulate transactions, fit the handbook's model to some weeks, and score later weeks.

    The delay is the time until labels are known. `sizes` are passed to `simulate_transactions`.
    """
    transactions = simulate_transactions(**sizes, seed=np.random.SeedSequence(seed))
    weeks = (transactions["day"].to_numpy() - train_start_day) // 7
    test_start = train_weeks + delay_weeks
    train = (weeks >= 0) & (weeks < train_weeks)
    test = (weeks >= test_start) & (weeks < test_start + test_weeks)
    frauds = transactions["fraud"].to_numpy(dtype=np.int8)
    reading.check_classes("training weeks of fraud.simulator", frauds[train])
    reading.check_classes("test weeks of fraud.simulator", frauds[test])
    y_score = logistic_scores(transaction_features(transactions), frauds, train, test)
    return _scored("simulated", frauds, np.flatnonzero(test), y_score)


def kaggle(resources: str) -> _Scored:
    """Score the published data, which are downloaded if the folder `resources` lacks them."""
    return creditcard(str(creditcard_file(resources)), "kaggle")


def creditcard(path: str, source: str, **written: reading.Label | None) -> _Scored:
    """Fit the paper's model to Kaggle's fraud data, and score its test set.

    Time is not used. Amount is standardised over all rows before the split, as in the paper.
    30 % of the rows are held out at random, and a logistic regression with the paper's settings is
    fitted to the rest, until it has converged. The file may be a sample of the published rows.
    `written` are the settings `own_files`.
    """
    from sklearn.model_selection import train_test_split
    from sklearn.preprocessing import StandardScaler

    # Nothing is doubtful in a file with known contents, so it needs no careful reader.
    table = read_table(path) if source == "kaggle" else read_creditcard(path, **written)
    table[["Amount"]] = StandardScaler().fit_transform(table[["Amount"]])
    features = table[list(FEATURES)].to_numpy()
    train, test = train_test_split(np.arange(len(table)), test_size=0.3, random_state=0)
    frauds = table["Class"].to_numpy(dtype=np.int8)
    reading.check_classes(f"the training rows of {path}", frauds[train])
    reading.check_classes(f"the test rows of {path}", frauds[test])
    y_score = logistic_scores(features, frauds, train, test, standardise=False)
    return _scored(source, frauds, test, y_score, path)


def read_creditcard(path: str, **written: reading.Label | None) -> pd.DataFrame:
    """Read the columns `FEATURES` (float64) and Class (int8, 1 is fraud) of the data or a sample.

    The columns may be in any order. Class may be a number or text, with or without quotes.
    """
    file = reading.OwnFile.read(path, ["Class"], **written)
    file.require([*FEATURES, "Class"])
    columns = {name: file.numbers(name) for name in FEATURES}
    return pd.DataFrame(columns | {"Class": file.labels("Class")})


def scores(path: str, *, label: str, score: str, **written: reading.Label | None) -> _Scored:
    """Read a scored test set; `written` are the settings `own_files`."""
    rows = reading.read_scores(path, label=label, score=score, **written)
    labels = rows["y_true"].to_numpy()
    return _scored("scores", labels, np.arange(len(rows)), rows["y_score"].to_numpy(), path)


def _scored(
    source: str, frauds: np.ndarray, test: np.ndarray, y_score: np.ndarray, path: str | None = None
) -> _Scored:
    name = _NAMES.get(source) or Path(path).name
    if source == "file" and len(frauds) < 284_807:
        name += f" ({len(frauds):,} of 284,807 rows)"
    description = {
        "source": source,
        "name": name,
        "simulated": source == "simulated",
        "n_rows": len(frauds),
        "n_frauds": int(frauds.sum()),
        "model": _MODELS.get(source, "logistic regression with the paper's settings, converged"),
        "sha256": None if path is None else sha256_of(path),
    }
    predictions = {"row": test, "y_true": frauds[test], "y_score": y_score}
    return pd.DataFrame(predictions), pd.DataFrame([description])
