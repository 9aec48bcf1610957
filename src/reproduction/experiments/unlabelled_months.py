"""A month without labels whose prior moved: how well are the prior and AUC-PR estimated?

Labelled rows of earlier months and the scores of a new month are simulated. The only change is the
prior, or in addition one of the drifts that a test of label shift may or may not see.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import stats
from scipy.special import expit, logit
from tqdm import tqdm

from calibrated_metrics import label_free, scores, uncertainty
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.probabilities import check_calibration, rebase
from calibrated_metrics.uncertainty import Estimate
from reproduction.experiments.em_prior import em_prior
from reproduction.core.streams import stream
from reproduction.settings import UnlabelledMonths

__all__ = ["DISTRIBUTIONS", "DRIFTS", "ESTIMATORS", "NO_DRIFT", "run", "summary"]

_LEVEL = 0.9  # of all intervals
_OVERCONFIDENCE = 1.5  # factor on the log odds of miscalibrated probabilities
_DRAWS_OF_PROBABILITIES = 50  # enough for a standard error; each sorts all rows
_DRAWS_OF_CALIBRATION = 199  # of the test of calibration
_GRID = 20_001  # thresholds of a population's curve
_LEAST_PRIOR = 1e-9  # in place of an estimate of 0, at which AUC-PR is undefined

# Scores of the positives and of the negatives.
DISTRIBUTIONS = {
    "normal": (stats.norm(2), stats.norm()),
    "exponential": (stats.expon(scale=5), stats.expon()),
}


class Drift(NamedTuple):
    """Changes in the new month in addition to the prior, in standard deviations of negatives."""

    positives: float = 0.0  # shift of all positives
    negatives: float = 0.0  # shift of all negatives
    tail: float = 0.0  # share of the negatives whose scores are those of positives


NO_DRIFT = "none"
DRIFTS = {
    NO_DRIFT: Drift(),
    "negatives +0.1 sd": Drift(negatives=0.1),
    "positives −0.3 sd": Drift(positives=-0.3),
    "positives +0.3 sd": Drift(positives=0.3),
    "0.3 % of the negatives score as positives": Drift(tail=0.003),
}


class Month(NamedTuple):
    """Labelled rows, the scores of a new month, and the truth about its population."""

    labelled: tuple[np.ndarray, np.ndarray]
    new: np.ndarray
    probability: Callable[[np.ndarray], np.ndarray]  # calibrated at the labelled prior
    prior: float  # of the labelled rows' population
    n_resamples: int
    rng: np.random.Generator


def run(settings: UnlabelledMonths, *, runs: Iterable[int], seed: int) -> pd.DataFrame:
    """Estimate the prior and AUC-PR of simulated months.

    Returns
    -------
    DataFrame
        A row per run, distribution, drift, number of labelled rows, new prior and estimator:
        `distribution`, `drift`, `n_labelled`, `n_pos` (expected), `n_new`, `prior`, `new_prior`,
        `estimator`, `quantity` ("prior" or "average_precision"), `pi0` (the new prior, at which
        average precision is taken; NaN for a prior), `run`, `truth`, `value`, `low`, `high`. The
        limits are NaN if the interval is withheld. With a drift, only the estimators that test for
        it are used.
    """
    rows = []
    for index in tqdm(runs, desc="unlabelled months", disable=None, leave=False):
        for place, cell in enumerate(_cells(settings)):
            rng = stream(seed, "unlabelled_months", index, place)
            rows += [{**row, "run": index} for row in _of_cell(settings, cell, rng)]
    return pd.DataFrame(rows)


def summary(tables: list[pd.DataFrame]) -> pd.DataFrame:
    """Bias, coverage and width of each estimator over the runs.

    Returns
    -------
    DataFrame
        A row per distribution, drift, number of labelled rows, new prior and estimator: the columns
        of `run` that name them; `n_runs`; `truth`; `bias`, relative to the truth, with
        `bias_error`, its standard error; `withheld`, the share of intervals that are withheld;
        and of the other intervals `coverage` with `coverage_error`, and `width`, the mean relative
        to the truth.
    """
    rows = pd.concat(tables, ignore_index=True)
    given = rows["low"].notna()
    covers = (rows["low"] <= rows["truth"]) & (rows["truth"] <= rows["high"])
    rows = rows.assign(
        error=rows["value"] / rows["truth"] - 1,
        withheld=~given,
        covers=covers.astype(float).where(given),
        width=(rows["high"] - rows["low"]) / rows["truth"],
    )
    keys = ["distribution", "drift", "n_labelled", "n_pos", "n_new", "prior", "new_prior"]
    groups = rows.groupby([*keys, "estimator", "quantity", "pi0"], sort=False, dropna=False)
    table = groups.agg(
        n_runs=("run", "size"),
        truth=("truth", "first"),
        bias=("error", "mean"),
        bias_error=("error", "sem"),
        withheld=("withheld", "mean"),
        coverage=("covers", "mean"),
        n_given=("covers", "count"),
        width=("width", "mean"),
    ).reset_index()
    variance = table["coverage"] * (1 - table["coverage"]) / table["n_given"].clip(lower=1)
    at = table.columns.get_loc("coverage") + 1
    table.insert(at, "coverage_error", np.sqrt(variance))
    return table.drop(columns="n_given")


class _Cell(NamedTuple):
    distribution: str
    drift: str
    n_labelled: int
    new_prior: float


def _cells(settings: UnlabelledMonths) -> list[_Cell]:
    return [
        _Cell(distribution, drift, n_labelled, new_prior)
        for distribution in settings.distributions
        for drift in DRIFTS
        for n_labelled in settings.n_labelled
        for new_prior in settings.new_priors
    ]


def _of_cell(settings: UnlabelledMonths, cell: _Cell, rng: np.random.Generator) -> Iterator[dict]:
    positives, negatives = DISTRIBUTIONS[cell.distribution]
    drift = DRIFTS[cell.drift]
    sd = negatives.std()
    y_true = rng.random(cell.n_labelled) < settings.prior
    is_new_positive = rng.random(settings.n_new) < cell.new_prior

    def drawn(positive: np.ndarray) -> np.ndarray:
        return np.where(
            positive,
            positives.rvs(size=len(positive), random_state=rng),
            negatives.rvs(size=len(positive), random_state=rng),
        )

    labelled = y_true, drawn(y_true)
    in_tail = rng.random(settings.n_new) < drift.tail
    new = drawn(is_new_positive | in_tail)
    new += sd * np.where(is_new_positive, drift.positives, drift.negatives)
    month = Month(
        labelled,
        new,
        functools.partial(_calibrated, cell.distribution, settings.prior),
        settings.prior,
        settings.n_resamples,
        rng,
    )
    truths = {
        "prior": cell.new_prior,
        "average_precision": _true_average_precision(cell.distribution, cell.drift, cell.new_prior),
    }
    for name, (quantity, estimate) in ESTIMATORS.items():
        if cell.drift != NO_DRIFT and name not in _TESTING:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", uncertainty.IntervalWarning)
            found = estimate(month)
        yield {
            **cell._asdict(),
            "n_pos": settings.prior * cell.n_labelled,
            "n_new": settings.n_new,
            "prior": settings.prior,
            "estimator": name,
            "quantity": quantity,
            "pi0": np.nan if quantity == "prior" else cell.new_prior,
            "truth": truths[quantity],
            "value": found.value,
            "low": found.low,
            "high": found.high,
        }


def _calibrated(distribution: str, prior: float, score: np.ndarray) -> np.ndarray:
    """Probability of the positive class, calibrated at a prior."""
    positives, negatives = DISTRIBUTIONS[distribution]
    return expit(logit(prior) + positives.logpdf(score) - negatives.logpdf(score))


@functools.cache
def _true_average_precision(distribution: str, drift: str, prior: float) -> float:
    """Average precision of the new month's population."""
    positives, negatives = DISTRIBUTIONS[distribution]
    change, sd = DRIFTS[drift], negatives.std()
    tails = np.geomspace(1e-14, 0.5, _GRID // 2)
    threshold = np.unique([law.isf([*tails, *(1 - tails)]) for law in (positives, negatives)])[::-1]
    tpr = positives.sf(threshold - change.positives * sd)
    fpr = (1 - change.tail) * negatives.sf(threshold - change.negatives * sd)
    fpr += change.tail * positives.sf(threshold - change.negatives * sd)
    tpr, fpr = (np.concatenate([[0.0], rate[:-1], [1.0]]) for rate in (tpr, fpr))
    # The limit of average precision for continuous scores is the interpolated area.
    return scores.pr_auc(ConfusionCurve.from_roc(fpr, tpr, prior, 1 - prior))


# ---------------------------------------------------------------------------------- estimators


def _binned_prior(month: Month) -> Estimate:
    return label_free.estimate_prior(month.new, month.labelled, confidence_level=_LEVEL)


def _em_prior(month: Month, slope: float = 1.0) -> Estimate:
    """The EM algorithm's prior and quantiles of draws of labelled and new rows."""
    y_true, score = month.labelled
    labelled, new = (_stretched(month.probability(each), slope) for each in (score, month.new))
    value = em_prior(new, labelled.mean())
    reason = label_free.estimate_prior(new, (y_true, labelled)).reason
    check = check_calibration(y_true, labelled, n_resamples=_DRAWS_OF_CALIBRATION)
    if reason is not None or not check.trusted:
        nan = float("nan")
        return Estimate(value, nan, nan, nan, _LEVEL, "joint bootstrap", reason or check.message)
    draws = [_drawn_em_prior(labelled, new, value, month.rng) for _ in range(month.n_resamples)]
    low, high = np.quantile(draws, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2])
    return Estimate(value, low, high, np.std(draws, ddof=1), _LEVEL, "joint bootstrap")


def _drawn_em_prior(
    labelled: np.ndarray, new: np.ndarray, start: float, rng: np.random.Generator
) -> float:
    calibrated_at = labelled[rng.integers(len(labelled), size=len(labelled))].mean()
    times = np.bincount(rng.integers(len(new), size=len(new)), minlength=len(new))
    return em_prior(new, calibrated_at, weight=times, start=start)


def _moved_curve(month: Month) -> Estimate:
    return label_free.estimate(
        scores.average_precision, month.new, month.labelled, confidence_level=_LEVEL
    )


def _unmoved_curve(month: Month) -> Estimate:
    curve = ConfusionCurve.from_predictions(*month.labelled)
    return uncertainty.interval(scores.average_precision, curve, confidence_level=_LEVEL)


def _rebased(month: Month, slope: float = 1.0) -> Estimate:
    labelled, new = (
        _stretched(month.probability(each), slope) for each in (month.labelled[1], month.new)
    )
    prior = em_prior(new, labelled.mean())
    return label_free.expected(
        scores.average_precision,
        rebase(new, prior=month.prior, new_prior=max(prior, _LEAST_PRIOR)),
        confidence_level=_LEVEL,
        n_resamples=_DRAWS_OF_PROBABILITIES,
        rng=month.rng,
    )


def _stretched(probability: np.ndarray, slope: float) -> np.ndarray:
    """Probabilities whose log odds are multiplied; any slope but 1 makes them miscalibrated."""
    return expit(slope * logit(probability))


# The quantity that each estimates, and how.
ESTIMATORS = {
    "maximum likelihood on bins": ("prior", _binned_prior),
    "EM, calibrated probabilities": ("prior", _em_prior),
    "EM, overconfident probabilities": (
        "prior",
        functools.partial(_em_prior, slope=_OVERCONFIDENCE),
    ),
    "labelled curve at the estimated prior": ("average_precision", _moved_curve),
    "labelled curve at the old prior": ("average_precision", _unmoved_curve),
    "calibrated probabilities moved by EM": ("average_precision", _rebased),
    "overconfident probabilities moved by EM": (
        "average_precision",
        functools.partial(_rebased, slope=_OVERCONFIDENCE),
    ),
}
_TESTING = ("maximum likelihood on bins", "labelled curve at the estimated prior")
