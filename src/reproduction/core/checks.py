"""Identities and ranges of drawn tables, for entries with `kind: check` in claims.yaml of a room.

Each function reduces the selected rows to one number that is 0 or small, whatever the data are.
"""

import numpy as np
import pandas as pd

from reproduction.core.sweeps import half_width


def error_of_bands(rows: pd.DataFrame) -> float:
    """Largest distance of `low` and `high` from the t interval of `value`, `sd` and `n_runs`."""
    reach = half_width(rows["sd"], rows["n_runs"])
    errors = [rows["value"] - reach - rows["low"], rows["value"] + reach - rows["high"]]
    return float(pd.concat(errors).abs().max())


def off_centre(rows: pd.DataFrame) -> float:
    """Mean distance of values from the middle of their intervals, in mean widths; the largest one.

    Intervals are the columns `low` and `high`, or those of a part, such as `total_low`.
    """
    distances = []
    for low in rows.columns[rows.columns.str.endswith("low")]:
        prefix = low.removesuffix("low")
        names = [prefix.rstrip("_")] if prefix else ["value", "spearman", "closed_form"]
        value = next(rows[name] for name in names if name in rows)
        high = rows[f"{prefix}high"]
        middle = (rows[low] + high) / 2
        distances.append(abs((value - middle).mean() / (high - rows[low]).mean()))
    return float(max(distances))


def error_of_curves(rows: pd.DataFrame) -> float:
    """Largest error of the areas of ROC curves, and of the last points of ROC and PR curves.

    A curve is the rows with equal values in the columns of text, `calibrated` and `prior`.
    """
    keys = rows.select_dtypes(["object", "string", "bool"]).columns.tolist()
    errors = []
    for _, curve in rows.groupby([*keys, "prior"], sort=False):
        at_end = curve[curve["x"] == curve["x"].max()]
        errors.append(at_end["x"].iloc[0] - 1)
        if at_end["space"].iloc[0] == "roc":
            area = np.trapezoid(curve["y"], curve["x"])
            errors += [at_end["y"].max() - 1, area - at_end["area"].iloc[0]]
        elif at_end["space"].iloc[0] == "pr":
            errors.append(at_end["y"].min() - at_end["prior"].iloc[0])
    return float(np.abs(errors).max())
