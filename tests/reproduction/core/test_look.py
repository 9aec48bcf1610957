"""Styles of lines that readers can distinguish, also without colours."""

import itertools

import matplotlib.pyplot as plt
import pytest
from matplotlib.text import Text

from reproduction.core import io, look, settings

LOOKS = [look.ORDINARY, *look.CALIBRATED]


def test_all_lines_are_told_apart():
    for first, second in itertools.combinations(LOOKS, 2):
        assert all(first[key] != second[key] for key in ("color", "linestyle", "marker"))


def drawn():
    with look.styled():
        figure, axes = plt.subplots(figsize=(look.SINGLE_WIDTH, 2.0))
        figure.suptitle("title")
        axes.set_title("panel", fontsize=6)
        axes.plot([0, 1], label="line")
        figure.legend(loc="outside lower center")
    return figure


def texts_of(figure):
    figure.draw_without_rendering()
    texts = figure.findobj(Text)
    named = {text.get_text(): text for text in texts if text.get_text().isalpha()}
    return named, [text for text in texts if text.get_text().endswith(".0")]


def test_texts_grow_with_the_figure():
    figure = drawn()
    look.adapt(figure, width=2 * look.FULL_WIDTH, font_size=None, font=None)
    assert figure.get_size_inches() == pytest.approx([2 * look.SINGLE_WIDTH, 4.0])
    named, ticks = texts_of(figure)
    sizes = {name: text.get_fontsize() for name, text in named.items()}
    assert sizes == {"title": 16, "panel": 12, "line": 14}
    assert {text.get_fontsize() for text in ticks} == {14}


def test_font_and_its_size():
    figure = drawn()
    look.adapt(figure, width=look.FULL_WIDTH, font_size=12, font="STIXGeneral")
    assert figure.get_size_inches() == pytest.approx([look.SINGLE_WIDTH, 2.0])
    named, ticks = texts_of(figure)
    assert {text.get_fontfamily()[0] for text in [*named.values(), *ticks]} == {"STIXGeneral"}
    assert {name: text.get_fontsize() for name, text in named.items()} == {
        "title": 12,
        "panel": 9,
        "line": 10.5,
    }
    assert {text.get_fontsize() for text in ticks} == {10.5}


def test_the_default_changes_nothing(tmp_path):
    io.write(drawn(), tmp_path / "as_drawn.png")
    figure = drawn()
    look.adapt(figure, **settings.load({}).figures.model_dump())
    io.write(figure, tmp_path / "adapted.png")
    assert (tmp_path / "as_drawn.png").read_bytes() == (tmp_path / "adapted.png").read_bytes()


def test_a_font_must_be_installed():
    with pytest.raises(ValueError, match=r"figures\.font: 'STIXGenral' is not installed"):
        look.adapt(plt.figure(), width=look.FULL_WIDTH, font_size=None, font="STIXGenral")
