"""The one look: told apart by all readers, and written without a trace of when."""

import itertools
import re

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.layout_engine import ConstrainedLayoutEngine

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


@pytest.fixture
def figure():
    with look.styled():
        figure, axes = plt.subplots()
        axes.plot([0, 1], [0, 1], label="π$_0$")
        axes.legend()
    yield figure
    plt.close(figure)


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
    for look in [*LOOKS, look.POPULATION]:
        assert difference(look["color"], "white", "normal") > 40


def test_files_of_all_types_are_written(figure, tmp_path):
    paths = [tmp_path / "folder" / f"figure.{suffix}" for suffix in ("pdf", "png", "svg")]
    look.save(figure, paths, png_dpi=100)
    beginnings = [path.read_bytes()[:5] for path in paths]
    assert beginnings == [b"%PDF-", b"\x89PNG\r", b"<?xml"]
    assert sorted(path.name for path in paths[0].parent.iterdir()) == [
        "figure.pdf",
        "figure.png",
        "figure.svg",
    ]


def test_all_files_have_the_layout_of_the_first(figure, tmp_path, monkeypatch):
    laid_out = []
    execute = ConstrainedLayoutEngine.execute
    monkeypatch.setattr(
        ConstrainedLayoutEngine,
        "execute",
        lambda engine, of: laid_out.append(of) or execute(engine, of),
    )
    look.save(figure, [tmp_path / f"figure.{suffix}" for suffix in ("pdf", "png", "svg")], 100)
    assert laid_out == [figure]


def test_paths_may_be_text(figure, tmp_path):
    look.save(figure, [str(tmp_path / "figure.png")], png_dpi=50)
    assert (tmp_path / "figure.png").exists()


@pytest.mark.parametrize("suffix", ["pdf", "png", "svg"])
def test_saving_twice_gives_the_same_bytes(figure, tmp_path, suffix):
    paths = [tmp_path / f"{name}.{suffix}" for name in ("first", "second")]
    for path in paths:
        look.save(figure, [path], png_dpi=100)
    assert paths[0].read_bytes() == paths[1].read_bytes()


@pytest.mark.parametrize("suffix", ["pdf", "png", "svg"])
def test_files_bear_no_date(figure, tmp_path, suffix, monkeypatch):
    path = tmp_path / f"figure.{suffix}"
    look.save(figure, [path], png_dpi=100)
    undated = path.read_bytes()
    assert not re.search(rb"CreationDate|ModDate|<dc:date>|tIME|Creation Time", undated)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")  # where a date is written, it is this one
    look.save(figure, [path], png_dpi=100)
    assert path.read_bytes() == undated


@pytest.mark.parametrize("dpi", [50, 100, 200])
def test_the_resolution_is_that_asked_for(figure, tmp_path, dpi):
    path = tmp_path / "figure.png"
    look.save(figure, [path], png_dpi=dpi)
    height, width, _ = plt.imread(path).shape
    inches = figure.get_size_inches()
    assert (width, height) == pytest.approx((inches[0] * dpi, inches[1] * dpi), abs=1)


def test_a_type_that_cannot_be_undated_is_refused_by_name(figure, tmp_path):
    with pytest.raises(ValueError, match=r"\.eps"):
        look.save(figure, [tmp_path / "figure.eps"], png_dpi=100)


def test_a_figure_that_cannot_be_written_leaves_no_file(figure, tmp_path, monkeypatch):
    def broken(*_, **__):
        raise OSError("disk full")

    monkeypatch.setattr(figure, "savefig", broken)
    with pytest.raises(OSError, match="disk full"):
        look.save(figure, [tmp_path / "figure.png"], png_dpi=100)
    assert list(tmp_path.iterdir()) == []


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


def test_text_stays_text_in_pdf_and_is_drawn_in_svg(figure, tmp_path):
    look.save(figure, [tmp_path / "figure.svg"], png_dpi=100)
    assert b"<text" not in (tmp_path / "figure.svg").read_bytes()
    look.save(figure, [tmp_path / "figure.pdf"], png_dpi=100)
    assert b"/Type3" not in (tmp_path / "figure.pdf").read_bytes()
