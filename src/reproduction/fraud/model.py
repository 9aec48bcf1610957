"""The logistic regression that scores transactions."""

import numpy as np
import pandas as pd


def logistic_scores(
    features: pd.DataFrame | np.ndarray,
    labels: np.ndarray,
    train: np.ndarray,
    test: np.ndarray,
    *,
    standardise: bool = True,
) -> np.ndarray:
    """Fit a logistic regression with the paper's settings to the rows `train`, and score others.

    The fit has converged. The scores are probabilities of the class 1 in the rows `test`.
    """
    # Imported here because they are slow to import and only needed to fit a model.
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from threadpoolctl import threadpool_limits

    # The authors' defaults converged up to scikit-learn 1.3. Version 1.4 rescaled the objective, so
    # that the default solver stops early at the same `tol` (on Kaggle's data after 21 steps of 71).
    model = LogisticRegression(solver="newton-cholesky", tol=1e-12)
    if standardise:
        model = make_pipeline(StandardScaler(), model)
    with threadpool_limits(1):  # so that the last digits do not depend on the number of cores
        model.fit(features[train], labels[train])
        return model.predict_proba(features[test])[:, 1]
