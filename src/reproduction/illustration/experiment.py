"""Figure 3: fewer positives, same recall and false positive rate, lower precision."""

import pandas as pd

from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.scores.decision import fbeta, precision, recall

POPULATIONS = ("all instances", "half of the positives removed")

# Classes by descending score; the bar marks the threshold.
_RANKING = "++-++-+-+-|-+----+-------"


def run() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Make the tables of `instances` and of `numbers`."""
    table = instances()
    return table, numbers(table)


def instances() -> pd.DataFrame:
    """Rank the instances of two populations with the same scores.

    In the second population, every other positive is removed (not `present`): half of the positives
    above the threshold 0, and half of those below it. Removing positives at random has this effect
    on average.
    """
    above = _RANKING.index("|")
    labels = [int(sign == "+") for sign in _RANKING.replace("|", "")]
    scores = [above - 0.5 - rank for rank in range(len(labels))]
    first = pd.DataFrame({"population": POPULATIONS[0], "score": scores, "y_true": labels})
    every_other_positive = (first["y_true"] == 1) & (first["y_true"].cumsum() % 2 == 0)
    second = first.assign(population=POPULATIONS[1], present=~every_other_positive)
    return pd.concat([first.assign(present=True), second], ignore_index=True)


def numbers(table: pd.DataFrame) -> pd.DataFrame:
    """Measure both populations at the threshold 0; the reference prior is that of the first one."""
    curves = {
        population: ConfusionCurve.from_predictions(rows["y_true"], rows["score"])
        for population, rows in table[table["present"]].groupby("population", sort=False)
    }
    pi0 = curves[POPULATIONS[0]].prior
    rows = []
    for name, curve in curves.items():
        matrix = curve.confusion_matrix(0.0)  # no score is 0
        calibrated = matrix.at_prior(pi0)
        row = {
            "population": name,
            "n_pos": int(curve.n_pos),
            "n_neg": int(curve.n_neg),
            "prior": curve.prior,
            "pi0": pi0,
            "tp": int(matrix.tp),
            "fp": int(matrix.fp),
            "n_predicted": int(matrix.tp + matrix.fp),
            "recall": recall(matrix),
            "fpr": matrix.fp / matrix.n_neg,
            "precision": precision(matrix),
            "f1": fbeta(matrix),
            "precision_calibrated": precision(calibrated),
            "f1_calibrated": fbeta(calibrated),
        }
        rows.append(row)
    return pd.DataFrame(rows)
