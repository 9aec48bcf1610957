"""The parts of the prior, the mix of segments and the model in a change of a metric."""

import itertools
import math
from fractions import Fraction

import numpy as np
import oracle
import pytest

from calibrated_metrics import ConfusionCurve, Metric, audit
from calibrated_metrics.comparison import explain_change, explain_changes
from calibrated_metrics.displays import ChangeDisplay
from calibrated_metrics.uncertainty import IntervalWarning

AP = "average_precision"
PARTS = ("prior_part", "mix_part", "model_part")

# Das Gupta (1993), Standardization and Decomposition of Rates: A User's Manual, U.S. Bureau of the
# Census P23-186, example 5.1: household headship rates by age, in percent. Two factors: Kitagawa.
SIZE_1970 = [12.9, 10.9, 9.5, 8.0, 7.8, 8.4, 8.6, 7.8, 7.0, 5.9, 4.7, 3.6, 4.9]
RATE_1970 = [1.9, 25.8, 45.7, 49.6, 51.2, 51.6, 51.8, 54.9, 58.7, 60.4, 62.8, 66.6, 66.8]
SIZE_1985 = [10.1, 11.2, 11.6, 10.9, 9.4, 7.7, 6.3, 6.0, 6.3, 5.9, 5.1, 4.0, 5.5]
RATE_1985 = [2.2, 24.3, 45.8, 52.5, 56.1, 55.6, 56.0, 57.4, 57.2, 61.2, 63.9, 68.6, 72.2]


def published(sizes, rates):
    """1,000 positives of each age; the rate is the share of them that is found."""
    y_true = np.tile(np.append(np.ones(1000), np.zeros(2)), len(sizes))
    alert = np.concatenate([np.append(np.arange(1000) < 10 * each, [1, 0]) for each in rates])
    age = np.repeat(np.arange(len(sizes)), 1002)
    weight = np.repeat(sizes, 1002)
    return ConfusionCurve.from_predictions(y_true, alert, sample_weight=weight, strata=age)


def test_the_published_example_of_rates():
    before, after = published(SIZE_1970, RATE_1970), published(SIZE_1985, RATE_1985)
    change = explain_change(Metric("recall", threshold=0.5), before, after)
    assert change.prior_part.value == pytest.approx(0, abs=1e-12)
    assert 100 * change.mix_part.value == pytest.approx(1.2269, abs=5e-5)
    assert 100 * change.model_part.value == pytest.approx(1.7403, abs=5e-5)
    assert 100 * change.total.value == pytest.approx(2.9672, abs=5e-5)


def rows_of(seed, n, shares, priors, shifts):
    rng = np.random.default_rng(seed)
    segment = rng.choice(len(shares), n, p=shares)
    y_true = rng.random(n) < np.array(priors)[segment]
    y_score = np.round(rng.normal(size=n) + np.array(shifts)[segment] * y_true + segment / 3, 1)
    return y_true, y_score, segment


BEFORE = rows_of(0, 90, [0.6, 0.4], [0.3, 0.5], [2, 1])
AFTER = rows_of(1, 70, [0.3, 0.7], [0.4, 0.4], [1.5, 1])


def curve_of(rows, **drawn):
    return ConfusionCurve.from_predictions(rows[0], rows[1], strata=rows[2], **drawn)


def exact_value(prior_of, mix_of, scores_of, metric):
    """The metric with explicit weights: prior × mix within the class / rows of the cell."""
    y_true, y_score, segment = scores_of
    cells = list(zip(y_true, segment, strict=True))
    prior = Fraction(int(prior_of[0].sum()), len(prior_of[0]))
    weights = []
    for y, each in cells:
        of_class = mix_of[2][mix_of[0] == y]
        mix = Fraction(int((of_class == each).sum()), len(of_class))
        weights.append((prior if y else 1 - prior) * mix / cells.count((y, each)))
    return metric(oracle.Ranking.of_samples(y_true, y_score, weights))


@pytest.mark.parametrize("metric", ["average_precision", "roc_auc", "achievable_pr_auc"])
@pytest.mark.filterwarnings("ignore::calibrated_metrics.uncertainty.IntervalWarning")
def test_parts_are_means_over_all_orders_of_the_changes(metric):
    change = explain_change(metric, curve_of(BEFORE), curve_of(AFTER))
    names = ["prior_part", "mix_part", "model_part"]
    expected, orders = dict.fromkeys(names, 0), list(itertools.permutations(range(3)))
    values = {
        which: exact_value(*((BEFORE, AFTER)[each] for each in which), getattr(oracle, metric))
        for which in itertools.product((0, 1), repeat=3)
    }
    for order in orders:
        state = [0, 0, 0]
        for cause in order:
            old = values[tuple(state)]
            state[cause] = 1
            expected[names[cause]] += (values[tuple(state)] - old) / len(orders)
    for name in names:
        assert getattr(change, name).value == pytest.approx(float(expected[name]), abs=1e-12)
    assert change.total.value == sum(getattr(change, name).value for name in names)
    assert change.value_before == pytest.approx(float(values[0, 0, 0]))
    assert change.value_after == pytest.approx(float(values[1, 1, 1]))


def test_other_strata_are_no_segments():
    plain = ConfusionCurve.from_predictions(*BEFORE[:2])
    assert explain_change(AP, plain, curve_of(AFTER)).mix_part is None
    audits = [
        audit.curve(
            {"score": score, "stratum": segment, "n_rows": 10 * np.bincount(segment)[segment]},
            y,
            target="these rows",
        )
        for y, score, segment in (BEFORE, AFTER)
    ]
    assert explain_change(AP, *audits).mix_part is None
    within = [
        ConfusionCurve.from_predictions(y, score, strata=2 * segment + y)
        for y, score, segment in (BEFORE, AFTER)
    ]
    with pytest.raises(ValueError, match=r"before has strata that lie within a class.*at_prior"):
        explain_change(AP, *within)
    with pytest.raises(ValueError, match="reference has strata that lie within a class"):
        explain_changes(AP, within)
    classes = [
        ConfusionCurve.from_predictions(y, score, strata=y) for y, score, _ in (BEFORE, AFTER)
    ]
    known = explain_change(AP, *(each.at_prior(each.prior) for each in classes))
    assert repr(explain_change(AP, *classes)) == repr(known)
    assert explain_change(AP, *(each.at_prior(0.1) for each in within)).mix_part is None


def test_a_segment_that_opens_or_closes_is_named():
    """The whole change would otherwise be that of the model, although the model is the same."""
    segment, both = BEFORE[2], curve_of(BEFORE)
    one, other = (curve_of([each[segment == k] for each in BEFORE]) for k in (0, 1))
    for pair in ((both, one), (one, both), (one, other)):
        with pytest.raises(ValueError, match=r"same classes in each segment.*only one of them has"):
            explain_change(AP, *pair)
    alone = explain_change(AP, one, one + one)
    assert alone.mix_part.value == pytest.approx(0, abs=1e-12)


def test_several_changes_have_the_parts_of_one():
    plain = ConfusionCurve.from_predictions(*AFTER[:2])
    y_true, y_score, segment = AFTER
    other = curve_of((y_true, y_score, np.where(segment == 1, 2, segment)))
    periods = {"a": curve_of(BEFORE), "b": curve_of(AFTER), "c": plain, "d": other}
    own, of_plain, of_other = explain_changes(AP, periods)
    change = explain_change(AP, periods["a"], periods["b"])
    for name in ("total", *PARTS):
        part = getattr(change, name)
        found = [own[f"{name}{end}"] for end in ("", "_low", "_high")]
        assert found == [part.value, part.low, part.high]
    two = explain_change(AP, periods["a"], plain)
    assert of_plain["model_part"] == two.model_part.value
    assert math.isnan(of_plain["mix_part"])
    assert "only one of them has" in of_other["status"]
    assert own.keys() == of_plain.keys() == of_other.keys()
    (row,) = explain_changes(AP, [periods["b"], periods["a"]], reference=plain)[:1]
    assert "mix_part" not in row


def test_the_mix_part_is_drawn():
    pytest.importorskip("matplotlib")
    display = ChangeDisplay.from_periods(AP, [curve_of(BEFORE), curve_of(AFTER)])
    assert list(display.bars_) == list(PARTS)
    heights = [bars[1].get_height() for bars in display.bars_.values()]
    total = display.measured.value[1] - display.measured.value[0]
    assert sum(heights) == pytest.approx(total)
    edges = [(bars[1].get_x(), bars[1].get_width()) for bars in display.bars_.values()]
    np.testing.assert_allclose(edges, [(0.64, 0.24), (0.88, 0.24), (1.12, 0.24)])
    assert "mix part" in [text.get_text() for text in display.parts_ax_.get_legend().get_texts()]


def test_segments_without_counterparts_are_refused():
    y_true, y_score, segment = AFTER
    other = curve_of((y_true, y_score, np.where(segment == 1, 2, segment)))
    message = r"only one of them has .*'negative', 1.*'positive', 2"
    with pytest.raises(ValueError, match=message):
        explain_change(AP, curve_of(BEFORE), other)
    rows = (y_true & (segment == 1)).cumsum() <= 1
    few = curve_of([each[rows | ~(y_true & (segment == 1))] for each in AFTER])
    with pytest.warns(IntervalWarning, match="a single row in a segment"):
        assert len(explain_change(AP, curve_of(BEFORE), few).withheld) == 1
    with pytest.warns(IntervalWarning, match="no influence function"):
        explain_change("best_fbeta", curve_of(BEFORE), curve_of(AFTER))


def test_priors_that_were_set_set_the_prior_part():
    known = explain_change(AP, *(curve_of(each).at_prior(0.1) for each in (BEFORE, AFTER)))
    assert known.prior_part.value == pytest.approx(0, abs=1e-12)
    assert known.mix_part.value != 0


@pytest.mark.parametrize(
    ("metric", "clusters"), [(AP, False), (AP, True), (Metric("precision", threshold=0.8), False)]
)
def test_standard_errors_are_those_of_repeated_samples(metric, clusters):
    """Without the error of the mix, that of the mix part is at most half as large."""
    found = []
    for seed in range(30):
        pair = []
        for place, shares in enumerate(([0.6, 0.4], [0.4, 0.6])):
            y_true, y_score, segment = rows_of([seed, place], 500, shares, [0.2, 0.3], [2, 0.8])
            drawn = {}
            if clusters:
                drawn["clusters"] = np.arange(500) % 125 + 1000 * place
                rng = np.random.default_rng([seed, place, 1])
                y_score = y_score + rng.normal(size=1125)[drawn["clusters"] % 1000] / 2
                # A cluster must lie in one stratum.
                drawn["clusters"] = 2 * drawn["clusters"] + segment
            pair.append(curve_of((y_true, y_score, segment), **drawn))
        change = explain_change(metric, *pair)
        parts = [getattr(change, name) for name in ("total", *PARTS)]
        found.append([(each.value, each.standard_error) for each in parts])
    values, errors = np.moveaxis(np.array(found), 2, 0)
    means = np.sqrt((errors**2).mean(axis=0))
    for mean, error in zip(means, values.std(axis=0, ddof=1), strict=True):
        assert math.log(mean / error) == pytest.approx(0, abs=0.35)
