"""Constructors and arguments that displays share with scikit-learn: values are equal."""

import itertools
import warnings

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from figures import legend_of
from sklearn import metrics
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, RepeatedStratifiedKFold, cross_validate

from calibrated_metrics import ConfusionCurve, average_precision_score, comparison
from calibrated_metrics.displays import (
    ChangeDisplay,
    DecisionCurveDisplay,
    GroupsDisplay,
    PrecisionRecallDisplay,
    PrecisionRecallGainDisplay,
    PriorSweepDisplay,
    RocCurveDisplay,
    ThresholdDisplay,
)

X, Y = make_classification(400, weights=[0.8], flip_y=0.1, random_state=0)
MODELS = {f"C = {c}": LogisticRegression(C=c).fit(X, Y) for c in (0.001, 1)}
SCORES = {name: model.predict_proba(X)[:, 1] for name, model in MODELS.items()}
FOLDS = cross_validate(LogisticRegression(), X, Y, cv=4, return_estimator=True, return_indices=True)
OF_CURVES = (PrecisionRecallDisplay, RocCurveDisplay, PrecisionRecallGainDisplay)
pytestmark = [
    pytest.mark.filterwarnings("ignore::calibrated_metrics.uncertainty.IntervalWarning"),
    pytest.mark.usefixtures("own_figures"),
]


@pytest.mark.parametrize("display", [*OF_CURVES, DecisionCurveDisplay])
def test_several_models_are_a_mapping(display):
    together = display.from_predictions(Y, SCORES, pi0=0.1)
    assert together.name == list(SCORES)
    assert len(together.line_) == len(together.band_) == 2
    for line, band, (name, scores) in zip(
        together.line_, together.band, SCORES.items(), strict=True
    ):
        alone = display.from_predictions(Y, scores, pi0=0.1, name=name)
        np.testing.assert_array_equal(line.get_xydata(), alone.line_.get_xydata())
        np.testing.assert_array_equal(band[:3], alone.band[:3])
        assert line.get_label() == alone.line_.get_label()
    styles = {(line.get_color(), line.get_linestyle()) for line in together.line_}
    assert len(styles) == 2
    again = together.plot(plot_chance_level=False)
    assert again.chance_level_ is None
    with pytest.raises(ValueError, match="name must be None, got 'x'"):
        display.from_predictions(Y, SCORES, name="x")


def test_several_estimators_are_a_mapping():
    display = RocCurveDisplay.from_estimator(MODELS, X, Y)
    np.testing.assert_allclose(
        display.roc_auc, [metrics.roc_auc_score(Y, scores) for scores in SCORES.values()]
    )
    sweep = PriorSweepDisplay.from_estimator("average_precision", MODELS, X, Y, pi0=[0.1, 0.2])
    expected = [average_precision_score(Y, SCORES["C = 1"], pi0=prior) for prior in (0.1, 0.2)]
    np.testing.assert_allclose(sweep.values["C = 1"], expected)
    other = LogisticRegression().fit(X, np.where(Y == 1, "b", "a"))
    with pytest.raises(ValueError, match="pos_label must be given for estimators with different"):
        RocCurveDisplay.from_estimator({"first": MODELS["C = 1"], "other": other}, X, Y)
    with pytest.raises(ValueError, match="at least one model"):
        RocCurveDisplay.from_estimator({}, X, Y)


@pytest.mark.parametrize(
    ("display", "area"),
    [(PrecisionRecallDisplay, "average_precision"), (RocCurveDisplay, "roc_auc")],
)
def test_folds_have_the_values_of_scikit_learn(display, area):
    weight = np.arange(400) % 3 + 1.0
    drawn = display.from_cv_results(FOLDS, X, Y, sample_weight=weight)
    theirs = getattr(metrics, display.__name__).from_cv_results(FOLDS, X, Y, sample_weight=weight)
    np.testing.assert_allclose(getattr(drawn, area), getattr(theirs, area), rtol=1e-12)
    assert drawn.line_[0].get_label() == theirs.line_[0].get_label()
    assert drawn.pooled_ is None
    assert drawn.chance_level_ is None


def test_the_pooled_curve_is_that_of_all_test_rows():
    scores = np.empty(400)
    for model, test in zip(FOLDS["estimator"], FOLDS["indices"]["test"], strict=True):
        scores[test] = model.predict_proba(X[test])[:, 1]
    display = PrecisionRecallDisplay.from_cv_results(FOLDS, X, Y, pi0=0.05, pooled=True)
    pooled = display.pooled_
    value = average_precision_score(Y, scores, pi0=0.05)
    assert pooled.average_precision == pytest.approx(value, rel=1e-12)
    assert pooled.ax_ is display.ax_
    expected = PrecisionRecallDisplay.from_predictions(Y, scores, pi0=0.05).band
    np.testing.assert_allclose(pooled.band[:3], expected[:3], rtol=1e-9)
    assert legend_of(display.ax_)[1] == f"pooled (AP = {value:.2f})"
    folds = RepeatedStratifiedKFold(n_splits=2, n_repeats=2, random_state=0)
    options = {"cv": folds, "return_estimator": True, "return_indices": True}
    repeated = cross_validate(LogisticRegression(), X, Y, **options)
    with pytest.raises(ValueError, match=r"in several test folds, .*use one repeat, or draw each"):
        RocCurveDisplay.from_cv_results(repeated, X, Y, pooled=True)


@pytest.mark.parametrize("display", [RocCurveDisplay, PrecisionRecallDisplay])
def test_a_pooled_value_below_that_of_each_fold_is_warned_of(display):
    """The folds are sites with levels of their own (https://stats.stackexchange.com/q/419102)."""
    rng, site = np.random.default_rng(0), np.repeat(np.arange(5), 80)
    ill = rng.random(400) < 0.3
    features = np.column_stack([rng.normal(1.5 * ill + 1.5 * (site - 2)), rng.normal(size=400)])
    options = {"cv": KFold(5), "return_estimator": True, "return_indices": True}
    results = cross_validate(LogisticRegression(), features, ill, **options)
    with pytest.warns(UserWarning, match="pooled AUC-ROC, .* below that of each fold"):
        display.from_cv_results(results, features, ill, pooled=True)
    options["cv"] = KFold(5, shuffle=True, random_state=0)  # folds of all sites
    results = cross_validate(LogisticRegression(), features, ill, **options)
    with warnings.catch_warnings(action="error"):
        display.from_cv_results(results, features, ill, pooled=True)


def test_text_labels_have_the_second_class_of_an_estimator():
    labels = np.where(Y == 1, "b", "a")
    model = LogisticRegression().fit(X, labels)
    display = RocCurveDisplay.from_estimator(model, X, labels)
    assert display.pos_label == "b"
    assert display.ax_.get_xlabel() == "false positive rate (positive label: b)"
    other = RocCurveDisplay.from_estimator(model, X, labels, pos_label="a")
    assert other.roc_auc == pytest.approx(display.roc_auc)
    with pytest.raises(ValueError, match=r"y_true takes value in {'a', 'b'} and pos_label is not"):
        RocCurveDisplay.from_predictions(labels, X[:, 0])
    with pytest.raises(ValueError, match=r"The target y is not binary\. Got multiclass type"):
        RocCurveDisplay.from_predictions(np.append(2, Y[1:]), X[:, 0])
    with pytest.raises(AttributeError, match="has none of the following attributes: predict_log"):
        RocCurveDisplay.from_estimator(FixedClasses(), X, Y, response_method="predict_log_proba")


class FixedClasses:
    classes_ = (0, 1)


NAMED = np.where(Y == 1, "fraud", "ok")
OF_PRIORS = {
    "sweep": (PriorSweepDisplay, ["average_precision"], {"pi0": [0.01, 0.1]}),
    "precision": (PrecisionRecallDisplay, [], {"pi0": 0.01}),
    "gain": (PrecisionRecallGainDisplay, [], {"pi0": 0.01}),
    "ROC": (RocCurveDisplay, [], {"pi0": 0.01}),
    "decisions": (DecisionCurveDisplay, [], {"prior": 0.1}),
    "threshold": (ThresholdDisplay, [], {"pi0": 0.01}),
    "range": (ThresholdDisplay, [], {"pi0_range": (0.01, 0.1)}),
}


@pytest.mark.parametrize("asked", OF_PRIORS.values(), ids=OF_PRIORS)
def test_a_reference_prior_of_text_labels_needs_the_positive_one(asked):
    """The prior of "ok", the greater label, was drawn without a word."""
    display, first, options = asked
    model = LogisticRegression().fit(X, NAMED)
    with pytest.raises(ValueError, match=r"pos_label must be one of \['fraud', 'ok'\] at a refer"):
        display.from_estimator(*first, model, X, NAMED, **options)
    with pytest.raises(ValueError, match="pos_label must be one of"):
        display.from_estimator(*first, {"a": model}, X, NAMED, **options)
    options = {**options, "confidence_level": None}
    drawn = display.from_estimator(*first, model, X, NAMED, pos_label="fraud", **options)
    shown = drawn.axes_[-1] if hasattr(drawn, "axes_") else drawn.ax_
    assert shown.get_xlabel().endswith("(positive label: fraud)")
    other = LogisticRegression().fit(X, Y)
    drawn = display.from_estimator(*first, other, X, Y, **options)
    shown = drawn.axes_[-1] if hasattr(drawn, "axes_") else drawn.ax_
    assert "positive label" not in shown.get_xlabel()


def test_folds_of_text_labels_at_a_reference_prior_need_the_positive_one():
    options = {"cv": 2, "return_estimator": True, "return_indices": True}
    folds = cross_validate(LogisticRegression(), X, NAMED, **options)
    assert RocCurveDisplay.from_cv_results(folds, X, NAMED).pos_label == "ok"
    with pytest.raises(ValueError, match="pos_label must be one of"):
        RocCurveDisplay.from_cv_results(folds, X, NAMED, pi0=0.01)


def test_periods_say_the_positive_label():
    months = {name: (NAMED, X[:, 0]) for name in ("May", "June")}
    display = ChangeDisplay.from_periods("roc_auc", months, pos_label="fraud")
    assert display.axes_[-1].get_xlabel() == "(positive label: fraud)"


EVERY = {
    **{
        display.__name__: lambda display=display, **options: display.from_predictions(
            Y, SCORES["C = 1"], confidence_level=None, **options
        )
        for display in (*OF_CURVES, DecisionCurveDisplay, ThresholdDisplay)
    },
    "PriorSweepDisplay": lambda **options: PriorSweepDisplay.from_predictions(
        "roc_auc", Y, SCORES, pi0=[0.1, 0.2], confidence_level=None, **options
    ),
    "GroupsDisplay": lambda **options: GroupsDisplay.from_values(TABLE, by="group", **options),
    "ChangeDisplay": lambda **options: ChangeDisplay.from_values(TABLE, period="group", **options),
}
TABLE = comparison.by_group(
    {"group": np.arange(400) % 2, "y": Y, "score": X[:, 0]},
    "group",
    y_true="y",
    y_score="score",
    metrics="roc_auc",
)


@pytest.mark.parametrize("draw", EVERY.values(), ids=EVERY)
def test_each_display_takes_a_style_of_its_lines(draw):
    display = draw(curve_kwargs={"c": "red"}, despine=True)
    lines = display.line_ if isinstance(display.line_, list) else [display.line_]
    assert {line.get_color() for line in lines} == {"red"}
    assert not display.ax_.spines["top"].get_visible()
    with pytest.raises(ValueError, match="Cannot provide both `curve_kwargs` and `kwargs`"):
        draw(curve_kwargs={"c": "red"}, alpha=0.5)
    with pytest.warns(FutureWarning, match="give curve_kwargs"):
        draw(color="red")


def test_spines_of_a_logarithmic_axis_are_not_bounded_at_0():
    """A spine that began at 0 ran out of the figure, and the layout failed."""
    display = PrecisionRecallDisplay.from_predictions(Y, SCORES, pi0=1e-3, despine=True)
    assert display.ax_.get_yscale() == "log"
    assert display.ax_.spines["left"].get_bounds() is None
    assert display.ax_.spines["bottom"].get_bounds() == (0, 1)


@pytest.mark.parametrize("display", [*OF_CURVES, DecisionCurveDisplay])
def test_the_chance_level_takes_a_style(display):
    drawn = display.from_predictions(Y, SCORES, chance_level_kw={"c": "red"})
    assert np.ravel(drawn.chance_level_)[0].get_color() == "red"


@pytest.mark.parametrize(
    ("name", "layout"),
    [
        *((name, "constrained") for name in EVERY),
        *itertools.product(["PrecisionRecallDisplay", "ThresholdDisplay"], [None, "tight"]),
    ],
)
def test_the_legend_covers_nothing_at_the_width_of_a_column(name, layout):
    draw = EVERY[name]
    figure, ax = plt.subplots(figsize=(3.3, 3), layout=layout)
    draw(ax=ax)
    draw(ax=ax, name=None if draw is EVERY["PriorSweepDisplay"] else "another model")
    figure.draw_without_rendering()
    legend = ax.get_legend().get_window_extent()
    assert legend.y1 <= ax.xaxis.get_tightbbox().y0 + 1
    assert legend.y0 >= -1
    assert ax.bbox.height > 0.2 * figure.bbox.height


MANY = {f"University Hospital North, gradient boosting of ward {i}": X[:, i] for i in range(10)}
MAKE = {
    "precision": lambda **options: PrecisionRecallDisplay.from_predictions(Y, MANY, **options),
    "sweep": lambda **options: PriorSweepDisplay.from_predictions(
        "roc_auc", Y, MANY, pi0=[0.1, 0.2], confidence_level=None, **options
    ),
}


@pytest.mark.parametrize(("make", "size"), [("precision", (3.3, 2.5)), ("sweep", (6.4, 4.8))])
def test_a_new_figure_grows_with_the_legend_of_ten_models(make, size):
    """The axes kept a quarter of the height."""
    draw = MAKE[make]
    with mpl.rc_context({"figure.figsize": size}):
        few = RocCurveDisplay.from_predictions(Y, X[:, 0])
        drawn = draw()
    drawn.figure_.draw_without_rendering()
    few.figure_.draw_without_rendering()
    assert tuple(few.figure_.get_size_inches()) == size
    assert drawn.figure_.get_figwidth() == size[0]
    assert drawn.ax_.get_window_extent().height > 0.6 * few.ax_.get_window_extent().height
    legend = drawn.ax_.get_legend().get_window_extent()
    assert legend.y0 >= -1
    assert legend.x1 <= drawn.figure_.bbox.width + 1
    figure, ax = plt.subplots(figsize=size)
    draw(ax=ax)
    assert tuple(figure.get_size_inches()) == size


@pytest.mark.parametrize("display", [PrecisionRecallDisplay, ThresholdDisplay])
def test_an_extreme_prior_has_a_logarithmic_ordinate(display):
    """At a prior of 1e-4, the curve lay on the abscissa."""
    y_score, options = SCORES["C = 1"], {"confidence_level": None}
    assert display.from_predictions(Y, y_score, **options).ax_.get_yscale() == "linear"
    drawn = display.from_predictions(Y, y_score, pi0=1e-5, **options)
    assert drawn.ax_.get_yscale() == "log"
    line = drawn.line_[0] if isinstance(drawn.line_, list) else drawn.line_
    low, high = drawn.ax_.get_ylim()
    heights = np.log(line.get_ydata()[line.get_ydata() > 0] / low) / np.log(high / low)
    assert np.ptp(heights) > 0.5
    _, ax = plt.subplots()
    display.from_predictions(Y, y_score, ax=ax, **options)
    display.from_predictions(Y, y_score, pi0=1e-5, ax=ax, **options)
    assert ax.get_yscale() == "linear"  # that of the first curve


def test_a_curve_of_counts_needs_no_label():
    curve = ConfusionCurve.from_counts([0.1, 0.5, 0.9], pos=[1, 2, 4], neg=[90, 5, 1])
    assert RocCurveDisplay.from_curve({"counts": curve}).pos_label is None
    with pytest.raises(ValueError, match="curve must hold at least one model"):
        RocCurveDisplay.from_curve({})
