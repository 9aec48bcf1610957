"""The archive of a run: a Workflow Run RO-Crate."""

import json
import os
import zipfile

import pytest
from made_up_jobs import run_job, write

from reproduction.crate import source_files, write_crate
from reproduction.files import sha256_of, write_json
from reproduction.manifest import NAME, identity, manifest
from reproduction.settings import Config

TABLE, FIGURE = "tables/sweep.csv", "figures/sweep.png"
PROJECT = ["LICENSE", "README.md", "Snakefile", "src/package/module.py", "workflow/rules/a.smk"]
METADATA = "ro-crate-metadata.json"
NOT_SOURCE = ["notes.txt", "src/package/__pycache__/module.pyc", "src/package.egg-info/PKG-INFO"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    for name in (*PROJECT, *NOT_SOURCE):
        write(folder / "project" / name, f"this is {name}\n")
    downloads = dict.fromkeys(["server/1.arff", "server/2.arff"], "downloaded")
    run_job(folder, {TABLE: "table\n"}, downloads=downloads, seed=3)
    run_job(folder, {FIGURE: "figure\n"}, inputs=(TABLE,))
    results = folder / "results"
    paths = [results / TABLE, results / FIGURE]
    write_json(results / NAME, manifest(results, paths, identity(Config()), "1.0"))
    os.utime(results / TABLE, (1_600_000_000, 1_600_000_000))
    return folder


def make(folder, name="crate.zip"):
    results, project = folder / "results", folder / "project"
    write_crate(
        folder / name,
        results=results,
        project=project,
        files=[results / TABLE, results / FIGURE, results / NAME],
        sources=source_files(project),
        snakemake="9.27.1",
    )
    return folder / name


@pytest.fixture(scope="module")
def crate(folder):
    """The path of the archive."""
    return make(folder)


@pytest.fixture(scope="module")
def entities(crate):
    with zipfile.ZipFile(crate) as archive:
        metadata = json.loads(archive.read(METADATA))
    found = {entity["@id"]: entity for entity in metadata["@graph"]}
    assert len(found) == len(metadata["@graph"])
    return found


def ids(links):
    return [link["@id"] for link in (links if isinstance(links, list) else [links])]


def test_the_archive_has_the_results_and_the_source(crate):
    with zipfile.ZipFile(crate) as archive:
        assert archive.testzip() is None
        assert sorted(archive.namelist()) == sorted(
            [
                *PROJECT,
                *(f"results/{name}" for name in (TABLE, FIGURE, NAME, "configuration.json")),
                METADATA,
            ]
        )
        assert archive.read(f"results/{TABLE}") == b"table\n"
        assert json.loads(archive.read("results/configuration.json"))["seed"] == Config().seed


def test_the_same_files_give_the_same_bytes(folder, crate):
    assert make(folder, "again.zip").read_bytes() == crate.read_bytes()


def test_every_file_is_a_part_and_every_part_is_there(crate, entities):
    parts = set(ids(entities["./"]["hasPart"]))
    with zipfile.ZipFile(crate) as archive:
        names = set(archive.namelist()) - {METADATA}

    folders = {part for part in parts if part.endswith("/")}
    assert parts - folders <= names
    assert {name for name in names if not name.startswith(tuple(folders))} == parts - folders
    assert folders == {"src/", "workflow/"}


def test_links_within_the_crate_lead_to_entities(entities):
    def linked(value):
        if isinstance(value, list):
            for each in value:
                yield from linked(each)
        elif isinstance(value, dict):
            yield from [value["@id"]] if "@id" in value else []

    named = {link for entity in entities.values() for v in entity.values() for link in linked(v)}
    elsewhere = {link for link in named - entities.keys() if link.startswith("https://")}
    assert named - entities.keys() == elsewhere


def test_the_run_links_the_workflow_its_configuration_and_its_results(folder, entities):
    run = entities["#run"]
    downloaded = sha256_of(folder / "resources" / "server" / "1.arff")

    assert run["@type"] == "CreateAction"
    assert run["instrument"] == entities["./"]["mainEntity"] == {"@id": "Snakefile"}
    assert ids(run["object"]) == ["results/configuration.json", f"#{downloaded}"]
    assert ids(run["result"]) == [f"results/{name}" for name in (TABLE, FIGURE, NAME)]
    assert run["endTime"] == "2020-09-13T12:26:40+00:00"
    named = [f"resources_dir/server/{number}.arff" for number in (1, 2)]
    assert entities[f"#{downloaded}"]["name"] == ", ".join(named)
    assert entities[f"results/{TABLE}"]["sha256"] == sha256_of(folder / "results" / TABLE)
    assert entities["#configuration"]["workExample"] == {"@id": "results/configuration.json"}
    assert entities["Snakefile"]["@type"][-1] == "ComputationalWorkflow"


def test_the_crate_names_its_profiles(entities):
    assert ids(entities["./"]["conformsTo"])[1] == "https://w3id.org/ro/wfrun/workflow/0.5"
    assert ids(entities[METADATA]["conformsTo"])[0] == "https://w3id.org/ro/crate/1.1"
