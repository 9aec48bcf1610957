"""The page "Which statement holds?": its numbers on normalised AUC-PR, MCC and kappa."""

from pathlib import Path

import numpy as np
import pytest

from calibrated_metrics import ConfusionCurve, scores

PAGE = Path(__file__).parents[2] / "docs" / "concepts" / "which-statement-holds.md"
TEXT = PAGE.read_text(encoding="utf-8")
MODEL = ConfusionCurve.from_binormal(2, 0, prior=0.5)
FIRST, LAST = 0.5, 0.001


def area(pi):
    return scores.average_precision(MODEL.at_prior(pi))


def matrix(pi):
    """Decisions at 1.5, where the likelihood ratio is exp(1)."""
    return MODEL.at_prior(pi).confusion_matrix(np.e)


@pytest.mark.parametrize(
    ("value", "phrase"),
    [
        (lambda pi: (area(pi) - pi) / (1 - pi), "falls from {:.2f} to {:.2f} for one model"),
        (lambda pi: area(pi) / pi, "rises from {:.1f} to {:.0f}"),
        (lambda pi: area(pi) ** (np.log(0.5) / np.log(pi)), "{:.2f} at π = 0.5, {:.2f} at 0.001"),
        (lambda pi: scores.prg_auc(MODEL.at_prior(pi)), "{:.2f} at π = 0.5, {:.3f} at 0.001"),
        (lambda pi: scores.matthews_corrcoef(matrix(pi)), "MCC falls from {:.2f} to {:.2f}"),
        (lambda pi: scores.cohen_kappa(matrix(pi)), "kappa from {:.2f} to {:.2f}"),
    ],
)
def test_a_row_gives_the_first_and_the_last_value(value, phrase):
    assert phrase.format(value(FIRST), value(LAST)) in TEXT


def test_one_reference_prior_gives_one_value():
    values = [scores.average_precision(MODEL.at_prior(pi).at_prior(0.5)) for pi in (FIRST, LAST)]
    assert values[0] == pytest.approx(values[1], rel=1e-12)
