"""Figures of the reproduction are shown at half of their size, and a click opens the whole file.

Sphinx links an image to its file if the image has a width.
"""

from pathlib import Path

from docutils import nodes
from PIL import Image

FIGURES = Path(__file__).parents[1] / "figures"


def set_widths(app, doctree) -> None:
    """Give a width to each image of `docs/figures` that has none and is no link."""
    for image in doctree.findall(nodes.image):
        file = FIGURES / Path(image["uri"]).name
        linked = isinstance(image.parent, nodes.reference)
        if file.is_file() and "width" not in image and not linked:
            with Image.open(file) as opened:
                image["width"] = f"{opened.width // 2}px"


def setup(app):
    app.connect("doctree-read", set_widths)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
