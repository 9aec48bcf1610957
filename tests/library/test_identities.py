"""Questions that must have equal answers, for each metric and each way to draw rows.

`SAME` holds identities: functions of a metric and of how the rows were drawn, which give pairs of
questions about one sample with the same interval. The tests below them are about two models.
"""

import numpy as np
import pytest
from samples import EVERY, WITHOUT_DRAWS, limits_of

from calibrated_metrics import ConfusionCurve, Metric
from calibrated_metrics.comparison import explain_change
from calibrated_metrics.uncertainty import Estimate, difference, interval, p_value

pytestmark = pytest.mark.filterwarnings("ignore::calibrated_metrics.uncertainty.IntervalWarning")

N = 118
ROW = np.arange(N)
Y_TRUE = np.random.default_rng(4).permutation(ROW < 36)
_NOISE = np.random.default_rng(5).normal(size=(2, N))
SCORES = 1.5 * Y_TRUE + _NOISE[0], 1.2 * Y_TRUE + 0.7 * _NOISE.sum(axis=0)
"""Two models on the same rows, whose errors are correlated."""
DESIGNS = {
    "rows": {},
    "weights of classes": {"sample_weight": np.where(Y_TRUE, 1.0, 5.0)},
    "weights": {"sample_weight": 1.0 + ROW % 3},
    "clusters": {"clusters": ROW // 3},
    "strata": {"strata": ROW % 2, "sample_weight": 1.0 + ROW % 2},
    "strata within classes": {"strata": 2 * (ROW % 2) + Y_TRUE},
}
FEW_DRAWS = {"n_resamples": 3, "rng": 0}
BY_FORMULA = {**WITHOUT_DRAWS, "brier_score": Metric("brier_score")}
_COMPARED = "average_precision", "roc_auc", "brier_score", "precision", "recall", "fbeta"
COMPARED = {name: BY_FORMULA[name] for name in (*_COMPARED, "accuracy", "matthews_corrcoef")}


def cases(metrics, designs=DESIGNS, everywhere=_COMPARED):
    """Tests of each metric with independent rows, and of some metrics in each other design."""
    found = [(name, each) for name in metrics for each in designs]
    return pytest.mark.parametrize(
        ("metric", "design"),
        [
            pytest.param(metrics[name], each, id=f"{name}, {each}")
            for name, each in found
            if name in everywhere or each == "rows"
        ],
    )


every_case = cases({**EVERY, **BY_FORMULA})
compared = cases(COMPARED, everywhere=["average_precision", "precision"])
either_way = pytest.mark.parametrize("paired", [False, True], ids=["two samples", "paired"])


def curve_of(metric, model=0, order=ROW, **drawn):
    score = SCORES[model] if metric.facts.loss is None else 1 / (1 + np.exp(1 - SCORES[model]))
    drawn = {name: np.asarray(each)[order] for name, each in drawn.items()}
    return ConfusionCurve.from_predictions(Y_TRUE[order], score[order], **drawn)


def models_of(metric, design, apart=False):
    """Curves of both models; with `apart`, of clusters that differ."""
    drawn = [dict(DESIGNS[design]), dict(DESIGNS[design])]
    if apart and "clusters" in drawn[1]:
        drawn[1]["clusters"] = drawn[1]["clusters"] + N
    return [curve_of(metric, model, **each) for model, each in enumerate(drawn)]


def numbers_of(found):
    return [found.value, found.low, found.high, found.standard_error]


def assert_equal(found, expected):
    np.testing.assert_allclose(numbers_of(found), numbers_of(expected), rtol=1e-6, atol=1e-9)


# ----------------------------------------------------------------------------------- one sample


def one_stratum(metric, drawn):
    if not {"strata", "sample_weight"} & set(drawn):
        yield {**drawn, "strata": np.zeros(N)}, drawn


def clusters_of_one_row(metric, drawn):
    if "clusters" not in drawn:
        yield {**drawn, "clusters": ROW}, drawn


def strata_within_classes_fix_the_prior(metric, drawn):
    if drawn is DESIGNS["rows"]:
        parts, known = DESIGNS["strata within classes"], {"pi0": Y_TRUE.mean()}
        yield parts, {**parts, **known}
        yield {"strata": Y_TRUE}, known


def weights_of_classes_are_a_change_of_the_prior(metric, drawn):
    if drawn is DESIGNS["rows"]:
        for weight in (100.0, 0.37):
            of_classes = np.where(Y_TRUE, 1.0, weight)
            yield {"sample_weight": of_classes, "pi0": 0.2}, {"pi0": 0.2}


def scale_of_weights(metric, drawn):
    for factor in (1e-200, 1e200):
        yield {**drawn, "sample_weight": factor * drawn.get("sample_weight", np.ones(N))}, drawn


def order_of_rows(metric, drawn):
    if metric in BY_FORMULA.values():  # others draw other rows
        yield {**drawn, "order": np.random.default_rng(0).permutation(N)}, drawn


def names_of_units(metric, drawn):
    for name in {"clusters", "strata"} & set(drawn):
        yield {**drawn, name: [f"unit {each:03}" for each in drawn[name]]}, drawn


def curve_at_a_prior(metric, drawn):
    yield {**drawn, "at_prior": 0.4}, {**drawn, "pi0": 0.4}
    yield {**drawn, "of_metric": 0.4}, {**drawn, "pi0": 0.4}


SAME = (
    one_stratum,
    clusters_of_one_row,
    strata_within_classes_fix_the_prior,
    weights_of_classes_are_a_change_of_the_prior,
    scale_of_weights,
    order_of_rows,
    names_of_units,
    curve_at_a_prior,
)


def answer(metric, pi0=None, at_prior=None, of_metric=None, **drawn):
    curve = curve_of(metric, **drawn)
    curve = curve if at_prior is None else curve.at_prior(at_prior)
    metric = metric if of_metric is None else Metric(metric, pi0=of_metric)
    return interval(metric, curve, pi0=pi0, **FEW_DRAWS)


@every_case
def test_equal_questions_have_equal_intervals(metric, design):
    for identity in SAME:
        for question, same in identity(metric, DESIGNS[design]):
            assert_equal(answer(metric, **question), answer(metric, **same))


@cases(BY_FORMULA, ["rows"])
def test_counts_have_the_interval_of_their_rows(metric, design):
    score = np.round(SCORES[0], 1) if metric.facts.loss is None else np.arange(1, N + 1) % 10 / 10
    curves = [
        ConfusionCurve.from_counts(score, 1 * Y_TRUE, 1 * ~Y_TRUE),
        ConfusionCurve.from_predictions(Y_TRUE, score),
    ]
    for pi0 in (None, 0.1):
        assert_equal(*(interval(metric, each, pi0=pi0) for each in curves))


@every_case
def test_limits_move_apart_with_the_level(metric, design):
    curve = curve_of(metric, **DESIGNS[design])
    found = [
        limits_of(interval(metric, curve, confidence_level=level, **FEW_DRAWS))
        for level in (0.3, 0.95, 0.9999)
    ]
    lows, highs = np.transpose(found)
    assert not (np.diff(lows) > 1e-12).any()
    assert not (np.diff(highs) < -1e-12).any()


# ----------------------------------------------------------------------------------- two models


@every_case
@either_way
def test_a_swap_changes_the_signs(metric, design, paired):
    a, b = models_of(metric, design)
    for pi0 in (None, Estimate(0.3, 0.2, 0.4, 0.05, 0.95, "audit")):
        options = {"pi0": pi0, "paired": paired, **FEW_DRAWS}
        found, swapped = (difference(metric, *each, **options) for each in ((a, b), (b, a)))
        value, low, high, error = numbers_of(swapped)
        expected = [-value, -high, -low, error]
        np.testing.assert_allclose(numbers_of(found), expected, rtol=1e-6, atol=1e-12)


@cases(BY_FORMULA)
def test_the_same_rows_are_never_less_certain_than_two_samples(metric, design):
    """The correlation of the models is above 0."""
    for pi0 in (None, 0.05):
        same = difference(metric, *models_of(metric, design), paired=True, pi0=pi0)
        apart = difference(metric, *models_of(metric, design, apart=True), pi0=pi0)
        assert not same.standard_error > apart.standard_error
        assert not same.low < apart.low
        assert not same.high > apart.high


@compared
@either_way
def test_limits_one_sided_limits_and_p_values_agree(metric, design, paired):
    models = models_of(metric, design)
    p = p_value(metric, *models, paired=paired)
    if np.isnan(p):
        return
    near = [each for each in (1 - 1.001 * p, 1 - 0.999 * p) if 1e-9 < each < 1 - 1e-9]
    found = {}
    for level in sorted([0.5, 0.95, *near]):
        each = difference(metric, *models, paired=paired, confidence_level=level)
        assert (each.low > 0 or each.high < 0) == (p < 1 - level)
        found[level] = limits_of(each)
    lows, highs = np.transpose(list(found.values()))
    assert not (np.diff(lows) > 1e-12).any()
    assert not (np.diff(highs) < -1e-12).any()
    greater, less = (
        difference(metric, *models, paired=paired, alternative=each, confidence_level=0.975)
        for each in ("greater", "less")
    )
    assert (greater.low, less.high) == pytest.approx(found[0.95], rel=1e-9)
    assert greater.high == -less.low == np.ptp(metric.facts.range)


@every_case
def test_equal_models_differ_by_nothing(metric, design):
    curve = curve_of(metric, **DESIGNS[design])
    found = difference(metric, curve, curve, paired=True, **FEW_DRAWS)
    if found.reason is not None:
        return
    if metric.of_matrix:  # a test that decides alike in these rows may decide otherwise in others
        assert found.value == 0
        assert -found.low == pytest.approx(found.high)
    else:
        np.testing.assert_allclose(numbers_of(found), 0, atol=1e-12)


@cases(BY_FORMULA, ["rows", "weights", "clusters", "strata"])
def test_parts_of_a_change_add_up(metric, design):
    """The total is the difference of the samples, and the model part of prior-free metrics."""
    after, before = models_of(metric, design, apart=True)
    change = explain_change(metric, before, after)
    parts = [each for each in (change.prior_part, change.mix_part, change.model_part) if each]
    assert change.total.value == pytest.approx(sum(each.value for each in parts), abs=1e-15)
    if change.mix_part is not None:
        return
    assert_equal(change.total, difference(metric, after, before))
    if metric.facts.is_prior_free:
        assert numbers_of(change.prior_part) == [0] * 4
        assert numbers_of(change.model_part) == numbers_of(change.total)
