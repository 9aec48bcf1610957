"""A web server on the loopback interface that misbehaves on demand."""

import gzip
import socket
import struct
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

Answer = Callable[["Handler"], None]


class StandIn(ThreadingHTTPServer):
    """Serves `pages`, but first works through the queue of `faults`, one per request."""

    request_queue_size = 128

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.pages: dict[str, bytes | Answer] = {}
        self.faults: deque[Answer] = deque()
        self.requests: list[str] = []  # paths
        self.queries: list[str] = []
        self.stopping = threading.Event()

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.server_port}{path}"

    def answer_to(self, path: str) -> Answer:
        page = self.pages.get(path, answer(404))
        return answer(200, page) if isinstance(page, bytes) else page

    def handle_error(self, request, client_address):
        """Stay silent: connections break on purpose here."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # One packet per answer: without it, the client's delayed acknowledgement costs 40 ms.
    wbufsize = -1
    disable_nagle_algorithm = True
    server: StandIn

    def do_GET(self):
        path, _, query = self.path.partition("?")
        self.server.requests.append(path)
        self.server.queries.append(query)
        faults = self.server.faults
        (faults.popleft() if faults else self.server.answer_to(path))(self)

    def log_message(self, *_):
        """Keep the test output clean."""


@contextmanager
def stand_in(server: StandIn | None = None) -> Iterator[StandIn]:
    with server or StandIn() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.stopping.set()
            server.shutdown()
            thread.join()


@pytest.fixture
def server(monkeypatch) -> Iterator[StandIn]:
    """A stand-in, without waits between the attempts of a download."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    with stand_in() as server:
        yield server


def answer(status: int, body: bytes = b"", **headers: str) -> Answer:
    """A well-formed answer; underscores in header names stand for hyphens."""

    def send(handler: Handler) -> None:
        handler.send_response(status)
        for name, value in ({"Content_Length": str(len(body))} | headers).items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body)

    return send


def redirect(location: str) -> Answer:
    return answer(302, Location=location)


def half_gzip(body: bytes) -> Answer:
    """Announces what it sends, yet half of the body is missing."""
    packed = gzip.compress(body)
    return answer(200, packed[: len(packed) // 2], Content_Encoding="gzip")


def short_body(handler: Handler) -> None:
    """Announces more than it sends."""
    answer(200, b"<oml:data", Content_Length="99")(handler)
    handler.close_connection = True


def reset(handler: Handler) -> None:
    """Drop the connection with a TCP reset instead of an answer."""
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.close_connection = True
    handler.connection.close()


def silent(handler: Handler) -> None:
    """Accept the request and send nothing until the server stops."""
    handler.server.stopping.wait()
    handler.close_connection = True


def dribble(body: bytes) -> Answer:
    """Send the body byte by byte, so slowly that no single wait is long."""

    def send(handler: Handler) -> None:
        answer(200, b"", Content_Length=str(len(body)))(handler)
        handler.close_connection = True
        for i in range(len(body)):
            handler.wfile.write(body[i : i + 1])
            handler.wfile.flush()
            if handler.server.stopping.wait(0.05):
                return

    return send
