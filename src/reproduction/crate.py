"""A Workflow Run RO-Crate: one archive with the results of a run, its source and its provenance."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rocrate.model import ContextEntity, Entity
from rocrate.rocrate import ROCrate

from reproduction.files import atomic_path, sha256_of
from reproduction.manifest import read_manifest

__all__ = ["source_files", "write_crate"]

_RESULTS, _CONFIGURATION, _WORKFLOW = "results", "results/configuration.json", "Snakefile"
_SOURCE = (
    *("CITATION.cff", "LICENSE", "README.md", _WORKFLOW, "constraints.txt", "environment.yml"),
    *("pyproject.toml", "config", "profiles", "src", "workflow"),
)
_NO_SOURCE = (".pyc", ".egg-info")
_FIRST_DAY = (1980, 1, 1, 0, 0, 0)  # of a zip file, so that equal contents are equal bytes

_PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": ("Process Run Crate", "0.5"),
    "https://w3id.org/ro/wfrun/workflow/0.5": ("Workflow Run Crate", "0.5"),
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": ("Workflow RO-Crate", "1.0"),
}
_BIOSCHEMAS = "https://bioschemas.org/profiles"
_FORMATS = {
    "": "text/plain",
    ".cff": "application/yaml",
    ".csv": "text/csv",
    ".html": "text/html",
    ".json": "application/json",
    ".md": "text/markdown",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".toml": "application/toml",
    ".txt": "text/plain",
    ".yml": "application/yaml",
}


def source_files(project: str | Path) -> list[Path]:
    """Return the files of the project that a run needs, in order."""
    return [
        file
        for part in _SOURCE
        for file in sorted([Path(project, part), *Path(project, part).rglob("*")])
        if file.is_file() and not any(name in str(file) for name in _NO_SOURCE)
    ]


def write_crate(
    path: str | Path,
    *,
    results: str | Path,
    project: str | Path,
    files: Iterable[str | Path],
    sources: Iterable[str | Path],
    snakemake: str,
) -> None:
    """Write the results of a run as a zip file that is a Workflow Run RO-Crate, version 0.5.

    The same files give the same bytes. The end of the run is the time of its newest table.

    Parameters
    ----------
    path : path
        The file to write.
    results : path
        Folder of results, with ``provenance.json``.
    project : path
        Folder of the Snakefile.
    files : iterable of path
        Results to include.
    sources : iterable of path
        The `source_files`.
    snakemake : str
        Version of Snakemake.

    References
    ----------
    .. [1] Leo et al., "Recording provenance of workflow runs with RO-Crate", PLOS ONE 19(9), 2024,
       doi:10.1371/journal.pone.0309210
    """
    manifest = read_manifest(results)
    included = {f"{_RESULTS}/{Path(file).relative_to(results).as_posix()}": file for file in files}
    source = {Path(file).relative_to(project).as_posix(): file for file in sources}
    crate = _crate(manifest, included, sorted(source), snakemake)
    texts = {
        crate.metadata.id: _as_text(crate.metadata.generate()),
        _CONFIGURATION: _as_text(manifest["configuration"]["settings"]),
    }
    with (
        atomic_path(path) as temporary,
        zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        for name, text in texts.items():
            archive.writestr(_entry(name), text)
        for name, file in sorted({**source, **included}.items()):
            archive.writestr(_entry(name), Path(file).read_bytes())


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, _FIRST_DAY)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    return entry


def _as_text(content: Mapping[str, Any]) -> str:
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


# ------------------------------------------------------------------------------------- metadata


def _crate(
    manifest: Mapping[str, Any],
    included: Mapping[str, str | Path],
    source: Iterable[str],
    snakemake: str,
) -> ROCrate:
    tables = [Path(file) for name, file in included.items() if name.endswith(".csv")]
    end = datetime.fromtimestamp(max(file.stat().st_mtime for file in tables), UTC)
    crate = ROCrate(version="1.1")  # the version of RO-Crate that the profiles are based on
    crate.metadata.extra_contexts.append("https://w3id.org/ro/terms/workflow-run/context")
    crate.name = "Master your Metrics with Calibration, reproduced"
    crate.description = (
        "Tables and figures of a run, the workflow that made them, and their provenance."
    )
    crate.datePublished = end
    crate.license = _add(
        crate,
        "https://spdx.org/licenses/BSD-3-Clause",
        "CreativeWork",
        name="BSD 3-Clause License",
        description="The license of the source.",
    )
    crate.root_dataset["conformsTo"] = [
        _add(crate, url, "CreativeWork", name=name, version=version)
        for url, (name, version) in _PROFILES.items()
    ]
    workflow = _add_workflow(crate, manifest, snakemake)
    settings = _add_configuration(crate, workflow)
    results = [_add_result(crate, name, file) for name, file in included.items()]
    crate.root_dataset["mentions"] = crate.add_action(
        workflow,
        identifier="#run",
        object=[settings, *_add_inputs(crate, manifest)],
        result=results,
        properties={
            "name": "Run of the workflow",
            "description": "The steps are the jobs in results/provenance.json.",
            "endTime": end.isoformat(timespec="seconds"),
            "actionStatus": "http://schema.org/CompletedActionStatus",
        },
    )
    _add_source(crate, source)
    return crate


def _add_workflow(crate: ROCrate, manifest: Mapping[str, Any], snakemake: str) -> Entity:
    project = manifest["project"]
    commit = f"+{project['commit']}" if project["commit"] else ""
    return crate.add_workflow(
        dest_path=_WORKFLOW,
        main=True,
        lang="snakemake",
        lang_version=snakemake,
        properties={
            "conformsTo": {"@id": f"{_BIOSCHEMAS}/ComputationalWorkflow/1.0-RELEASE"},
            "name": project["name"],
            "version": f"{project['version']}{commit}",
            "license": crate.license,
            "encodingFormat": "text/plain",
            "softwareRequirements": list(_add_packages(crate, manifest)),
        },
    )


def _add_configuration(crate: ROCrate, workflow: Entity) -> Entity:
    settings = _add_file(crate, _CONFIGURATION, name="configuration of the run")
    settings["exampleOfWork"] = workflow["input"] = crate.add_formal_parameter(
        "configuration",
        "File",
        identifier="#configuration",
        description="All settings, without the folders of results and downloads.",
        properties={"workExample": settings},
    )
    return settings


def _add(crate: ROCrate, identifier: str, kind: str, **properties: Any) -> Entity:
    return crate.add(ContextEntity(crate, identifier, {"@type": kind, **properties}))


def _add_file(crate: ROCrate, path: str, **properties: Any) -> Entity:
    encoding = {"encodingFormat": _FORMATS[Path(path).suffix]}
    return crate.add_file(dest_path=path, properties={**properties, **encoding})


def _add_result(crate: ROCrate, path: str, file: str | Path) -> Entity:
    size, sha256 = str(Path(file).stat().st_size), sha256_of(file)
    name = path.removeprefix(f"{_RESULTS}/")
    return _add_file(crate, path, name=name, contentSize=size, sha256=sha256)


def _add_source(crate: ROCrate, source: Iterable[str]) -> None:
    """Add the folders of the source, and its files that are in no folder, but the Snakefile."""
    for folder in sorted({name.partition("/")[0] for name in source if "/" in name}):
        crate.add_dataset(dest_path=folder, properties={"name": f"{folder}: source"})
    for name in source:
        if "/" not in name and name != _WORKFLOW:
            file = _add_file(crate, name, name=name)
            if name == "README.md":
                file["about"] = crate.root_dataset


def _add_inputs(crate: ROCrate, manifest: Mapping[str, Any]) -> Iterator[Entity]:
    """Add the files that the run did not make. The archive does not contain them."""
    names: dict[str, set[str]] = {}
    for job in manifest["jobs"]:
        for name, sha256 in job["sources"].items():
            names.setdefault(sha256, set()).add(name)
    for sha256, equal in sorted(names.items()):
        name = ", ".join(sorted(equal))
        yield _add(crate, f"#{sha256}", "CreativeWork", name=name, sha256=sha256)


def _add_packages(crate: ROCrate, manifest: Mapping[str, Any]) -> Iterator[Entity]:
    found = {item for versions in manifest["environments"] for item in versions.items()}
    for name, version in sorted(found):
        url = f"pkg:{'generic' if name == 'Python' else 'pypi'}/{name.lower()}@{version}"
        yield _add(crate, url, "SoftwareApplication", name=name, softwareVersion=version)
