"""The notebooks as pages, and the directive ``notebook-gallery``: one card per notebook.

The pages are copies of `notebooks/` in `docs/gallery/`, or in `docs/reproduction/` for errors of
the papers. myst-nb executes them. A card shows the title, the first paragraph and the first picture
of its page.
"""

from __future__ import annotations

import json
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
OF_REPRODUCTION = {"gain-above-1"}  # without a card


class Picture(nodes.General, nodes.Element):
    """The place of the first picture of a page, which is known after all pages are read."""


def copy_notebooks(app) -> None:
    """Make a page of each notebook. Links lead to pages, not to files of the repository."""
    for section in ("gallery", "reproduction"):
        for page in (ROOT / "docs" / section).glob("*.ipynb"):
            page.unlink()
    for notebook in NOTEBOOKS:
        section = "reproduction" if notebook.stem in OF_REPRODUCTION else "gallery"
        text = notebook.read_text(encoding="utf-8").replace("](../docs/", "](../")
        (ROOT / "docs" / section / notebook.name).write_text(text, encoding="utf-8")


def card(notebook: Path) -> str:
    """Title, first paragraph and download of a notebook, in Markdown."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    title, _, paragraph = "".join(cells[0]["source"]).partition("\n")
    file = f"{{download}}`Download <../../notebooks/{notebook.name}>`"
    return f"[{title.lstrip('# ')}]({notebook.name})\n\n{paragraph.strip()}\n\n{file}"


class NotebookGallery(SphinxDirective):
    """A card for each notebook of the gallery."""

    def run(self):
        cards = nodes.container(classes=["gallery"])
        for notebook in NOTEBOOKS:
            if notebook.stem in OF_REPRODUCTION:
                continue
            text = self.parse_text_to_nodes(card(notebook))
            picture = Picture(page=f"gallery/{notebook.stem}")
            cards += nodes.container("", picture, *text)
        return [cards]


def insert_pictures(app, doctree, docname) -> None:
    """Replace each place of a picture by the picture, which is a link to its page."""
    for place in list(doctree.findall(Picture)):
        found = next(app.env.get_doctree(place["page"]).findall(nodes.image))
        picture = nodes.image(
            uri=found["uri"], candidates=found["candidates"], alt=found.get("alt", "")
        )
        address = app.builder.get_relative_uri(docname, place["page"])
        place.replace_self(nodes.reference("", "", picture, refuri=address, internal=True))


def setup(app):
    app.add_node(Picture)
    app.add_directive("notebook-gallery", NotebookGallery)
    app.connect("builder-inited", copy_notebooks)
    app.connect("doctree-resolved", insert_pictures)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
