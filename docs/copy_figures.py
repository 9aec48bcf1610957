"""Make docs/figures: small copies of the figures of a default run.

snakemake --cores all && python docs/copy_figures.py
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from PIL import Image

from reproduction.core import settings

FOLDERS = {"results_dir", "resources_dir"}
COLOURS = 256  # a cell of a matrix looks like its value on the colour scale


def copy_figures(results: Path, copies: Path, width: int = 1440) -> None:
    """Write a copy of each PNG file of the default run that is at most `width` pixels wide."""
    used = json.loads((results / "provenance.json").read_text("utf-8"))["configuration"]
    default = settings.load({}).model_dump(mode="json")
    if changed := [key for key in default if used[key] != default[key] and key not in FOLDERS]:
        sys.exit(f"the results must have the default settings; these differ: {', '.join(changed)}")
    for figure in sorted((results / "figures").glob("*.png")):
        with Image.open(figure) as image:
            image = image.convert("RGB")
            image.thumbnail((width, image.height), Image.Resampling.LANCZOS)
            small = image.quantize(COLOURS, Image.Quantize.MAXCOVERAGE)
            small.save(copies / figure.name, optimize=True)


if __name__ == "__main__":
    copy_figures(Path("results"), Path(__file__).parent / "figures")
