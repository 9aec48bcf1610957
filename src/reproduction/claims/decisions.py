"""Claims of ours on the library's intervals and on thresholds with a guarantee."""

from functools import partial

import numpy as np

from reproduction.claims.lookup import UnavailableError, grid
from reproduction.claims.registry import Above, AtMost, at_least, claim

# -------------------------------------------------------------------------------------- intervals
ONE_SAMPLE = ("independent", "random counts", "rounded")
DIFFERENCES = ("two samples", "two models")
MANY_SAMPLES = (at_least("interval_coverage.n_runs", 20),)
HEAVIEST = 5.3  # positives that a negative weighs; above, warnings are given instead

coverage_of = partial(claim, "ours", "intervals")


def coverages(interval_coverage, score, designs, column="coverage"):
    """Return a column of the cells of a score, where no negative weighs more than `HEAVIEST`."""
    own = interval_coverage["pi0"].fillna(interval_coverage["prior"])
    weight = interval_coverage["prior"] / (1 - interval_coverage["prior"]) * (1 - own) / own
    is_asked = interval_coverage["design"].isin(designs) & (weight <= HEAVIEST)
    if score == "prg_auc":  # given where the reference prior is 0.5
        is_asked &= own == 0.5
    chosen = interval_coverage.assign(pi0=own)[is_asked]
    keys = ["design", "distribution", "prior", "pi0"]
    return grid(chosen, keys, "n_pos", column, score=score).stack()


def shortfall(interval_coverage, score, designs, least):
    """Return the largest shortfall of the coverage below `least`, in standard errors."""
    coverage = coverages(interval_coverage, score, designs)
    n_given = coverages(interval_coverage, score, designs, "n_given")
    return ((least - coverage) / np.sqrt(least * (1 - least) / n_given)).max()


for score, label, least in (
    ("average_precision", "AUC-PR", 0.92),
    ("roc_auc", "AUC-ROC", 0.93),
    ("prg_auc", "AUC-PR Gain at π₀ = 0.5", 0.93),
    ("best_fbeta", "best F1", 0.9),
    ("precision", "precision at a threshold", 0.93),
    ("fbeta", "F1 at a threshold", 0.93),
):

    @coverage_of(AtMost(2.0), name=f"intervals-cover-{score}", needs=MANY_SAMPLES)
    def intervals_cover(interval_coverage, score=score, label=label, least=least):
        """95 % intervals of {label} cover the true value in at least {least:.0%} of the samples of
        each kind, if a negative weighs at most as much as 5.3 positives: largest shortfall, in
        simulation errors"""
        return shortfall(interval_coverage, score, ONE_SAMPLE, least)


for design, designs, least in (
    ("differences", DIFFERENCES, 0.93),
    ("groups", ("groups",), 0.92),
):

    @coverage_of(AtMost(2.0), name=f"intervals-cover-{design}", needs=MANY_SAMPLES)
    def intervals_of_design_cover(interval_coverage, design=design, designs=designs, least=least):
        """95 % intervals of AUC-PR, AUC-ROC and precision, {design}: coverage of at least
        {least:.0%} for each kind of samples: largest shortfall, in simulation errors"""
        scores = ("average_precision", "roc_auc", "precision")
        return max(shortfall(interval_coverage, score, designs, least) for score in scores)


@coverage_of(Above(0.92))
def intervals_cover_on_average(interval_coverage):
    """95 % intervals of AUC-PR, AUC-ROC and precision, of one sample: mean coverage over the kinds
    of samples, smallest of the three scores"""
    scores = ("average_precision", "roc_auc", "precision")
    return min(coverages(interval_coverage, score, ONE_SAMPLE).mean() for score in scores)


@coverage_of(Above(0.0), needs=MANY_SAMPLES)
def groups_matter(interval_coverage):
    """groups of correlated rows: 95 % intervals of precision cover less if the groups are ignored:
    difference of the mean coverages"""
    by_design = (
        coverages(interval_coverage, "precision", (design,)).mean()
        for design in ("groups", "groups ignored")
    )
    return float(np.subtract(*by_design))


# ------------------------------------------------------------------------------------- thresholds
ALPHA = 0.1

guarantee = partial(claim, "ours", "thresholds")


def by_size(threshold_guarantees, column, data, **where):
    """Return a column by population, goal, prior and method, for the sizes of the samples."""
    of_data = threshold_guarantees["data"].str.startswith(data)
    keys = ["data", "goal", "pi0", "prior", "method"]
    return grid(threshold_guarantees[of_data], keys, "n_pos", column, **where)


def excess(shares, n_samples):
    """Return the excess of shares of misses over α, in standard errors."""
    return (shares - ALPHA) / np.sqrt(ALPHA * (1 - ALPHA) / n_samples)


def certified(threshold_guarantees, column):
    """Return a column of the choices with a guarantee, by population, goal, prior and method."""
    table = by_size(threshold_guarantees, column, "")
    of_choice = {name: table.index.get_level_values(name) for name in ("prior", "method")}
    is_plain = of_choice["method"].isin(["empirical", "pointwise"])
    return table[~is_plain & (of_choice["prior"] != "estimate taken as known")]


@guarantee(AtMost(2.0))
def certified_thresholds_keep_their_goal(threshold_guarantees):
    """thresholds with a guarantee miss their goal in at most 10 % of the samples, ordinary or
    plateau: share over all populations for each goal, knowledge of π₀ and method; largest excess,
    in standard errors"""
    shares, n_runs = (certified(threshold_guarantees, name) for name in ("missed", "n_runs"))
    choices = ["goal", "prior", "method"]
    pooled = shares.mean(axis=1).groupby(choices).mean()
    return excess(pooled, n_runs.sum(axis=1).groupby(choices).sum()).max()


@guarantee(AtMost(3.0), needs=(at_least("threshold_guarantees.n_runs", 500),))
def certified_thresholds_keep_each_goal(threshold_guarantees):
    """thresholds with a guarantee miss their goal in at most 10 % of the samples of each
    population: largest excess, in standard errors"""
    shares, n_runs = (certified(threshold_guarantees, name) for name in ("missed", "n_runs"))
    return excess(shares, n_runs).max(axis=None)


for method, label, least in (
    ("pointwise", "a test of each threshold as if it were the only one", 0.2),
    ("empirical", "the precision observed on the sample", 0.8),
):

    @guarantee(Above(least), name=f"{method}-thresholds-miss-on-plateaus")
    def thresholds_miss_on_plateaus(threshold_guarantees, method=method, label=label):
        """chosen by {label}, thresholds miss the goal on plateaus: largest share of the samples of
        a population"""
        return by_size(threshold_guarantees, "missed", "plateau", method=method).max(axis=None)


for n_pos, least in ((150, 0.7), (600, 0.85)):

    @guarantee(Above(least), name=f"certified-thresholds-keep-recall-{n_pos}")
    def certified_thresholds_keep_recall(threshold_guarantees, n_pos=n_pos):
        """recall of the threshold by the fixed sequence relative to the best threshold, with
        {n_pos} positives: mean over ordinary populations"""
        relative = by_size(
            threshold_guarantees, "relative", "binormal", method="fixed_sequence", prior="known"
        )
        if n_pos not in relative:
            raise UnavailableError(f"the table has no samples with {n_pos} positives")
        return relative[n_pos].mean()
