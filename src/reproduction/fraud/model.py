"""The logistic regression that scores transactions."""

from __future__ import annotations

import numpy as np
import pandas as pd


def check_classes(part: str, labels: np.ndarray | pd.Series) -> None:
    """Raise a ValueError that names the part if its 0/1 labels lack one of the classes."""
    n_pos = int(np.sum(labels))
    if not 0 < n_pos < len(labels):
        n_rows = len(labels)
        raise ValueError(f"{part} must hold both classes, got {n_pos} positives in {n_rows} rows")


def logistic_scores(
    features: pd.DataFrame | np.ndarray,
    labels: np.ndarray,
    train: np.ndarray,
    test: np.ndarray,
    *,
    standardise: bool = True,
) -> np.ndarray:
    """Fit a logistic regression with default settings to the rows `train`, and score others.

    The scores are probabilities of the class 1 in the rows `test`.
    """
    # Imported here because they are slow to import and only needed to fit a model.
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from threadpoolctl import threadpool_limits

    model = LogisticRegression()
    if standardise:
        model = make_pipeline(StandardScaler(), model)
    with threadpool_limits(1):  # so that the last digits do not depend on the number of cores
        model.fit(features[train], labels[train])
        return model.predict_proba(features[test])[:, 1]
