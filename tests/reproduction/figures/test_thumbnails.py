import numpy as np
import pytest
from PIL import Image

from reproduction.figures.thumbnails import shrink


@pytest.fixture
def drawn(tmp_path):
    """A picture of 400 × 200 pixels, blue at the left and white at the right."""
    pixels = np.full((200, 400, 3), 255, dtype=np.uint8)
    pixels[:, :200] = (0, 114, 178)
    path = tmp_path / "figure.png"
    Image.fromarray(pixels).save(path)
    return path


def test_a_copy_keeps_shape_and_colours(drawn, tmp_path):
    copy = tmp_path / "docs" / "figure.png"
    shrink([drawn], [copy], width=100)

    with Image.open(copy) as image:
        pixels = np.asarray(image.convert("RGB")).astype(int)
    assert pixels.shape == (50, 100, 3)
    assert abs(pixels[:, :45] - (0, 114, 178)).max() < 8
    assert abs(pixels[:, 55:] - 255).max() < 8


def test_a_small_figure_is_not_enlarged(drawn, tmp_path):
    shrink([drawn], [tmp_path / "copy.png"], width=1000)

    with Image.open(tmp_path / "copy.png") as image:
        assert image.size == (400, 200)


def test_a_copy_for_each_figure(drawn, tmp_path):
    with pytest.raises(ValueError, match="shorter"):
        shrink([drawn, drawn], [tmp_path / "copy.png"], width=100)
