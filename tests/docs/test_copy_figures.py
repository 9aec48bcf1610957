"""The copies of the figures in the documentation are small, and those of the default run."""

import json

import matplotlib as mpl
import numpy as np
import pytest
from copy_figures import copy_figures
from PIL import Image

from reproduction.core import settings


@pytest.fixture
def results(tmp_path):
    (tmp_path / "figures").mkdir()
    Image.new("RGB", (3200, 1800), "white").save(tmp_path / "figures" / "fig4.png")
    return tmp_path


def describe(results, **changes):
    configuration = settings.load(changes).model_dump(mode="json")
    text = json.dumps({"configuration": configuration})
    (results / "provenance.json").write_text(text, encoding="utf-8")


def test_copies_are_small(results, tmp_path_factory):
    copies = tmp_path_factory.mktemp("copies")
    describe(results, results_dir="elsewhere")
    copy_figures(results, copies)
    assert Image.open(copies / "fig4.png").size == (1440, 810)


def test_colours_of_scales_are_kept(results, tmp_path):
    places = np.tile(np.linspace(0, 1, 1440), (50, 1))
    colours = [mpl.colormaps[name](places, bytes=True) for name in ("RdBu", "PuOr", "YlGnBu")]
    scale = np.concatenate(colours)[..., :3]
    Image.fromarray(scale).save(results / "figures" / "fig4.png")
    describe(results)
    copy_figures(results, tmp_path)
    with Image.open(tmp_path / "fig4.png") as copy:
        difference = np.asarray(copy.convert("RGB")).astype(int) - scale
    assert np.abs(difference).max() <= 8


def test_other_settings_are_refused(results, tmp_path):
    describe(results, seed=5)
    with pytest.raises(SystemExit, match="these differ: seed"):
        copy_figures(results, tmp_path)
