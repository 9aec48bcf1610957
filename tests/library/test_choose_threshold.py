"""`choose_threshold`: its guarantees by exact enumeration, its goals, priors and errors."""

import functools
import itertools
import math
import re
from dataclasses import replace

import numpy as np
import pytest
from samples import curve_of, rows_of
from scipy import stats

from calibrated_metrics import ConfusionCurve, Metric, binomial, scores, uncertainty
from calibrated_metrics.thresholds import choose_threshold
from calibrated_metrics.thresholds.decisions import (
    Ranking,
    Rates,
    false_positive_rate_limits,
    recall_limits,
)
from calibrated_metrics.uncertainty import Estimate

pytestmark = pytest.mark.filterwarnings("error")

ALPHA = 0.1
GOALS = (
    {"min_precision": 0.3},
    {"min_recall": 0.8},
    {"max_alert_rate": 0.02},
    {"beta": 2.0},
    {"cost_fp": 1.0, "cost_fn": 40.0},
)


def choose(curve, **asked):
    """Choose at a confidence level of 0.9, and with the same halves."""
    return choose_threshold(curve, **{"confidence_level": 1 - ALPHA, "rng": 0, **asked})


def admitted(point, y_score):
    """The lowest score that the threshold admits."""
    return y_score[y_score >= point.threshold].min()


sample = functools.partial(rows_of, n_pos=200, n_neg=4000, shift=2.5)
CURVE = ConfusionCurve.from_predictions(*sample())


# ----------------------------------------------------------------- the guarantee, over all samples


def compositions(total, parts):
    """All ways to place `total` rows on `parts` scores."""
    for cuts in itertools.combinations(range(total + parts - 1), parts - 1):
        ends = (-1, *cuts, total + parts - 1)
        yield tuple(end - start - 1 for start, end in itertools.pairwise(ends))


@functools.cache
def points_of_all_samples(n_pos, n_neg, n_levels, **goal):
    """What is chosen in each sample of rows with the scores 0, 1, 2, ..."""
    samples = itertools.product(compositions(n_pos, n_levels), compositions(n_neg, n_levels))
    return [
        choose(ConfusionCurve.from_counts(np.arange(n_levels), *sample), **goal)
        for sample in samples
    ]


def missed_share(n_pos, n_neg, pos_law, neg_law, violates, **goal):
    """Exact probabilities that the chosen threshold violates the goal, and that there is one.

    `violates` takes the rates of the decision ``score >= threshold``.
    """
    tpr, fpr = (np.cumsum(law[::-1])[::-1] for law in (pos_law, neg_law))
    violated = [violates(*rates) for rates in zip(tpr, fpr, strict=True)]
    missed = chosen = 0.0
    chances = np.multiply.outer(
        *(
            stats.multinomial.pmf(list(compositions(n, len(law))), n, law)
            for n, law in ((n_pos, pos_law), (n_neg, neg_law))
        )
    )
    points = points_of_all_samples(n_pos, n_neg, len(pos_law), **goal)
    for point, chance in zip(points, chances.ravel(), strict=True):
        if point.certified:
            chosen += chance
            missed += chance * violated[int(point.threshold)]
    return missed, chosen


def test_precision_is_missed_in_at_most_alpha_of_all_samples():
    """Every threshold but the last is just below the required precision."""
    n_pos, n_neg, odds, pos_law = 12, 6, 2.0, (0.3, 0.3, 0.4)
    pi0 = n_pos / (n_pos + n_neg)
    precision = odds * pi0 / (odds * pi0 + 1 - pi0)
    neg = np.array(pos_law) / (0.999 * odds)
    neg[0] = 1 - neg[1:].sum()
    missed, _ = missed_share(
        n_pos,
        n_neg,
        pos_law,
        neg,
        lambda tpr, fpr: tpr < odds * fpr,
        min_precision=precision,
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
        point = choose(curve, min_recall=least)
        tails = stats.binom.sf(np.arange(-1, n_pos), n_pos, least)  # P(>= k)
        assert point.true_alerts == np.argmax(tails <= ALPHA)
        assert point.recall_low == least


# ------------------------------------------------------------------------ the sequence of tests


def test_binomial_tails_are_those_of_scipy():
    trials = np.arange(1, 60)[:, np.newaxis]
    least = np.arange(-1, 62)
    expected = stats.binom.sf(least - 1, trials, 0.3)
    found = binomial.upper_tail(least, trials, 0.3)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-300)


def first_start(share, alpha):
    """The fewest trials at which tenfold odds are found in nine of ten samples.

    They need less than 0.6 of the successes of these tests.
    """

    def power(trials):
        tails = stats.binom.sf(np.arange(-1, trials + 1), trials, share)
        return stats.binom.sf(np.argmax(tails <= alpha) - 1, trials, 10 * share / (1 + 9 * share))

    return next(trials for trials in itertools.count(1) if power(trials) >= 0.9)


def starts_of(share, n_successes, alpha):
    """Starts of sequences and their levels, by trying each number of trials."""

    def tails(trials):
        return stats.binom.sf(np.arange(-1, trials + 1), trials, share)

    needed = (np.argmax(tails(trials) <= 0.05 * alpha) for trials in itertools.count(9))
    last = next(trials for trials, least in enumerate(needed, 9) if least >= 0.75 * n_successes)
    n_more = math.floor(math.log(last / first_start(share, 0.7 * alpha), 1.6))
    of_one = alpha / (4 + n_more)
    first = first_start(share, 4 * of_one)
    starts = np.geomspace(first, max(first, last), n_more + 1).round().astype(int)[1:].tolist()
    levels = [tails(each)[tails(each) <= of_one].max() for each in starts]  # of their tests
    of_first = alpha - sum(levels)
    return dict(zip([first_start(share, of_first), *starts], [of_first, *levels], strict=True))


@pytest.mark.parametrize("share", [0.05, 0.3, 0.8])
def test_the_sequences_start_where_tenfold_odds_are_found_in_nine_of_ten_samples(share):
    trials = np.arange(1.0, 10_001)
    tested = binomial.fixed_sequence(np.zeros(10_000), trials, share, 100, ALPHA)
    levels = starts_of(share, 100, ALPHA)
    assert tested.n_starts == len(levels) > 2
    assert sum(levels.values()) == pytest.approx(ALPHA)
    assert tested.trials == min(levels)
    assert (tested.passed.size, tested.successes) == (0, 0)


def test_few_successes_are_tested_without_a_failure_first():
    """Tenfold odds would need more than 0.6 of them; so one failure is enough to refuse."""
    labels = np.r_[np.ones(13), np.zeros(300)]
    trials = np.arange(1.0, len(labels) + 1)
    faultless = binomial.fewest_faultless(0.25, 0.06)
    assert faultless == 13
    for n_failed, n_passed in ((0, 13), (1, 0)):
        labels[12] = not n_failed
        tested = binomial.fixed_sequence(np.cumsum(labels), trials, 0.8, 20, 0.06)
        assert (tested.passed[-1] + 1 if tested.passed.size else 0) == n_passed


@pytest.mark.parametrize("n_bad", [20, 60])
def test_a_bad_top_does_not_hide_good_alerts(n_bad):
    """The first alerts are half as good as required, the next 250 are three times as good."""
    share = 0.3
    top, rest = np.arange(n_bad) % 6 == 0, np.arange(250) % 16 < 9
    tail = np.arange(3000) % 100 == 0
    labels = np.concatenate([top, rest, tail])
    trials = np.arange(1.0, len(labels) + 1)
    tested = binomial.fixed_sequence(np.cumsum(labels), trials, share, labels.sum(), ALPHA)
    assert 250 < trials[tested.passed[-1]] < 600
    # A sequence of one start ends in the bad top.
    assert binomial.upper_tail(np.cumsum(labels)[first_start(share, ALPHA)], 14, share) > ALPHA


def test_a_refusal_names_the_test_that_came_closest():
    """The first alerts are all false, the others reach the share nearly but not quite."""
    labels = np.r_[np.zeros(30), np.arange(300) % 3 == 0, np.zeros(1000)]
    trials = np.arange(1.0, len(labels) + 1)
    tested = binomial.fixed_sequence(np.cumsum(labels), trials, 0.3, int(labels.sum()), ALPHA)
    assert tested.passed.size == 0
    assert 100 < tested.trials < 330
    assert tested.successes == np.cumsum(labels)[tested.trials - 1] < tested.needed
    curve = ConfusionCurve.from_predictions(labels, -trials)
    reason = choose(curve, min_precision=0.3).reason
    assert f"{tested.successes} of the first {tested.trials} alerts are true, but" in reason
    assert f"the closest of {tested.n_starts} tests" in reason


def test_a_refusal_after_a_single_test_is_not_said_to_be_the_closest():
    labels = np.r_[np.arange(60) % 3 > 0, np.zeros(1000)]
    chosen = choose(ConfusionCurve.from_predictions(labels, -np.arange(1060)), min_precision=0.8)
    assert chosen.reason.endswith("are needed")


@pytest.mark.parametrize("decimals", [None, 1, 0])
@pytest.mark.parametrize("seed", range(4))
def test_precision_by_a_slow_walk_over_all_thresholds(seed, decimals):
    n_pos, n_neg, odds = 60, 600, 8.0
    y_true, y_score = rows_of(seed, n_pos, n_neg, 2.0, decimals)
    share = odds * n_pos / (odds * n_pos + n_neg)
    counts = []  # threshold, alerts, true alerts, from strict to loose
    for threshold in np.unique(y_score)[::-1]:
        alert = y_score >= threshold
        counts.append((threshold, alert.sum(), (alert & y_true).sum()))
    levels = starts_of(share, n_pos, ALPHA)
    ranks = np.geomspace(1, n_pos + n_neg, 150).round()
    ranks = np.append(ranks, n_pos + n_neg - ranks)
    certified, level, tested, waiting = None, 0.0, [], sorted(levels)
    for rank in sorted({*levels, *ranks[ranks > min(levels)]}):
        reached = [each for each in counts if min(levels) <= each[1] <= rank]
        if not reached or reached[-1] in tested:
            continue
        threshold, alerts, true_alerts = reached[-1]
        tested.append(reached[-1])
        while waiting and alerts >= waiting[0]:  # the next start, with what the last one hands on
            level += levels[waiting.pop(0)]
        if stats.binom.sf(true_alerts - 1, alerts, share) > level:
            level = 0
        elif level:
            certified = threshold
    curve = ConfusionCurve.from_predictions(y_true, y_score)
    precision = odds / (odds + n_neg / n_pos)
    assert admitted(choose(curve, min_precision=precision), y_score) == certified


@pytest.mark.parametrize("most", [0.01, 0.03, 0.2])
def test_the_alert_rate_by_its_limit_at_all_thresholds(most):
    n_pos, n_neg, pi0 = 50, 700, 0.02
    y_true, y_score = rows_of(1, n_pos, n_neg, 2.0, decimals=2)
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
    point = choose(curve, pi0=pi0, max_alert_rate=most)
    assert admitted(point, y_score) == min(within)


def test_uniform_limits_hold_at_all_thresholds_in_most_samples():
    n, law = 9, np.array([0.2, 0.3, 0.1, 0.4])
    true_rates = np.cumsum(law)  # of the counts of the highest scores
    missed = {"recall": 0.0, "false positive rate": 0.0}
    for counts in compositions(n, len(law)):
        cumulative = np.cumsum(counts).astype(float)
        chance = stats.multinomial.pmf(counts, n, law)
        low = recall_limits(cumulative, n, ALPHA)
        high = false_positive_rate_limits(cumulative, n, ALPHA)
        missed["recall"] += chance * (low > true_rates).any()
        missed["false positive rate"] += chance * (high < true_rates).any()
    assert max(missed.values()) <= ALPHA
    assert min(missed.values()) > 0.001


# ----------------------------------------------------------------------- the threshold as a rule


def printed(point):
    """The number that a reader copies."""
    return float(re.search(r"score >= (\S+),", repr(point)).group(1))


def test_the_printed_rule_keeps_the_promise():
    """2/3 was printed as 0.666667, a rule with a recall of 0.42 instead of 0.74."""

    def votes(n):
        positive = rng.random(n) < 0.2
        return positive, rng.binomial(6, np.where(positive, 0.7, 0.25)) / 6

    rng = np.random.default_rng(0)
    point = choose_threshold(votes(3000), min_recall=0.55)
    positive, score = votes(200_000)
    assert printed(point) == point.threshold == 0.6
    assert (score >= printed(point))[positive].mean() > 0.7


RULES = {
    "float64": lambda rng: rng.random(60),
    "sixths": lambda rng: rng.integers(0, 7, 60) / 6,
    "decimals": lambda rng: rng.random(60).round(1),
    "below 0": lambda rng: -rng.exponential(size=60),
    "around 0": lambda rng: rng.normal(size=60) * 1e-9,
    "large": lambda rng: rng.normal(size=60) * 1e300,
    "widest": lambda rng: rng.choice([-1.7e308, 0.5, 1.7e308], 60),
    "smallest": lambda rng: rng.choice([0.0, 5e-324, 1e-300], 60),
    "ulps": lambda rng: 0.3 + rng.integers(0, 9, 60) * 2.0**-54,
    "float32": lambda rng: rng.random(60).astype(np.float32),
    "ulps of float32": lambda rng: (0.3 + rng.integers(0, 9, 60) * 2.0**-25).astype(np.float32),
    "float16": lambda rng: rng.random(60).astype(np.float16),
    "one": lambda rng: np.full(60, 0.3),
}


@pytest.mark.parametrize("place", [0.0, 0.3, 1.0], ids=["highest", "middle", "lowest"])
@pytest.mark.parametrize("scores_of", RULES.values(), ids=RULES)
def test_the_threshold_lies_below_its_score_and_separates_the_same_rows(scores_of, place):
    rng = np.random.default_rng(1)
    y_score = scores_of(rng)
    y_true = (np.arange(60) % 2).astype(bool)
    ranking = Ranking.of(ConfusionCurve.from_predictions(y_true, y_score))
    at = round(place * (len(ranking.thresholds) - 1))
    rule, score = ranking.threshold(at), ranking.thresholds[at]
    lower = ranking.thresholds[at + 1] if at + 1 < len(ranking.thresholds) else -np.inf
    nothing_between = np.nextafter(y_score.dtype.type(lower), np.inf, dtype=y_score.dtype) == score
    assert lower < rule <= score
    assert (rule < score) == (not nothing_between)
    for compared in (rule, y_score.dtype.type(rule)):
        np.testing.assert_array_equal(y_score >= compared, y_score.astype(float) >= score)
    if np.isfinite(lower) and rule < score:
        assert (score / 2 - rule / 2) <= (rule / 2 - lower / 2) * (1 + 1e-9)


def test_the_threshold_has_no_more_digits_than_needed():
    for gap in (0.3, 0.03, 0.003, 1e-6):
        y_score = np.array([0.91234567, 0.91234567 - gap])
        rule = Ranking.of(ConfusionCurve.from_predictions([1, 0], y_score)).threshold(0)
        n_digits = len(repr(rule).removeprefix("0."))
        shorter = np.floor(y_score * 10.0 ** (n_digits - 1)) / 10.0 ** (n_digits - 1)
        assert shorter[0] <= y_score.mean() < rule < y_score[0]


def test_whole_and_counted_scores_are_thresholds_themselves():
    """Whole numbers have no rounding errors; a counted score may be the lower edge of a bin."""
    y_true, y_score = sample()
    whole = choose((y_true, np.rint(y_score)), min_recall=0.5)
    assert whole.threshold in np.rint(y_score)
    bins = np.floor(y_score * 3) / 3
    counted = choose(ConfusionCurve.from_counts(bins, y_true, ~y_true), min_recall=0.5)
    assert counted.threshold in bins
    assert printed(counted) == counted.threshold


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("level", [0.9, None])
def test_rows_that_are_scored_alone_get_the_same_decision(goal, level):
    y_true, y_score = sample(decimals=1)
    y_score = y_score / 3
    point = choose((y_true, y_score), pi0=0.01, confidence_level=level, **goal)
    assert printed(point) == point.threshold
    for error in (-1e-12, 1e-12):
        alone = y_score * (1 + error)
        np.testing.assert_array_equal(alone >= point.threshold, y_score >= point.threshold)


def test_a_certified_limit_is_not_rounded_up():
    known = {"recall": 0.95, "recall_low": 0.89996, "value": 0.5, "value_limit": 0.5001}
    point = replace(choose(CURVE, min_recall=0.8), **known)
    assert "certified at least 0.8999\n" in repr(point)
    assert "0.5, certified at most 0.5001\n" in repr(point)
    assert "certified at most 0.5002\n" in repr(replace(point, value_limit=0.50011))


# --------------------------------------------------------------------------------------- goals


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("level", [0.9, None])
def test_the_numbers_are_those_of_the_confusion_matrix(goal, level):
    point = choose(CURVE, pi0=0.01, confidence_level=level, **goal)
    matrix = CURVE.confusion_matrix(point.threshold)
    assert (point.true_alerts, point.alerts) == (matrix.tp, matrix.tp + matrix.fp)
    at_prior = matrix.at_prior(0.01)
    assert point.precision == pytest.approx(scores.precision(at_prior))
    assert point.recall == pytest.approx(scores.recall(at_prior))
    if "beta" in goal and level is None:
        assert point.value == pytest.approx(scores.best_fbeta(CURVE.at_prior(0.01), 2.0))
    if "cost_fp" in goal and level is None:
        every = CURVE.confusion_matrix(CURVE.thresholds)
        costs = 0.01 * every.fn / every.n_pos * 40 + 0.99 * every.fp / every.n_neg
        assert point.value == pytest.approx(costs.min())
    rate = (at_prior.tp + at_prior.fp) / (at_prior.n_pos + at_prior.n_neg)
    assert point.alert_rate == pytest.approx(rate)
    assert point.alerts_per_1000 == pytest.approx(1000 * rate)
    assert point.certified == (level is not None)
    assert math.isnan(point.precision_low) == math.isnan(point.recall_low) == (level is None)
    assert "sample" in repr(point)


@pytest.mark.parametrize("level", [0.95, None])
def test_an_alert_rate_allows_predicting_nothing_positive(level):
    curve = curve_of(n_pos=40, n_neg=1960, shift=0.5)
    asked = {"cost_fp": 50, "cost_fn": 1, "confidence_level": level}
    assert choose(curve, **asked).threshold is None
    point = choose(curve, **asked, max_alert_rate=0.05)
    assert point.threshold is None
    assert not point.certified
    assert "but predicting nothing positive costs 0.02" in point.reason
    assert choose(curve, **asked, max_alert_rate=0.999, min_recall=0.1).threshold is not None
    cheap = choose(curve, cost_fp=1, cost_fn=300, max_alert_rate=0.3, confidence_level=level)
    assert cheap.value < 0.02 * 300


@pytest.mark.parametrize(("cost_fp", "chosen"), [(1.01, False), (0.99, True)])
def test_alerts_must_cost_less_than_predicting_nothing_positive(cost_fp, chosen):
    curve = ConfusionCurve.from_predictions([1, 0], [2, 2])
    point = choose(curve, cost_fp=cost_fp, cost_fn=1, confidence_level=None)
    assert (point.threshold is not None) == chosen


def test_a_cost_is_that_of_the_worse_end_of_a_range_of_priors():
    costs = {"cost_fp": 1, "cost_fn": 50, "confidence_level": None}
    point = choose(CURVE, pi0_range=(0.05, 0.4), **costs)
    fpr = (point.alerts - point.true_alerts) / 4000
    ends = [pi * (1 - point.recall) * 50 + (1 - pi) * fpr for pi in (0.05, 0.4)]
    assert point.value == pytest.approx(max(ends))
    assert max(ends) > 1.1 * min(ends)


def test_limits_of_a_threshold_are_those_of_its_counts():
    point = choose(CURVE, pi0=0.01, min_recall=0.6)
    tp, fp = np.array([point.true_alerts]), np.array([point.alerts - point.true_alerts])
    tpr = recall_limits(tp, 200, ALPHA / 2)[0]
    fpr = false_positive_rate_limits(fp, 4000, ALPHA / 2)[0]
    assert point.precision_low == pytest.approx(0.01 * tpr / (0.01 * tpr + 0.99 * fpr))
    assert point.recall_low == 0.6
    point = choose(CURVE, pi0=0.01, min_precision=0.3)
    limit = recall_limits(np.array([point.true_alerts]), 200, ALPHA)[0]
    assert point.recall_low == pytest.approx(limit)


@pytest.mark.parametrize("goal", GOALS[3:])
def test_one_half_of_the_rows_chooses_and_the_other_tests(goal):
    point = choose(CURVE, pi0=0.01, **goal)
    choosing, testing = Ranking.of(CURVE).halves(point.seed)
    assert choosing.n_pos == testing.n_pos == 100
    assert choosing.n_neg == testing.n_neg == 2000
    np.testing.assert_array_equal(choosing.alerts + testing.alerts, Ranking.of(CURVE).alerts)
    (at,) = np.flatnonzero(testing.thresholds == admitted(point, CURVE.rows.score))

    def value_of(half, at):
        tpr, fpr = half.rates(at)
        if "beta" in goal:
            return 5 * tpr / (4 + tpr + 99 * fpr)
        return -(0.4 * (1 - tpr) + 0.99 * fpr)

    assert at == np.argmax(value_of(choosing, np.arange(len(testing.tp))))
    assert abs(point.value) == pytest.approx(abs(value_of(testing, at)))
    assert f"the other half, {testing.n_pos:g} positives" in point.reason


def test_limits_of_objectives_add_the_squares_of_clopper_pearson_limits():
    point = choose(CURVE, pi0=0.01, cost_fp=1, cost_fn=40)
    _, testing = Ranking.of(CURVE).halves(point.seed)
    (at,) = np.flatnonzero(testing.thresholds == admitted(point, CURVE.rows.score))
    tp, fp = testing.tp[at], testing.fp[at]
    tpr_low = stats.beta.ppf(ALPHA, tp, 100 - tp + 1)
    fpr_high = stats.beta.ppf(1 - ALPHA, fp + 1, 2000 - fp)
    margins = 0.4 * (tp / 100 - tpr_low), 0.99 * (fpr_high - fp / 2000)
    assert point.value_limit == pytest.approx(point.value + math.hypot(*margins))

    point = choose(CURVE, pi0=0.01, beta=1)
    (at,) = np.flatnonzero(testing.thresholds == admitted(point, CURVE.rows.score))
    rates = Rates.at(int(at), testing, ALPHA)
    f = point.value_limit
    # F1 >= f if and only if (f - 2) TPR + 99 f FPR <= -f
    assert rates.upper_limit(f - 2, 99 * f) == pytest.approx(-f)
    assert 0 < f < point.value


def test_the_seed_of_the_result_repeats_the_halves():
    first = choose(CURVE, pi0=0.01, beta=1, rng=None)
    assert choose(CURVE, pi0=0.01, beta=1, rng=first.seed) == first
    assert choose(CURVE, pi0=0.01, beta=1, rng=3).seed == 3
    generators = [np.random.default_rng(5) for _ in range(2)]
    one, other = (choose(CURVE, pi0=0.01, beta=1, rng=rng) for rng in generators)
    assert one == other
    limits_of = {choose(CURVE, pi0=0.01, beta=1, rng=rng).value_limit for rng in range(5)}
    assert len(limits_of) == 5


def test_halves_need_two_rows_of_each_class():
    point = choose(ConfusionCurve.from_predictions([1, 0, 0], [3, 2, 1]), beta=1)
    assert "at least two rows of each class" in point.reason
    assert (point.threshold, point.seed) == (None, None)
    many = ConfusionCurve.from_counts([1, 2], [0, 10], [2e9, 1])
    with pytest.raises(ValueError, match="fewer than 1000000000 rows of a class to be halved"):
        choose(many, beta=1)
    assert choose(many, min_recall=0.5).certified


# ------------------------------------------------------------------------- several constraints


JOINT = {"min_precision": 0.15, "min_recall": 0.6, "max_alert_rate": 0.05}


def certified_alone(name, value):
    """Thresholds that one constraint certifies at a third of alpha, by its definition."""
    level = 1 - ALPHA / 3
    alone = choose(CURVE, pi0=0.01, confidence_level=level, **{name: value})
    thresholds = np.unique(CURVE.rows.score)
    if name == "min_recall":
        return set(thresholds[thresholds <= alone.threshold])
    return set(thresholds[thresholds >= alone.threshold])


@pytest.mark.parametrize("goal", [{}, {"beta": 1.0}, {"cost_fp": 1.0, "cost_fn": 200.0}])
def test_the_certified_sets_of_constraints_are_intersected(goal):
    sets = [certified_alone(*each) for each in JOINT.items()]
    allowed = np.array(sorted(set.intersection(*sets)))
    assert 20 < len(allowed) < 2000
    point = choose(CURVE, pi0=0.01, **JOINT, **goal)
    assert point.certified
    assert admitted(point, CURVE.rows.score) in allowed
    assert (point.precision_low, point.recall_low) == (0.15, 0.6)
    assert math.isnan(point.value_limit)
    if not goal:
        # Precision is tested at about 150 ranks only, so the loosest one may lie between two.
        matrices = CURVE.confusion_matrix(np.array([allowed[0], point.threshold]))
        alerts = matrices.tp + matrices.fp
        assert alerts[1] <= alerts[0] < 1.08 * alerts[1]
        return
    matrices = CURVE.confusion_matrix(allowed).at_prior(0.01)
    if "beta" in goal:
        best = scores.fbeta(matrices, 1.0).max()
        assert best - 0.02 < point.value <= best
    else:
        costs = 0.01 * matrices.fn / matrices.n_pos * 200 + 0.99 * matrices.fp / matrices.n_neg
        assert costs.min() <= point.value < 1.05 * costs.min()
    assert "has no guarantee" in point.reason


@pytest.mark.parametrize("asked", [*([name] for name in JOINT), list(JOINT)], ids=str)
def test_the_plug_in_is_the_loosest_threshold_that_meets_the_goal_on_the_sample(asked):
    """A recall alone is met by the strictest one."""
    thresholds = np.unique(CURVE.rows.score)
    matrices = CURVE.confusion_matrix(thresholds).at_prior(0.01)
    rate = (matrices.tp + matrices.fp) / (matrices.n_pos + matrices.n_neg)
    met = {
        "min_precision": scores.precision(matrices) >= JOINT["min_precision"],
        "min_recall": scores.recall(matrices) >= JOINT["min_recall"],
        "max_alert_rate": rate <= JOINT["max_alert_rate"],
    }
    kept = np.logical_and.reduce([met[name] for name in asked])
    options = {"pi0": 0.01, "confidence_level": None, **{name: JOINT[name] for name in asked}}
    expected = thresholds[kept].max() if asked == ["min_recall"] else thresholds[kept].min()
    assert admitted(choose(CURVE, **options), CURVE.rows.score) == expected
    best = choose(CURVE, **options, beta=0.5)
    assert best.value == pytest.approx(scores.fbeta(matrices, 0.5)[kept].max())


def test_an_empty_intersection_names_what_each_constraint_allows():
    point = choose(CURVE, pi0=0.01, min_precision=0.4, min_recall=0.9)
    assert (point.threshold, point.certified) == (None, False)
    precision = choose(CURVE, pi0=0.01, min_precision=0.4, confidence_level=1 - ALPHA / 2)
    recall = choose(CURVE, pi0=0.01, min_recall=0.9, confidence_level=1 - ALPHA / 2)
    assert f"precision >= 0.4: thresholds from {precision.threshold:.15g} to" in point.reason
    assert f"to {recall.threshold:.15g}" in point.reason
    assert math.isnan(point.recall_low)
    point = choose(CURVE, pi0=0.01, min_precision=0.999, min_recall=0.9)
    assert "precision >= 0.999: none (at least" in point.reason
    point = choose(CURVE, pi0=0.01, min_precision=0.9, min_recall=0.9, confidence_level=None)
    assert point.reason.startswith("no threshold of this sample has precision >= 0.9 and recall")


def test_a_huge_number_of_alerts_is_written_in_few_digits():
    point = choose(CURVE, pi0=1e-290, min_precision=0.5)
    assert re.search(r"at least \d\.\d+e\+289 alerts, all of them true", point.reason)


# ------------------------------------------------------------------------------ not certifiable


@pytest.mark.parametrize("confidence_level", [None, 0.95])
def test_a_precision_near_0_is_refused(confidence_level):
    with pytest.raises(ValueError, match="precision >= 1e-310 give odds outside the range"):
        choose(CURVE, min_precision=1e-310, confidence_level=confidence_level)


def test_the_square_of_beta_may_overflow():
    found, large = choose(CURVE, beta=1e200), choose(CURVE, beta=1e100)
    assert (found.threshold, found.value_limit) == (large.threshold, large.value_limit)
    interval = uncertainty.interval("fbeta", CURVE.confusion_matrix(2))
    for beta in (1e100, 1e200):
        metric = Metric("fbeta", beta=beta)
        assert uncertainty.interval(metric, CURVE.confusion_matrix(2)).low > interval.low


def test_too_few_positives_are_named_with_the_alerts_needed():
    y_true, y_score = np.arange(100) < 10, np.arange(100)[::-1]
    curve = ConfusionCurve.from_predictions(y_true, y_score)
    point = choose(curve, min_precision=0.8)
    assert (point.threshold, point.certified) == (None, False)
    assert "at least 11 alerts, all of them true" in point.reason
    assert "has 10 positives" in point.reason
    assert math.isnan(point.precision)
    assert "no threshold" in repr(point)
    y_true = np.arange(100) < 11
    point = choose(ConfusionCurve.from_predictions(y_true, y_score), min_precision=0.8)
    assert (point.true_alerts, point.alerts) == (11, 11)


def test_recall_and_alert_rate_may_be_out_of_reach():
    curve = ConfusionCurve.from_predictions(np.arange(60) < 20, np.arange(60)[::-1])
    point = choose(curve, min_recall=0.9)
    assert "at least 22 positives are needed" in point.reason
    point = choose(curve, max_alert_rate=0.01)
    assert "the upper limit at the strictest threshold" in point.reason
    assert point.threshold is None


@pytest.mark.parametrize("decimals", [None, 1])
@pytest.mark.parametrize(
    ("goal", "opposite", "pi0"),
    [
        ({"min_specificity": 0.9}, {"min_recall": 0.9}, None),
        ({"max_fpr": 0.25}, {"min_recall": 0.75}, None),
        ({"min_npv": 0.98}, {"min_precision": 0.98}, None),
        ({"min_npv": 0.95}, {"min_precision": 0.95}, 0.2),
    ],
)
@pytest.mark.parametrize("level", [0.9, None])
def test_specificity_and_npv_are_recall_and_precision_of_the_opposite(
    goal, opposite, pi0, decimals, level
):
    y_true, y_score = sample(decimals=decimals)
    point = choose((y_true, y_score), pi0=pi0, confidence_level=level, **goal)
    other = choose(
        (~y_true, -y_score),
        pi0=None if pi0 is None else 1 - pi0,
        confidence_level=level,
        **opposite,
    )
    assert ((y_score >= point.threshold) == (-y_score < other.threshold)).all()
    if level:
        limits_of = point.npv_low, point.specificity_low
        assert limits_of == pytest.approx((other.precision_low, math.nan), nan_ok=True) or (
            limits_of == pytest.approx((math.nan, other.recall_low), nan_ok=True)
        )
    value = other.precision if "min_npv" in goal else other.recall
    assert (point.npv if "min_npv" in goal else point.specificity) == pytest.approx(value)


def test_constraints_of_both_kinds_of_predictions_hold_jointly():
    point = choose(CURVE, pi0=0.05, min_npv=0.98, min_precision=0.2, min_specificity=0.9)
    assert point.certified
    assert "NPV         0.99" in repr(point)
    assert "certified at least 0.98" in repr(point)
    matrix = CURVE.confusion_matrix(point.threshold).at_prior(0.05)
    assert (point.npv, point.specificity) == pytest.approx(
        (scores.npv(matrix), scores.specificity(matrix))
    )
    alone = choose(CURVE, pi0=0.05, min_npv=0.98, confidence_level=1 - ALPHA / 3)
    assert point.threshold < alone.threshold  # the lowest of all, and the highest for the NPV


def test_the_npv_is_certified_at_the_upper_end_of_the_prior():
    of_range = choose(CURVE, pi0_range=(0.01, 0.05), min_npv=0.98)
    assert of_range.threshold == choose(CURVE, pi0=0.05, min_npv=0.98).threshold
    assert of_range.threshold < choose(CURVE, pi0=0.01, min_npv=0.98).threshold


def test_too_few_negatives_are_named():
    y_true = np.arange(60) < 40
    curve = ConfusionCurve.from_predictions(y_true, np.arange(60)[::-1])
    for goal, name in (({"min_specificity": 0.9}, "specificity"), ({"max_fpr": 0.1}, "FPR")):
        reason = choose(curve, **goal).reason
        assert f"at least 22 negatives are needed to certify this {name} at any" in reason
    reason = choose(curve, min_npv=0.9).reason
    assert reason.startswith("at least 22 rows, all of them negative, are needed to certify this")
    reason = choose((~y_true, np.arange(60)[::-1]), min_specificity=0.5).reason
    assert "25 of 40 negatives must lie below" in reason
    tied = choose(([1, *[0] * 30], [0] * 31), min_specificity=0.5)
    assert tied.reason.startswith("at most 10 of 30 negatives may be alerts, and the strictest")


# --------------------------------------------------------------------------------------- priors


@pytest.mark.parametrize("goal", GOALS)
def test_a_curve_at_a_prior_is_tested_on_its_raw_counts(goal):
    points = [
        choose(CURVE, pi0=0.01, **goal),
        choose(CURVE.at_prior(0.01), **goal),
        choose(CURVE.at_prior(0.4), pi0=0.01, **goal),
    ]
    assert points[1].threshold == points[2].threshold == points[0].threshold
    assert points[1].precision == pytest.approx(points[0].precision)


@pytest.mark.parametrize(("goal", "end"), [(GOALS[0], 0.01), (GOALS[2], 0.02), (GOALS[3], 0.01)])
def test_a_range_of_priors_uses_the_worse_end(goal, end):
    of_range = choose(CURVE, pi0_range=(0.01, 0.02), **goal)
    assert of_range.threshold == choose(CURVE, pi0=end, **goal).threshold
    at_low, at_high = (choose(CURVE, pi0=pi0, **goal) for pi0 in (0.01, 0.02))
    assert of_range.threshold >= max(at_low.threshold, at_high.threshold)
    matrix = CURVE.confusion_matrix(of_range.threshold)
    assert of_range.precision == pytest.approx(scores.precision(matrix.at_prior(0.01)))
    assert "0.01 to 0.02" in repr(of_range)


@pytest.mark.parametrize(("goal", "end"), [(GOALS[0], "low"), (GOALS[2], "high")])
def test_half_of_alpha_covers_an_estimated_prior(goal, end):
    prior = Estimate.normal(0.012, 0.001, confidence_level=0.9)  # 0.05 lies beyond each limit
    expected = choose(CURVE, pi0=getattr(prior, end), confidence_level=0.95, **goal)
    point = choose(CURVE, pi0=prior, **goal)
    assert point.threshold == expected.threshold
    assert point.certified
    assert "0.012 (estimated)" in point.goal
    matrix = CURVE.confusion_matrix(point.threshold).at_prior(0.012)
    assert point.precision == pytest.approx(scores.precision(matrix))


def test_an_estimate_must_have_limits_at_the_level():
    wide = Estimate.normal(0.012, 0.001, confidence_level=0.8)
    with pytest.raises(ValueError, match=r"an Estimate at a confidence level of at least 0\.9"):
        choose(CURVE, pi0=wide, min_precision=0.3)
    assert choose(CURVE, pi0=wide, min_precision=0.3, confidence_level=None).threshold is not None


def test_a_prior_that_may_be_0_certifies_no_precision():
    prior = Estimate.normal(0.01, 0.01, bounds=(0, 1))
    point = choose(CURVE, pi0=prior, min_precision=0.5)
    assert point.threshold is None
    assert not point.certified


# ----------------------------------------------------------------------------- kinds of curves


@pytest.mark.parametrize("goal", GOALS)
def test_counts_repeated_rows_and_sums_are_the_same(goal):
    y_true, y_score = sample(n_pos=80, n_neg=900, decimals=1)
    twice = np.tile(y_true, 2), np.tile(y_score, 2)
    curve = ConfusionCurve.from_predictions(*twice)
    counts = ConfusionCurve.from_counts(y_score, 2 * y_true, 2 * ~y_true)
    half = ConfusionCurve.from_predictions(y_true, y_score)
    assert len({choose(each, pi0=0.05, **goal) for each in (twice, curve, half + half)}) == 1
    of_rows, of_counts = (choose(each, pi0=0.05, **goal) for each in (curve, counts))
    # A counted score may be the lower edge of a bin, so it is the threshold itself.
    assert of_counts == replace(of_rows, threshold=admitted(of_rows, y_score))


@pytest.mark.parametrize("goal", GOALS)
def test_weights_of_a_class_are_a_change_of_the_prior(goal):
    y_true, y_score = sample(n_pos=80, n_neg=900, decimals=1)
    rows = ConfusionCurve.from_predictions(y_true, y_score)
    weights = np.where(y_true, 1, 100)
    weighted = ConfusionCurve.from_predictions(y_true, y_score, sample_weight=weights)
    for pi0 in (weighted.prior, 0.05):
        assert choose(weighted, pi0=pi0, **goal) == choose(rows, pi0=pi0, **goal)
    classes = ConfusionCurve.from_predictions(
        y_true, y_score, sample_weight=weights, strata=np.where(y_true, "a", "b")
    )
    assert choose(classes, **goal) == choose(rows, pi0=classes.prior, **goal)


def test_the_alert_rate_of_the_population_is_tested_as_a_share_of_all_rows():
    y_true, y_score = sample(n_pos=80, n_neg=900, decimals=1)
    curve = ConfusionCurve.from_predictions(y_true, y_score)
    most, point = 0.1, choose(curve, max_alert_rate=0.1)

    def upper_limit(threshold):
        limits = stats.binomtest(int((y_score >= threshold).sum()), 980).proportion_ci(0.8)
        return limits.high

    allowed = [each for each in np.unique(y_score) if upper_limit(each) <= most]
    assert admitted(point, y_score) == min(allowed)
    assert (point.method, point.certified) == ("Clopper-Pearson", True)
    assert "0.08163 (estimated)" in point.goal


@pytest.mark.parametrize("kept", [None, 20])
def test_precision_of_the_population_is_tested_as_a_share_of_the_alerts(kept):
    """The error of the prior takes nothing from the level."""
    y_true, y_score = sample(n_pos=300, n_neg=3000)
    drawn = {} if kept is None else {"sample_weight": np.where(y_true, 1, kept)}
    curve = ConfusionCurve.from_predictions(y_true, y_score, **drawn)
    own, known = choose(curve, min_precision=0.2), choose(curve, min_precision=0.2, pi0=curve.prior)
    assert own.threshold == known.threshold
    assert own.certified


@pytest.mark.parametrize(
    "goal", [{"max_alert_rate": 0.3}, {"beta": 1}, {"beta": 2}, {"cost_fp": 1, "cost_fn": 40}]
)
def test_limits_of_other_goals_include_the_error_of_the_prior(goal):
    y_true, y_score = sample(n_pos=80, n_neg=900)
    curve = ConfusionCurve.from_predictions(y_true, y_score, sample_weight=np.where(y_true, 1, 20))
    own, known = choose(curve, **goal, rng=0), choose(curve, pi0=curve.prior, **goal, rng=0)
    if "max_alert_rate" in goal:
        assert own.threshold > known.threshold
    else:
        assert own.threshold == known.threshold
        assert own.value == pytest.approx(known.value)
        sign = -1 if "beta" in goal else 1
        assert sign * own.value_limit > sign * known.value_limit


def test_strata_within_the_classes_fix_the_prior_of_a_certificate():
    y_true, y_score = sample(n_pos=80, n_neg=900)
    fixed = ConfusionCurve.from_predictions(y_true, y_score, strata=y_true)
    rows = ConfusionCurve.from_predictions(y_true, y_score)
    single = ConfusionCurve.from_predictions(y_true, y_score, strata=np.zeros(980))
    goal = {"max_alert_rate": 0.1}
    assert choose(fixed, **goal) == choose(rows, pi0=rows.prior, **goal)
    assert choose(single, **goal) == choose(rows, **goal)
    parts = ConfusionCurve.from_predictions(
        y_true, y_score, strata=2 * (np.arange(980) % 2) + y_true
    )
    assert choose(parts, **goal) == choose(fixed, **goal)
    segments = ConfusionCurve.from_predictions(y_true, y_score, strata=np.arange(980) % 2)
    with pytest.raises(ValueError, match="strata with rows of both classes"):
        choose(segments, **goal)


def test_counts_must_be_whole_numbers():
    curve = ConfusionCurve.from_counts([1, 2], [1.25, 2], [1, 2])
    with pytest.raises(ValueError, match="numbers of rows that are not whole"):
        choose(curve, min_precision=0.3)


def test_counts_that_are_whole_up_to_a_rounding_count_rows():
    for rounding in (0, 1e-7, -1e-7):
        curve = ConfusionCurve.from_counts([1, 2, 3], [1, 2, 3 + rounding], [4, 5, 6])
        for options in ({}, {"confidence_level": None}):
            point = choose(curve, min_recall=0.5, **options)
            assert (point.alerts, point.true_alerts) in {(9, 3), (16, 5), (21, 6)}
            assert point.recall == pytest.approx(point.true_alerts / 6, rel=1e-6)
            assert point.recall <= 1


@pytest.mark.parametrize(
    "curve",
    [
        CURVE.hull(),
        ConfusionCurve(CURVE.thresholds, CURVE.tp, CURVE.fp),
        ConfusionCurve.from_binormal(2, 0, 0.1),
        ConfusionCurve.from_roc(tpr=[0, 0.8, 1], fpr=[0, 0.1, 1], n_pos=10, n_neg=100),
    ],
)
def test_curves_without_rows_are_refused(curve):
    with pytest.raises(ValueError, match="curve must hold its rows"):
        choose(curve, min_recall=0.5)


# --------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "constraints .* or an objective .* must be given, got none"),
        ({"beta": 1.0, "cost_fp": 1.0, "cost_fn": 2.0}, "not two objectives, .* got best F-beta"),
        ({"cost_fp": 1.0}, "cost_fp and cost_fn must be given together, got 1.0 and None"),
        ({"min_precision": 1.0}, "min_precision must lie in the open interval"),
        ({"cost_fp": 1, "cost_fn": -1}, "cost_fn must be above 0"),
        ({"min_recall": 0.5, "pi0": (0.1, 0.2)}, r"a range of priors is pi0_range=\(low, high\)"),
        ({"min_recall": 0.5, "pi0_range": (0.2, 0.1)}, "pi0_range must ascend"),
        ({"min_recall": 0.5, "pi0": 0.1, "pi0_range": (0.1, 0.2)}, "pi0 must be None with"),
        ({"min_recall": 0.5, "pi0": [0.1, 0.2]}, "pi0 must be"),
        ({"min_recall": 0.5, "pi0": True}, "pi0 must be"),
        ({"min_recall": 0.5, "curve": 0.7}, "curve must be a ConfusionCurve or a pair .*got 0.7"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises((ValueError, TypeError), match=message):
        choose(**{"curve": CURVE, **arguments})


@pytest.mark.parametrize("level", [0.9, None])
@pytest.mark.parametrize("goal", GOALS)
def test_scores_are_compared_in_their_dtype(goal, level):
    y_true, y_score = sample()
    y_score = y_score.astype(np.float16)
    point = choose((y_true, y_score), pi0=0.01, confidence_level=level, **goal)
    alert = y_score >= point.threshold
    assert (point.alerts, point.true_alerts) == (alert.sum(), (alert & y_true).sum())


# ---------------------------------------------------------------- rows that are not independent


def unlike_rows():
    y_true, y_score = sample(n_pos=80, n_neg=900, decimals=2)
    strata = np.digitize(y_score, [1.0, 2.0])
    rng = np.random.default_rng(0)
    drawn = {
        "weights": {"sample_weight": rng.uniform(0.5, 20, len(y_true))},
        "clusters": {"clusters": rng.integers(0, 50, len(y_true))},
        "strata": {"strata": strata, "sample_weight": np.array([20.0, 3.0, 1.0])[strata]},
    }
    curves = {
        name: ConfusionCurve.from_predictions(y_true, y_score, **known)
        for name, known in drawn.items()
    }
    return {**curves, "sum at two priors": CURVE.at_prior(0.5) + CURVE}


UNLIKE = unlike_rows()


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("weights", "weights that differ within a class .equal weights are allowed"),
        ("clusters", "clusters of dependent rows .one random row of each"),
        ("strata", "(weights that differ|strata that were sampled)"),
        ("sum at two priors", "weights that differ within a class"),
    ],
)
@pytest.mark.parametrize("goal", GOALS)
def test_a_guarantee_needs_independent_rows_and_the_best_threshold_does_not(kind, why, goal):
    curve = UNLIKE[kind]
    with pytest.raises(ValueError, match=f"{why}.*Without a guarantee, confidence_level=None"):
        choose(curve, pi0=0.05, **goal)
    point = choose(curve, pi0=0.05, confidence_level=None, **goal)
    matrix = curve.confusion_matrix(point.threshold).at_prior(0.05)
    assert point.precision == pytest.approx(scores.precision(matrix))
    assert point.recall == pytest.approx(scores.recall(matrix))
    alert = curve.rows.score >= point.threshold
    assert (point.alerts, point.true_alerts) == (alert.sum(), (alert & curve.rows.positive).sum())
    if "beta" in goal:
        assert point.value == pytest.approx(scores.best_fbeta(curve.at_prior(0.05), 2.0))
