"""A report in a real browser: what is seen, what a click does, what the console says."""

import json
import re
import subprocess
from html import unescape
from pathlib import Path

import browser
import pytest

PROBE = Path(__file__).with_name("probe.js")

# The page is looked at through a frame, which can be narrower than any window.
AROUND = """<!DOCTYPE html>
<html lang="en"><title>around</title><link rel="icon" href="data:,">
<iframe src="{page}" width="{width}" height="900"></iframe>
<pre id="seen"></pre>
<script>
addEventListener("message", (event) => {{
  document.getElementById("seen").textContent = event.data;
}});
</script>
</html>
"""

pytestmark = browser.needs_browser


def _look_at(page: Path, folder: Path) -> tuple[str, list[str]]:
    """The document of a page after its scripts ran, and what they wrote to the console."""
    looked = subprocess.run(
        browser.command(
            folder,
            "--window-size=1300,1000",
            "--virtual-time-budget=10000",
            "--dump-dom",
            page.as_uri(),
        ),
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return looked.stdout, re.findall(r"CONSOLE.*", looked.stderr)


def _use(report: Path, folder: Path, width: int) -> tuple[dict, list[str]]:
    """What the probe sees in a report, and the console."""
    probed = folder / "probed.html"
    script = f"<script>{PROBE.read_text(encoding='utf-8')}</script>"
    html = report.read_text(encoding="utf-8")
    probed.write_text(html.replace("</body>", f"{script}</body>"), encoding="utf-8")
    around = folder / "around.html"
    around.write_text(AROUND.format(page=probed.name, width=width), encoding="utf-8")
    document, console = _look_at(around, folder)
    seen = re.search(r'<pre id="seen">(.+)</pre>', document)
    assert seen is not None, console
    return json.loads(unescape(seen[1])), console


@pytest.fixture(scope="module", params=[1440, 390])
def used(request, finished, tmp_path_factory):
    return _use(finished.path, tmp_path_factory.mktemp("browser"), request.param)


@pytest.fixture(scope="module")
def seen(used):
    return used[0]


def test_the_console_is_quiet(used):
    assert used[1] == []


def test_a_console_that_is_not_quiet_is_noticed(tmp_path):
    page = tmp_path / "page.html"
    page.write_text('<!DOCTYPE html><img src="none.png"><script>console.warn("oh")</script>')

    _, console = _look_at(page, tmp_path)

    assert "oh" in str(console)


def test_every_figure_is_drawn(seen, finished):
    assert {alt for alt, _ in seen["images"]} == {figure.title for figure in finished.figures}
    assert all(width > 0 for _, width in seen["images"])


def test_every_figure_and_table_is_there(seen, finished):
    assert {figure.title for figure in finished.figures} <= set(seen["headings"])
    assert "Davis and Goadrich, Table 1" in seen["headings"]
    # Claims of a figure, all claims, seven small tables, each with its heading; four rows on how
    # the results were made; checksums of 26 files and run times with their headings.
    assert seen["tables"] == [4, 6, 3, 3, 3, 3, 6, 3, 3, 4, 27, 4]


def test_the_verdict_of_a_claim_is_seen_without_scrolling(seen):
    assert seen["verdict"]


def test_figures_keep_their_size(seen):
    assert seen["scale"] == 1


def test_the_page_is_no_wider_than_its_window(seen):
    assert seen["overflow"] <= 0


def test_a_click_on_a_heading_sorts_by_number_and_another_turns_it_round(seen):
    assert seen["asWritten"] == ["low", "closer", "half", "areas", "large"]
    assert seen["ours"] == [["areas", "closer", "low", "half", "large"], "ascending"]
    assert seen["oursAgain"] == [["half", "low", "closer", "areas", "large"], "descending"]


def test_a_click_on_another_heading_sorts_by_word(seen):
    assert seen["byClaim"] == [["half", "low", "closer", "large", "areas"], "ascending"]
    assert seen["oursNoLonger"] is None


def test_claims_are_filtered_by_source_verdict_and_words(seen):
    assert seen["differs"] == [["low", "areas"], "2 of 5 shown"]
    assert seen["davis"] == [["areas"], "1 of 5 shown"]
    assert seen["words"] == [["low"], "1 of 5 shown"]
    assert seen["nothing"] == [[], "0 of 5 shown"]


def test_the_first_screen_leads_to_the_claims_of_a_verdict(seen):
    assert seen["holding"] == ["half", "closer"]


def test_every_control_can_be_reached_by_keyboard(seen):
    assert seen["reachable"]
