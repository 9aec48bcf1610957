"""The prior of rows without labels, and average precision at it; peers where they are installed.

The prior: `label_free.estimate_prior` with its interval, against quantifiers of QuaPy
(``pip install quapy``) without one. A row of the table per method, over the same simulated months.
"""

import warnings
from importlib.util import find_spec

import numpy as np
from paired import seconds
from scipy.special import expit, logit

from calibrated_metrics import label_free

N_LABELLED, N_NEW = 20_000, 20_000
PRIOR, NEW_PRIOR = 0.015, 0.006
N_MONTHS = 20


def months():
    """Labels and calibrated probabilities of earlier rows, and the probabilities of a new month."""
    rng = np.random.default_rng(0)
    for _ in range(N_MONTHS):
        y_true, y_new = (
            rng.random(n) < prior for n, prior in ((N_LABELLED, PRIOR), (N_NEW, NEW_PRIOR))
        )
        labelled, new = (
            expit(2 * rng.normal(2.0 * each) - 2 + logit(PRIOR)) for each in (y_true, y_new)
        )
        yield y_true, labelled, new


def prior(y_true, labelled, new):
    return label_free.estimate_prior(new, (y_true, labelled)).value


def average_precision(y_true, labelled, new):
    return label_free.estimate("average_precision", new, (y_true, labelled)).value


def quapy_pacc(y_true, labelled, new):
    from quapy.method.aggregative import PACC
    from sklearn.linear_model import LogisticRegression

    classifier = LogisticRegression().fit([[0.0], [1.0]], [0, 1])  # not used: scores are given
    quantifier = PACC(classifier, fit_classifier=False, val_split=None)
    quantifier.aggregation_fit(np.column_stack([1 - labelled, labelled]), y_true.astype(int))
    return quantifier.aggregate(np.column_stack([1 - new, new]))[1]


def quapy_emq(y_true, labelled, new):
    from quapy.method.aggregative import EMQ

    shares = np.array([1 - y_true.mean(), y_true.mean()])
    return EMQ.EM(shares, np.column_stack([1 - new, new]))[0][1]


def methods():
    """Name and function of each method that can be imported."""
    found = {
        "estimate_prior, with interval": prior,
        "estimate of average precision, with interval": average_precision,
    }
    if find_spec("quapy"):
        found |= {"QuaPy PACC": quapy_pacc, "QuaPy EMQ": quapy_emq}
    return found


def measure(function, every_month):
    """Return the values of the months, and the median time in seconds."""
    values, times = [], []
    for month in every_month:
        times.append(seconds(lambda month=month: values.append(function(*month))))
    return np.array(values), float(np.median(times))


def run():
    every_month = list(months())
    print(
        f"A month without labels: {N_LABELLED:,} labelled rows at π = {PRIOR}, {N_NEW:,} new rows "
        f"at π = {NEW_PRIOR},\n{N_MONTHS} months\n"
    )
    print("| method | ms | mean | root mean square deviation from the mean |")
    print("|---|---|---|---|")
    for name, function in methods().items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an interval is withheld in 5 % of the months
            values, time = measure(function, every_month)
        print(
            f"| {name} | {1e3 * time:.1f} | {values.mean():.5f} | {values.std():.5f} |", flush=True
        )
