"""Checks of drawn figures that several test modules share."""

import functools
import itertools

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest
from matplotlib.text import Text

from reproduction.core import io

OWN_SETTINGS = {
    "font.size": 23.0,
    "lines.linewidth": 7.0,
    "axes.grid": False,
    "savefig.bbox": "tight",
    "image.cmap": "gray",
}


@functools.cache
def settle(figure):
    """Lay out a figure, once: it must not change afterwards."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")


@functools.cache
def shown_texts(figure):
    """Texts that are drawn, with the boxes they fill in pixels. The figure must not change."""
    settle(figure)
    texts = []
    draw = Text.draw

    def spied(text, *arguments, **options):
        if text.get_visible() and text.get_text().strip():
            texts.append(text)
        return draw(text, *arguments, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Text, "draw", spied)
        figure.draw_without_rendering()
    return {text: text.get_window_extent() for text in texts}


def assert_readable(figure):
    """All text lies within the figure, and no text on another."""
    canvas = figure.bbox
    for text, box in shown_texts(figure).items():
        inside = canvas.x0 <= box.x0 and box.x1 <= canvas.x1
        inside &= canvas.y0 <= box.y0 and box.y1 <= canvas.y1
        assert inside, f"{text.get_text()!r} is cut: {box.extents} in {canvas.extents}"
    for (first, a), (second, b) in itertools.combinations(shown_texts(figure).items(), 2):
        width = min(a.x1, b.x1) - max(a.x0, b.x0)
        height = min(a.y1, b.y1) - max(a.y0, b.y0)
        overlaps = width > 1 and height > 1  # pixels
        assert not overlaps, f"{first.get_text()!r} lies on {second.get_text()!r}"


def assert_same_files_whatever_the_users_settings(draw, folder, suffixes=("svg",)):
    """Draw and save a figure twice, the second time among a user's own settings."""
    saved = []
    for copy, settings in (("plain", {}), ("own", OWN_SETTINGS)):
        paths = [folder / copy / f"figure.{suffix}" for suffix in suffixes]
        with mpl.rc_context(settings):
            before = dict(mpl.rcParams)
            figure = draw()
            assert dict(mpl.rcParams) == before
            for path in paths:
                io.write(figure, path)
            assert dict(mpl.rcParams) == before
        plt.close(figure)
        saved.append([path.read_bytes() for path in paths])
    assert saved[0] == saved[1]
