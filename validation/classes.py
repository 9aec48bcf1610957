"""Coverage of averages over the classes of predicted labels, some of which have few rows."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import product

import numpy as np

from calibrated_metrics import multiclass
from validation.engine import RNG, Design, Outcome, attempted

METRICS = {"precision": "precision", "recall": "recall", "F1": "f1"}
CASES = {  # share of true decisions, rows and prior of each class; one number of rows: random ones
    "8 of 508": ((0.95, 0.8, 0.6), (400, 100, 8), (0.9, 0.08, 0.02)),
    "about 10 of 500": ((0.95, 0.85, 0.7), 500, (0.82, 0.16, 0.02)),
    "8 and 15 of 283": ((0.9, 0.8, 0.7, 0.5), (200, 60, 15, 8), (0.7, 0.2, 0.07, 0.03)),
    "6 to 1,000": (
        (0.97, 0.9, 0.9, 0.8, 0.7),
        (1000, 300, 100, 30, 6),
        (0.7, 0.2, 0.06, 0.03, 0.01),
    ),
    "12 each": ((0.7,) * 5, (12,) * 5, (0.2,) * 5),
    "40 each": ((0.6,) * 10, (40,) * 10, (0.1,) * 10),
    "40 each, 8 % errors": ((0.92,) * 5, (40,) * 5, (0.2,) * 5),
    "40 each of ten, 8 % errors": ((0.92,) * 10, (40,) * 10, (0.1,) * 10),
    "100 each of ten, 5 % errors": ((0.95,) * 10, (100,) * 10, (0.1,) * 10),
    "30 each, few errors": ((0.97, 0.98, 0.95), (30,) * 3, (0.5, 0.3, 0.2)),
    "100 each, one class frequent": ((0.9, 0.85, 0.9), (100,) * 3, (0.98, 0.015, 0.005)),
}


def designs() -> Iterator[Design]:
    """Each case at known class priors, and random numbers of rows also at their own priors."""
    for (case, (rates, n, priors)), kind in product(CASES.items(), ("known", "own")):
        if kind == "own" and not isinstance(n, int):
            continue
        labels = {"rows": f"{kind} priors", "case": case}
        labels["smaller_class"] = round(n * priors[-1]) if isinstance(n, int) else min(n)
        yield Design(labels, partial(coverage, rates, n, priors, kind == "known"))


def coverage(
    rates: Sequence[float], n: int | Sequence[int], priors: Sequence[float], known: bool, rng: RNG
) -> Iterator[Outcome]:
    """Coverage of each average of each metric. Errors of a class go to others, mostly the next."""
    k = len(rates)
    errors = np.arange(k)[:, np.newaxis] != np.arange(k)
    likely = errors / (1 + (np.arange(k) - np.arange(k)[:, np.newaxis] - 1) % k)
    decided = np.diag(rates) + likely * ((1 - np.array(rates)) / likely.sum(axis=1))[:, np.newaxis]
    joint, prior = decided * np.array(priors)[:, np.newaxis], np.array(priors)
    right, predicted = np.diag(joint), joint.sum(axis=0)
    true = {"precision": right / predicted, "recall": right / prior}
    true["F1"] = 2 * right / (predicted + prior)

    y_true = rng.choice(k, n, p=prior) if isinstance(n, int) else np.repeat(np.arange(k), n)
    above = rng.random((len(y_true), 1)) > decided.cumsum(axis=1)[y_true][:, :-1]
    options = {"classes": range(k), "pi0": priors if known else None}
    found = multiclass.one_vs_rest(y_true, y_pred=above.sum(axis=1), **options)
    for label, metric in METRICS.items():
        for average, weight in (("macro", np.full(k, 1 / k)), ("weighted", prior)):
            value = partial(found.interval, metric, average=average)
            yield {"metric": f"{average} {label}"}, attempted(value, float(weight @ true[label]))
