"""Tables on which all claims hold, or differ for their known reason."""

import itertools

import numpy as np
import pandas as pd

from reproduction.claims import model_ranking, siblini
from reproduction.claims.lookup import METRICS
from reproduction.fraud.fraud_data import FraudData
from reproduction.experiments import (
    davis_goadrich,
    kl_sweep,
    label_free_metrics,
    pi_sweep,
    prior_illustration,
)
from reproduction.settings import Config, KlSweep, PiSweep, read_metrics

KAGGLE = FraudData("kaggle", "Kaggle", False, 284_807, 492, "logistic regression", "abc")
SIMULATED = FraudData("simulated", "simulated", True, 1_743_489, 14_722, "regression", None)


def of_population(sweep):
    """The runs of a sweep in the infinite-sample limit, with small differences between runs."""
    return sweep.assign(value=sweep["population"] + 1e-5 * (-1.0) ** sweep["run"])


def ideal_pi_sweep():
    metrics = read_metrics(Config().metrics_of("pi_sweep"))
    table = of_population(pi_sweep.run(PiSweep(n_samples=1000), metrics, seed=0, runs=range(2)))
    wide = (table["metric"] == "prg_auc") & (table["prior"] == 0.001)
    table.loc[wide, "value"] = [0.07, 0.47]
    return table


def ideal_kl_sweep():
    metrics = read_metrics(Config().metrics_of("kl_sweep"))
    return of_population(kl_sweep.run(KlSweep(n_samples=1000), metrics, seed=0, runs=range(2)))


def ideal_heuristic():
    published = np.array(list(siblini.FORMULA.values()))
    pi0 = np.geomspace(147 / 85_443, 0.5, 20)
    is_drawn = pi0 > pi0[0]
    return pd.DataFrame(
        {
            "pi0": pi0,
            "n_pos": 147,
            "n_neg_kept": np.floor(147 * (1 - pi0) / pi0 + 1e-9).astype(int),
            "n_runs": 1000,
            "mean": published + 0.001 * is_drawn,
            "sd": 0.01 * is_drawn,
            "expected": published + 0.001 * is_drawn,
            "closed_form": published,
        }
    )


def ideal_fraud_prior_sweep():
    at_own = siblini.AT_THE_DATA_PRIOR
    balanced = dict(zip(METRICS, (0.978, 0.966, 0.765), strict=True))
    rows = []
    for prior, run, one in itertools.product(
        np.geomspace(147 / 85_443, 0.5, 20), range(2), METRICS
    ):
        share = np.log(prior * 85_443 / 147) / np.log(0.5 * 85_443 / 147)
        low, calibrated = at_own[one], balanced[one]
        ordinary = calibrated if prior == 0.5 else low + share * (calibrated - low)
        n_neg = 147 if prior == 0.5 else round(147 * (1 - prior) / prior)
        for metric, value in ((one.key, ordinary), (one.calibrated.key, calibrated)):
            rows.append((prior, run, 147, n_neg, metric, value))
    return pd.DataFrame(rows, columns=["prior", "run", "n_pos", "n_neg", "metric", "value"])


def ideal_monitoring():
    trends = [
        ("prior drift", None, -0.01, "falls"),
        ("prior drift", 0.01, -0.001, "flat"),
        *(
            (scenario, pi0, -0.01, "falls")
            for scenario in ("likelihood drift", "both drifts")
            for pi0 in (None, 0.01)
        ),
    ]
    trends = pd.DataFrame(trends, columns=["scenario", "pi0", "slope", "verdict"])
    weeks = {"period": [1, 2, 3, 4], "prior": [0.012, 0.011, 0.009, 0.005]}
    differences = pd.DataFrame(weeks).merge(trends[["scenario"]].drop_duplicates(), "cross")
    differences = differences.assign(pi0=0.01, value=differences["prior"] - 0.01)
    changes = [
        (scenario, period, total, part, part - 0.01, part + 0.01, total - part)
        for scenario, share in (("prior drift", 1.0), ("likelihood drift", 0.0))
        for period, total in enumerate((-0.02, -0.05, -0.07, -0.09, -0.12), start=2)
        for part in (share * total,)
    ]
    columns = ["scenario", "period", "total", "prior_part", "prior_part_low", "prior_part_high"]
    changes = pd.DataFrame(changes, columns=[*columns, "model_part"])
    changes = changes.assign(
        model_part_low=changes["model_part"] - 0.02, model_part_high=changes["model_part"] + 0.02
    )
    return {
        "monitoring_changes": changes.assign(metric="average_precision"),
        "monitoring": pd.DataFrame({"metric": ["prg_auc"], "value": [0.9]}),
        "monitoring_trends": trends.assign(metric="average_precision"),
        "monitoring_differences": differences.assign(metric="average_precision"),
    }


def ideal_curves():
    areas = {
        ("roc", "all"): 0.9,
        ("roc", "calibrated"): 0.9,
        ("pr", "all"): 0.7,
        ("pr", "calibrated"): 0.93,
        ("pr", "undersampled"): 0.94,
        ("prg", "all"): 0.99,
        ("prg", "calibrated"): 0.87,
    }
    rows = [(space, sample, 147, area) for (space, sample), area in areas.items()]
    return pd.DataFrame(rows, columns=["space", "sample", "n_pos", "area"])


def ideal_label_free():
    values = label_free_metrics.run(n_samples=1000, n_thresholds=51, seed=0)
    keys = values[["distribution", "metric"]].drop_duplicates()
    rates = keys.merge(pd.DataFrame({"computation": ["labels", "scores"], "slope": -0.49}), "cross")
    errors = keys.merge(
        pd.DataFrame({"computation": ["labels", "scores"], "rmse": [0.02, 0.01]}), "cross"
    )
    return {
        "label_free": values,
        "label_free_rates": rates,
        "label_free_convergence": errors.assign(n_samples=100),
    }


def ideal_davis_goadrich():
    names = ("fig1", "fig5", "fig6_areas", "fig7_areas", "table1")
    return {f"dg_{name}": getattr(davis_goadrich, name)() for name in names}


def stored_scores(values, panel):
    """Long table of values of shape (n_tasks, 30, 10)."""
    names = [f"{panel}-{task}" for task in range(len(values))]
    keys = itertools.product(names, range(values.shape[1]), model_ranking.ten_metrics(panel))
    table = pd.DataFrame(keys, columns=["task", "run", "metric"])
    return table.assign(value_as_published=values.ravel())


def spread_evenly(total, tasks):
    """How many of `total` each of the tasks gets."""
    counts = np.full(len(tasks), total // len(tasks))
    counts[: total % len(tasks)] += 1
    return zip(tasks, counts, strict=True)


def ideal_stored_scores():
    """As many scores as the authors', with as many of each fault, and nothing else in common."""
    rng = np.random.default_rng(0)
    everything = rng.uniform(0.2, 0.9, (602, 30, 10))
    everything[:10] = 0
    for task, count in spread_evenly(1520 - 300, range(10, 93)):
        everything[task, :count] = 0
    for task, count in spread_evenly(283, range(100, 157)):
        everything[task, :count, 5] = 2
    everything[100, 0, 5] = 35.97
    everything[200] = 0.5  # constant in ten metrics, and another task in three
    everything[201, :, :3] = 0.5
    everything[410:497, 0] = everything[210:297, 0]  # 87 pairs of tasks share a model
    imbalanced = rng.uniform(0.2, 0.9, (5, 30, 10))
    imbalanced[..., 3] = rng.uniform(0.81, 0.99, (5, 30))
    for task, count in spread_evenly(64, range(5)):
        imbalanced[task, :count, 5] = 2
    imbalanced[4, 7] = imbalanced[2, 7]
    panels = {"all": everything, "imbalanced": imbalanced}
    scores = pd.concat([stored_scores(values, panel) for panel, values in panels.items()])
    tasks = scores[["task"]].drop_duplicates().assign(outcome="used")
    for panel in panels:
        tasks[panel] = tasks["task"].str.startswith(panel)
    return scores, tasks.assign(small_prior=np.arange(len(tasks)) < 20)


def symmetric(below_diagonal):
    matrix = np.eye(10)
    for row, cells in enumerate(below_diagonal, start=1):
        matrix[row, :row] = matrix[:row, row] = cells
    return matrix


def corrected(as_published):
    """Correlations that are higher, above all between the two areas at π₀ = 0.5."""
    matrix = 1 - 0.45 * (1 - as_published)
    area, gain = 2, 5
    matrix[gain] = matrix[:, gain] = matrix[area]
    matrix[area, gain] = matrix[gain, area] = 0.99
    matrix[gain, gain] = 1.0
    return matrix


def ideal_corrections():
    matrices = {panel: symmetric(cells) for panel, cells in model_ranking.PRINTED.items()}
    matrices["small_prior"] = matrices["imbalanced"]
    parts = []
    for panel, matrix in matrices.items():
        keys = model_ranking.ten_metrics(panel)
        cells = itertools.product(keys, keys)
        part = pd.DataFrame(cells, columns=["row", "column"]).assign(panel=panel)
        part["as_published"], part["corrected"] = matrix.ravel(), corrected(matrix).ravel()
        parts.append(part)
    return pd.concat(parts, ignore_index=True).assign(correction="all")


def ideal_summary():
    largest = {"zeroed_runs": 0.02275, "undefined_correlation": 0.00379, "gain_crossing": 0.44}
    return pd.DataFrame({"correction": largest.keys(), "largest": largest.values()}).assign(
        panel="all"
    )


def ideal_agreement(point):
    keys = [key for metric in METRICS for key in (metric.key, metric.calibrated.key)]
    rows = itertools.product((0.1, 0.3, 0.5), keys)
    return pd.DataFrame(rows, columns=[point, "metric"]).assign(z=3.5, verdict="agrees")


def ideal_tables():
    """All tables that claims read, by name, except the description of the fraud data."""
    scores, tasks = ideal_stored_scores()
    numbers = prior_illustration.numbers(prior_illustration.instances())
    return {
        "pi_sweep": ideal_pi_sweep(),
        "kl_sweep": ideal_kl_sweep(),
        "pi_sweep_agreement": ideal_agreement("prior"),
        "kl_sweep_agreement": ideal_agreement("kl"),
        "heuristic": ideal_heuristic(),
        "fraud_prior_sweep": ideal_fraud_prior_sweep(),
        "prior_illustration_numbers": numbers,
        "curves_at_priors": ideal_curves(),
        "ranking_scores": scores,
        "ranking_tasks": tasks,
        "rank_correlation_corrections": ideal_corrections(),
        "rank_correlation_corrections_summary": ideal_summary(),
        "minority_ratio": pd.DataFrame({"minority_ratio": np.linspace(0.19, 0.5, 100)}),
        **ideal_monitoring(),
        **ideal_label_free(),
        **ideal_davis_goadrich(),
    }
