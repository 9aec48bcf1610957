"""What a job records of itself, and what its outputs say of themselves."""

import json
import re
from xml.etree import ElementTree

import matplotlib.pyplot as plt
import pandas as pd
import pyarrow.parquet as pq
import pytest
from made_up_jobs import MODULES, run_job, write
from PIL import Image

from reproduction.figures import style
from reproduction.files import sha256_of, write_parquet
from reproduction.provenance import code_hash
from reproduction.records import Records, uses, versions

TABLE, FIGURE = "tables/sweep.csv", "figures/sweep"
DESCRIPTION = ".//{http://purl.org/dc/elements/1.1/}description"


def block(first, stop):
    return f"intermediate/sweep/{first}-{stop}.parquet"


def run_sweep(folder, blocks=((0, 2), (2, 4)), n_samples=10, seed=7):
    """Blocks of runs, a table of all runs and a figure of it; return what the figure says."""
    for first, stop in blocks:
        run_job(
            folder,
            {block(first, stop): "block"},
            function="a.sweep",
            settings={"n_samples": n_samples},
            runs=range(first, stop),
            seed=seed,
        )
    run_job(folder, {TABLE: "table"}, inputs=tuple(block(*each) for each in blocks))
    return figure_of(folder, TABLE)


def figure_of(folder, table):
    said = []
    run_job(
        folder,
        {f"{FIGURE}.png": lambda path, record: said.append(record.metadata()) or write(path, "")},
        inputs=(table,),
        function="a.draw",
        png_dpi=100,
    )
    return json.loads(said[0])


def test_a_record_has_everything_behind_a_file(tmp_path):
    own = tmp_path / "own.csv"
    write(own, "own")
    run_job(
        tmp_path,
        {"tables/a.csv": "a", "tables/b.csv": "b", "intermediate/a.json": "c"},
        sources=(own,),
        downloads={"server/1.arff": "d"},
        settings={"path": str(own), "n": (1, 2)},
        seed=3,
    )

    results = tmp_path / "results"
    path = results / "provenance" / "tables" / "a.json"
    assert json.loads(path.read_text("utf-8")) == {
        "function": "reproduction.files.joined",
        "modules": MODULES,
        "code": code_hash(*MODULES),
        "settings": {"settings": {"path": "…/own.csv", "n": [1, 2]}, "seed": 3},
        "inputs": {},
        "sources": {
            "…/own.csv": sha256_of(own),
            "resources_dir/server/1.arff": sha256_of(tmp_path / "resources/server/1.arff"),
        },
        "versions": versions(),
        "outputs": {"tables/a.csv": sha256_of(results / "tables/a.csv")},
    }
    records = Records(results)
    assert list(records.of("tables/b.csv").outputs) == ["tables/b.csv"]
    assert list(records.of("intermediate/a.json").outputs) == ["intermediate/a.json"]
    assert records.of("tables/none.csv") is None


def test_sources_are_in_the_order_of_their_names(tmp_path):
    downloads = {"b.arff": "b", "a.arff": "a"}
    run_job(tmp_path, {TABLE: "table"}, downloads=downloads)

    sources = Records(tmp_path / "results").of(TABLE).sources
    assert list(sources) == ["resources_dir/a.arff", "resources_dir/b.arff"]


def test_versions_are_those_of_the_main_packages():
    assert list(versions()) == ["Python", "numpy", "scipy", "pandas", "scikit-learn", "matplotlib"]
    assert versions()["pandas"] == pd.__version__


def test_a_figure_says_what_is_behind_it(tmp_path):
    said = run_sweep(tmp_path)

    code = code_hash(*MODULES)
    assert said["seed"] == 7
    assert said["inputs"] == {TABLE: sha256_of(tmp_path / "results" / TABLE)}
    functions = ("a.draw", "a.sweep", "reproduction.files.joined")
    assert said["code"] == [f"{function}@{code}" for function in functions]
    assert said["versions"] == versions()
    assert re.fullmatch("[0-9a-f]{64}", said["configuration"])
    assert "unrecorded" not in said


def test_a_figure_says_the_same_anywhere_and_from_any_blocks(tmp_path):
    said = run_sweep(tmp_path / "one")

    assert run_sweep(tmp_path / "another") == said
    assert run_sweep(tmp_path / "in one", blocks=[(0, 4)]) == said


@pytest.mark.parametrize("change", [{"n_samples": 11}, {"seed": 8}, {"blocks": [(0, 2), (2, 5)]}])
def test_a_setting_behind_a_figure_is_in_its_configuration(tmp_path, change):
    before = run_sweep(tmp_path / "before")
    after = run_sweep(tmp_path / "after", **change)

    assert after["configuration"] != before["configuration"]
    assert after["inputs"] == before["inputs"]
    assert after["seed"] == change.get("seed", 7)


def test_a_figure_without_random_draws_has_no_seed(tmp_path):
    run_job(tmp_path, {TABLE: "table"})

    assert figure_of(tmp_path, TABLE)["seed"] is None


def test_an_input_without_a_record_is_named(tmp_path):
    write(tmp_path / "results" / TABLE, "from somewhere")

    assert figure_of(tmp_path, TABLE)["unrecorded"] == [TABLE]


@pytest.mark.parametrize("text", ["{", "[]", '{"function": "f"}'])
def test_a_damaged_record_is_named(tmp_path, text):
    run_job(tmp_path, {TABLE: "table"})
    write(tmp_path / "results" / "provenance" / "tables" / "sweep.json", text)

    with pytest.raises(
        ValueError, match=r"sweep\.json, the record of tables/sweep\.csv, is damaged"
    ):
        figure_of(tmp_path, TABLE)


def test_a_job_that_fails_writes_no_record(tmp_path):
    def fail(path, record):
        raise RuntimeError("disk full")

    with pytest.raises(RuntimeError, match="disk full"):
        run_job(tmp_path, {TABLE: fail})

    assert not (tmp_path / "results" / "provenance").exists()


def test_downloads_outside_of_a_job_are_not_recorded(tmp_path):
    uses(tmp_path / "not there")


# ------------------------------------------------------------------------------------ metadata

TEXT = '{"a": "(1) \\\\ <b> & \\u03c0"}'


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("figure")
    paths = {suffix: folder / f"figure.{suffix}" for suffix in ("pdf", "png", "svg")}
    with style.styled():
        figure, _ = plt.subplots(figsize=(1, 1))
    style.save(figure, paths.values(), png_dpi=50, provenance=TEXT)
    plt.close(figure)
    return paths


def test_metadata_of_png(files):
    with Image.open(files["png"]) as image:
        assert image.text["Provenance"] == TEXT


def test_metadata_of_svg(files):
    assert ElementTree.parse(files["svg"]).find(DESCRIPTION).text == TEXT


def test_metadata_of_pdf(files):
    (written,) = re.findall(rb"/Keywords \((.*)\)\n?", files["pdf"].read_bytes())
    assert re.sub(rb"\\(.)", rb"\1", written).decode("ascii") == TEXT


def test_metadata_of_parquet(tmp_path):
    frame = pd.DataFrame({"a": [1, 2], "b": ["x", None]})
    with_text, without = tmp_path / "with.parquet", tmp_path / "without.parquet"
    write_parquet(frame, with_text, TEXT)
    write_parquet(frame, without)

    assert pq.read_schema(with_text).metadata[b"provenance"].decode() == TEXT
    pd.testing.assert_frame_equal(pd.read_parquet(with_text), pd.read_parquet(without))
