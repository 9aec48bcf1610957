"""The documentation in a real browser, on a screen and on a phone."""

import functools
import json
import re
import subprocess
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import browser
import pytest
from workers import once

WIDTHS = [1440, 390]
NOTE = '"[PST]: '  # with these words the theme says which colours and which position it uses
VISIT = Path(__file__).with_name("visit.html").read_text(encoding="utf-8")

pytestmark = browser.needs_browser


class Handler(SimpleHTTPRequestHandler):
    """Serves the site, a page that visits others, and takes what that page saw."""

    def do_GET(self):
        if self.path != "/visit":
            return super().do_GET()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        return self.wfile.write(self.server.visit.encode())

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(204)
        self.end_headers()
        self.server.seen = json.loads(body)
        self.server.done.set()

    def log_message(self, *arguments):
        pass


def visit(folder, pages, profile):
    """What the browser sees on each page at each width, what a search finds, and the console."""
    task = {"pages": pages, "widths": WIDTHS, "search": "search.html?q=prevalence"}
    with ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Handler, directory=folder)
    ) as server:
        server.visit, server.done = VISIT.replace("TASK", json.dumps(task)), threading.Event()
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/visit"
        running = subprocess.Popen(
            browser.command(profile, "--remote-debugging-port=0", address),
            stderr=subprocess.PIPE,
            text=True,
        )
        lines = []
        reader = threading.Thread(target=lambda: lines.extend(running.stderr), daemon=True)
        reader.start()
        try:
            assert server.done.wait(timeout=300), "".join(lines)[-3000:]
        finally:
            running.terminate()
            running.wait(timeout=30)
            reader.join(timeout=30)
            server.shutdown()
    console = re.findall(r"CONSOLE.*", "".join(lines))
    return server.seen, [line for line in console if NOTE not in line]


@pytest.fixture(scope="module")
def visited(site, shared_folder):
    """What one visit of all pages saw, for all workers."""

    def visit_all(folder):
        folder.mkdir()
        seen = visit(site.folder, site.pages, folder)
        (folder / "seen.json").write_text(json.dumps(seen), encoding="utf-8")

    return json.loads((once(shared_folder / "visited", visit_all) / "seen.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def seen(visited):
    return visited[0]["pages"]


def test_every_page_was_seen_at_each_width(seen, site):
    assert {(one["page"], one["width"]) for one in seen} == {
        (page, width) for page in site.pages for width in WIDTHS
    }


def test_the_console_is_quiet(visited):
    # The browser's own pages complain of a slow machine or network.
    assert [line for line in visited[1] if "source: chrome://" not in line] == []


def test_no_page_is_wider_than_its_window(seen):
    assert [(one["page"], one["width"], one["widest"]) for one in seen if one["overflow"] > 0] == []


def test_every_picture_is_drawn_in_its_own_shape(seen):
    images = [(one["page"], one["width"], image) for one in seen for image in one["images"]]
    assert len(images) > 60
    for page, width, image in images:
        assert image["naturalWidth"] > 100, (page, width, image)
        assert image["width"] >= 200, (page, width, image)
        shape = image["width"] / image["height"]
        assert shape == pytest.approx(image["naturalWidth"] / image["naturalHeight"], rel=0.02)


def test_search_finds_prevalence(visited):
    found = visited[0]["found"]
    assert {"Glossary", "The class prior", "PPV and NPV at a prevalence"} <= set(found)


def test_a_page_that_is_not_right_is_noticed(tmp_path):
    page = '<!DOCTYPE html><p style="width: 900px">a</p><img src="none.png"><script>oh()</script>'
    (tmp_path / "page.html").write_text(page, encoding="utf-8")
    (tmp_path / "search.html").write_text('<!DOCTYPE html><ul class="search"><li><a>one</a></ul>')

    seen, console = visit(tmp_path, ["page.html"], tmp_path)

    assert [one["overflow"] > 0 for one in seen["pages"]] == [False, True]
    assert [image["naturalWidth"] for image in seen["pages"][0]["images"]] == [0]
    assert "oh is not defined" in str(console)
