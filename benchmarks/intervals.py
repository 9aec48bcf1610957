"""Intervals of average precision: influence function and bootstrap, against resampled rows."""

import numpy as np
from kept import compare, released
from paired import median_seconds, seconds
from sklearn.metrics import average_precision_score

from calibrated_metrics import ConfusionCurve, uncertainty

N = 10**5
PRIORS = (0.5, 0.05, 0.01)
N_RESAMPLES = 1000
N_RESAMPLES_OF_ROWS = 10
PI0 = 0.05
N_DRAWS = 50  # of rows that are weighted or in clusters


def resample_rows(y_true, y_score, rng):
    """One bootstrap value of average precision, by drawing rows of each class."""
    rows = np.concatenate(
        [rng.choice(of_class, len(of_class)) for of_class in map(np.flatnonzero, (y_true, ~y_true))]
    )
    return average_precision_score(y_true[rows], y_score[rows])


def ways(y_true, y_score, rng):
    """Functions that make an interval from rows, from a curve, by draws, and by rows drawn."""
    curve = ConfusionCurve.from_predictions(y_true, y_score)

    def of_rows():
        uncertainty.interval("average_precision", (y_true, y_score), pi0=PI0)

    def of_curve():
        uncertainty.interval("average_precision", curve, pi0=PI0)

    def by_draws():
        uncertainty.interval(
            "average_precision", curve, method="bootstrap", n_resamples=N_RESAMPLES, rng=rng
        )

    def by_rows():
        for _ in range(N_RESAMPLES_OF_ROWS):
            resample_rows(y_true, y_score, rng)

    return of_rows, of_curve, by_draws, by_rows


def measure(y_true, y_score, rng):
    """Return the seconds of an interval from rows, from a curve, by draws, and by rows drawn."""
    *quick, by_draws, by_rows = ways(y_true, y_score, rng)
    fast = median_seconds(quick, budget=1.0)
    return [*fast, seconds(by_draws), seconds(by_rows) * N_RESAMPLES / N_RESAMPLES_OF_ROWS]


def sample(prior, rng):
    """Labels and scores in random order."""
    y_true = np.arange(N) < prior * N
    y_score = rng.normal(size=N) + 2 * y_true
    order = rng.permutation(N)
    return y_true[order], y_score[order]


def measure_draws(y_true, y_score, rng):
    """Return the seconds of draws of weighted rows, and of clusters."""
    curves = [
        ConfusionCurve.from_predictions(y_true, y_score, **drawn)
        for drawn in (
            {"sample_weight": rng.uniform(0.5, 2, size=N)},
            {"clusters": rng.integers(N // 5, size=N)},
        )
    ]

    def draws_of(curve):
        return lambda: uncertainty.interval(
            "average_precision", curve, method="bootstrap", n_resamples=N_DRAWS, rng=0
        )

    return median_seconds([draws_of(curve) for curve in curves], budget=1.0)


def comparisons():
    """Intervals of ours, and the bootstrap of rows."""
    rng = np.random.default_rng(0)
    of_rows, _, by_draws, by_rows = ways(*sample(PI0, rng), rng)
    for key, name, function in (
        ("interval", "`uncertainty.interval`, from rows", of_rows),
        ("bootstrap", f'`method="bootstrap"`, {N_RESAMPLES:,} draws, from a curve', by_draws),
    ):
        yield compare(
            key,
            f"interval of average precision, {N:,} rows",
            (name, function),
            (
                f"{released('scikit-learn')} on rows drawn {N_RESAMPLES:,} times (extrapolated)",
                by_rows,
            ),
            times=N_RESAMPLES / N_RESAMPLES_OF_ROWS,
        )


def run():
    rng = np.random.default_rng(0)
    print(f"Interval of average precision, {N:,} rows; {N_RESAMPLES} draws; rows are drawn")
    print(f"{N_RESAMPLES_OF_ROWS} times with scikit-learn and the time is extrapolated\n")
    print(
        "| π | from rows, ms | from a curve, ms | by draws, s | by rows drawn, s | ratio of draws "
        f"| {N_DRAWS} weighted draws, s | {N_DRAWS} draws of clusters, s |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for prior in PRIORS:
        rows = sample(prior, rng)
        of_rows, of_curve, by_draws, by_rows = measure(*rows, rng)
        weighted, clusters = measure_draws(*rows, rng)
        print(
            f"| {prior:g} | {1e3 * of_rows:.1f} | {1e3 * of_curve:.2f} | {by_draws:.2f} | "
            f"{by_rows:.1f} | {by_rows / by_draws:.0f} | {weighted:.2f} | {clusters:.2f} |",
            flush=True,
        )
