"""`comparison.by_group` on many groups, `comparison.explain_change`, and peers where installed."""

import importlib.util
import time
import warnings

import numpy as np
import pandas as pd
from kept import Comparison, Need, compare, peak_megabytes, released
from paired import median_seconds
from sklearn.metrics import average_precision_score

from calibrated_metrics import ConfusionCurve, comparison

N_GROUPS, N_ROWS = 1000, 1000  # groups, and rows of each
PRIOR = 0.05
OURS = "`by_group`, with intervals"
PANDAS = "pandas and scikit-learn, values only"
FAIRLEARN = "fairlearn `MetricFrame`, values only"
N_OF_A_CHANGE = 10**5  # rows of each of the two samples of a change


def frame():
    """Rows of all groups in random order, with a customer and a weight each."""
    rng = np.random.default_rng(0)
    n = N_GROUPS * N_ROWS
    y_true = rng.random(n) < PRIOR
    return pd.DataFrame(
        {
            "group": rng.permutation(np.repeat(np.arange(N_GROUPS), N_ROWS)),
            "y_true": y_true.astype(int),
            "y_score": rng.normal(size=n) + 2 * y_true,
            "weight": rng.random(n) + 0.5,
            "customer": rng.integers(50, size=n),
        }
    )


def cpu_seconds(function):
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        function()
    return time.process_time() - start


def ways(table):
    """What is timed on all groups: names and functions."""

    def ours(of=table, **arguments):
        names = {"y_true": "y_true", "y_score": "y_score", "metrics": "average_precision"}
        return lambda: comparison.by_group(of, "group", **{**names, **arguments})

    def by_pandas():
        return table.groupby("group")[["y_true", "y_score"]].apply(
            lambda rows: average_precision_score(rows["y_true"], rows["y_score"])
        )

    def by_fairlearn():
        from fairlearn.metrics import MetricFrame

        return MetricFrame(
            metrics=average_precision_score,
            y_true=table["y_true"],
            y_pred=table["y_score"],
            sensitive_features=table["group"],
        ).by_group

    yield OURS, ours()
    yield (
        "`by_group`, with intervals, three metrics",
        ours(metrics=["average_precision", "roc_auc", "prg_auc"]),
    )
    yield (
        "`by_group`, with intervals, weights and clusters",
        ours(sample_weight="weight", clusters="customer"),
    )
    if importlib.util.find_spec("polars"):
        import polars

        yield (
            "`by_group` of a polars frame, with intervals",
            ours(polars.DataFrame({name: table[name].to_numpy() for name in table})),
        )
    yield "`by_group`, values only", ours(confidence_level=None)
    yield PANDAS, by_pandas
    if importlib.util.find_spec("fairlearn"):
        yield FAIRLEARN, by_fairlearn


def change():
    """A function that explains the change between two samples."""
    rng = np.random.default_rng(0)
    curves = []
    for prior in (PRIOR, PRIOR / 5):
        y_true = rng.random(N_OF_A_CHANGE) < prior
        y_score = rng.normal(size=N_OF_A_CHANGE) + 2 * y_true
        curves.append(ConfusionCurve.from_predictions(y_true, y_score))
    return lambda: comparison.explain_change("average_precision", *curves)


def comparisons():
    """Groups with intervals, and peers without; the explanation of a change, without a peer."""
    functions = dict(ways(frame()))
    releases = {
        PANDAS: f"{released('pandas')} and {released('scikit-learn')}, values only",
        FAIRLEARN: f"{released('fairlearn')}, values only",
    }
    for key, name in (("by_group, pandas", PANDAS), ("by_group, fairlearn", FAIRLEARN)):
        yield compare(
            key,
            f"average precision of {N_GROUPS:,} groups of {N_ROWS:,} rows",
            (OURS, functions[OURS]),
            (releases[name], functions[name]),
        )
    explain = change()
    (seconds,) = median_seconds([explain], budget=0.0)
    yield Comparison(
        "explain_change",
        f"causes of a change between two samples of {N_OF_A_CHANGE:,} rows",
        Need("`explain_change`, from curves", seconds, peak_megabytes(explain)),
    )


def run():
    print(f"Average precision of {N_GROUPS:,} groups of {N_ROWS:,} rows at their mean prior")
    print(f"(peers: at the own priors); its change between two samples of {N_OF_A_CHANGE:,} rows\n")
    print("| | CPU seconds |")
    print("|---|---|")
    for name, function in ways(frame()):
        print(f"| {name} | {cpu_seconds(function):.2f} |", flush=True)
    explain = change()
    cpu_seconds(explain)  # the curves derive their vertices once
    print(f"| `explain_change`, from curves | {cpu_seconds(explain):.4f} |")
