"""Figure 3: its instances and its numbers."""

from fractions import Fraction

import pytest
from figure_checks import assert_readable

from reproduction.illustration import experiment, figure

NUMBERS = ["n_pos", "n_neg", "prior", "pi0", "tp", "fp", "n_predicted", "recall", "fpr"]
NUMBERS += ["precision", "f1", "precision_calibrated", "f1_calibrated"]


@pytest.fixture(scope="module")
def tables():
    instances, numbers = experiment.run()
    return {"prior_illustration": instances, "prior_illustration_numbers": numbers}


@pytest.mark.parametrize("place", [0, 1])
def test_the_numbers_are_those_of_a_count(tables, place):
    row = tables["prior_illustration_numbers"].iloc[place]
    rows = tables["prior_illustration"].query("present and population == @row.population")
    positive, above = rows["y_true"] == 1, rows["score"] >= 0
    tp, fp = int((positive & above).sum()), int((~positive & above).sum())
    n_pos, n_neg = int(positive.sum()), int((~positive).sum())
    ratio = Fraction(n_pos, n_neg) * 2
    expected = [n_pos, n_neg, Fraction(n_pos, n_pos + n_neg), Fraction(1, 3), tp, fp, tp + fp]
    expected += [Fraction(tp, n_pos), Fraction(fp, n_neg), Fraction(tp, tp + fp)]
    expected += [Fraction(2 * tp, tp + fp + n_pos), tp / (tp + ratio * fp)]
    expected += [2 * tp / (tp + ratio * fp + n_pos)]
    assert row[NUMBERS].tolist() == pytest.approx([float(value) for value in expected], rel=1e-12)


@pytest.fixture(scope="module")
def drawn(tables):
    return figure.draw(*tables.values())


def test_all_text_can_be_read(drawn):
    assert_readable(drawn)


@pytest.mark.parametrize("place", [0, 1])
def test_a_panel_shows_every_instance_and_the_numbers(drawn, tables, place):
    axes, row = drawn.axes[place], tables["prior_illustration_numbers"].iloc[place]
    rows = tables["prior_illustration"].query(f"population == '{row['population']}'")
    present, positive = rows["present"], rows["y_true"] == 1
    shown = {line.get_marker(): list(line.get_xdata()) for line in axes.get_lines()}
    for marker, kind in {"o": present & positive, "s": present & ~positive, "x": ~present}.items():
        assert shown[marker] == rows.loc[kind, "score"].tolist()
    texts = [text.get_text() for text in axes.texts]
    labels = [f"recall {row['tp']} / {row['n_pos']}", f"FPR {row['fp']} / {row['n_neg']}"]
    labels += [f"precision {row['tp']} / {row['n_predicted']}", "F1", "precision$_c$", "F1$_c$"]
    for label, name in zip(labels, NUMBERS[7:], strict=True):
        number = axes.texts[texts.index(label) - 1]
        assert number.get_text() == f"{row[name]:.2f}"
        assert (number.get_fontweight() == "bold") == (name in ("precision", "f1"))
    counts = f"{row['n_pos']} positives, {row['n_neg']} negatives, π = {row['prior']:.2f}"
    assert axes.get_title(loc="left") == f"{row['population']}: {counts}"


def test_the_title_names_the_numbers_that_change(tables):
    instances, numbers = tables.values()
    one = numbers.assign(f1=numbers["f1"].iloc[0])
    assert figure.draw(instances, one).get_suptitle() == (
        "Fewer positives change precision, but not recall, FPR, F1, precision$_c$ and F1$_c$"
    )
    none = one.assign(precision=0.6)
    assert figure.draw(instances, none).get_suptitle() == "Fewer positives change nothing"
