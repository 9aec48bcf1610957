"""Styles of lines that all readers can distinguish."""

import itertools

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.colors import to_rgb

from reproduction.core import look

LOOKS = [look.ORDINARY, *look.CALIBRATED]

# Machado, Oliveira, Fernandes, IEEE TVCG 2009, severity 1, on linear RGB.
COLOUR_VISIONS = {
    "normal": np.eye(3),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
LINEAR_RGB_TO_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)


def lab(color, vision):
    """CIELAB coordinates of a colour as a reader with that vision sees it."""
    rgb = np.array(to_rgb(color))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    seen = np.clip(COLOUR_VISIONS[vision] @ linear, 0, 1)
    xyz = LINEAR_RGB_TO_XYZ @ seen / LINEAR_RGB_TO_XYZ.sum(axis=1)
    f = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def difference(first, second, vision):
    return np.linalg.norm(lab(first, vision) - lab(second, vision))


@pytest.mark.parametrize("vision", COLOUR_VISIONS)
def test_ordinary_and_calibrated_are_told_apart_by_colour(vision):
    assert difference(look.ORDINARY["color"], look.CALIBRATED[0]["color"], vision) > 50


def test_the_simulated_vision_confuses_what_it_should():
    """A check of the check: red and green are one for a reader with deuteranopia."""
    assert difference("#BB4B00", "#7A7A00", "normal") > 40
    assert difference("#BB4B00", "#7A7A00", "deuteranopia") < 20


@pytest.mark.parametrize("vision", COLOUR_VISIONS)
def test_all_lines_are_told_apart(vision):
    for first, second in itertools.combinations(LOOKS, 2):
        assert difference(first["color"], second["color"], vision) > 10
        assert first["linestyle"] != second["linestyle"]
        assert first["marker"] != second["marker"]


def test_lines_stand_out_from_the_page():
    for each in [*LOOKS, look.POPULATION]:
        assert difference(each["color"], "white", "normal") > 40


def test_the_style_ends_with_its_block():
    with mpl.rc_context({"lines.linewidth": 7.0, "svg.fonttype": "none"}):
        before = dict(mpl.rcParams)
        with look.styled():
            assert mpl.rcParams["lines.linewidth"] != 7.0
        assert dict(mpl.rcParams) == before


def test_the_style_ends_when_its_block_fails():
    before = dict(mpl.rcParams)
    with pytest.raises(RuntimeError, match="drawing"), look.styled():
        raise RuntimeError("drawing")
    assert dict(mpl.rcParams) == before
