"""Small copies of figures, for the README."""

from __future__ import annotations

from collections.abc import Iterable

from PIL import Image

from reproduction.core.io import atomic

__all__ = ["shrink"]

_COLOURS = 64  # enough for lines and their smoothed edges


def shrink(figures: Iterable[str], copies: Iterable[str], width: int = 720) -> None:
    """Write a copy of each PNG file that is at most `width` pixels wide."""
    for figure, copy in zip(figures, copies, strict=True):
        with Image.open(figure) as image, atomic(copy) as temporary:
            scale = min(1.0, width / image.width)
            size = round(image.width * scale), round(image.height * scale)
            small = image.convert("RGB").resize(size, Image.Resampling.LANCZOS)
            small.quantize(_COLOURS, Image.Quantize.MAXCOVERAGE).save(
                temporary, format="PNG", optimize=True
            )
