"""Functions for `take` in claims.yaml: they reduce the selected rows to one number."""

import pandas as pd


def error_of_numbers(rows: pd.DataFrame) -> float:
    """Largest error of the rates; calibrated numbers are those of the first population."""
    precision, recall = rows["tp"] / rows["n_predicted"], rows["tp"] / rows["n_pos"]
    f1 = 2 * precision * recall / (precision + recall)
    errors = {
        "precision": rows["precision"] - precision,
        "recall": rows["recall"] - recall,
        "f1": rows["f1"] - f1,
        "fpr": rows["fpr"] - rows["fp"] / rows["n_neg"],
        "precision_calibrated": rows["precision_calibrated"] - precision.iloc[0],
        "f1_calibrated": rows["f1_calibrated"] - f1.iloc[0],
    }
    return float(pd.DataFrame(errors).abs().max(axis=None))
