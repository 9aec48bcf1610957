"""Calls that people type first: each works, or its error message says what to type."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import confusion_matrix

import calibrated_metrics
from calibrated_metrics import comparison, thresholds, uncertainty

RNG = np.random.default_rng(0)
Y = (np.arange(600) < 150).astype(int)
S, S2 = RNG.normal(2 * Y), RNG.normal(1.5 * Y)
DATA = {
    "Y": Y,
    "S": S,
    "S2": S2,
    "PROBA": np.column_stack([S < 1, S >= 1]).astype(float),
    "D": (S >= 1).astype(int),
    "D2": (S2 >= 1).astype(int),
    "TEXT": np.where(Y == 1, "fraud", "ok"),
    "FEW": {"n_samples": 50, "rng": 0},
    "FRAME": pd.DataFrame(
        {"y": Y, "s": S, "d": S >= 1, "date": pd.date_range("2026-01-01", periods=600)}
    ),
}
MODULES = calibrated_metrics, comparison, thresholds, uncertainty
NAMES = {name: getattr(module, name) for module in MODULES for name in module.__all__}
NAMES |= {
    "np": np,
    "calibrated_metrics": calibrated_metrics,
    "confusion_matrix": confusion_matrix,
    **DATA,
}

WORKS = {
    # what people type: the same in the words of the documentation
    'interval("AUC-PR", (Y, S))': 'interval("average_precision", (Y, S))',
    'interval("average precision", (Y, S), pi0=0.01)': 'interval("ap", (Y, S), pi0=0.01)',
    'interval("AUPRC", (TEXT, S), pos_label="fraud")': 'interval("average_precision", (Y, S))',
    "interval(average_precision_score, (Y, S))": 'interval("average_precision", (Y, S))',
    'interval("precision", (Y, D))': 'interval("ppv", ConfusionMatrix.from_predictions(Y, D))',
    'interval("f1_score", (Y, D))': 'interval(Metric("fbeta", beta=1), (Y, D))',
    'interval("Youden", (Y, D))': 'interval("youden_index", (Y, D))',
    'interval("DOR", (Y, D))': 'interval("diagnostic_odds_ratio", (Y, D))',
    'interval("sensitivity", (TEXT, S >= 1), pos_label="fraud")': 'interval("recall", (Y, D))',
    'classification_report(Y, D)["PPV"]': 'interval("precision", (Y, D))',
    'classification_report(Y, D, S, pi0=0.01)["AUC-PR"]': 'interval("ap", (Y, S), pi0=0.01)',
    'difference("precision", (Y, D), (Y, D2), paired=True)': (
        'difference(Metric("precision", threshold=1), (Y, S), (Y, S2), paired=True)'
    ),
    'explain_change("AUC-PR", (Y, S), (Y, S2)).total': (
        'explain_change("average_precision", (Y, S), (Y, S2)).total'
    ),
    'planning.rows_for("ppv", ConfusionMatrix(tp=9, fp=5, fn=1, tn=95), width=0.3, **FEW).power': (
        'planning.rows_for(Metric("ppv", threshold=1), '
        "ConfusionCurve.from_counts([0, 1], pos=[1, 9], neg=[95, 5]), width=0.3, **FEW).power"
    ),
}

ANSWERED = {
    # what people type: a part of the answer, and the call that contains it
    "average_precision_score(Y, S, prevalence=0.01)": (
        "pi0",
        "average_precision_score(Y, S, pi0=0.01)",
    ),
    "average_precision_score(Y, S, 0.01)": ("pi0", "average_precision_score(Y, S, pi0=0.01)"),
    "average_precision_score(Y, PROBA)": (
        "[:, 1]",
        "average_precision_score(Y, PROBA[:, 1])",
    ),
    "calibrated_metrics.auprc_score(Y, S)": (
        "average_precision_score",
        "average_precision_score(Y, S)",
    ),
    'calibrated_metrics.interval("AUPRC", (Y, S))': (
        "uncertainty.interval",
        'uncertainty.interval("AUPRC", (Y, S))',
    ),
    "precision_score(Y, PROBA[:, 1] + 0.1)": (" >= 0.5", "precision_score(Y, PROBA[:, 1] >= 0.5)"),
    'interval("precision", Y, D)': ("(metric, (", 'metric = "ppv"; interval(metric, (Y, D))'),
    'interval("precision", (Y, S))': (" >= 0.5", 'interval("precision", (Y, S >= 0.5))'),
    'interval(["AUC-PR", "AUC-ROC"], (Y, S))': (
        "metrics=[",
        'classification_report(Y, y_score=S, metrics=["AUC-PR", "AUC-ROC"])',
    ),
    'interval("fpr", (Y, D))': ("'specificity'", "interval('specificity', (Y, D))"),
    'interval("F2", (Y, D))': (
        "Metric('fbeta', beta=2)",
        "interval(Metric('fbeta', beta=2), (Y, D))",
    ),
    'interval("precision@10", (Y, S))': (
        "Metric('precision_at_top', alert_rate=",
        "interval(Metric('precision_at_top', alert_rate=10 / 600), (Y, S), rng=0)",
    ),
    'interval("AUPRC", (TEXT, S))': ("pos_label=", 'interval("AUPRC", (TEXT, S), pos_label="ok")'),
    'interval("AUPRC", (Y, S), prevalence=0.01)': ("pi0", 'interval("AUPRC", (Y, S), pi0=0.01)'),
    'interval("AUPRC", (Y, S), alpha=0.1)': (
        "confidence_level=1 - ",
        'interval("AUPRC", (Y, S), confidence_level=1 - 0.1)',
    ),
    'interval("ppv", confusion_matrix(Y, D))': (
        "ConfusionMatrix(tp=",
        'interval("ppv", ConfusionMatrix(tp=90, fp=60, fn=10, tn=440))',
    ),
    'interval("ppv", ConfusionMatrix(*confusion_matrix(Y, D).ravel()))': (
        "tn, fp, fn, tp = confusion_matrix(",
        "tn, fp, fn, tp = confusion_matrix(Y, D).ravel(); "
        "ConfusionMatrix(tp=tp, fp=fp, fn=fn, tn=tn)",
    ),
    "ConfusionMatrix.from_rates(0.9, 0.95, 0.01)": (
        "fpr=1 - ",
        "ConfusionMatrix.from_rates(tpr=0.9, fpr=1 - 0.95, prior=0.01)",
    ),
    "ConfusionMatrix.from_rates(sensitivity=0.9, specificity=0.95, prevalence=0.01)": (
        "fpr=1 - ",
        "ConfusionMatrix.from_rates(tpr=0.9, fpr=1 - 0.95, prior=0.01)",
    ),
    "classification_report(Y, PROBA[:, 1] + 0.1)": (
        " >= 0.5",
        "classification_report(Y, PROBA[:, 1] >= 0.5)",
    ),
    "classification_report(TEXT, TEXT)": (
        "pos_label=",
        'classification_report(TEXT, TEXT, pos_label="fraud")',
    ),
    "classification_report(Y, D, output_dict=True)": (
        "dict(",
        "dict(classification_report(Y, D))",
    ),
    'difference("AUPRC", Y, S, S2)': (
        "), (",
        'difference("AUPRC", (Y, S), (Y, S2), paired=True)',
    ),
    'explain_change("AUPRC", (Y, S), (Y, S2), pi0=0.01)': (
        "uncertainty.difference",
        'uncertainty.difference("AUPRC", (Y, S), (Y, S2), pi0=0.01)',
    ),
    "choose_threshold((Y, S), min_sensitivity=0.5)": (
        "min_recall",
        "choose_threshold((Y, S), min_recall=0.5)",
    ),
    "choose_threshold((TEXT, S), min_recall=0.5)": (
        "pos_label=",
        'choose_threshold((TEXT, S), min_recall=0.5, pos_label="fraud")',
    ),
    'by_group(FRAME, FRAME["date"].dt.month, y_true="y", y_score="s", metrics="ap")': (
        ".assign(",
        'by_group(FRAME.assign(month=FRAME["date"].dt.month), "month", y_true="y", y_score="s", '
        'metrics="ap")',
    ),
    'by_group(FRAME.assign(a=1), "a", y_true="y", y_score="d", metrics="precision")': (
        "Metric('precision', threshold=0.5)",
        'by_group(FRAME.assign(a=1), "a", y_true="y", y_score="d", '
        "metrics=Metric('precision', threshold=0.5))",
    ),
    "displays.PrecisionRecallDisplay.from_predictions(Y, S, prevalence=0.01)": (
        "pi0",
        "displays.PrecisionRecallDisplay.from_predictions(Y, S, pi0=0.01)",
    ),
    "probabilities.rebase(PROBA[:, 1], old_prior=0.5, new_prior=0.01)": (
        "pi0",
        "probabilities.rebase(PROBA[:, 1], prior=0.5, pi0=0.01)",
    ),
    "average_precision_score(Y, S, pi_zero=0.5)": ("pi0", "average_precision_score(Y, S, pi0=0.5)"),
    'interval("precision", (Y + 1, D + 1))': (
        "pos_label=2",
        'interval("precision", (Y + 1, D + 1), pos_label=2)',
    ),
    'interval("ap", (Y, S), clusters=Y)': (
        "ConfusionCurve.from_predictions",
        'interval("ap", ConfusionCurve.from_predictions(Y, S, clusters=np.arange(600)))',
    ),
    'planning.rows_for("recall", (Y, D), width=0.2, prevalence=0.1)': (
        "prior",
        'planning.rows_for("ap", (Y, S), width=0.4, prior=0.1, **FEW)',
    ),
    'planning.rows_for("ap", (Y, S), width=5)': (
        "width",
        'planning.rows_for("ap", (Y, S), width=0.4, **FEW)',
    ),
    "precision_recall_at_top(Y, S, k=2, per=np.arange(600) // 60)": (
        "by",
        "precision_recall_at_top(Y, S, k=2, by=np.arange(600) // 60)",
    ),
    'scorers.scorer("AUPRC", prevalence=0.01)': ("pi0", 'scorers.scorer("AUPRC", pi0=0.01)'),
    'register_score(lambda curve: 0.5, "half")': (
        "label=",
        'register_score(label="half")',
    ),
    'interval("recall", (Y, S), threshold=0.5)': (
        "Metric(",
        'interval(Metric("recall", threshold=0.5), (Y, S))',
    ),
    'label_free.estimate("ap", S2, (Y, S), pi0=0.1)': (
        "prior",
        'label_free.estimate("ap", S2, (Y, S), prior=0.1)',
    ),
    "probabilities.brier_score(Y, PROBA[:, 1], prevalence=0.1)": (
        "pi0",
        "probabilities.brier_score(Y, PROBA[:, 1], pi0=0.1)",
    ),
    "multiclass.one_vs_rest(Y, PROBA, weights=Y + 1)": (
        "sample_weight",
        "multiclass.one_vs_rest(Y, PROBA, sample_weight=Y + 1)",
    ),
    "audit.design(S, 50, seed=1)": ("rng", "audit.design(S, 50, rng=1)"),
    "precision_recall_at_top(Y, S, k=2, clusters=np.arange(600) // 60)": (
        "periods",
        "periods = np.arange(600) // 60; precision_recall_at_top(Y, S, k=2, by=periods)",
    ),
    'Metric("recall at precision")((Y, S))': (
        "Metric('recall_at_precision', precision=",
        "Metric('recall_at_precision', precision=0.5)((Y, S))",
    ),
}


def run(code):
    """The value of the last of some expressions or assignments."""
    *before, last = code.split("; ")
    names = dict(NAMES)
    with warnings.catch_warnings(action="ignore"):
        exec("; ".join(before), names)
        return eval(last, names)


def test_the_table_has_more_than_thirty_guesses():
    assert len(WORKS) + len(ANSWERED) >= 30


@pytest.mark.parametrize("guess", WORKS)
def test_the_guess_works(guess):
    found, expected = run(guess), run(WORKS[guess])
    numbers = [(each.value, each.low, each.high) for each in (found, expected)]
    assert numbers[0] == pytest.approx(numbers[1], rel=1e-12)


@pytest.mark.parametrize("guess", ANSWERED)
def test_the_answer_says_what_to_type(guess):
    part, call = ANSWERED[guess]
    with pytest.raises((AttributeError, TypeError, ValueError)) as caught:
        run(guess)
    assert part in str(caught.value)
    assert part in call
    run(call)
