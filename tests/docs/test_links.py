"""Links of the Markdown files to other files of the project, and to their headings."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LINK = re.compile(r"(?<!\\)\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)")
FENCED = re.compile(r"^(```+).*?^\1[ ]*$", re.DOTALL | re.MULTILINE)
IN_LINE = re.compile(r"`[^`\n]+`")
TEXT_AND_PAGE = re.compile(r"\[([^]]+)\]\(((?:[\w./-]+\.md)?(?:#[\w-]+)?)\)")
TABLES_OF_PAGES = sorted(
    str(path.relative_to(ROOT))
    for path in [*ROOT.glob("docs/*/index.md"), ROOT / "docs/how-to/which-call.md"]
)


def markdown_files():
    folders = ("", "config/", "resources/", "results/", "docs/", "docs/*/")
    paths = [path for folder in folders for path in ROOT.glob(f"{folder}*.md")]
    return sorted(str(path.relative_to(ROOT)) for path in paths)


def anchors_of(path):
    """The anchors of the headings of a file, as GitHub and MyST generate them."""
    text = FENCED.sub("", path.read_text(encoding="utf-8"))
    titles = re.findall(r"^#+ +(.*?)#*$", text, re.MULTILINE)
    plain = (re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title).strip().lower() for title in titles)
    return {re.sub(r"[^\w\- ]", "", title).replace(" ", "-") for title in plain}


def titles_of(path):
    """Titles of a page by anchor; that of the page itself by an empty anchor."""
    text = FENCED.sub("", path.read_text(encoding="utf-8"))
    titles = [title.strip() for title in re.findall(r"^#+ +(.*?)#*$", text, re.MULTILINE)]
    by_anchor = {re.sub(r"[^\w\- ]", "", one.lower()).replace(" ", "-"): one for one in titles}
    return {**by_anchor, "": titles[0]}


def links_with_other_texts(path):
    """Links in the tables of a page whose text is not the title of what they lead to."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("|"):
            continue
        for text, target in TEXT_AND_PAGE.findall(line):
            place, _, anchor = target.partition("#")
            title = titles_of(path.parent / place if place else path)[anchor]
            if text != title:
                yield text, title


def broken_links(path):
    """Links of a file that lead to no file, or to no heading of it."""
    text = IN_LINE.sub("", FENCED.sub("", path.read_text(encoding="utf-8")))
    for target in LINK.findall(text):
        if re.match(r"[a-z]+:", target) or target.startswith("calibrated_metrics."):
            continue  # external, or an object of the API, which the build of the site checks
        place, _, anchor = target.partition("#")
        linked = path.parent / place if place else path
        if not (linked.exists() and (not anchor or anchor in anchors_of(linked))):
            yield target


@pytest.mark.parametrize("name", markdown_files())
def test_links_lead_somewhere(name):
    assert list(broken_links(ROOT / name)) == []


@pytest.mark.parametrize("name", TABLES_OF_PAGES)
def test_links_of_tables_have_the_titles_of_their_pages(name):
    assert list(links_with_other_texts(ROOT / name)) == []


def test_another_text_than_the_title_is_noticed(tmp_path):
    (tmp_path / "page.md").write_text("# One title\n## A part\n", encoding="utf-8")
    table = tmp_path / "index.md"
    table.write_text(
        "# Index\n| [One title](page.md) | [A part](page.md#a-part) | [Index](#index) |\n"
        "| [Title](page.md) | [Part](page.md#a-part) |\n[outside of tables](page.md)\n",
        encoding="utf-8",
    )
    assert list(links_with_other_texts(table)) == [("Title", "One title"), ("Part", "A part")]


def test_the_files_are_found():
    assert {"README.md", "docs/index.md", "docs/how-to/months.md"} <= set(markdown_files())


def test_broken_links_are_noticed(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "# One title\n[a](page.md#one-title) [b](#one-title) [c](#two) [d](none.md) `[e](x.md)`\n"
        "[f](https://example.org/x) ![g](none.png)\n```\n[h](y.md)\n```\n",
        encoding="utf-8",
    )
    assert list(broken_links(page)) == ["#two", "none.md", "none.png"]


def test_no_line_is_lost_as_a_comment():
    """MyST leaves out lines that begin with a percent sign, such as the end of "at most 5 %"."""
    for path in (ROOT / "docs").rglob("*.md"):
        lines = path.read_text(encoding="utf-8").splitlines()
        assert [line for line in lines if line.startswith("%")] == [], path
