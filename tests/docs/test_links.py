"""Links of the Markdown files to other files of the project, and to their headings."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
LINK = re.compile(r"(?<!\\)\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)")
FENCED = re.compile(r"^(```+).*?^\1[ ]*$", re.DOTALL | re.MULTILINE)
IN_LINE = re.compile(r"`[^`\n]+`")


def markdown_files():
    folders = [".", ".github", "benchmarks", "config", "resources", "results", "tests"]
    folders += ["docs", "docs/*"]
    paths = [path for folder in folders for path in ROOT.glob(f"{folder}/*.md")]
    return sorted(str(path.relative_to(ROOT)) for path in paths)


def anchors_of(path):
    """The anchors of the headings of a file, as GitHub and MyST generate them."""
    text = FENCED.sub("", path.read_text(encoding="utf-8"))
    titles = re.findall(r"^#+ +(.*?)#*$", text, re.MULTILINE)
    plain = (re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title).strip().lower() for title in titles)
    return {re.sub(r"[^\w\- ]", "", title).replace(" ", "-") for title in plain}


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


def test_links_lead_somewhere():
    names = markdown_files()
    assert {"README.md", "docs/index.md", "docs/how-to/months.md"} <= set(names)
    broken = {name: list(broken_links(ROOT / name)) for name in names}
    assert {name: links for name, links in broken.items() if links} == {}


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
