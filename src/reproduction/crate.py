"""A Workflow Run RO-Crate: one archive with the results of a run, its source and its provenance."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from reproduction.files import atomic_path, sha256_of
from reproduction.manifest import read_manifest

__all__ = ["METADATA", "source_files", "write_crate"]

METADATA = "ro-crate-metadata.json"
_RESULTS, _CONFIGURATION = "results", "results/configuration.json"
_SOURCE = (
    *("CITATION.cff", "LICENSE", "README.md", "Snakefile", "constraints.txt", "environment.yml"),
    *("pyproject.toml", "config", "profiles", "src", "workflow"),
)
_NO_SOURCE = (".pyc", ".egg-info")
_FIRST_DAY = (1980, 1, 1, 0, 0, 0)  # of a zip file, so that equal contents are equal bytes

_CONTEXT = [
    "https://w3id.org/ro/crate/1.1/context",
    "https://w3id.org/ro/terms/workflow-run/context",
]
_WORKFLOW_CRATE = "https://w3id.org/workflowhub/workflow-ro-crate/1.0"
_PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": ("Process Run Crate", "0.5"),
    "https://w3id.org/ro/wfrun/workflow/0.5": ("Workflow Run Crate", "0.5"),
    _WORKFLOW_CRATE: ("Workflow RO-Crate", "1.0"),
}
_LICENCE = "https://spdx.org/licenses/BSD-3-Clause"
_SNAKEMAKE = "https://w3id.org/workflowhub/workflow-ro-crate#snakemake"
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
    settings = _as_text(manifest["configuration"]["settings"])
    metadata = _metadata(manifest, included, sorted(source), snakemake)
    with (
        atomic_path(path) as temporary,
        zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        for name, text in ((METADATA, _as_text(metadata)), (_CONFIGURATION, settings)):
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


def _metadata(
    manifest: Mapping[str, Any],
    included: Mapping[str, str | Path],
    source: Sequence[str],
    snakemake: str,
) -> dict[str, Any]:
    tables = [Path(file) for name, file in included.items() if name.endswith(".csv")]
    newest = max(file.stat().st_mtime for file in tables)
    end = datetime.fromtimestamp(newest, UTC).isoformat(timespec="seconds")
    results = [_file(name, file) for name, file in included.items()]
    sources = list(_sources(manifest))
    packages = list(_packages(manifest))
    code = list(_source_entities(source))
    parts = ["Snakefile", _CONFIGURATION, *included, *(each["@id"] for each in code)]
    return {
        "@context": _CONTEXT,
        "@graph": [
            {
                "@id": METADATA,
                "@type": "CreativeWork",
                "conformsTo": _links(["https://w3id.org/ro/crate/1.1", _WORKFLOW_CRATE]),
                "about": {"@id": "./"},
            },
            {
                "@id": "./",
                "@type": "Dataset",
                "name": "Master your Metrics with Calibration, reproduced",
                "description": "Tables and figures of a run, the workflow that made them, and "
                "their provenance.",
                "datePublished": end,
                "license": {"@id": _LICENCE},
                "conformsTo": _links(_PROFILES),
                "mainEntity": {"@id": "Snakefile"},
                "mentions": {"@id": "#run"},
                "hasPart": _links(parts),
            },
            *(
                {"@id": url, "@type": "CreativeWork", "name": name, "version": version}
                for url, (name, version) in _PROFILES.items()
            ),
            {
                "@id": _LICENCE,
                "@type": "CreativeWork",
                "name": "BSD 3-Clause License",
                "description": "The license of the source.",
            },
            _workflow(manifest["project"], packages),
            {
                "@id": _SNAKEMAKE,
                "@type": "ComputerLanguage",
                "name": "Snakemake",
                "identifier": {"@id": "https://snakemake.readthedocs.io"},
                "url": {"@id": "https://snakemake.readthedocs.io"},
                "version": snakemake,
            },
            {
                "@id": "#configuration",
                "@type": "FormalParameter",
                "conformsTo": {
                    "@id": "https://bioschemas.org/profiles/FormalParameter/1.0-RELEASE"
                },
                "additionalType": "File",
                "name": "configuration",
                "description": "All settings, without the folders of results and downloads.",
                "workExample": {"@id": _CONFIGURATION},
            },
            {
                "@id": _CONFIGURATION,
                "@type": "File",
                "name": "configuration of the run",
                "encodingFormat": "application/json",
                "exampleOfWork": {"@id": "#configuration"},
            },
            {
                "@id": "#run",
                "@type": "CreateAction",
                "name": "Run of the workflow",
                "description": "The steps are the jobs in results/provenance.json.",
                "instrument": {"@id": "Snakefile"},
                "object": _links([_CONFIGURATION, *(each["@id"] for each in sources)]),
                "result": _links(included),
                "endTime": end,
                "actionStatus": "http://schema.org/CompletedActionStatus",
            },
            *sources,
            *packages,
            *results,
            *code,
        ],
    }


def _workflow(project: Mapping[str, Any], packages: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    commit = f"+{project['commit']}" if project["commit"] else ""
    return {
        "@id": "Snakefile",
        "@type": ["File", "SoftwareSourceCode", "ComputationalWorkflow"],
        "conformsTo": {"@id": "https://bioschemas.org/profiles/ComputationalWorkflow/1.0-RELEASE"},
        "name": project["name"],
        "version": f"{project['version']}{commit}",
        "license": {"@id": _LICENCE},
        "encodingFormat": "text/plain",
        "programmingLanguage": {"@id": _SNAKEMAKE},
        "input": _links(["#configuration"]),
        "softwareRequirements": _links(each["@id"] for each in packages),
    }


def _sources(manifest: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the files that the run did not make. The crate does not contain them."""
    names: dict[str, set[str]] = {}
    for job in manifest["jobs"]:
        for name, sha256 in job["sources"].items():
            names.setdefault(sha256, set()).add(name)
    for sha256, equal in sorted(names.items()):
        name = ", ".join(sorted(equal))
        yield {"@id": f"#{sha256}", "@type": "CreativeWork", "name": name, "sha256": sha256}


def _packages(manifest: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    found = {item for versions in manifest["environments"] for item in versions.items()}
    for name, version in sorted(found):
        yield {
            "@id": f"pkg:{'generic' if name == 'Python' else 'pypi'}/{name.lower()}@{version}",
            "@type": "SoftwareApplication",
            "name": name,
            "softwareVersion": version,
        }


def _file(name: str, path: str | Path) -> dict[str, Any]:
    return {
        "@id": name,
        "@type": "File",
        "name": name.removeprefix(f"{_RESULTS}/"),
        "encodingFormat": _FORMATS[Path(name).suffix],
        "contentSize": str(Path(path).stat().st_size),
        "sha256": sha256_of(path),
    }


def _source_entities(source: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the folders of the source, and its files that are in no folder, but the Snakefile."""
    for folder in sorted({name.partition("/")[0] for name in source if "/" in name}):
        yield {"@id": f"{folder}/", "@type": "Dataset", "name": f"{folder}: source"}
    for name in source:
        if "/" not in name and name != "Snakefile":
            file = {"@id": name, "@type": "File", "name": name}
            file["encodingFormat"] = _FORMATS[Path(name).suffix]
            yield file | ({"about": {"@id": "./"}} if name == "README.md" else {})


def _links(ids: Iterable[str]) -> dict[str, str] | list[dict[str, str]]:
    links = [{"@id": each} for each in ids]
    return links[0] if len(links) == 1 else links
