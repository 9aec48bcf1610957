"""Captions with the numbers of the configuration."""

from pathlib import Path

import pytest

from reproduction.report.captions import caption_html
from reproduction.settings import Config

CAPTIONS = Path(__file__).parents[3] / "workflow" / "report"
CONFIG = Config().model_dump(mode="json")


@pytest.fixture
def caption(tmp_path):
    def render(text, **config):
        path = tmp_path / "caption.rst"
        path.write_text(text, encoding="utf-8")
        return caption_html(path, config)

    return render


@pytest.mark.parametrize("path", sorted(CAPTIONS.glob("*.rst")), ids=lambda path: path.stem)
def test_captions_of_the_workflow(path):
    html = caption_html(path, CONFIG)

    assert html.startswith("<p>")
    assert html.endswith("</p>")
    assert "{" not in html


def test_markup_is_rendered(caption):
    assert caption("*a* and ``b`` & c") == (
        '<p><em>a</em> and <span class="docutils literal">b</span> &amp; c</p>'
    )


def test_numbers_come_from_the_configuration(caption):
    text = '{{ snakemake.config["n"] }} of {{ snakemake.config["x"] }}'

    assert caption(text, n=1_000_000, x=-0.5) == "<p>1,000,000 of -0.5</p>"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("<script>", "&lt;script&gt;"),
        ("*a* `b`_ |c| [1]_ a_", "*a* `b`_ |c| [1]_ a_"),
        ("x <javascript:alert(1)>`__", "x &lt;javascript:alert(1)&gt;`__"),
        (".. raw:: html\n\n   <b>", ".. raw:: html &lt;b&gt;"),
        ("https://example.org/a\\b", "https://example.org/a\\b"),
        ("{{ 7 * 7 }}", "{{ 7 * 7 }}"),
    ],
)
def test_what_the_configuration_says_is_text(caption, value, shown):
    assert caption('{{ snakemake.config["x"] }}', x=value) == f"<p>{shown}</p>"


@pytest.mark.parametrize(
    "text",
    [
        '{{ snakemake.config["unknown"] }}',
        "{% if %}",
        "*never closed",
        ".. raw:: html\n\n   <b>",
        ".. include:: /etc/hostname",
        "`nowhere`_",
    ],
)
def test_a_caption_that_cannot_be_rendered_is_named(caption, text, capsys):
    with pytest.raises(ValueError, match=r"^caption\.rst: "):
        caption(text)
    assert capsys.readouterr().err == ""
