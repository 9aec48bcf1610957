"""Our values against those of R's pROC, epiR, survey and PRROC, from tables in `oracle_r`.

`oracle_r/make.R` makes the tables. R is not needed for these tests.
"""

import csv
import math
from pathlib import Path

import numpy as np
import pytest

from calibrated_metrics import ConfusionCurve, ConfusionMatrix, Metric, audit, scores, spaces
from calibrated_metrics.binomial import clopper_pearson, jeffreys
from calibrated_metrics.uncertainty import interval
from calibrated_metrics.uncertainty.units import (
    linearise,
    n_of_classes,
)

FOLDER = Path(__file__).parent / "oracle_r"


def table(name):
    with (FOLDER / f"{name}.csv").open(encoding="utf-8") as file:
        return [
            {column: _number(text) for column, text in row.items()} for row in csv.DictReader(file)
        ]


def _number(text):
    try:
        return float(text)
    except ValueError:
        return text


ROWS = table("rows")


def column(name):
    return np.array([row[name] for row in ROWS])


LABEL, A, B = map(column, ("label", "a", "b"))
REGION, CUSTOMER = column("region"), column("customer")
DRAWN = {
    "equal": {},
    "classes": {},
    "weights": {"sample_weight": column("odd_weight")},
    "strata": {"sample_weight": column("weight"), "strata": REGION},
    "clusters": {"clusters": CUSTOMER},
    "weighted_clusters": {"sample_weight": column("odd_weight"), "clusters": CUSTOMER},
    "clusters_in_strata": {
        "sample_weight": column("weight"),
        "strata": REGION,
        "clusters": CUSTOMER,
    },
}


def curve_of(score, **drawn):
    return ConfusionCurve.from_predictions(LABEL, score, **drawn)


# ------------------------------------------------------------------------------------ pROC


@pytest.mark.parametrize("row", table("areas"), ids=lambda row: row["model"])
def test_areas_and_delong_variance_of_proc(row):
    curve = curve_of({"a": A, "b": B}[row["model"]])
    found = linearise(Metric("roc_auc"), curve)
    assert found.value == pytest.approx(row["auc"], rel=1e-14)
    assert found.variance == pytest.approx(row["delong_variance"], rel=1e-12)
    for limit in (0.1, 0.35):
        corrected = scores.partial_roc_auc(curve, limit)
        assert corrected == pytest.approx(row[f"corrected_{limit}"], rel=1e-13)
        least = limit**2 / 2
        raw = least + (2 * corrected - 1) * (limit - least)
        assert raw == pytest.approx(row[f"raw_{limit}"], rel=1e-13)


def test_paired_test_of_proc():
    (row,) = table("paired")
    a, b = (linearise(Metric("roc_auc"), curve_of(score)) for score in (A, B))
    covariance = (a.variance + b.variance - (a - b).variance) / 2
    assert covariance == pytest.approx(row["covariance"], rel=1e-12)
    z = (a - b).value / (a - b).standard_error
    assert z == pytest.approx(row["z"], rel=1e-12)
    assert math.erfc(z / math.sqrt(2)) == pytest.approx(row["p_value"], rel=1e-12)


def test_our_interval_of_auc_roc_lies_below_the_symmetric_one_of_proc():
    """It is on the logit scale, with a quantile of the t distribution."""
    for row, score in zip(table("areas"), (A, B), strict=True):
        found = interval("roc_auc", curve_of(score))
        assert row["delong_low"] - 0.02 < found.low < row["delong_low"]
        assert row["delong_high"] - 0.01 < found.high < row["delong_high"]


# ------------------------------------------------------------------------------------ epiR

NAMES = {
    "se": "recall",
    "sp": "specificity",
    "diag.ac": "accuracy",
    "pv.pos": "precision",
    "pv.neg": "npv",
    "lr.pos": "positive_likelihood_ratio",
    "lr.neg": "negative_likelihood_ratio",
}
DECISIONS = table("decisions")
SHARES = [row for row in DECISIONS if not row["statistic"].startswith("lr")]


def matrix_of(row):
    return ConfusionMatrix(**{name: int(row[name]) for name in ("tp", "fp", "fn", "tn")})


def counts_of(row):
    tp, fp, fn, tn = (row[name] for name in ("tp", "fp", "fn", "tn"))
    n = tp + fp + fn + tn
    return {
        "tp": (tp + fn, n),
        "ap": (tp + fp, n),
        "se": (tp, tp + fn),
        "sp": (tn, tn + fp),
        "diag.ac": (tp + tn, n),
        "pv.pos": (tp, tp + fp),
        "pv.neg": (tn, tn + fn),
    }[row["statistic"]]


@pytest.mark.parametrize("row", [row for row in DECISIONS if row["statistic"] in NAMES])
def test_decisions_of_epir(row):
    value = getattr(scores, NAMES[row["statistic"]])(matrix_of(row))
    assert value == pytest.approx(row["value"], rel=1e-13)


@pytest.mark.parametrize("row", [row for row in SHARES if row["method"] == "exact"])
def test_exact_limits_of_epir(row):
    low, high = clopper_pearson(*counts_of(row), 0.025)
    assert (low, high) == pytest.approx((row["low"], row["high"]), rel=1e-10, abs=1e-15)


@pytest.mark.parametrize("row", [row for row in SHARES if row["method"] == "jeffreys"])
def test_jeffreys_limits_of_epir(row):
    """Ours are modified within one success or failure of the ends."""
    successes, n = counts_of(row)
    low, high = jeffreys(successes, n, 0.95)
    if 2 <= successes <= n - 2:
        assert (low, high) == pytest.approx((row["low"], row["high"]), rel=1e-10)
    else:
        assert low <= row["low"] * (1 + 1e-10)
        assert high >= row["high"] * (1 - 1e-10)


@pytest.mark.parametrize(
    "row",
    [row for row in SHARES if row["method"] == "exact" and row["statistic"] in NAMES],
)
def test_intervals_of_shares_are_the_exact_ones_of_epir(row):
    if counts_of(row)[1] == 0:
        return
    found = interval(NAMES[row["statistic"]], matrix_of(row))
    assert (found.low, found.high) == pytest.approx((row["low"], row["high"]), rel=1e-9, abs=1e-12)


# ----------------------------------------------------------------------------------- survey

RATIOS = table("ratios")
K = {"equal": 240, "weights": 240, "clusters": 40, "weighted_clusters": 40}


@pytest.mark.parametrize(
    "row",
    [row for row in RATIOS if row["design"] != "finite"],
    ids=lambda row: "{design}-{pi0}-{threshold}-{metric}".format(**row),
)
def test_ratios_and_standard_errors_of_survey(row):
    """Standard errors are equal but for the factors n / (n - 1).

    Ours is that of each class, with its effective number of rows. The one of survey is that of all
    rows or clusters, or that of each stratum, which ours has, too.
    """
    curve = curve_of(A, **DRAWN[row["design"]])
    curve = curve if row["pi0"] == "NA" else curve.at_prior(row["pi0"])
    metric = Metric(row["metric"], threshold=row["threshold"])
    found = linearise(metric, curve.confusion_matrix(row["threshold"]))
    assert found.value == pytest.approx(row["value"], rel=1e-13)
    n = n_of_classes(curve.rows)
    factors = dict(zip(("recall", "specificity"), n / (n - 1), strict=True))
    if row["design"] == "classes":
        factors = {"recall": 1.0, "specificity": 1.0}
    elif row["design"] in K:
        theirs = K[row["design"]] / (K[row["design"]] - 1)
        factors = {name: factor / theirs for name, factor in factors.items()}
    ratio = found.variance / row["standard_error"] ** 2
    if row["metric"] in factors:
        assert ratio == pytest.approx(factors[row["metric"]], rel=1e-7)
    else:  # a mixture of the classes, and of the prior where it is estimated
        every = [*factors.values(), *([1.0] if row["pi0"] == "NA" else [])]
        assert min(every) - 1e-7 <= ratio <= max(every) + 1e-7


@pytest.mark.parametrize(
    "row",
    [row for row in RATIOS if row["design"] == "finite"],
    ids=lambda row: "{threshold}-{metric}".format(**row),
)
def test_finite_population_of_survey(row):
    """Half of the rows of one region and a fifth of the other were drawn, without replacement."""
    size = {"north": 2 * (REGION == "north").sum(), "south": 5 * (REGION == "south").sum()}
    plan = {"score": A, "stratum": REGION, "n_rows": np.array([size[each] for each in REGION])}
    curve = audit.curve(plan, LABEL, target="these rows")
    metric = Metric(row["metric"], threshold=row["threshold"])
    found = linearise(metric, curve.confusion_matrix(row["threshold"]))
    n = n_of_classes(curve.rows)
    factors = np.append(n / (n - 1), 1.0)
    assert found.value == pytest.approx(row["value"], rel=1e-13)
    ratio = found.variance / row["standard_error"] ** 2
    assert factors.min() - 1e-7 <= ratio <= factors.max() + 1e-7


# ------------------------------------------------------ published values of PRROC and prcbench


def test_published_areas_of_prroc():
    """From the tests of PRROC 1.3.1, `auc.integral`, to the digits given there."""
    rows = table("prroc_uniform")
    y_score = [row["positive"] for row in rows] + [row["negative"] for row in rows]
    curve = ConfusionCurve.from_predictions(np.arange(200) < 100, y_score)
    assert scores.pr_auc(curve) == pytest.approx(0.901869384113, rel=1e-11)
    # auc.jar interpolates at whole positives only, so its area is not the integral.
    assert scores.pr_auc(curve) == pytest.approx(0.9018680216532841, rel=2e-6)


def test_published_area_of_soft_labels_of_prroc():
    rows = table("prroc_soft")
    weight = np.array([row["weight"] for row in rows])
    curve = ConfusionCurve.from_counts([row["score"] for row in rows], weight, 1 - weight)
    assert scores.pr_auc(curve) == pytest.approx(0.7053830324, rel=1e-9)


@pytest.mark.parametrize(
    ("y_score", "y_true", "recall", "precision"),
    [
        ([3, 2, 2, 1], [1, 0, 1, 0], [0.25, 0.5, 0.75, 1], [1, 1, 3 / 4, 2 / 3]),
        ([3, 3, 2, 1], [1, 0, 0, 1], [0.25, 0.5, 0.75, 1], [1 / 2, 1 / 2, 3 / 7, 1 / 2]),
        ([4, 3, 2, 1], [0, 0, 1, 1], [0.25, 0.5, 0.75, 1], [1 / 5, 1 / 3, 3 / 7, 1 / 2]),
    ],
)
def test_published_points_of_prcbench(y_score, y_true, recall, precision):
    """Base points of its test sets C1, C2 and C3 at recalls above 0."""
    curve = ConfusionCurve.from_predictions(y_true, y_score)
    tp = np.array(recall) * curve.n_pos
    found = tp / (tp + spaces.false_positives_at(curve, tp))
    assert found == pytest.approx(np.array(precision), rel=1e-12)
