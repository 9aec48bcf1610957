"""The target `ro_crate`, which is not part of a run."""

import json
import zipfile

from inventory import FIGURES, TABLES


def test_the_archive_holds_all_results_and_can_run_again(finished):
    assert finished.run("ro_crate").succeeded().jobs == {"ro_crate": 1}

    with zipfile.ZipFile(finished.folder / finished.results / "ro-crate.zip") as archive:
        names = set(archive.namelist())
        metadata = json.loads(archive.read("ro-crate-metadata.json"))
    made = {f"results/tables/{name}.csv" for name in TABLES}
    made |= {f"results/figures/{name}.{kind}" for name in FIGURES for kind in ("pdf", "png", "svg")}
    assert made | {"results/provenance.json", "results/report.html", "Snakefile"} <= names
    source = {
        str(path.relative_to(finished.folder))
        for part in ("config", "profiles", "src", "workflow")
        for path in (finished.folder / part).rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    assert source <= names
    (language,) = (each for each in metadata["@graph"] if each["@type"] == "ComputerLanguage")
    assert language["name"] == "Snakemake"
