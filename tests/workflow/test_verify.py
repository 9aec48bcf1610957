"""The provenance of the smoke run, and what `snakemake verify` says after it was tampered with."""

import json
import re
from xml.etree import ElementTree

import pyarrow.parquet as pq
import pytest
import yaml
from inventory import FIGURES, TABLES
from PIL import Image
from runs import SMOKE

from reproduction.config import load_config
from reproduction.manifest import read_manifest
from reproduction.verification import verify

DESCRIPTION = ".//{http://purl.org/dc/elements/1.1/}description"
UNSEEDED = {"fig3_prior_illustration", "dg_fig1", "dg_fig5", "dg_fig6", "dg_fig7"}


@pytest.fixture(scope="module")
def results(reference):
    return reference.folder / reference.results


@pytest.fixture(scope="module")
def jobs(results):
    """The job of each file."""
    return {name: job for job in read_manifest(results)["jobs"] for name in job["outputs"]}


def config_of(project):
    settings = yaml.safe_load((project.folder / SMOKE).read_text(encoding="utf-8"))
    folder = project.folder / settings["results_dir"]
    return load_config({**settings, "results_dir": str(folder)})


def test_every_table_and_figure_has_a_record(results, jobs):
    made = {f"tables/{name}.csv" for name in TABLES}
    made |= {f"figures/{name}.{suffix}" for name in FIGURES for suffix in ("pdf", "png", "svg")}

    assert {name for name in jobs if not name.startswith("intermediate/")} == made
    assert read_manifest(results)["unrecorded"] == []


def test_the_provenance_tells_neither_the_time_nor_folders(reference, results):
    text = (results / "provenance.json").read_text(encoding="utf-8")

    assert str(reference.folder) not in text
    assert not re.search(r"\d{4}-\d\d-\d\dT", text)
    assert json.loads(text)["project"]["commit"] is None  # this copy is not a git checkout


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_says_how_it_was_made(results, jobs, name):
    path = results / "figures" / name
    with Image.open(path.with_suffix(".png")) as image:
        text = image.text["Provenance"]
    said, job = json.loads(text), jobs[f"figures/{name}.png"]

    assert ElementTree.parse(path.with_suffix(".svg")).find(DESCRIPTION).text == text
    assert text.encode() in path.with_suffix(".pdf").read_bytes()
    assert {key: said[key] for key in ("inputs", "configuration", "seed")} == {
        key: job[key] for key in ("inputs", "configuration", "seed")
    }
    assert (
        said["inputs"].items()
        <= {k: v for job in jobs.values() for k, v in job["outputs"].items()}.items()
    )
    assert said["seed"] == (None if name in UNSEEDED else 20200427)
    assert f"{job['function']}@{job['code']}" in said["code"]
    assert said["versions"].keys() == {
        "Python",
        "numpy",
        "scipy",
        "pandas",
        "scikit-learn",
        "matplotlib",
    }


def test_parquet_files_say_how_they_were_made(results, jobs):
    blocks = [name for name in jobs if name.endswith(".parquet")]

    assert len(blocks) > 20
    for name in blocks:
        said = json.loads(pq.read_schema(results / name).metadata[b"provenance"])
        assert said["configuration"] == jobs[name]["configuration"]
        assert said["seed"] == jobs[name]["seed"]


def test_the_run_matches_its_provenance(reference):
    found = verify(config_of(reference))

    assert found.differs == []
    assert len(found.not_checked) == 1  # the report and other files that are not covered
    assert found.matches["tables and figures"] == len(TABLES) + 3 * len(FIGURES)


def test_tampering_is_found_and_left_as_it_is(finished):
    results = finished.folder / finished.results
    table = results / "tables" / "dg_fig1.csv"
    table.write_text(table.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    (results / "figures" / "fig5_kl_sweep.pdf").unlink()
    (results / "intermediate" / "pi_sweep" / "0-2.parquet").unlink()
    with open(
        finished.folder / "src/reproduction/figures/dg_fig5.py", "a", encoding="utf-8"
    ) as file:
        file.write("\nADDED = 1\n")
    before = finished.contents()

    outcome = finished.run("verify", settings={"seed": 1})

    assert outcome.code != 0
    assert outcome.jobs == {"verify": 1}
    printed, _, error = outcome.output.partition("differences from the provenance: 6")
    assert error
    lines = [line for line in printed.splitlines() if line.startswith(("differs", "not ch"))]
    assert lines == [
        "not checked  intermediate/pi_sweep/0-2.parquet: not in results/smoke",
        "not checked  provenance.json does not cover the report, notebooks, logs and benchmarks",
        "differs      configuration: seed was 20200427 and is 1",
        "differs      code: reproduction.figures.dg_fig5.draw has changed since it made "
        "figures/dg_fig5.{pdf,png,svg}",
        "differs      figures/dg_fig1.{pdf,png,svg} was made from another tables/dg_fig1.csv",
        "differs      figures/fig5_kl_sweep.pdf is missing",
        "differs      tables/dg_fig1.csv has changed since it was made",
        "differs      tables/paper_vs_ours.csv was made from another tables/dg_fig1.csv",
    ]
    assert finished.contents() == before
