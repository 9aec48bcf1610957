"""`choose_threshold`: its guarantees by exact enumeration, its goals, priors and errors."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from calibrated_metrics import ConfusionCurve, scores
from calibrated_metrics._thresholds import certification
from calibrated_metrics.thresholds import OperatingPoint, choose_threshold
from calibrated_metrics.uncertainty import Estimate

pytestmark = pytest.mark.filterwarnings("error")

METHODS = ("fixed_sequence", "simultaneous")
ALPHA = 0.1
GOALS = (
    {"min_precision": 0.3},
    {"min_precision": 0.3, "method": "simultaneous"},
    {"min_recall": 0.8},
    {"max_alert_rate": 0.02},
    {"beta": 2.0},
    {"cost_fp": 1.0, "cost_fn": 40.0},
)


def sample(seed=0, n_pos=200, n_neg=4000, distance=2.5, decimals=None):
    rng = np.random.default_rng(seed)
    y_true = np.arange(n_pos + n_neg) < n_pos
    y_score = rng.normal(size=n_pos + n_neg) + distance * y_true
    return y_true, y_score if decimals is None else y_score.round(decimals)


def curve_of(*args, **kwargs):
    return ConfusionCurve.from_predictions(*sample(*args, **kwargs))


CURVE = curve_of()


# ----------------------------------------------------------------- the guarantee, over all samples


def compositions(total, parts):
    """All ways to place `total` rows on `parts` scores."""
    for cuts in itertools.combinations(range(total + parts - 1), parts - 1):
        ends = (-1, *cuts, total + parts - 1)
        yield tuple(end - start - 1 for start, end in itertools.pairwise(ends))


def missed_share(n_pos, n_neg, pos_law, neg_law, violates, **goal):
    """Exact probabilities that the chosen threshold violates the goal, and that one is chosen.

    Scores are 0, 1, 2, ...; `violates` takes the rates of the decision ``score >= threshold``.
    """
    levels = np.arange(len(pos_law))
    tpr, fpr = (np.cumsum(law[::-1])[::-1] for law in (pos_law, neg_law))
    violated = [violates(*rates) for rates in zip(tpr, fpr, strict=True)]
    missed = chosen = 0.0
    for pos in compositions(n_pos, len(levels)):
        for neg in compositions(n_neg, len(levels)):
            curve = ConfusionCurve.from_counts(levels, pos, neg)
            point = choose_threshold(curve, confidence_level=1 - ALPHA, **goal)
            if point.certified:
                chance = stats.multinomial.pmf(pos, n_pos, pos_law) * stats.multinomial.pmf(
                    neg, n_neg, neg_law
                )
                chosen += chance
                missed += chance * violated[int(point.threshold)]
    return missed, chosen


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("pos_law", "ratio"),
    [((0.3, 0.3, 0.4), 0.999), ((0.1, 0.1, 0.8), 0.999), ((0.2, 0.5, 0.3), 0.9)],
)
def test_precision_is_missed_in_at_most_alpha_of_all_samples(method, pos_law, ratio):
    """Every threshold but the last is just below the required precision."""
    n_pos, n_neg, odds = 12, 8, 2.0
    pi0 = n_pos / (n_pos + n_neg)
    precision = odds * pi0 / (odds * pi0 + 1 - pi0)
    neg = np.array(pos_law) / (ratio * odds)
    neg[0] = 1 - neg[1:].sum()
    missed, _ = missed_share(
        n_pos,
        n_neg,
        pos_law,
        neg,
        lambda tpr, fpr: tpr < odds * fpr,
        min_precision=precision,
        method=method,
    )
    assert 0.005 < missed <= ALPHA


def test_recall_is_missed_in_at_most_alpha_of_all_samples():
    for law in ((0.501, 0.3, 0.199), (0.3, 0.201, 0.499), (0.2, 0.3, 0.5)):
        missed, chosen = missed_share(
            10, 3, law, (0.5, 0.3, 0.2), lambda tpr, fpr: tpr < 0.5, min_recall=0.5
        )
        assert missed <= ALPHA
        assert chosen == pytest.approx(1)


def test_the_alert_rate_is_missed_in_at_most_alpha_of_all_samples():
    pi0, most = 0.3, 0.4
    for neg in ((0.6, 0.2, 0.2), (0.75, 0.2, 0.05)):
        missed, chosen = missed_share(
            4,
            10,
            (0.1, 0.5, 0.4),
            neg,
            lambda tpr, fpr: pi0 * tpr + (1 - pi0) * fpr > most,
            pi0=pi0,
            max_alert_rate=most,
        )
        assert missed <= ALPHA
        assert chosen > 0.1


def test_the_recall_guarantee_is_exact():
    """The smallest k with P(Bin(n_pos, r) >= k) <= alpha, with no slack but that of whole k."""
    for n_pos, least in ((30, 0.5), (100, 0.9), (22, 0.9)):
        y_true = np.arange(2 * n_pos) < n_pos
        curve = ConfusionCurve.from_predictions(y_true, np.arange(2.0 * n_pos)[::-1])
        point = choose_threshold(curve, min_recall=least)
        tails = stats.binom.sf(np.arange(-1, n_pos), n_pos, least)  # P(>= k)
        assert point.true_alerts == np.argmax(tails <= ALPHA)
        assert point.recall_low == least


# --------------------------------------------------------------- the boundary, as a lattice path


def crossing_probability(boundary, n_pos, n_neg, odds):
    """Exact probability that the least favourable ranking reaches the boundary.

    Positives have uniform positions on [0, 1 / odds], negatives on [0, 1]. Up to min(1, 1 / odds)
    the labels are in random order, given the number of rows there.
    """
    needed = dict(zip(boundary.ranks.tolist(), boundary.needed.tolist(), strict=True))
    if odds > 1:
        sizes = ((n_pos, n, stats.binom.pmf(n, n_neg, 1 / odds)) for n in range(n_neg + 1))
    else:
        sizes = ((n, n_neg, stats.binom.pmf(n, n_pos, odds)) for n in range(n_pos + 1))
    return sum(
        chance * crossing_in_random_order(needed, pos, neg, neg if odds <= 1 else n_neg)
        for pos, neg, chance in sizes
        if chance > 1e-12
    )


def crossing_in_random_order(needed, pos, neg, all_neg):
    """Labels of `pos` positives and `neg` negatives in random order, then the other negatives."""
    inside = {0: 1.0}  # number of positives so far: chance, not crossed
    crossed = 0.0
    for rank in range(1, pos + all_neg + 1):
        after = {}
        for x, chance in inside.items():
            left_pos, left_neg = pos - x, neg - (rank - 1 - x)
            left = left_pos + max(left_neg, 0)
            up = left_pos / left if left else 0.0
            for step, share in ((1, up), (0, 1 - up)):
                if share > 0:
                    after[x + step] = after.get(x + step, 0.0) + chance * share
        least = needed.get(rank, math.inf)
        crossed += sum(chance for x, chance in after.items() if x >= least)
        inside = {x: chance for x, chance in after.items() if x < least}
    return crossed


LATTICES = [(12, 8, 2.0), (12, 60, 4.0), (20, 60, 3.0), (8, 30, 20.0), (25, 30, 0.6), (15, 15, 1.0)]


@pytest.mark.parametrize("alpha", [0.05, 0.1, 0.3])
@pytest.mark.parametrize(("n_pos", "n_neg", "odds"), LATTICES)
def test_the_boundary_is_crossed_with_probability_at_most_alpha(n_pos, n_neg, odds, alpha):
    boundary = certification._boundary(n_pos, n_neg, odds, alpha)
    crossed = crossing_probability(boundary, n_pos, n_neg, odds)
    assert crossed <= alpha
    if boundary.needed[-1] <= n_pos:  # otherwise the sample is too small for any certificate
        assert crossed > alpha / 20


@pytest.mark.parametrize(("n_pos", "n_neg", "odds"), LATTICES)
def test_the_boundary_holds_for_random_class_counts(n_pos, n_neg, odds):
    """Rows drawn at random: the labels of the least favourable ranking are independent."""
    boundary = certification._boundary(n_pos, n_neg, odds, ALPHA)
    share = odds * n_pos / (odds * n_pos + n_neg)
    alive, crossed, previous = np.ones(1), 0.0, 0
    for rank, needed in zip(boundary.ranks, boundary.needed, strict=True):
        steps = rank - previous
        alive = np.convolve(alive, stats.binom.pmf(np.arange(steps + 1), steps, share))
        crossed += alive[needed:].sum()
        alive[needed:] = 0
        previous = rank
    assert crossed <= ALPHA


def test_separate_tests_at_each_threshold_miss_far_too_often():
    """The exact share of misses on a plateau if the choice among the thresholds is ignored."""
    n_pos, n_neg, odds = 40, 160, 3.0
    ranks = np.unique(np.geomspace(1, 90, 60).round().astype(int))
    share = odds * n_pos / (odds * n_pos + n_neg)
    pointwise = certification.Boundary(ranks, certification.least_significant(ranks, share, ALPHA))
    assert crossing_probability(pointwise, n_pos, n_neg, odds) > 2 * ALPHA
    first = certification._sequence_ranks(n_pos, n_neg, share, ALPHA)[:1]
    sequence = certification.Boundary(first, certification.least_significant(first, share, ALPHA))
    assert 0.02 < crossing_probability(sequence, n_pos, n_neg, odds) <= ALPHA
    simultaneous = certification._boundary(n_pos, n_neg, odds, ALPHA)
    assert 0.05 < crossing_probability(simultaneous, n_pos, n_neg, odds) <= ALPHA


def test_binomial_tails_are_those_of_scipy():
    trials = np.arange(1, 60)[:, np.newaxis]
    least = np.arange(-1, 62)
    np.testing.assert_allclose(
        certification.upper_tail(least, trials, 0.3),
        stats.binom.sf(least - 1, trials, 0.3),
        rtol=1e-10,
        atol=1e-300,
    )
    for n in (1, 7, 40):
        tails = stats.binom.sf(np.arange(-1, n + 1), n, 0.3)  # P(>= 0), ..., P(>= n + 1) = 0
        assert certification.least_significant(n, 0.3, 0.1) == np.argmax(tails <= 0.1)


@pytest.mark.parametrize("share", [0.05, 0.3, 0.8])
def test_the_sequence_starts_where_tenfold_odds_are_found_in_nine_of_ten_samples(share):
    def power(rank):
        tails = stats.binom.sf(np.arange(-1, rank + 1), rank, share)
        return stats.binom.sf(np.argmax(tails <= ALPHA) - 1, rank, 10 * share / (1 + 9 * share))

    first = next(rank for rank in itertools.count(1) if power(rank) >= 0.9)
    assert certification._sequence_ranks(100, 10_000, share, ALPHA)[0] == first


@pytest.mark.parametrize("decimals", [None, 1, 0])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("method", METHODS)
def test_precision_by_a_slow_walk_over_all_thresholds(method, seed, decimals):
    n_pos, n_neg, odds = 60, 600, 8.0
    y_true, y_score = sample(seed, n_pos, n_neg, 2.0, decimals=decimals)
    share = odds * n_pos / (odds * n_pos + n_neg)
    counts = []  # threshold, alerts, true alerts, from strict to loose
    for threshold in np.unique(y_score)[::-1]:
        alert = y_score >= threshold
        counts.append((threshold, alert.sum(), (alert & y_true).sum()))
    certified = None
    if method == "simultaneous":
        ranks, needed = certification._boundary(n_pos, n_neg, odds, ALPHA)
        for threshold, alerts, true_alerts in counts:
            above = ranks >= alerts
            if above.any() and true_alerts >= needed[above][0]:
                certified = threshold
    else:
        ranks = certification._sequence_ranks(n_pos, n_neg, share, ALPHA)
        for rank in ranks:
            reached = [each for each in counts if ranks[0] <= each[1] <= rank]
            if not reached:
                continue
            threshold, alerts, true_alerts = reached[-1]
            if stats.binom.sf(true_alerts - 1, alerts, share) > ALPHA:
                break
            certified = threshold
    curve = ConfusionCurve.from_predictions(y_true, y_score)
    precision = odds / (odds + n_neg / n_pos)
    assert choose_threshold(curve, min_precision=precision, method=method).threshold == certified


@pytest.mark.parametrize("most", [0.01, 0.03, 0.2])
def test_the_alert_rate_by_its_limit_at_all_thresholds(most):
    n_pos, n_neg, pi0 = 50, 700, 0.02
    y_true, y_score = sample(1, n_pos, n_neg, 2.0, decimals=2)
    within = []
    for threshold in np.unique(y_score):
        limit, margin = 0.0, 0.0
        for of_class, n, weight in ((y_true, n_pos, pi0), (~y_true, n_neg, 1 - pi0)):
            k = ((y_score >= threshold) & of_class).sum()
            upper = 1.0 if k == n else stats.beta.ppf(1 - ALPHA, k + 1, n - k)
            limit += weight * k / n
            margin += (weight * (upper - k / n)) ** 2
        if limit + margin**0.5 <= most:
            within.append(threshold)
    curve = ConfusionCurve.from_predictions(y_true, y_score)
    point = choose_threshold(curve, pi0=pi0, max_alert_rate=most)
    assert point.threshold == min(within)


def test_uniform_limits_hold_at_all_thresholds_in_most_samples():
    n, law = 9, np.array([0.2, 0.3, 0.1, 0.4])
    true_rates = np.cumsum(law)  # of the counts of the highest scores
    missed = {"recall": 0.0, "false positive rate": 0.0}
    for counts in compositions(n, len(law)):
        cumulative = np.cumsum(counts).astype(float)
        chance = stats.multinomial.pmf(counts, n, law)
        low = certification.recall_limits(cumulative, n, ALPHA)
        high = certification.false_positive_rate_limits(cumulative, n, ALPHA)
        missed["recall"] += chance * (low > true_rates).any()
        missed["false positive rate"] += chance * (high < true_rates).any()
    assert max(missed.values()) <= ALPHA
    assert min(missed.values()) > 0.001


# --------------------------------------------------------------------------------------- goals


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("level", [0.9, None])
def test_the_numbers_are_those_of_the_confusion_matrix(goal, level):
    point = choose_threshold(CURVE, pi0=0.01, confidence_level=level, **goal)
    matrix = CURVE.confusion_matrix(point.threshold)
    assert (point.true_alerts, point.alerts) == (matrix.tp, matrix.tp + matrix.fp)
    at_prior = matrix.at_prior(0.01)
    assert point.precision == pytest.approx(scores.precision(at_prior))
    assert point.recall == pytest.approx(scores.recall(at_prior))
    rate = (at_prior.tp + at_prior.fp) / (at_prior.n_pos + at_prior.n_neg)
    assert point.alert_rate == pytest.approx(rate)
    assert point.alerts_per_1000 == pytest.approx(1000 * rate)
    assert point.certified == (level is not None)
    assert math.isnan(point.precision_low) == math.isnan(point.recall_low) == (level is None)
    assert "sample" in repr(point)


@pytest.mark.parametrize("method", METHODS)
def test_a_certified_precision_is_above_the_requirement_on_the_sample(method):
    point = choose_threshold(CURVE, pi0=0.01, min_precision=0.3, method=method)
    assert point.precision > 0.3
    assert point.precision_low == 0.3
    plug_in = choose_threshold(CURVE, pi0=0.01, min_precision=0.3, confidence_level=None)
    assert plug_in.threshold < point.threshold


def test_the_plug_in_is_the_loosest_threshold_that_meets_the_goal_on_the_sample():
    y_true, y_score = sample(n_pos=30, n_neg=300, decimals=1)
    curve = ConfusionCurve.from_predictions(y_true, y_score)
    distinct = np.unique(y_score)
    matrices = curve.confusion_matrix(distinct)
    precision = matrices.tp / (matrices.tp + matrices.fp)
    recall, rate = matrices.tp / 30, (matrices.tp + matrices.fp) / 330

    def threshold(**goal):
        return choose_threshold(curve, confidence_level=None, **goal).threshold

    assert threshold(min_precision=0.5) == distinct[precision >= 0.5].min()
    assert threshold(min_recall=0.5) == distinct[recall >= 0.5].max()
    assert threshold(max_alert_rate=0.1) == distinct[rate <= 0.1].min()


@pytest.mark.parametrize("beta", [0.5, 1.0, 3.0])
def test_the_empirical_best_fbeta_is_the_score(beta):
    point = choose_threshold(CURVE, pi0=0.01, beta=beta, confidence_level=None)
    assert point.value == pytest.approx(scores.best_fbeta(CURVE.at_prior(0.01), beta))
    matrix = CURVE.confusion_matrix(point.threshold).at_prior(0.01)
    assert point.value == pytest.approx(scores.fbeta(matrix, beta))


@pytest.mark.parametrize(("cost_fp", "cost_fn"), [(1.0, 20.0), (3.0, 500.0)])
def test_the_least_cost_is_the_least_over_all_thresholds(cost_fp, cost_fn):
    point = choose_threshold(
        CURVE, pi0=0.01, cost_fp=cost_fp, cost_fn=cost_fn, confidence_level=None
    )
    matrices = CURVE.confusion_matrix(CURVE.thresholds)
    costs = 0.01 * matrices.fn / 200 * cost_fn + 0.99 * matrices.fp / 4000 * cost_fp
    assert point.value == pytest.approx(costs.min())


def test_a_certified_optimum_gives_up_some_of_the_empirical_value():
    best = choose_threshold(CURVE, pi0=0.01, beta=1, confidence_level=None)
    certified = choose_threshold(CURVE, pi0=0.01, beta=1)
    assert 0.1 < certified.value_limit < certified.value <= best.value
    cheapest = choose_threshold(CURVE, pi0=0.01, cost_fp=1, cost_fn=40, confidence_level=None)
    certified = choose_threshold(CURVE, pi0=0.01, cost_fp=1, cost_fn=40)
    assert cheapest.value <= certified.value < certified.value_limit < 0.01 * 40


@pytest.mark.parametrize("level", [0.9, None])
def test_no_threshold_is_chosen_if_alerts_cost_more_than_misses(level):
    curve = ConfusionCurve.from_predictions([1, 0, 1, 0], [1, 2, 3, 4])
    point = choose_threshold(curve, pi0=0.01, cost_fp=1, cost_fn=1, confidence_level=level)
    assert point.threshold is None
    assert "predicting nothing positive costs 0.01" in point.reason


@pytest.mark.parametrize(("cost_fp", "chosen"), [(1.01, False), (0.99, True)])
def test_alerts_must_cost_less_than_predicting_nothing_positive(cost_fp, chosen):
    curve = ConfusionCurve.from_predictions([1, 0], [2, 2])
    point = choose_threshold(curve, cost_fp=cost_fp, cost_fn=1, confidence_level=None)
    assert (point.threshold is not None) == chosen


def test_limits_of_a_threshold_are_those_of_its_counts():
    point = choose_threshold(CURVE, pi0=0.01, min_recall=0.6)
    tp, fp = np.array([point.true_alerts]), np.array([point.alerts - point.true_alerts])
    tpr = certification.recall_limits(tp, 200, ALPHA / 2)[0]
    fpr = certification.false_positive_rate_limits(fp, 4000, ALPHA / 2)[0]
    assert point.precision_low == pytest.approx(0.01 * tpr / (0.01 * tpr + 0.99 * fpr))
    assert point.recall_low == 0.6
    point = choose_threshold(CURVE, pi0=0.01, min_precision=0.3)
    limit = certification.recall_limits(np.array([point.true_alerts]), 200, ALPHA)[0]
    assert point.recall_low == pytest.approx(limit)
    point = choose_threshold(CURVE, pi0=0.01, beta=1)
    assert point.value_limit == pytest.approx(
        2 / (1 / point.precision_low + 1 / _joint_recall_limit(point))
    )


def _joint_recall_limit(point):
    return certification.recall_limits(np.array([point.true_alerts]), 200, ALPHA / 2)[0]


def test_the_uniform_limit_of_the_best_fbeta_holds_in_most_samples():
    n_missed = 0
    for seed in range(200):
        point = choose_threshold(curve_of(seed, 100, 1000, 2.0), beta=1)
        tpr, fpr = stats.norm.sf(point.threshold - 2), stats.norm.sf(point.threshold)
        n_missed += 2 * tpr / (1 + tpr + 10 * fpr) < point.value_limit
    assert n_missed <= 20


# ------------------------------------------------------------------------------ not certifiable


def test_too_few_positives_are_named_with_the_alerts_needed():
    y_true, y_score = np.arange(100) < 10, np.arange(100)[::-1]
    curve = ConfusionCurve.from_predictions(y_true, y_score)
    point = choose_threshold(curve, min_precision=0.8)
    assert (point.threshold, point.certified) == (None, False)
    assert (point.alerts_needed, point.alerts_available) == (11, 10)
    assert "at least 11 alerts, all of them true" in point.reason
    assert "has 10 positives" in point.reason
    assert math.isnan(point.precision)
    assert "no threshold" in repr(point)
    y_true = np.arange(100) < 11
    point = choose_threshold(ConfusionCurve.from_predictions(y_true, y_score), min_precision=0.8)
    assert (point.true_alerts, point.alerts) == (11, 11)


def test_alerts_needed_are_those_without_an_error():
    for share, needed in ((0.8, 11), (0.976, 95), (0.1, 1)):
        assert certification.fewest_faultless((1 - share) / share, 0.1) == needed
        assert share**needed <= 0.1 * (1 + 1e-9) < share ** (needed - 1) * (1 + 2e-9)


@pytest.mark.parametrize("method", METHODS)
def test_a_useless_ranking_is_not_certified(method):
    tied = ConfusionCurve.from_predictions(np.arange(900) < 30, np.zeros(900))
    for curve in (curve_of(distance=0.0), tied):
        point = choose_threshold(curve, min_precision=0.5, method=method)
        assert not point.certified
        assert "alerts are true" in point.reason


@pytest.mark.parametrize("method", METHODS)
def test_requirements_at_the_ends_of_their_range(method):
    nearly_one = choose_threshold(CURVE, pi0=1e-9, min_precision=1 - 1e-9, method=method)
    assert nearly_one.alerts_needed > 1e12
    trivial = choose_threshold(CURVE, pi0=0.5, min_precision=0.01, method=method)
    assert trivial.recall == 1
    with pytest.raises(ValueError, match="odds outside the range of float64"):
        choose_threshold(CURVE, pi0=1e-320, min_precision=1 - 1e-16, method=method)


def test_recall_and_alert_rate_may_be_out_of_reach():
    curve = ConfusionCurve.from_predictions(np.arange(60) < 20, np.arange(60)[::-1])
    point = choose_threshold(curve, min_recall=0.9)
    assert "at least 22 positives are needed" in point.reason
    point = choose_threshold(curve, max_alert_rate=0.01)
    assert "even without an alert" in point.reason
    assert point.threshold is None


# --------------------------------------------------------------------------------------- priors


@pytest.mark.parametrize("goal", GOALS)
def test_a_curve_at_a_prior_is_tested_on_its_raw_counts(goal):
    points = [
        choose_threshold(CURVE, pi0=0.01, **goal),
        choose_threshold(CURVE.at_prior(0.01), **goal),
        choose_threshold(CURVE.at_prior(0.4), pi0=0.01, **goal),
    ]
    assert points[1].threshold == points[2].threshold == points[0].threshold
    assert points[1].precision == pytest.approx(points[0].precision)


@pytest.mark.parametrize(("goal", "end"), [(GOALS[0], 0.01), (GOALS[3], 0.02), (GOALS[4], 0.01)])
def test_a_range_of_priors_uses_the_worse_end(goal, end):
    of_range = choose_threshold(CURVE, pi0=(0.01, 0.02), **goal)
    assert of_range.threshold == choose_threshold(CURVE, pi0=end, **goal).threshold
    at_low, at_high = (choose_threshold(CURVE, pi0=pi0, **goal) for pi0 in (0.01, 0.02))
    assert of_range.threshold >= max(at_low.threshold, at_high.threshold)
    matrix = CURVE.confusion_matrix(of_range.threshold)
    assert of_range.precision == pytest.approx(scores.precision(matrix.at_prior(0.01)))
    assert "0.01 to 0.02" in repr(of_range)


def test_the_cost_of_a_range_is_that_of_the_worse_end():
    costs = {"cost_fp": 1.0, "cost_fn": 40.0}
    point = choose_threshold(CURVE, pi0=(0.01, 0.02), **costs)
    matrix = CURVE.confusion_matrix(point.threshold)
    at_ends = [
        pi0 * matrix.fn / matrix.n_pos * 40 + (1 - pi0) * matrix.fp / matrix.n_neg
        for pi0 in (0.01, 0.02)
    ]
    assert point.value == pytest.approx(max(at_ends))


@pytest.mark.parametrize(("goal", "end"), [(GOALS[0], 0), (GOALS[1], 0), (GOALS[3], 1)])
def test_half_of_alpha_covers_an_estimated_prior(goal, end):
    prior = Estimate.normal(0.012, 0.001)
    limit = prior.limits(0.9)[end]  # 0.05 lies beyond it
    expected = choose_threshold(CURVE, pi0=limit, confidence_level=0.95, **goal)
    point = choose_threshold(CURVE, pi0=prior, **goal)
    assert point.threshold == expected.threshold
    assert point.certified
    matrix = CURVE.confusion_matrix(point.threshold).at_prior(0.012)
    assert point.precision == pytest.approx(scores.precision(matrix))


def test_both_limits_of_an_estimated_prior_count_for_a_cost():
    prior = Estimate.normal(0.012, 0.001)
    expected = choose_threshold(
        CURVE, pi0=prior.limits(0.95), confidence_level=0.95, cost_fp=1, cost_fn=40
    )
    point = choose_threshold(CURVE, pi0=prior, cost_fp=1, cost_fn=40)
    assert point.threshold == expected.threshold
    assert point.value_limit == pytest.approx(expected.value_limit)


# ----------------------------------------------------------------------------- kinds of curves


@pytest.mark.parametrize("goal", GOALS)
def test_counts_and_repeated_rows_are_the_same(goal):
    y_true, y_score = sample(n_pos=80, n_neg=900, decimals=1)
    twice = ConfusionCurve.from_predictions(np.tile(y_true, 2), np.tile(y_score, 2))
    counts = ConfusionCurve.from_counts(y_score, 2 * y_true, 2 * ~y_true)
    half = ConfusionCurve.from_predictions(y_true, y_score)
    points = [choose_threshold(curve, pi0=0.05, **goal) for curve in (twice, counts, half + half)]
    assert len(set(points)) == 1


@pytest.mark.parametrize("weight", [100, 0.37])
@pytest.mark.parametrize("goal", GOALS)
def test_weights_of_a_class_are_a_change_of_the_prior(goal, weight):
    y_true, y_score = sample(n_pos=80, n_neg=900, decimals=1)
    rows = ConfusionCurve.from_predictions(y_true, y_score)
    weights = np.where(y_true, 1, weight)
    weighted = ConfusionCurve.from_predictions(y_true, y_score, sample_weight=weights)
    assert choose_threshold(weighted, **goal) == choose_threshold(rows, pi0=weighted.prior, **goal)
    at_a_prior = choose_threshold(weighted, pi0=0.05, **goal)
    assert at_a_prior == choose_threshold(rows, pi0=0.05, **goal)


@given(st.integers(0, 2**16), st.sampled_from([1, 2]), st.sampled_from(GOALS))
def test_increasing_maps_of_tied_scores_choose_the_same_rows(seed, decimals, goal):
    y_true, y_score = sample(seed, 40, 400, decimals=decimals)
    points = [
        choose_threshold(ConfusionCurve.from_predictions(y_true, mapped), pi0=0.05, **goal)
        for mapped in (y_score, np.exp(y_score))
    ]
    assert points[0].alerts == points[1].alerts
    if points[0].threshold is not None:
        assert points[1].threshold == np.exp(points[0].threshold)


def test_sampling_weights_are_refused():
    """All rows above a score are labelled, and one of 20 below it, with the weight 20."""
    y_true, y_score = sample()
    weights = np.where(y_score > 1, 1, 20)
    curve = ConfusionCurve.from_predictions(y_true, y_score, sample_weight=weights)
    with pytest.raises(ValueError, match="weights differ within a class"):
        choose_threshold(curve, min_precision=0.3)
    merged = CURVE.at_prior(0.5) + CURVE
    with pytest.raises(ValueError, match="weights differ within a class"):
        choose_threshold(merged, min_precision=0.3)


def test_counts_must_be_whole_numbers():
    curve = ConfusionCurve.from_counts([1, 2], [1.25, 2], [1, 2])
    with pytest.raises(ValueError, match="its numbers of rows are not whole"):
        choose_threshold(curve, min_precision=0.3)


def test_counts_that_are_whole_up_to_a_rounding_count_rows():
    for rounding in (0, 1e-7, -1e-7):
        curve = ConfusionCurve.from_counts([1, 2, 3], [1, 2, 3 + rounding], [4, 5, 6])
        for options in ({}, {"confidence_level": None}):
            point = choose_threshold(curve, min_recall=0.5, **options)
            assert (point.alerts, point.true_alerts) in {(9, 3), (16, 5), (21, 6)}
            assert point.recall == pytest.approx(point.true_alerts / 6, rel=1e-6)
            assert point.recall <= 1


@pytest.mark.parametrize(
    "curve",
    [
        CURVE.hull(),
        ConfusionCurve(CURVE.thresholds, CURVE.tp, CURVE.fp),
        ConfusionCurve.from_binormal(2, 0, 0.1),
        ConfusionCurve.from_roc([0, 0.1, 1], [0, 0.8, 1], 10, 100),
    ],
)
def test_curves_without_rows_are_refused(curve):
    with pytest.raises(ValueError, match="curve must hold the labelled rows"):
        choose_threshold(curve, min_recall=0.5)


# --------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "exactly one of .* got none"),
        ({"min_precision": 0.3, "min_recall": 0.5}, "got precision >= 0.3 and recall >= 0.5"),
        ({"cost_fp": 1.0}, "cost_fp and cost_fn must be given together, got 1.0 and None"),
        ({"min_precision": 1.0}, "min_precision must lie in the open interval"),
        ({"min_recall": 0}, "min_recall must lie in the open interval"),
        ({"max_alert_rate": 2}, "max_alert_rate must lie in the open interval"),
        ({"beta": 0}, "beta must be above 0"),
        ({"cost_fp": 1, "cost_fn": -1}, "cost_fn must be above 0"),
        ({"min_recall": 0.5, "confidence_level": 1}, "confidence_level must lie"),
        ({"min_recall": 0.5, "method": "plug-in"}, "method must be one of"),
        ({"min_recall": 0.5, "pi0": 0}, "pi0 must lie"),
        ({"min_recall": 0.5, "pi0": (0.2, 0.1)}, "low <= high"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        choose_threshold(CURVE, **arguments)


@pytest.mark.parametrize("pi0", [[0.1, 0.2], np.array([0.1]), (0.1,), "0.1", True])
def test_other_kinds_of_priors_are_refused(pi0):
    with pytest.raises(TypeError, match="pi0 must be"):
        choose_threshold(CURVE, pi0=pi0, min_recall=0.5)


def test_a_curve_is_needed():
    with pytest.raises(TypeError, match="curve must be a ConfusionCurve"):
        choose_threshold([1, 2], min_recall=0.5)


def test_the_repr_can_be_read_at_a_glance():
    point = OperatingPoint(
        0.75,
        True,
        "precision >= 0.3 at pi0 = 0.01",
        0.9,
        "fixed_sequence",
        0.01,
        "fixed sequence of binomial tests; the choice of the threshold is included",
        precision=0.4,
        precision_low=0.3,
        recall=0.5,
        recall_low=0.45,
        alert_rate=0.0125,
        alerts=50,
        true_alerts=25,
    )
    assert repr(point) == (
        "OperatingPoint(score >= 0.75, certified at confidence level 0.9\n"
        "  goal        precision >= 0.3 at pi0 = 0.01\n"
        "  precision   0.4, certified at least 0.3\n"
        "  recall      0.5, certified at least 0.45\n"
        "  alert rate  0.0125, 12.5 per 1000\n"
        "  sample      50 alerts, 25 of them true\n"
        "  reason      fixed sequence of binomial tests; the choice of the threshold is included)"
    )


# --------------------------------------------------------------------------------- scikit-learn


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("response", ["predict_proba", "decision_function"])
def test_scikit_learn_applies_the_threshold_as_it_was_certified(goal, response):
    from sklearn.frozen import FrozenEstimator
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import FixedThresholdClassifier

    y_true, x = sample()
    features = x[:, np.newaxis]
    model = LogisticRegression().fit(features[::2], y_true[::2])
    holdout, y_holdout = features[1::2], y_true[1::2]
    y_score = getattr(model, response)(holdout)
    y_score = y_score if y_score.ndim == 1 else y_score[:, 1]
    point = choose_threshold(ConfusionCurve.from_predictions(y_holdout, y_score), pi0=0.05, **goal)
    classifier = FixedThresholdClassifier(
        FrozenEstimator(model), threshold=point.threshold, response_method=response
    ).fit(holdout, y_holdout)
    predicted = classifier.predict(holdout)
    np.testing.assert_array_equal(predicted, y_score >= point.threshold)
    assert point.threshold in y_score  # the row at the threshold itself is an alert
    assert (predicted.sum(), predicted[y_holdout].sum()) == (point.alerts, point.true_alerts)


def test_a_prior_that_may_be_0_certifies_no_precision():
    prior = Estimate.normal(0.01, 0.01, bounds=(0, 1))
    point = choose_threshold(CURVE, pi0=prior, min_precision=0.5)
    assert point.threshold is None
    assert not point.certified
