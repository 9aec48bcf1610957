"""Simulated data to try the library on: transactions with frauds, and patients of two hospitals.

They are frames of pandas. Each call gives the same rows. Real data, such as `load_breast_cancer`,
are in `sklearn.datasets`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from calibrated_metrics import _numbers
from calibrated_metrics._arguments import plain_calls
from calibrated_metrics._messages import needs
from calibrated_metrics._numbers import FloatArray

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["load_patients", "load_transactions"]

# Share of frauds in each month. The scores separate the classes less in the last one.
_PRIORS = np.array([0.020, 0.015, 0.025, 0.020, 0.030, 0.010])
_SEPARATIONS = np.array([2.5, 2.5, 2.5, 2.5, 2.5, 2.0])
_CUSTOMERS = 6_000


@plain_calls()
def load_transactions(n_rows: int = 60_000) -> pd.DataFrame:
    """Transactions of six months, with frauds among them, and the scores of two models.

    Frauds are 1 to 3 % of each month, and come from some customers more often than from others.
    The model is worse in June. Until May, its score is the probability of fraud at a prior of 2 %.

    Parameters
    ----------
    n_rows
        Number of transactions.

    Returns
    -------
    pandas.DataFrame
        One row per transaction in the order of time, with the columns

        - `date`, from 2026-01-01 to 2026-06-30, and `month`, such as "2026-01";
        - `customer`, a number, `country`, "A" or "B", and `amount`;
        - `score` of the model and `challenger`, the score of another one, both between 0 and 1;
        - `fraud`, and `reported`, the day when the fraud was reported: 30 days later on average,
          NaT if the transaction is no fraud.

    Examples
    --------
    >>> from calibrated_metrics import comparison, datasets
    >>> frame = datasets.load_transactions()
    >>> names = {"y_true": "fraud", "y_score": "score", "metrics": "average_precision"}
    >>> months = comparison.by_group(frame, "month", **names, pi0=0.02)
    >>> months["value"].round(2).tolist()
    [0.55, 0.58, 0.61, 0.61, 0.57, 0.29]
    """
    with needs("pandas"):
        import pandas as pd
    n = _numbers.integer_at_least("n_rows", n_rows, 1)
    draws = np.random.default_rng(0)
    date = np.datetime64("2026-01-01") + np.sort(draws.integers(0, 181, n))
    month = date.astype("datetime64[M]")
    place = (month - np.datetime64("2026-01")).astype(int)
    customer = draws.integers(0, _CUSTOMERS, n)
    risk = draws.exponential(size=_CUSTOMERS)[customer]
    fraud = draws.random(n) < _PRIORS[place] * risk
    common, own, other = draws.normal(size=(3, n))
    separation = _SEPARATIONS[place] * fraud
    columns = {
        "date": date,
        "month": month.astype(str),
        "customer": customer,
        "country": np.where(customer % 3, "A", "B"),
        "amount": np.round(draws.lognormal(4 + 0.5 * fraud, 1), 2),
        "score": _probability(separation + 0.8 * common + 0.6 * own, 2.5),
        "challenger": _probability(0.9 * separation + 0.8 * common + 0.6 * other, 2.25),
        "fraud": fraud,
        "reported": np.where(
            fraud, date + draws.exponential(30, n).astype(int), np.datetime64("NaT")
        ),
    }
    return pd.DataFrame(columns)


@plain_calls()
def load_patients() -> pd.DataFrame:
    """Patients of two hospitals, with two biomarkers and the decisions of two readers.

    Patients of the village are older, and fewer of them are ill. The biomarkers separate ill and
    healthy patients less if these are old.

    Returns
    -------
    pandas.DataFrame
        One row for each of 7,000 patients, with the columns

        - `hospital`, "city" (4,000 rows) or "village", and `age`, "old" or "young";
        - `ill`, by the reference standard;
        - `biomarker` and `other_biomarker`, higher in ill patients;
        - `reader` and `second_reader`, whether each of them calls the patient ill: sensitivity 0.80
          and 0.85, specificity 0.95 and 0.94.

    Examples
    --------
    >>> from calibrated_metrics import datasets, uncertainty
    >>> patients = datasets.load_patients()
    >>> uncertainty.interval("ppv", (patients["ill"], patients["reader"]), pi0=0.01)
    Estimate(0.1519, 95 % interval 0.1374 to 0.1679, rates)
    """
    with needs("pandas"):
        import pandas as pd
    draws = np.random.default_rng(0)
    hospital = np.repeat(["city", "village"], [4_000, 3_000])
    old = draws.random(7_000) < np.where(hospital == "city", 0.2, 0.7)
    ill = draws.random(7_000) < np.where(hospital == "city", 0.10, 0.05)
    difficulty, own, other = draws.normal(size=(3, 7_000))
    separation = np.where(old, 1.0, 2.5) * ill
    columns = {
        "hospital": hospital,
        "age": np.where(old, "old", "young"),
        "ill": ill,
        "biomarker": separation + 0.8 * difficulty + 0.6 * own,
        "other_biomarker": 0.8 * separation + 0.8 * difficulty + 0.6 * other,
        "reader": draws.random(7_000) < np.where(ill, 0.80, 0.05),
        "second_reader": draws.random(7_000) < np.where(ill, 0.85, 0.06),
    }
    return pd.DataFrame(columns)


def _probability(z: FloatArray, separation: float) -> FloatArray:
    """Probability of a positive at prior 2 %, if z is N(0, 1), or N(`separation`, 1) for them."""
    log_odds = separation * z - separation**2 / 2 + math.log(0.02 / (1 - 0.02))
    return 1 / (1 + np.exp(-log_odds))
