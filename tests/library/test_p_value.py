"""The p-value of a difference is the level at which its interval ends at 0."""

import sys

import numpy as np
import pytest
from samples import matrix_of
from scipy import stats

from calibrated_metrics import Metric
from calibrated_metrics.uncertainty import IntervalWarning, difference, p_value

pytestmark = pytest.mark.filterwarnings("ignore:few .* tell the models apart")


def two_models(noise=0.6, seed=0, n=1000):
    rng = np.random.default_rng(seed)
    y_true = np.arange(n) < 60
    easy = rng.normal(size=n) + 2 * y_true
    return [(y_true, easy + scale * rng.normal(size=n)) for scale in (0.2, noise)]


MATRICES = [matrix_of(80, 40, 20, 860), matrix_of(30, 9, 20, 441)]


@pytest.mark.parametrize(
    ("metric", "data", "options"),
    [
        ("average_precision", two_models(), {"paired": True, "pi0": 0.01}),
        ("roc_auc", two_models(1.5), {}),
        ("precision", MATRICES, {"pi0": 0.05}),
        ("precision", MATRICES, {}),
        (Metric("precision", threshold=2.0), two_models(), {"paired": True}),
        ("best_fbeta", two_models(1.5), {"paired": True, "n_resamples": 30, "rng": 1}),
    ],
)
def test_an_interval_at_the_p_value_ends_at_0(metric, data, options):
    p = p_value(metric, *data, **options)
    assert 1e-6 < p < 1
    for level, excludes in ((1 - 1.001 * p, True), (1 - 0.999 * p, False)):
        found = difference(metric, *data, **options, confidence_level=level)
        assert (found.low > 0 or found.high < 0) == excludes


def test_equal_models_have_1_and_very_different_ones_the_least():
    a, _ = two_models(noise=0.2)
    assert p_value("roc_auc", a, a, paired=True) == 1
    y_true = np.arange(1000) < 300
    score = np.random.default_rng(0).normal(size=1000) + 2 * y_true
    assert p_value("roc_auc", (y_true, score), (y_true[::-1], -score[::-1])) == 1e-12


@pytest.mark.parametrize("metric", ["roc_auc", "average_precision"])
@pytest.mark.parametrize("paired", [True, False])
def test_only_equal_values_have_a_p_value_of_1(metric, paired):
    (y_true, a), (_, b) = two_models(noise=0.2)
    order = slice(None, None, 1 if paired else -1)
    b = np.where(y_true & (b == b[y_true].max()), b + 9, b)
    p = p_value(metric, (y_true, a), (y_true[order], b[order]), paired=paired)
    assert 0 < p < 1


def test_equally_good_models_rarely_have_a_small_p_value(monkeypatch):
    monkeypatch.setattr(sys.modules[difference.__module__], "_ERROR_OF_P", 0.02)
    p = [p_value("roc_auc", *two_models(0.2, seed, 200), paired=True) for seed in range(30)]
    assert np.mean(np.array(p) < 0.1) < 0.2
    assert stats.kstest(p, "uniform", alternative="greater").pvalue > 0.01  # not too small


def test_a_withheld_interval_has_no_p_value():
    data = [1, 0, 0, 0], [0.9, 0.7, 0.4, 0.1]
    with pytest.warns(IntervalWarning, match="at least two rows of each class"):
        assert np.isnan(p_value("roc_auc", data, data))


def test_several_priors_have_a_p_value_each():
    models = two_models()
    found = p_value("average_precision", *models, pi0=[0.01, 0.2], paired=True)
    assert found.tolist() == [
        p_value("average_precision", *models, pi0=each, paired=True) for each in (0.01, 0.2)
    ]


@pytest.mark.parametrize("alternative", ["greater", "less"])
@pytest.mark.parametrize(
    ("metric", "data", "options", "margin"),
    [
        ("average_precision", two_models(), {"paired": True, "pi0": 0.01}, 0.1),
        ("roc_auc", two_models(1.5)[::-1], {}, 0.15),
        ("precision", MATRICES, {"pi0": 0.05}, 0.2),
        ("youden_index", MATRICES, {}, 0.0),
    ],
)
def test_one_sided_p_values_and_limits_agree(metric, data, options, margin, alternative):
    options = {**options, "alternative": alternative, "margin": margin}
    p, span = p_value(metric, *data, **options), 2 if metric == "youden_index" else 1
    for level in (0.6, 0.9, 0.95, 1 - 1.001 * p, 1 - 0.999 * p):
        if not 0.5 < level < 1 - 1e-9:
            continue
        found = difference(metric, *data, **options, confidence_level=level)
        is_beyond = found.low > -margin if alternative == "greater" else found.high < margin
        assert is_beyond == (p <= 1 - level)
        assert (found.high if alternative == "greater" else -found.low) == span
        assert found.confidence_level == level
        assert ("not shown" in found.method) == (margin > 0 and not is_beyond)


def test_a_one_sided_p_value_is_half_of_the_two_sided_one_or_the_rest():
    models = two_models()
    both = p_value("roc_auc", *models, paired=True)
    greater, less = (
        p_value("roc_auc", *models, paired=True, alternative=each) for each in ("greater", "less")
    )
    assert greater == pytest.approx(both / 2, rel=1e-3)
    assert less == pytest.approx(1 - both / 2, rel=1e-3)


def test_a_margin_needs_one_side():
    data = two_models()
    for function in (difference, p_value):
        with pytest.raises(ValueError, match='margin must be 0 with alternative="two-sided"'):
            function("roc_auc", *data, margin=0.1)
        with pytest.raises(ValueError, match="margin must not be negative"):
            function("roc_auc", *data, alternative="less", margin=-0.1)
        with pytest.raises(ValueError, match="margin must be less than 1, the range of the metric"):
            function("roc_auc", *data, alternative="greater", margin=5)
        with pytest.raises(ValueError, match="alternative must be"):
            function("roc_auc", *data, alternative="larger")
    with pytest.raises(ValueError, match=r"confidence_level must be above 0\.5"):
        difference("roc_auc", *data, alternative="less", confidence_level=0.5)
