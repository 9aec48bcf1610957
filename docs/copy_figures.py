"""Make docs/figures: small copies of the figures of a default run, and drawn_from.json.

snakemake --cores all && python docs/copy_figures.py
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from PIL import Image

from reproduction.core import io, settings

FOLDERS = {"results_dir", "resources_dir"}
COLOURS = 256  # a cell of a matrix looks like its value on the colour scale
RECORD = "drawn_from.json"
PACKAGES = ("numpy", "pandas", "scikit-learn", "scipy")


def copy_figures(results: Path, copies: Path, width: int = 1440) -> None:
    """Write a copy of each PNG file of the default run that is at most `width` pixels wide.

    The file `RECORD` says from which tables the copied figures were drawn.
    """
    run = json.loads((results / "provenance.json").read_text("utf-8"))
    used, default = run["configuration"], settings.load({}).model_dump(mode="json")
    if changed := [key for key in default if used[key] != default[key] and key not in FOLDERS]:
        sys.exit(f"the results must have the default settings; these differ: {', '.join(changed)}")
    for name in run["figures"]:
        with Image.open(results / "figures" / f"{name}.png") as image:
            image = image.convert("RGB")
            image.thumbnail((width, image.height), Image.Resampling.LANCZOS)
            small = image.quantize(COLOURS, Image.Quantize.MAXCOVERAGE)
            small.save(copies / f"{name}.png", optimize=True)
    io.write(record(run), copies / RECORD)


def record(run: dict[str, Any]) -> dict[str, Any]:
    """SHA-256 of the tables of each figure of a run, and what the last digits depend on."""
    return {
        "instructions": run["instructions"],
        "packages": {name: run["packages"][name] for name in PACKAGES},
        "figures": {
            figure: {table: run["sha256"][table] for table in tables}
            for figure, tables in run["figures"].items()
        },
    }


if __name__ == "__main__":
    copy_figures(Path("results"), Path(__file__).parent / "figures")
