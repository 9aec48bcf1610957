"""The copies of the figures in the documentation are small, and those of the default run."""

import json
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from copy_figures import PACKAGES, RECORD, copy_figures, record
from PIL import Image

from reproduction.core import settings

ROOT = Path(__file__).parents[2]
COPIES = ROOT / "docs/figures"
RECORDED = json.loads((COPIES / RECORD).read_text("utf-8"))


@pytest.fixture
def results(tmp_path):
    (tmp_path / "figures").mkdir()
    for name in ("fig4", "fig5"):
        Image.new("RGB", (3200, 1800), "white").save(tmp_path / "figures" / f"{name}.png")
    return tmp_path


def describe(results, **changes):
    run = {
        "configuration": settings.load(changes).model_dump(mode="json"),
        "packages": {**dict.fromkeys(PACKAGES, "1.0"), "other": "2.0"},
        "instructions": ["X86_V3"],
        "figures": {"fig4": ["tables/a.csv", "tables/b.csv"]},
        "sha256": {"tables/a.csv": "aa", "tables/b.csv": "bb", "tables/c.csv": "cc"},
    }
    (results / "provenance.json").write_text(json.dumps(run), encoding="utf-8")


def test_copies_are_small(results, tmp_path_factory):
    copies = tmp_path_factory.mktemp("copies")
    describe(results, results_dir="elsewhere")
    copy_figures(results, copies)
    assert Image.open(copies / "fig4.png").size == (1440, 810)
    assert not (copies / "fig5.png").exists()  # it is not of this run


def test_the_tables_of_each_copy_are_recorded(results, tmp_path_factory):
    copies = tmp_path_factory.mktemp("copies")
    describe(results)
    copy_figures(results, copies)
    assert json.loads((copies / RECORD).read_text()) == {
        "instructions": ["X86_V3"],
        "packages": dict.fromkeys(PACKAGES, "1.0"),
        "figures": {"fig4": {"tables/a.csv": "aa", "tables/b.csv": "bb"}},
    }


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


def test_each_picture_of_a_figure_is_recorded():
    captions = {path.stem for path in (ROOT / "workflow/report").glob("*.rst")}
    assert set(RECORDED["figures"]) == {path.stem for path in COPIES.glob("*.png")} & captions


def test_the_copies_are_those_of_the_default_run():
    path = ROOT / "results/provenance.json"
    if not path.exists():
        pytest.skip("there is no default run in results/")
    found = record(json.loads(path.read_text("utf-8")))
    if any(found[key] != RECORDED[key] for key in ("instructions", "packages")):
        pytest.skip("the copies were made with other packages or on another kind of machine")
    assert found["figures"] == RECORDED["figures"], "run python docs/copy_figures.py"
