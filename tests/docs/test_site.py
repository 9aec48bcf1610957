"""The built documentation: all public names, pictures that say what they show."""

import importlib
import inspect
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from sphinx.util.inventory import InventoryFile

import calibrated_metrics

ROOT = Path(__file__).parents[2]
# The others, such as `sample`, are inner modules: users meet their objects through these.
NAMES = sorted({*calibrated_metrics.__all__, "classifiers", "confusion"})
PUBLIC_MODULES = [name for name in NAMES if inspect.ismodule(getattr(calibrated_metrics, name))]


def module_named(name):
    return importlib.import_module(f"calibrated_metrics.{name}")


@pytest.fixture(scope="module")
def documented(site):
    """Full names of all Python objects in the inventory."""
    inventory = InventoryFile.loads((site.folder / "objects.inv").read_bytes(), uri="").data
    return {name for kind in inventory if kind.startswith("py:") for name in inventory[kind]}


class Images(HTMLParser):
    """Collects the attributes of all images of a page."""

    def __init__(self, page):
        super().__init__()
        self.found = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        if tag == "img":
            self.found.append(dict(attrs))


def test_each_public_name_of_a_module_is_documented(documented):
    ours = {
        f"calibrated_metrics.{module}.{name}": getattr(module_named(module), name)
        for module in PUBLIC_MODULES
        for name in module_named(module).__all__
    }
    for name, same in ours.items():
        if not callable(same):  # a type of annotations
            continue
        # A name that two modules share is documented in one of them.
        places = {full for full, thing in ours.items() if thing is same}
        assert places & documented, name


def test_the_reference_lists_the_public_modules():
    page = (ROOT / "docs/reference/api/index.md").read_text(encoding="utf-8")
    listed = re.findall(r"^ +calibrated_metrics\.(\w+)$", page, flags=re.MULTILINE)
    assert sorted(listed) == PUBLIC_MODULES


def test_each_public_name_of_the_package_is_documented(documented):
    last_parts = {name.removeprefix("calibrated_metrics.").split(".")[-1] for name in documented}
    assert set(calibrated_metrics.__all__) <= last_parts


def test_methods_of_the_main_classes_are_documented(documented):
    for cls in (calibrated_metrics.ConfusionCurve, calibrated_metrics.ConfusionMatrix):
        public = {name: getattr(cls, name) for name in vars(cls) if not name.startswith("_")}
        with_text = {
            name
            for name, member in public.items()
            if (callable(member) or isinstance(member, property)) and member.__doc__
        }
        assert "at_prior" in with_text
        for name in with_text:
            assert f"calibrated_metrics.confusion.{cls.__name__}.{name}" in documented


def test_each_picture_has_a_text_that_replaces_it(site):
    for page in site.pages:
        images = Images((site.folder / page).read_text(encoding="utf-8")).found
        for image in images:
            assert image.get("alt", "").strip(), (page, image)
            assert not re.search(r"_images|\.png|<", image["alt"]), (page, image)


def test_no_page_shows_a_warning_or_the_machine(site):
    for page in site.pages:
        text = (site.folder / page).read_text(encoding="utf-8")
        assert "stderr" not in text, page
        assert str(ROOT) not in text, page
        assert " at 0x" not in text, page


def test_all_pages_need_nothing_from_the_network(site):
    for page in site.pages:
        text = (site.folder / page).read_text(encoding="utf-8")
        assert not re.search(r'<(?:script|link|img|iframe)[^>]+(?:src|href)="https?:', text), page
