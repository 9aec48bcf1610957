"""Labels of a judge; people checked a random part of them."""

import math
import pickle

import numpy as np
import pandas as pd
import pytest

from calibrated_metrics import Metric, audit, label_errors
from calibrated_metrics.label_errors.checked import CheckedRows
from calibrated_metrics.label_errors.intervals import _linear
from calibrated_metrics.uncertainty import IntervalWarning, difference, interval

PRECISION, RECALL = (Metric(name, threshold=1.0) for name in ("precision", "recall"))


def judged(seed=0, n=2000, part=0.1, slope=1.0, noise=0.0):
    """True labels, a judge's labels whose errors depend on the score, people's labels, scores."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.2
    score = rng.normal(1.5 * truth)
    wrong = 1 / (1 + np.exp(2 - slope * score * np.where(truth, -1, 1)))
    label = truth ^ (rng.random(n) < wrong)
    people = np.where(rng.random(n) < part, truth, np.nan)
    return truth, label, people, score + noise * rng.normal(size=n)


def test_the_prior_without_scores_is_that_of_strata_by_label():
    _, label, people, _ = judged()
    share = sum((label == each).mean() * np.nanmean(people[label == each]) for each in (0, 1))
    assert label_errors.prior(label, reference=people).value == pytest.approx(share, rel=0.005)


def by_label(n_found):
    """People labelled 75 rows of each label; 1,200 and 150 rows, 60 of the 75 positive are so."""
    label = np.repeat([True, False], [150, 1200])
    score = np.tile(np.linspace(2, -2, 75), 18) + 1.0 * label
    people = np.full(1350, np.nan)
    people[:75] = np.arange(75) < 60
    people[150:1350:16] = np.arange(75) < n_found
    return label, score, people


@pytest.mark.parametrize("n_found", [0, 1, 4])
def test_the_prior_has_the_limits_of_an_audit_with_the_label_as_stratum(n_found):
    """Each positive that people find among the negative labels counts as 16."""
    label, score, people = by_label(n_found)
    found = label_errors.prior(label, reference=people)
    rows = ~np.isnan(people)
    design = {"score": score, "stratum": label.astype(int), "n_rows": np.where(label, 150, 1200)}
    design = {name: each[rows] for name, each in design.items()}
    of_audit = audit.prior(design, people[rows], target="future rows")
    assert found.high == pytest.approx(of_audit.high, rel=0.01)
    assert found.low == pytest.approx(of_audit.low, rel=0.05)


def test_recall_allows_for_positives_that_the_judge_missed():
    """People found none of the 46 that the upper limit of the prior allows for."""
    label, score, people = by_label(0)
    labels = label_errors.from_predictions(label, score, reference=people)
    recall = Metric("recall", threshold=0.5)
    n_pos = labels.prior * 1350
    assert interval(recall, labels).low < labels.value(recall) * n_pos / (n_pos + 23)


def test_sums_do_not_depend_on_how_well_the_regression_fits():
    """Over many choices of the rows, the mean share of each part of the ranking is the true one."""
    truth, label, _, score = judged(n=400)
    sums = []
    for seed in range(200):
        row = np.random.default_rng(seed).choice(400, 80, replace=False)
        share = CheckedRows.of(label, np.sin(3 * score), row, truth[row]).share
        sums.append([share[part].sum() for part in (score > 1.5, score > 0, score <= 0)])
    wanted = [truth[part].sum() for part in (score > 1.5, score > 0, score <= 0)]
    error = np.std(sums, axis=0) / math.sqrt(200)
    assert (np.abs(np.mean(sums, axis=0) - wanted) < 3 * error).all()


@pytest.mark.long  # the validation has more of these samples
def test_intervals_cover_and_are_shorter_than_those_of_people_alone():
    truth, _, _, score = judged(n=100_000)
    metrics = PRECISION, RECALL, Metric("average_precision"), Metric("roc_auc")
    true_values = [metric((truth, score)) for metric in metrics]
    covered, widths = [], []
    for seed in range(60):
        truth, label, people, score = judged(seed + 1)
        both = label_errors.from_predictions(label, score, reference=people)
        rows = ~np.isnan(people)
        found = [interval(metric, both) for metric in metrics]
        alone = [interval(metric, (truth[rows], score[rows])) for metric in metrics]
        covered.append(
            [each.low < true < each.high for each, true in zip(found, true_values, strict=True)]
        )
        widths.append([[each.high - each.low for each in kind] for kind in (found, alone)])
    assert (np.mean(covered, axis=0) >= 0.9).all()
    both, alone = np.mean(widths, axis=0)
    assert (both < 0.9 * alone).all()


def test_errors_that_people_did_not_meet_widen_the_interval():
    """The judge is right for all alerts that people labelled, but not for other rows."""
    truth, label, people, score = judged(slope=0.0)
    label[(score >= 1) & ~np.isnan(people)] = truth[(score >= 1) & ~np.isnan(people)]
    labels = label_errors.from_predictions(label, score, reference=people)
    observed = _linear(PRECISION, labels, labels.counted).standard_error
    assert interval(PRECISION, labels).standard_error > 1.3 * observed


def test_two_models_on_the_same_rows():
    pair = [
        label_errors.from_predictions(label, score, reference=people)
        for _, label, people, score in (judged(noise=noise) for noise in (0.2, 0.6))
    ]
    paired, apart = (difference(PRECISION, *pair, paired=each) for each in (True, False))
    assert paired.high - paired.low < 0.8 * (apart.high - apart.low)


def test_two_models_that_differ_on_few_rows():
    """People labelled six of these rows: 12 % of intervals missed the difference."""
    missed, widths = [], []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        truth = rng.random(1500) < 0.25
        one = rng.random(1500) < np.where(truth, 0.8, 0.12)
        other, label = one ^ (rng.random(1500) < 0.03), truth ^ (rng.random(1500) < 0.1)
        people = np.where(rng.random(1500) < 2 / 15, truth, np.nan)
        pair = [
            label_errors.from_predictions(label, y_pred=each, reference=people)
            for each in (other, one)
        ]
        found = difference("recall", *pair, paired=True)
        missed.append(not found.low < -0.03 * 0.6 < found.high)
        widths.append(found.high - found.low)
    assert np.mean(missed) <= 0.05
    assert np.mean(widths) < 0.1  # people's labels alone: 0.13
    assert difference("recall", pair[0], pair[0], paired=True).reason is None


def test_the_expected_variance_is_that_over_labels_and_choices():
    rng = np.random.default_rng(0)
    expected, part = rng.random(6), np.array([0.2, 0.5, 0.5, 0.2, 0.5, 0.2])
    of_pos, of_neg = rng.normal(size=(2, 6))
    checked = CheckedRows(expected, expected, part > 0.3, part)
    is_chosen = rng.random((200_000, 6)) < part
    share = expected + is_chosen * ((rng.random((200_000, 6)) < expected) - expected) / part
    of_rows = expected * of_pos + (1 - expected) * of_neg
    errors = share * of_pos + (1 - share) * of_neg - of_rows.mean()
    variance = (errors**2).sum(axis=1).mean()
    assert checked.expected_variance(of_pos, of_neg) == pytest.approx(variance, rel=0.03)


def test_all_rows_labelled_by_people_are_ordinary_rows():
    truth, label, _, score = judged()
    found = label_errors.from_predictions(label, score, reference=truth)
    assert interval("average_precision", found) == interval("average_precision", (truth, score))


def test_scores_count_by_their_ranks_and_containers_do_not_matter():
    _, label, people, score = judged()
    wanted = interval(RECALL, label_errors.from_predictions(label, score, reference=people))
    text = np.where(label, "yes", "no")
    of_text = pd.Series(people).map({1.0: "yes", 0.0: "no"})
    weight = np.append(np.ones(2000), np.zeros(10))
    for y_true, reference, more in (
        (label, pd.Series(people).astype("boolean"), {}),
        (text, of_text, {"pos_label": "yes"}),
        (np.append(label, [1] * 10), np.append(people, [1] * 10), {"sample_weight": weight}),
    ):
        scores = np.append(score, np.ones(len(y_true) - 2000))
        labels = label_errors.from_predictions(y_true, scores, reference=reference, **more)
        found = interval(RECALL, pickle.loads(pickle.dumps(labels)))
        assert (found.low, found.high) == (wanted.low, wanted.high)
    warped = label_errors.from_predictions(label, np.exp(score), reference=people)
    assert warped.value(Metric("recall", threshold=np.exp(1.0))) == wanted.value


@pytest.mark.parametrize(
    ("reference", "more", "message"),
    [
        ([1, None, None, 0], {"label_sensitivity": 0.9}, "reference must be None if the rates"),
        ([1, None, None, None], {}, "both classes and of each label of y_true, got 1 positives in"),
        ([None, 0, 1, None], {"y_true": [1, 1, 1, 0]}, "reference must hold rows of both classes"),
        ([1, None, "", 0], {}, r"labels of y_true only, got \[''\]; missing ones are None or NaN"),
        ([1, None, 0], {}, "same length: y_true has 4, reference has 3"),
    ],
)
def test_labels_of_people_that_cannot_be_used_are_refused(reference, more, message):
    given = {"y_true": [1, 0, 1, 0], "y_score": [4.0, 3, 2, 1], "reference": reference}
    with pytest.raises(ValueError, match=message):
        label_errors.from_predictions(**{**given, **more})


def test_rows_that_were_chosen_by_the_score_are_doubted():
    """Half of the rows above a score are labelled by people, and a twentieth of the others."""
    truth, label, _, score = judged()
    chosen = np.random.default_rng(1).random(len(truth)) < np.where(score > 1, 0.5, 0.05)
    with pytest.warns(IntervalWarning, match="the rows of reference have other scores"):
        label_errors.from_predictions(label, score, reference=np.where(chosen, truth, np.nan))


def test_rows_that_were_drawn_within_labels_or_in_clusters_are_not_doubted():
    truth, label, _, score = judged()
    chosen = np.random.default_rng(1).random(len(truth)) < np.where(label, 0.5, 0.05)
    label_errors.from_predictions(label, score, reference=np.where(chosen, truth, np.nan))
    people = np.where(score > np.median(score), truth, np.nan)
    label_errors.from_predictions(label, score, reference=people, clusters=score > 1)


def test_nullable_labels_of_people_may_be_missing():
    _, label, people, score = judged()
    nullable = pd.array(people, dtype="boolean")
    of_nullable = label_errors.prior(label, score, reference=nullable)
    assert of_nullable == label_errors.prior(label, score, reference=people)
