"""Values of repairs: against repairs of real rankings."""

import numpy as np
import pytest
from figure_checks import assert_readable

from calibrated_metrics import ConfusionCurve
from calibrated_metrics.scores import average_precision, roc_auc
from reproduction.error_weights import experiment, figure

NAMES = ("error_weights", "error_weights_of_groups")


@pytest.fixture(scope="module")
def tables():
    return dict(zip(NAMES, experiment.run(), strict=True))


def curve_of(labels):
    """The curve of labels in descending order of score."""
    return ConfusionCurve.from_predictions(labels, -np.arange(len(labels)))


@pytest.mark.parametrize("pi0", [0.01, 0.1, 0.5, 0.99])
def test_values_are_those_of_repairs_of_a_ranking(pi0):
    rng = np.random.default_rng(1)
    labels = np.arange(4000) < 1000
    labels = labels[np.argsort(-rng.normal(experiment._D * labels))].astype(int)
    before = curve_of(labels)
    at = np.flatnonzero((labels[:-1] == 0) & (labels[1:] == 1))
    for place in at[[len(at) // 3, len(at) // 2, -5]]:
        repaired = labels.copy()
        repaired[[place, place + 1]] = 1, 0
        after = curve_of(repaired)
        rise = average_precision(after.at_prior(pi0)) - average_precision(before.at_prior(pi0))
        tpr = labels[: place + 2].sum() / before.n_pos
        fpr = ((1 - labels[: place + 2]).sum() - 0.5) / before.n_neg  # the middle of the step
        expected = experiment.repair_value(tpr, fpr, pi0) / before.n_neg / before.n_pos
        assert rise == pytest.approx(expected, rel=0.02)
        assert roc_auc(after) - roc_auc(before) == pytest.approx(
            1 / before.n_pos / before.n_neg, rel=1e-9
        )


@pytest.mark.parametrize(
    ("scores", "pi0"), [("probability", 0.02), ("probability", 0.5), ("one prior", 0.05)]
)
def test_groups_agree_with_repairs_of_a_sample(tables, scores, pi0):
    rng = np.random.default_rng(2)
    d, means = experiment._D, {0: [], 1: []}
    for _ in range(4):
        rows = []
        for group, prior in enumerate(experiment.GROUP_PRIORS):
            y_true = np.arange(round(20_000 / prior)) < 20_000
            score = rng.normal((y_true - 0.5) * d**2, d)
            score += np.log(prior / (1 - prior)) if scores == "probability" else 0
            rows.append(np.column_stack([score, y_true, np.full(len(y_true), group)]))
        _, y_true, group = (ranked := np.concatenate(rows))[np.argsort(-ranked[:, 0])].T
        tpr, fpr = np.cumsum(y_true) / y_true.sum(), np.cumsum(1 - y_true) / (1 - y_true).sum()
        at = np.flatnonzero((y_true[:-1] == 0) & (y_true[1:] == 1)) + 1
        value = experiment.repair_value(tpr[at], fpr[at], pi0)
        for each in means:
            means[each].append(value[group[at] == each].mean())
    found = tables[NAMES[1]].query("scores == @scores and pi0 == @pi0")["relative_value"]
    assert np.mean(means[1]) / np.mean(means[0]) == pytest.approx(found.item(), rel=0.1)


def test_auc_roc_values_all_repairs_equally_and_so_does_auc_pr_at_one_prior(tables):
    assert (tables[NAMES[0]].query("metric == 'roc_auc'")["weight"] == 1).all()
    equal = tables[NAMES[1]].query("metric == 'roc_auc' or scores == 'one prior'")
    np.testing.assert_allclose(equal["relative_value"], 1.0, rtol=1e-9)


def test_the_figure_can_be_read(tables):
    drawn = figure.draw(*tables.values())
    assert_readable(drawn)
    assert drawn.get_suptitle() == (
        "In AUC-P$_c$R, a repair at recall 0.02 is worth 50 (π$_0$ = 0.99) to 110,000 "
        "(π$_0$ = 0.01) times one at recall 0.98;\n"
        "in AUC-ROC the ratio is 1"
    )
    left, right = drawn.axes
    assert len(left.get_lines()) == 1 + len(experiment.LEVELS)
    rows = tables[NAMES[1]].query("scores == 'probability' and pi0 == pi0")
    np.testing.assert_array_equal(
        right.get_lines()[2].get_xydata(), rows[["pi0", "relative_value"]]
    )


def test_a_lower_reference_prior_lowers_the_value_of_the_group_with_rare_positives(tables):
    groups = tables["error_weights_of_groups"]
    rows = groups[(groups["scores"] == "probability") & (groups["metric"] == "average_precision")]
    assert (rows.sort_values("pi0")["relative_value"].diff().dropna() > 0).all()


def test_a_lower_reference_prior_gives_repairs_at_the_top_more_weight(tables):
    rows = tables["error_weights"].query("metric == 'average_precision'")
    weights = rows.pivot_table(index="pi0", columns="recall", values="weight")
    assert ((weights[0.02] / weights[0.98]).diff().dropna() < 0).all()
