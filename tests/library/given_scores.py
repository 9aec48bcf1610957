"""A model for scikit-learn whose only feature is its score."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class GivenScores(ClassifierMixin, BaseEstimator):
    """Its scores are the first column of the rows; labels may be of any type."""

    def fit(self, rows, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, rows):
        return np.asarray(rows)[:, 0]

    def predict(self, rows):
        return self.classes_[(self.decision_function(rows) >= 0).astype(int)]
