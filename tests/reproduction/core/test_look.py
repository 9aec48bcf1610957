"""Styles of lines that readers can distinguish, also without colours."""

import itertools

import matplotlib as mpl

from reproduction.core import look

LOOKS = [look.ORDINARY, *look.CALIBRATED]


def test_all_lines_are_told_apart():
    for first, second in itertools.combinations(LOOKS, 2):
        assert all(first[key] != second[key] for key in ("color", "linestyle", "marker"))


def test_the_style_ends_with_its_block():
    with mpl.rc_context({"lines.linewidth": 7.0, "svg.fonttype": "none"}):
        before = dict(mpl.rcParams)
        with look.styled():
            assert mpl.rcParams["lines.linewidth"] != 7.0
        assert dict(mpl.rcParams) == before
