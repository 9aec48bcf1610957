"""The undersampling heuristic: time to draw counts compared with sampling rows."""

import numpy as np
from kept import compare, released
from paired import seconds
from sklearn.metrics import average_precision_score

from calibrated_metrics import ConfusionCurve
from reproduction.fraud.draws import n_negatives_kept
from reproduction.fraud.undersampling import simulated_average_precision

N_POS, N_NEG = 147, 85_000 - 147
N_PRIORS, N_RUNS, N_RUNS_SAMPLED = 20, 1000, 10


def sample_rows(y_score_pos, y_score_neg, n_kept, rng):
    kept = rng.choice(len(y_score_neg), n_kept, replace=False)
    y_true = np.concatenate([np.ones(len(y_score_pos)), np.zeros(n_kept)])
    return average_precision_score(y_true, np.concatenate([y_score_pos, y_score_neg[kept]]))


def ways():
    """The priors, and two functions of chosen ones: by drawing counts, and by sampling rows."""
    rng = np.random.default_rng(0)
    pos, neg = rng.normal(3.5, 1.0, N_POS), rng.normal(0.0, 1.0, N_NEG)
    y_true = np.concatenate([np.ones(N_POS), np.zeros(N_NEG)])
    curve = ConfusionCurve.from_predictions(y_true, np.concatenate([pos, neg]))

    def ours(chosen):
        for pi0 in chosen:
            simulated_average_precision(curve, pi0, N_RUNS, rng)

    def theirs(chosen):
        for pi0 in chosen:
            for _ in range(N_RUNS_SAMPLED):
                sample_rows(pos, neg, n_negatives_kept(curve, pi0), rng)

    return np.geomspace(curve.prior, 0.5, N_PRIORS), ours, theirs


def comparisons():
    """Counts drawn, and rows sampled."""
    priors, ours, theirs = ways()
    yield compare(
        "heuristic",
        f"undersampling heuristic at {N_PRIORS} priors, {N_POS + N_NEG:,} rows, {N_RUNS:,} runs",
        ("drawing counts", lambda: ours(priors)),
        (f"{released('scikit-learn')} on sampled rows (extrapolated)", lambda: theirs(priors)),
        times=N_RUNS / N_RUNS_SAMPLED,
    )


def run():
    priors, ours, theirs = ways()
    print(f"Undersampling heuristic, {N_POS + N_NEG:,} rows with {N_POS} positives, {N_RUNS} runs;")
    print(f"rows are sampled {N_RUNS_SAMPLED} times per π₀ and the time is extrapolated\n")
    print(f"| {N_PRIORS} π₀ | drawing counts, s | sampling rows, s | ratio |")
    print("|---|---|---|---|")
    for name, chosen in (("all", priors), ("all above the prior", priors[1:])):
        fast = np.median([seconds(lambda: ours(chosen)) for _ in range(5)])  # noqa: B023
        slow = seconds(lambda: theirs(chosen)) * N_RUNS / N_RUNS_SAMPLED  # noqa: B023
        print(f"| {name} | {fast:.3f} | {slow:.1f} | {slow / fast:.0f} |", flush=True)
