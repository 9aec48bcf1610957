"""Jobs as Snakemake hands them to scripts, with records of their outputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from reproduction.provenance import code_hash
from reproduction.records import Job, recorded, uses

MODULES = ["reproduction.files"]


def run_job(
    folder: Path,
    outputs: Mapping[str, str | Callable[[Path, Job], None]],
    *,
    inputs: tuple[str, ...] = (),
    sources: tuple[str | Path, ...] = (),
    downloads: Mapping[str, str] | None = None,
    function: str = "reproduction.files.joined",
    **settings: Any,
) -> None:
    """Run a job in `folder`/results that writes texts, or whatever functions write, to its outputs.

    `downloads` maps names in `folder`/resources to texts.
    """
    results, resources = folder / "results", folder / "resources"
    job = SimpleNamespace(
        rule="a_rule",
        config={"results_dir": str(results), "resources_dir": str(resources)},
        input=[*(str(results / name) for name in inputs), *map(str, sources)],
        output=[str(results / name) for name in outputs],
        params={
            "function": function,
            "modules": MODULES,
            "code": code_hash(*MODULES),
            **settings,
        },
    )
    with recorded(job) as record:
        for name, text in (downloads or {}).items():
            write(resources / name, text)
            uses(resources / name)
        for name, content in outputs.items():
            path = results / name
            if isinstance(content, str):
                write(path, content)
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                content(path, record)


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
