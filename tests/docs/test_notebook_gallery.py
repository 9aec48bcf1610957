"""The gallery shows a card with a question, a picture and a download for each notebook."""

import re

from notebook_gallery import NOTEBOOKS, OF_REPRODUCTION, ROOT

PLACES = {
    path.stem: "reproduction" if path.stem in OF_REPRODUCTION else "gallery" for path in NOTEBOOKS
}


def test_a_card_leads_to_its_page_and_its_file(site):
    page = (site.folder / "gallery/index.html").read_text(encoding="utf-8")
    names = [name for name, place in PLACES.items() if place == "gallery"]
    for name in names:
        picture = re.search(rf'<a [^>]*href="{name}\.html"[^>]*><img [^>]*src="([^"]+)"', page)
        assert (site.folder / "gallery" / picture[1]).is_file()
        assert "?" in page[picture.end() : page.index(f"/{name}.ipynb", picture.end())]
        (file,) = re.findall(rf'href="([^"]+/{name}\.ipynb)"', page)
        downloaded = (site.folder / "gallery" / file).read_bytes()
        assert downloaded == (ROOT / f"notebooks/{name}.ipynb").read_bytes()
    assert not any(name in page for name in PLACES.keys() - set(names))


def test_a_page_shows_outputs_and_no_links_into_the_repository(site):
    for name, place in PLACES.items():
        page = (site.folder / f"{place}/{name}.html").read_text(encoding="utf-8")
        assert "cell_output" in page
        assert "<summary>Answer</summary>" in page
        assert not any("docs/" in link for link in re.findall(r'href="([^"]+)"', page))
