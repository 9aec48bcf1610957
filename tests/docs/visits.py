"""Visits of served pages in a real browser."""

import functools
import json
import re
import subprocess
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import browser


class Handler(SimpleHTTPRequestHandler):
    """Serves a folder and a page that visits other pages, and receives its observations."""

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


def visit(folder, page, profile):
    """What a page, given as HTML, saw on the pages of a folder, and the console."""
    with ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Handler, directory=folder)
    ) as server:
        server.visit, server.done = page, threading.Event()
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
            assert server.done.wait(timeout=900), "".join(lines)[-3000:]
        finally:
            running.terminate()
            running.wait(timeout=30)
            reader.join(timeout=30)
            server.shutdown()
    return server.seen, re.findall(r"CONSOLE.*", "".join(lines))
